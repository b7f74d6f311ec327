"""Jobs handed to forked processes, each a stretch of them: what is near one another is made by one process.

Processes are forked, so that they share what there is without copying it; the garbage collector is frozen first, since
its bookkeeping would copy every page of memory it touches. Only the parent reads the store: it hands each process a
few jobs at a time with what they need of it, so that all see one snapshot and none holds much of it.
"""

import gc
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, NamedTuple, TypeVar

from sitecms.errors import SitecmsError

BATCH = 64
Need = TypeVar("Need")
Done = TypeVar("Done")


class Batch(NamedTuple, Generic[Need]):
    """A few jobs, by their place in the list of all, and what they need."""

    jobs: range
    needs: Need


class Shares:
    """A stretch of the jobs for each process; one that has done its own takes from the end of the longest left."""

    def __init__(self, jobs: int, processes: int) -> None:
        cuts = [jobs * number // processes for number in range(processes + 1)]
        self._left = [range(start, stop) for start, stop in pairwise(cuts)]

    def take(self, process: int) -> range:
        """The next few jobs for that process; none if all are given out."""
        own = self._left[process]
        if own:
            self._left[process] = own[BATCH:]
            return own[:BATCH]
        longest = max(range(len(self._left)), key=lambda number: len(self._left[number]))
        left = self._left[longest]
        self._left[longest] = left[: max(0, len(left) - BATCH)]
        return left[len(self._left[longest]) :]


def in_processes(
    count: int, jobs: int, prepare: Callable[[range], Need], carry_out: Callable[[range, Need], Sequence[Done]]
) -> Iterator[Done]:
    """What `carry_out` gives in the processes for all jobs, in no order; `prepare` is called in this process."""
    context = multiprocessing.get_context("fork")
    workers: dict[Connection, BaseProcess] = {}
    gc.freeze()
    try:
        for _number in range(count):
            ours, theirs = context.Pipe()
            process: BaseProcess = context.Process(
                target=_work, args=(carry_out, theirs, (*workers, ours)), daemon=True
            )
            process.start()
            theirs.close()
            workers[ours] = process
        yield from _hand_out(list(workers), Shares(jobs, count), prepare)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise SitecmsError("A process of ours ended before its work was done (out of memory?).") from None
    finally:
        gc.unfreeze()
        for connection, process in workers.items():
            connection.close()
            process.terminate()
            process.join()


def _work(
    carry_out: Callable[[range, Need], Sequence[Done]], connection: Connection, inherited: Sequence[Connection]
) -> None:
    """The life of a process: a batch in, what became of it out. It ends with the build, even a killed one."""
    for other in inherited:  # else nobody would notice that the build has gone, and receiving would wait for ever
        other.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            batch: Batch[Need] = connection.recv()
            connection.send(carry_out(batch.jobs, batch.needs))


def _hand_out(workers: list[Connection], shares: Shares, prepare: Callable[[range], Need]) -> Iterator[Done]:
    """Keep every process busy: its next batch is prepared while it works, and sent as soon as it is done.

    A process that sends is not sent to, and the other way round, so neither ever waits for the other.
    """

    def upcoming(process: int) -> Batch[Need] | None:
        jobs = shares.take(process)
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
