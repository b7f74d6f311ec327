"""Threads that read: those that share the answer to one question, and those that take turns."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from structlog.testing import capture_logs

from sitecms.errors import StoreUnusable
from sitecms.store.database import ChangeQuestion
from sitecms.web.server.read_threads import READ_THREADS, ReadThreads, SharedReads
from tests.support.waiting import PATIENCE_SECONDS


class CountedQuestion(ChangeQuestion):
    """A question whose answers are 1, 2, 3, ...; each waits for `gate`."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(self._next)
        self.asked = 0
        self.is_closed = False
        self.gate = threading.Event()
        self._error = error

    def ask(self) -> None:
        """Count the question."""
        self.asked += 1

    def close(self) -> None:
        """Note that the question is over."""
        self.is_closed = True

    def _next(self) -> int:
        assert self.gate.wait(PATIENCE_SECONDS)
        if self._error:
            raise self._error
        return self.asked


@contextmanager
def shared_reads(question: CountedQuestion) -> Iterator[SharedReads]:
    """A thread that is idle, until the end of the block."""
    reads = SharedReads(lambda: question)
    try:
        yield reads
    finally:
        question.gate.set()
        reads.close()


def test_functions_that_wait_share_one_answer() -> None:
    """It is asked for after the last of them was submitted; what comes later gets a later one."""
    question, seen = CountedQuestion(), list[int | None]()
    with shared_reads(question) as reads:
        for _ in range(50):
            reads.submit(lambda: seen.append(reads.number))
        question.gate.set()
        while len(seen) < 50:
            threading.Event().wait(0.01)
        asked = question.asked
        reads.submit(lambda: seen.append(reads.number))
    assert asked <= 3  # the thread may have taken the first ones alone
    assert seen[-2:] == [asked, asked + 1]
    assert question.is_closed


def test_function_that_comes_while_others_run_gets_a_later_answer() -> None:
    """It was submitted after their question, which may be older than the change that it has to show."""
    question, seen = CountedQuestion(), list[int | None]()
    question.gate.set()
    with shared_reads(question) as reads:
        started, go_on = threading.Event(), threading.Event()

        def slow() -> None:
            started.set()
            go_on.wait(PATIENCE_SECONDS)
            seen.append(reads.number)

        reads.submit(slow)
        assert started.wait(PATIENCE_SECONDS)
        for _ in range(3):
            reads.submit(lambda: seen.append(reads.number))
        assert question.asked == 1
        go_on.set()
    assert seen == [1, 2, 2, 2]


def test_the_next_question_is_asked_before_functions_run() -> None:
    """So the server answers meanwhile."""
    question, asked = CountedQuestion(), list[int]()
    with shared_reads(question) as reads:
        reads.submit(lambda: asked.append(question.asked))
        while not question.asked:
            threading.Event().wait(0.001)
        reads.submit(lambda: asked.append(question.asked))
        question.gate.set()
    assert asked == [2, 2]


@pytest.mark.parametrize("error", [StoreUnusable("away"), RuntimeError("broken")])
def test_functions_run_while_the_store_cannot_be_asked(error: Exception) -> None:
    """Without a number, later ones too; an error other than an outage is logged."""
    question, seen = CountedQuestion(error), list[int | None]()
    question.gate.set()
    with capture_logs() as logs, shared_reads(question) as reads:
        for _ in range(2):
            done = threading.Event()
            reads.submit(lambda: seen.append(reads.number))
            reads.submit(done.set)
            assert done.wait(PATIENCE_SECONDS)
    assert seen == [None, None]
    assert bool(logs) == isinstance(error, RuntimeError)


@pytest.mark.parametrize("error", [RuntimeError("broken"), StoreUnusable("lost")])
def test_function_that_raises_is_logged(error: Exception) -> None:
    """The others run."""
    question, seen = CountedQuestion(), list[int | None]()

    def fail() -> None:
        raise error

    with capture_logs() as logs, shared_reads(question) as reads:
        for function in (fail, lambda: seen.append(reads.number)):
            reads.submit(function)
    assert seen in ([1], [2])
    assert [entry["log_level"] for entry in logs] == ["error"]


def test_thread_without_functions_asks_nothing() -> None:
    """The process may end before the store was open."""
    question = CountedQuestion()
    with shared_reads(question):
        pass
    assert (question.asked, question.is_closed) == (0, False)


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


class UnaskableQuestion(CountedQuestion):
    """A question that cannot be asked."""

    def ask(self) -> None:
        """Fail."""
        super().ask()
        raise OSError


def test_functions_run_while_no_question_can_be_asked() -> None:
    """Each is called without an answer, and the thread goes on."""
    question, seen = UnaskableQuestion(), list[int | None]()
    with capture_logs() as logs, shared_reads(question) as reads:
        for _ in range(3):
            done = threading.Event()
            reads.submit(lambda: seen.append(reads.number))
            reads.submit(done.set)
            assert done.wait(PATIENCE_SECONDS / 2)
    assert seen == [None, None, None]
    assert question.asked >= 3
    assert {entry["event"] for entry in logs} == {"request_failed"}
