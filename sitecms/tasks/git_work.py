"""Git of a site in a thread of its worker, since a remote may take its time."""

import threading
from collections.abc import Sequence

import structlog

from sitecms.actions.syncing.git import GitSync
from sitecms.actions.syncing.git.load_incoming import load_incoming
from sitecms.clock import Clock
from sitecms.settings.current import CurrentSettings
from sitecms.settings.files import GitMode
from sitecms.store.database import Database

STEP_SECONDS = 1.0
PAUSE_SECONDS = 60.0
_log = structlog.get_logger("sitecms.git")


class GitWork:
    """Thread that commits, pulls and pushes until it is asked to stop; it starts where Git is not off."""

    def __init__(self, current: CurrentSettings, database: Database, clock: Clock) -> None:
        self._current, self._database, self._clock = current, database, clock
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def step(self) -> None:
        """Start the thread if it is needed."""
        if self._thread is None and self._current.now().files.git is not GitMode.OFF:
            self._thread = threading.Thread(target=self._run, name="git", daemon=True)
            self._thread.start()

    def ask_to_stop(self) -> None:
        """Begin nothing more. What is interrupted is finished by the next worker."""
        self._stop.set()

    def _load(self, paths: Sequence[str]) -> None:
        try:
            load_incoming(self._database, self._current.now(), self._clock(), paths)
        finally:
            self._database.close()

    def _run(self) -> None:
        sync, pause = GitSync(self._current.now(), self._load), 0.0
        while not self._stop.wait(pause):
            pause = STEP_SECONDS
            try:
                sync.settings = self._current.now()
                sync.step(self._clock())
            except Exception:  # noqa: BLE001 - it is tried again
                _log.exception("git_work_failed")
                pause = PAUSE_SECONDS
