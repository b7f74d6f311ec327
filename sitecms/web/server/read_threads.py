"""Threads that read from a database server.

The server has to be asked for the change number before each cached response, since other processes write too, and
asking takes several times as long as the response. So `SharedReads` asks once for all requests that have arrived; while
the server answers, it responds to those before. A response still shows every change that was committed before its
request arrived. Cached reads of one post a second with two processes: 1.6 to 1.7 times as many as a bare Flask route.
Processor time of the web process: 65 µs, 209 where each read asks by itself, 90 for the Flask route.

Other reads run in `ReadThreads`, mostly one at a time: threads that run Python block each other. Uncached reads
of one post a second in two processes: 2,660 with one thread each, 1,770 with four. That is 0.16 to 0.17 of the bare
Flask route on two processors, when three statements made a response; one makes it now. Each takes 450 to 500 µs of the
web process on a busy machine, 150 in a process that does nothing else.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from queue import SimpleQueue
from typing import Any

import structlog

from sitecms.errors import StoreUnusable
from sitecms.store.database import ChangeQuestion

READ_THREADS = 4
TURN_SECONDS = 0.01
_log = structlog.get_logger("sitecms.api")


class ReadThreads:
    """Executor that runs one thread at a time, and a second one while the first waits long, as for a slow search."""

    def __init__(self, turn_seconds: float = TURN_SECONDS) -> None:
        self._turn_seconds = turn_seconds
        self._pool = ThreadPoolExecutor(READ_THREADS, "reads")
        self._turn = threading.Lock()

    def submit(self, function: Callable[..., Any], /, *args: Any, **options: Any) -> None:
        """Call the function in a thread."""
        self._pool.submit(self._call, partial(function, *args, **options))

    def close(self) -> None:
        """Wait for the functions that run; drop those that no thread has begun."""
        self._pool.shutdown(cancel_futures=True)

    def _call(self, function: Callable[[], object]) -> None:
        has_turn = self._turn.acquire(timeout=self._turn_seconds)
        try:
            function()
        finally:
            if has_turn:
                self._turn.release()


class SharedReads:
    """Executor with one thread, which asks a question of the store once for all functions that were submitted by then.

    It asks for the next functions before it calls those whose answer has come, so that it seldom waits for the server.
    """

    def __init__(self, open_question: Callable[[], ChangeQuestion]) -> None:
        self.number: int | None = None
        """The answer for the function that runs; None if the store could not be asked."""
        self._open_question = open_question
        self._submitted: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._is_open = True
        self._thread = threading.Thread(target=self._run, name="shared-reads", daemon=True)
        self._thread.start()

    def submit(self, function: Callable[..., Any], /, *args: Any, **options: Any) -> None:
        """Call the function in the thread."""
        self._submitted.put(partial(function, *args, **options))

    def close(self) -> None:
        """Wait for the functions that were submitted."""
        self._submitted.put(None)
        self._thread.join()

    def _run(self) -> None:
        answered = self._take(may_wait=True)
        if not answered:
            return
        with closing(self._open_question()) as question:
            self._answer(question, is_asked=self._ask(question))
            while answered or self._is_open:
                asked = self._take(may_wait=not answered)
                is_asked = bool(asked) and self._ask(question)
                for function in answered:
                    self._call(function)
                if asked:
                    self._answer(question, is_asked=is_asked)
                answered = asked

    def _take(self, *, may_wait: bool) -> list[Callable[[], object]]:
        """Return the functions that were submitted; `may_wait`: at least one, unless the thread is to end."""
        functions = list[Callable[[], object]]()
        while self._is_open and (not self._submitted.empty() or (may_wait and not functions)):
            function = self._submitted.get()
            if function is None:
                self._is_open = False
            else:
                functions.append(function)
        return functions

    def _ask(self, question: ChangeQuestion) -> bool:
        """Ask, and return whether an answer will come."""
        try:
            question.ask()
        except StoreUnusable:
            return False
        except Exception:  # noqa: BLE001 - the thread goes on
            _log.exception("request_failed")
            return False
        return True

    def _answer(self, question: ChangeQuestion, *, is_asked: bool) -> None:
        try:
            self.number = question.answer() if is_asked else None
        except StoreUnusable:
            self.number = None  # each request meets the error by itself
        except Exception:  # noqa: BLE001 - the thread goes on
            self.number = None
            _log.exception("request_failed")

    def _call(self, function: Callable[[], object]) -> None:
        try:
            function()
        except Exception:  # noqa: BLE001 - the thread goes on
            _log.exception("request_failed")
