"""Threads that read from a database server.

The server has to be asked for the change number before each cached response, since other processes write too, and
asking takes several times as long as the response. So `SharedReads` asks once for all requests that have arrived,
while the next ones wait. A response still shows every change that was committed before its request
arrived. Processor time of the web process for a cached read of one post: 61 µs, 209 where each read asks by itself,
86 for a bare Flask route.

Other reads run in `ReadThreads`, mostly one at a time: threads that run Python block each other. Uncached reads
of one post a second in two processes: 2,660 with one thread each, 1,770 with four. That is 0.16 to 0.17 of the bare
Flask route on two processors. Each takes 400 to 500 µs of the web process, 170 in a process that does nothing else (76
for three statements through psycopg), and 170 to 190 µs of the server.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from queue import SimpleQueue
from typing import Any

import structlog

from sitecms.errors import StoreUnusable

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
    """Executor with one thread. `snapshot` opens a transaction for all functions that were submitted before it."""

    def __init__(self, snapshot: Callable[[], AbstractContextManager[None]]) -> None:
        self._snapshot = snapshot
        self._submitted: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
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
        is_open = True
        while is_open:
            functions = [self._submitted.get()]
            while not self._submitted.empty():
                functions.append(self._submitted.get())
            is_open = functions[-1] is not None
            self._call([function for function in functions if function is not None])

    def _call(self, functions: list[Callable[[], object]]) -> None:
        with ExitStack() as stack:
            try:
                if functions:
                    stack.enter_context(self._snapshot())
            except StoreUnusable:
                pass  # each request meets the error by itself
            except Exception:  # noqa: BLE001 - the thread goes on
                _log.exception("request_failed")
            for function in functions:
                try:
                    function()
                except Exception:  # noqa: BLE001 - the thread goes on
                    _log.exception("request_failed")
