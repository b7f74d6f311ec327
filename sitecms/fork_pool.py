"""Pool of forked processes that share a list of jobs. Neighbouring jobs run in the same process.

Forked processes share the memory of their parent; the garbage collector is frozen first, since it would copy every page
of memory that it touches. Only the parent reads and writes the store: it sends each process a few jobs at a time with
the data they need (`run_in_processes`), or takes their results in the order of the jobs (`run_in_order`). So all use
one snapshot, and no process holds much of it.

Trusted jobs only: one that crashes ends the whole run. Pictures, which may be hostile, are processed by
`media.images.derive_workers`, which limits the time and memory of each task.
"""

import gc
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, NamedTuple, TypeVar

from sitecms.errors import SitecmsError
from sitecms.programs import end_with_parent

BATCH = 64
_SHARES = 4
"""A process takes at most its share of the remaining jobs, divided by this number: the last batches are small."""
_NICENESS = 5  # of processes whose results the caller stores: it may hold the lock of the store, so it goes first
_EXIT_SECONDS = 0.2
"""Seconds for which to wait for the exit code of a process that has closed its pipe."""
Need = TypeVar("Need")
Done = TypeVar("Done")


class Batch(NamedTuple, Generic[Need]):
    """A few jobs, by their index in the list of all jobs, with the data they need."""

    jobs: range
    needs: Need


