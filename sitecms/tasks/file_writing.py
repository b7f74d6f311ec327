"""Write-back by a worker: what changed is written into files soon after it was applied, in a thread of its own."""

import threading
import time

import structlog

from sitecms.actions.syncing.write_back import BUSY, MOVING, write_back
from sitecms.clock import Clock
from sitecms.errors import StoreUnusable
from sitecms.settings.current import CurrentSettings
from sitecms.settings.files import WriteBack
from sitecms.store.database import Database
from sitecms.store.site_state.file_changes import open_file_changes

RETRY_SECONDS = 30.0
_log = structlog.get_logger("sitecms.files")


class FileWriter:
    """Starts a write-back where changes wait; called repeatedly by one thread of a worker.

    A folder that cannot be written is logged once, and tried again after a while.
    """

    def __init__(self, current: CurrentSettings, database: Database, clock: Clock) -> None:
        self._current, self._database, self._clock = current, database, clock
        self._thread: threading.Thread | None = None
        self._stopped = ""
        self._not_before = 0.0

    def step(self) -> None:
        """Start a write-back if a change waits and none is running. Raises StoreUnusable."""
        is_off = self._current.now().files.write_back is WriteBack.OFF
        if is_off or time.monotonic() < self._not_before or (self._thread is not None and self._thread.is_alive()):
            return
        with self._database.reading() as session:
            if not open_file_changes(session, 1):
                return
        self._thread = threading.Thread(target=self._run, name="files", daemon=True)
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Wait for a running write-back; what it does not reach is written by the next worker."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            report = write_back(self._database, self._current.now(), self._clock())
        except StoreUnusable:
            return  # tried again by the next step
        except Exception:  # noqa: BLE001 - the worker goes on
            self._not_before = time.monotonic() + RETRY_SECONDS
            _log.exception("write_back_failed")
            return
        finally:
            self._database.close()
        for path in (*report.written, *report.removed):
            _log.info("file_written" if path in report.written else "file_removed", path=path)
        for problem in report.problems:
            _log.warning("not_in_a_file", problem=problem)
        if report.stopped not in ("", BUSY, MOVING):  # those end soon, or Git says why not
            self._not_before = time.monotonic() + RETRY_SECONDS
            if report.stopped != self._stopped:
                _log.warning("files_not_written", problem=report.stopped)
        self._stopped = report.stopped
