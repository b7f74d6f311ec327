"""A server that neither answers nor refuses, as one behind a cable that was pulled: each attempt takes seconds.

One reader waits for it and finds that out. From then on all others of the process are told at once, and a thread of
its own asks until there is an answer: those who read share a thread, and would wait one after the other.
"""

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

import psycopg

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import connect

SLOW_SECONDS = 1.0  # a refusal that comes sooner keeps nobody waiting


class Silence:
    """Of one server, for those of one process who read. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._problem = ""
        self._pid = 0

    def check(self) -> None:
        """Raises StoreUnusable while the server is known to be silent; a forked process finds out by itself."""
        if self._problem and self._pid == os.getpid():
            raise StoreUnusable(self._problem)

    def connect(self, url: ServiceUrl, settings: Mapping[str, str]) -> "psycopg.Connection[tuple[Any, ...]]":
        """As `link.connect`. Raises StoreUnusable."""
        begun = time.monotonic()
        try:
            return connect(url, settings)
        except StoreUnusable as error:
            if time.monotonic() > begun + SLOW_SECONDS:
                self._begin(str(error), url, settings)
            raise

    def end(self) -> None:
        """Whoever reads next tries again."""
        self._problem = ""

    def _begin(self, problem: str, url: ServiceUrl, settings: Mapping[str, str]) -> None:
        with self._lock:
            if self._problem and self._pid == os.getpid():
                return
            self._problem, self._pid = problem, os.getpid()
        threading.Thread(target=self._ask, args=(url, settings), name="silence", daemon=True).start()

    def _ask(self, url: ServiceUrl, settings: Mapping[str, str]) -> None:
        while self._problem:
            begun = time.monotonic()
            try:
                connect(url, settings).close()
            except StoreUnusable:
                if time.monotonic() > begun + SLOW_SECONDS:
                    continue
            self.end()