class JobRanges:
    """A range of the jobs for each process; one that has finished takes jobs from the end of the longest range left."""

    def __init__(self, jobs: int, processes: int) -> None:
        cuts = [jobs * number // processes for number in range(processes + 1)]
        self._left = [range(start, stop) for start, stop in pairwise(cuts)]

    def take(self, process: int) -> range:
        """Return the next few jobs for the process, an empty range if none are left.

        The last ones are given out singly, so that all processes end at the same time.
        """
        size = min(BATCH, max(1, sum(map(len, self._left)) // (_SHARES * len(self._left))))
        own = self._left[process]
        if own:
            self._left[process] = own[size:]
            return own[:size]
        longest = max(range(len(self._left)), key=lambda number: len(self._left[number]))
        left = self._left[longest]
        self._left[longest] = left[: max(0, len(left) - size)]
        return left[len(self._left[longest]) :]


def can_fork(count: int) -> bool:
    """Return whether more than one process is asked for, and processes can be forked on this system."""
    return count > 1 and hasattr(os, "fork")


def run_in_processes(
    count: int, jobs: int, prepare: Callable[[range], Need], carry_out: Callable[[range, Need], Sequence[Done]]
) -> Iterator[Done]:
    """Yield what `carry_out` returns in `count` processes for all jobs, in no order.

    `prepare` is called in this process, and so is `carry_out` if `count` is 1. Raises SitecmsError if a process ends
    early.
    """
    if not can_fork(count):
        for start in range(0, jobs, BATCH):
            batch = range(start, min(start + BATCH, jobs))
            yield from carry_out(batch, prepare(batch))
        return
    with _forked([partial(_work, carry_out)] * count) as workers:
        yield from _hand_out(workers, JobRanges(jobs, count), prepare)


def run_in_order(
    count: int, jobs: int, at_once: int, carry_out: Callable[[range], Sequence[Done]]
) -> Generator[Done, None, None]:
    """Yield what `carry_out` returns in `count` processes for all jobs, `at_once` at a time, in their order.

    The processes take turns, and each works ahead as far as its pipe holds results, so that the caller can do as much
    meanwhile as they do. Closing the generator ends them. Raises as `run_in_processes`, and the SitecmsError or OSError
    that `carry_out` raises.
    """
    batches = [range(start, min(start + at_once, jobs)) for start in range(0, jobs, at_once)]
    if not can_fork(count):
        for batch in batches:
            yield from carry_out(batch)
        return
    with _forked([partial(_send_all, carry_out, batches[number::count]) for number in range(count)]) as workers:
        for number in range(len(batches)):
            done: Sequence[Done] | SitecmsError | OSError = workers[number % count].recv()
            if isinstance(done, SitecmsError | OSError):
                raise done
            yield from done


Work = Callable[[Connection, Sequence[Connection]], None]
"""Function of a process: its arguments are its end of a pipe, and inherited ends of other processes."""


@contextmanager
def _forked(works: Sequence[Work]) -> Iterator[list[Connection]]:
    """Fork a process for each work and return the ends of their pipes; end the processes with the block."""
    context = multiprocessing.get_context("fork")
    workers: dict[Connection, BaseProcess] = {}
    gc.freeze()
    try:
        for work in works:
            parent_end, child_end = context.Pipe()
            arguments = (work, os.getpid(), child_end, (*workers, parent_end))
            process: BaseProcess = context.Process(target=_begin, args=arguments, daemon=True)
            process.start()
            child_end.close()
            workers[parent_end] = process
        yield list(workers)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise SitecmsError(f"A process ended before its work was done ({_reason(workers.values())}).") from None
    finally:
        gc.unfreeze()
        for connection, process in workers.items():
            connection.close()
            process.terminate()
            process.join()


def _reason(processes: Iterable[BaseProcess]) -> str:
    """Return why the first of the processes that ended did: by an error, which it has printed, or by a signal."""
    for process in processes:
        process.join(_EXIT_SECONDS)
    codes = [process.exitcode for process in processes if process.exitcode]
    if not codes or codes[0] > 0:
        return "its error stands above"
    return "out of memory?" if codes[0] == -signal.SIGKILL else f"signal {-codes[0]}"


def _begin(work: Work, parent_pid: int, connection: Connection, inherited: Sequence[Connection]) -> None:
    """Run in a process: carry out the work, and end with the parent even in the middle of a batch."""
    end_with_parent(parent_pid)
    work(connection, inherited)


def _work(
    carry_out: Callable[[range, Need], Sequence[Done]], connection: Connection, inherited: Sequence[Connection]
) -> None:
    """Run in a process: receive batches and send results until the parent ends, even if it is killed."""
    for other in inherited:  # else receiving would wait for ever after the parent has ended
        other.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            batch: Batch[Need] = connection.recv()
            connection.send(carry_out(batch.jobs, batch.needs))


def _send_all(
    carry_out: Callable[[range], Sequence[Done]],
    batches: Sequence[range],
    connection: Connection,
    inherited: Sequence[Connection],
) -> None:
    """Run in a process: send the results of all batches, or the error that ends them, unless the parent ends."""
    for other in inherited:
        other.close()
    os.nice(_NICENESS)
    with suppress(BrokenPipeError, ConnectionResetError):
        try:
            for batch in batches:
                connection.send(carry_out(batch))
        except (SitecmsError, OSError) as error:
            connection.send(_sendable(error))


def _sendable(error: SitecmsError | OSError) -> SitecmsError | OSError:
    """Return the error, or one with its message if its class cannot be restored in another process."""
    try:
        is_equal = str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - whatever its class makes of it
        is_equal = False
    return error if is_equal else SitecmsError(str(error))


def _hand_out(workers: list[Connection], ranges: JobRanges, prepare: Callable[[range], Need]) -> Iterator[Done]:
    """Keep every process busy: prepare its next batch while it works, and send that as soon as it is done.

    Nothing is sent to a process that sends, so neither waits for the other.
    """

    def upcoming(process: int) -> Batch[Need] | None:
        jobs = ranges.take(process)
        return Batch(jobs, prepare(jobs)) if jobs else None

    ready: dict[Connection, Batch[Need] | None] = {}
    for process, connection in enumerate(workers):
        if batch := upcoming(process):
            connection.send(batch)
            ready[connection] = None
    for connection in ready:
        ready[connection] = upcoming(workers.index(connection))
    while ready:
        for found in wait(list(ready)):
            if not isinstance(found, Connection):
                continue
            done: Sequence[Done] = found.recv()
            if batch := ready.pop(found):
                found.send(batch)
                ready[found] = upcoming(workers.index(found))
            yield from done
