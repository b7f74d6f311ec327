"""Threads that read: those that share one snapshot of the store, and those that take turns."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from structlog.testing import capture_logs

from sitecms.errors import StoreUnusable
from sitecms.web.server.read_threads import READ_THREADS, ReadThreads, SharedReads

PATIENCE_SECONDS = 20


class Snapshots:
    """Snapshots that are counted; opening one waits for `gate`."""

    def __init__(self, error: Exception | None = None) -> None:
        self.opened = 0
        self.gate = threading.Event()
        self._error = error
        self._is_open = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Open a snapshot, or raise the error."""
        self.gate.wait(PATIENCE_SECONDS)
        self.opened += 1
        if self._error:
            raise self._error
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False

    def number(self) -> int:
        """Return the number of the snapshot that is open; 0 outside of one."""
        return self.opened if self._is_open else 0


@contextmanager
def shared_reads(snapshots: Snapshots) -> Iterator[SharedReads]:
    """A thread that is idle, until the end of the block."""
    reads = SharedReads(snapshots.open)
    try:
        yield reads
    finally:
        snapshots.gate.set()
        reads.close()


def test_functions_that_wait_share_one_snapshot() -> None:
    """It is opened after the last of them was submitted; what comes later is in a later one."""
    snapshots, seen = Snapshots(), list[int]()
    with shared_reads(snapshots) as reads:
        for _ in range(50):
            reads.submit(lambda: seen.append(snapshots.number()))
        snapshots.gate.set()
        while len(seen) < 50:
            threading.Event().wait(0.01)
        taken = snapshots.opened
        reads.submit(lambda: seen.append(snapshots.number()))
    assert taken <= 2  # the thread may have taken the first one alone
    assert seen[-2:] == [taken, taken + 1]
    assert 0 not in seen


def test_functions_run_while_the_store_cannot_be_read() -> None:
    """Without a snapshot: each finds out by itself."""
    snapshots, seen = Snapshots(StoreUnusable("away")), list[int]()
    with shared_reads(snapshots) as reads:
        reads.submit(lambda: seen.append(snapshots.number()))
    assert (seen, snapshots.opened) == ([0], 1)


@pytest.mark.parametrize("error", [RuntimeError("broken"), StoreUnusable("lost")])
def test_function_that_raises_is_logged(error: Exception) -> None:
    """The others run."""
    snapshots, seen = Snapshots(), list[int]()

    def fail() -> None:
        raise error

    with capture_logs() as logs, shared_reads(snapshots) as reads:
        for function in (fail, lambda: seen.append(snapshots.number())):
            reads.submit(function)
    assert seen in ([1], [2])
    assert [entry["log_level"] for entry in logs] == ["error"]


def test_failure_of_a_snapshot_ends_nothing() -> None:
    """The functions run without it, and later ones too."""
    snapshots = Snapshots(RuntimeError("broken"))
    snapshots.gate.set()
    with capture_logs() as logs, shared_reads(snapshots) as reads:
        for _ in range(2):
            done = threading.Event()
            reads.submit(done.set)
            assert done.wait(PATIENCE_SECONDS)
    assert [entry["log_level"] for entry in logs] == ["error", "error"]


def test_fast_reads_run_one_at_a_time() -> None:
    """However many wait, if each is over before the next has waited for long."""
    threads, running, most = ReadThreads(turn_seconds=PATIENCE_SECONDS), [0], [0]
    done = threading.Semaphore(0)

    def read() -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        threading.Event().wait(0.0005)
        running[0] -= 1
        done.release()

    for _ in range(8):
        threads.submit(read)
    for _ in range(8):
        assert done.acquire(timeout=PATIENCE_SECONDS)
    threads.close()
    assert most == [1]


def test_slow_read_delays_no_other() -> None:
    """All threads read at once if each takes long."""
    threads, together = ReadThreads(), threading.Barrier(READ_THREADS + 1)
    for _ in range(READ_THREADS):
        threads.submit(together.wait, PATIENCE_SECONDS)
    together.wait(PATIENCE_SECONDS)
    threads.close()
