"""Pool of forked processes for lists of jobs, on `concurrent.futures`.

Forked processes share the memory of their parent, so neither the function that they call nor what it refers to is
pickled; the garbage collector is frozen first, since it would copy every page of memory that it touches. Only the
parent reads and writes the store: it sends each process a few jobs at a time with the data they need. So all use one
snapshot, and no process holds much of it.

A process that dies ends the whole run. Pictures, which may be hostile, are processed by `media.images.limited_tasks`,
on a pool with limits.
"""

import gc
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from sitecms.errors import SitecmsError
from sitecms.programs import end_with_parent

BATCH = 64
_SHARES = 4
"""A batch is at most the share of a process in the jobs that are left, divided by this: the last batches are small."""
_BATCHES_AHEAD = 4  # for each process: a slow batch does not keep the other processes waiting
_OUT_OF_MEMORY = (
    "out of memory? See the system's log (dmesg), and free some memory; sitecms build takes less with --jobs 1, or "
    "jobs = 1 under [build] in site.toml"
)
Need = TypeVar("Need")
Done = TypeVar("Done")

_work: Callable[..., Any]
"""The function that this process was forked for."""


def can_fork(count: int) -> bool:
    """Return whether more than one process is asked for, and processes can be forked on this system."""
    return count > 1 and hasattr(os, "fork")


def run_in_processes(
    count: int,
    jobs: int,
    carry_out: Callable[[range, Need], Sequence[Done]],
    prepare: Callable[[range], Need],
    *,
    at_once: int = BATCH,
) -> Generator[Done, None, None]:
    """Yield what `carry_out` returns in `count` processes for all jobs, at most `at_once` at a time, in their order.

    `prepare` is called in this process, and so is `carry_out` if `count` is 1. Closing the generator ends the
    processes. Raises SitecmsError if a process ends early, and the SitecmsError or OSError that `carry_out` raises.
    """
    if not can_fork(count):
        for start in range(0, jobs, at_once):
            batch = range(start, min(start + at_once, jobs))
            yield from carry_out(batch, prepare(batch))
        return
    results: deque[Future[Sequence[Done]]] = deque()
    try:
        with open_pool(count, carry_out) as pool:
            for batch in batches(jobs, count, at_once):
                if len(results) >= _BATCHES_AHEAD * count:
                    yield from results.popleft().result()
                results.append(pool.submit(call, batch, prepare(batch)))
            while results:
                yield from results.popleft().result()
    except BrokenProcessPool as error:
        raise SitecmsError(f"A process ended before its work was done ({error}).") from None


def batches(jobs: int, count: int, at_once: int) -> Iterator[range]:
    """Yield neighbouring jobs together; the last ones singly, so that all processes end at the same time."""
    start = 0
    while start < jobs:
        size = max(1, min(at_once, (jobs - start) // (_SHARES * count)))
        yield range(start, start + size)
        start += size


@contextmanager
def open_pool(
    count: int, work: Callable[..., object], begin: Callable[[], object] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """Fork processes in which `call` calls `work`, and end them with the block; an error ends them at once.

    Each process calls `begin` first.
    """
    others = set(active_children())
    gc.freeze()
    pool = ProcessPoolExecutor(count, get_context("fork"), _begin, (work, begin, os.getpid()))
    try:
        with _sigint_blocked():  # which the processes inherit: they have no handler of their own yet
            pool.submit(os.getpid)  # forks all processes, before the pool has any thread
        workers = set(active_children()) - others
        try:
            yield pool
        except BrokenProcessPool:
            pool.shutdown()  # which waits for the exit codes
            raise BrokenProcessPool(_reason(workers)) from None
        except BaseException:
            for worker in workers:
                worker.kill()
            raise
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Let a Ctrl-C wait until the block ends."""
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _reason(workers: Iterable[BaseProcess]) -> str:
    """Return why the first process that ended did: by an error, which it has printed, or by a signal.

    The pool then ends the others with SIGTERM.
    """
    codes = [worker.exitcode for worker in workers if worker.exitcode not in (None, 0, -signal.SIGTERM)]
    code = codes[0] if codes else -signal.SIGKILL
    if code is None or code == -signal.SIGKILL:
        return _OUT_OF_MEMORY
    return f"signal {-code}" if code < 0 else "its error stands above"


def call(*arguments: Any) -> Any:
    """Call in a process the function that it was forked for."""
    try:
        return _work(*arguments)
    except (SitecmsError, OSError) as error:
        raise _sendable(error) from None


def _begin(work: Callable[..., object], begin: Callable[[], object] | None, parent_pid: int) -> None:
    """Prepare a process. A Ctrl-C in the terminal is for the parent, which then ends the processes."""
    global _work  # noqa: PLW0603 - one function for each process
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent_pid)
    if begin:
        begin()


def _sendable(error: SitecmsError | OSError) -> SitecmsError | OSError:
    """Return the error, or one with its message if its class cannot be restored in another process."""
    try:
        is_equal = str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - whatever its class makes of it
        is_equal = False
    return error if is_equal else SitecmsError(str(error))
