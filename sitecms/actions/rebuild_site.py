"""Build the site by itself after what readers see has changed (`build.on_publish`): `sitecms build`, one at a time.

Changes that follow each other within a second are built once; a stream of them at least every five seconds. Files
of the site folder are not loaded: someone may be in the middle of writing them.
"""

import fcntl
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import IO

import structlog

from sitecms.settings import SiteSettings
from sitecms.store.database import Database
from sitecms.store.site_changes import note_site_built, unbuilt_changes

QUIET_SECONDS = 0.7
LONGEST_WAIT_SECONDS = 5.0
RETRY_SECONDS = 60.0
STOP_SECONDS = 1.0
_TOLD_BYTES = 2000
_BUILT = frozenset({0, 1})  # 1: built, but for pages that could not be rendered
_log = structlog.get_logger("sitecms.build")


class Rebuilder:
    """Asked again and again by a worker, from one thread; starts builds, and ends with the worker.

    Among several workers the one that holds the lock file builds; the kernel drops the lock with its process.
    """

    def __init__(self, settings: SiteSettings, database: Database) -> None:
        self._command = [sys.executable, "-m", "sitecms", "build", str(settings.folder), "--no-load"]
        self._lock_path = settings.store_path.with_name("rebuild.lock")
        self._database = database
        self._build: _Build | None = None
        self._seen = 0
        self._seen_at = self._waiting_since = self._not_before = 0.0

    def step(self) -> None:
        """Start a build if one is wanted and things are quiet; see to the one that runs."""
        if self._build is not None:
            if self._build.process.poll() is not None:
                self._finish(self._build)
            return
        with self._database.reading() as session:
            number = unbuilt_changes(session)
        if number is None:
            self._seen = 0
        elif self._is_time(number, time.monotonic()):
            self._start()

    def ask_to_stop(self) -> None:
        """Tell the build that runs, if one does, to end."""
        if self._build is not None:
            self._build.process.terminate()

    def stop(self) -> None:
        """End the build that runs, if one does; it is made anew by the next worker."""
        if self._build is None:
            return
        self._build.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._build.process.wait(STOP_SECONDS)
        self._build.process.kill()
        self._build.process.wait()
        self._build.close()
        self._build = None

    def _is_time(self, number: int, at: float) -> bool:
        if number != self._seen:
            self._waiting_since = self._waiting_since if self._seen else at
            self._seen, self._seen_at = number, at
        quiet = at - self._seen_at >= QUIET_SECONDS or at - self._waiting_since >= LONGEST_WAIT_SECONDS
        return quiet and at >= self._not_before

    def _start(self) -> None:
        lock = self._lock_path.open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return
        with self._database.reading() as session:
            number = unbuilt_changes(session)
        if number is None:  # another worker has built just now
            lock.close()
            return
        self._build = _Build(self._command, number, lock)
        self._seen = 0

    def _finish(self, build: "_Build") -> None:
        self._build = None
        code, told = build.process.returncode, build.told()
        if code in _BUILT:
            with self._database.writing(is_shown=False) as transaction:
                note_site_built(transaction, build.number)
        else:
            self._not_before = time.monotonic() + RETRY_SECONDS
        build.close()
        if code:
            _log.error("build_failed", exit_code=code, output=told)
        else:
            _log.info("site_built", change=build.number)


class _Build:
    """A build that runs, with the number of the last change it certainly holds."""

    def __init__(self, command: list[str], number: int, lock: IO[str]) -> None:
        self.number = number
        self._lock = lock
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the build
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors
        )

    def told(self) -> str:
        """The end of what it said on stderr."""
        size = self._errors.seek(0, 2)
        self._errors.seek(max(0, size - _TOLD_BYTES))
        return self._errors.read().decode("utf-8", "replace")

    def close(self) -> None:
        """Let the next one begin."""
        self._errors.close()
        self._lock.close()
