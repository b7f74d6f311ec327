"""Git of a site in a thread of its worker, since a remote may take its time."""

import threading
from collections.abc import Sequence

import structlog

from sitecms.actions.syncing.git import GitSync
from sitecms.actions.syncing.git.load_incoming import load_incoming
from sitecms.clock import Clock
from sitecms.settings.files import GitMode
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database

STEP_SECONDS = 1.0
PAUSE_SECONDS = 60.0
_log = structlog.get_logger("sitecms.git")


class GitWork:
    """Thread that commits, pulls and pushes until it is asked to stop; there is none where Git is off."""

    def __init__(self, settings: SiteSettings, database: Database, clock: Clock) -> None:
        self._settings, self._database, self._clock = settings, database, clock
        self._stop = threading.Event()
        self._sync = GitSync(settings, self._load)
        if settings.files.git is not GitMode.OFF:
            threading.Thread(target=self._run, name="git", daemon=True).start()

    def ask_to_stop(self) -> None:
        """Begin nothing more. What is interrupted is finished by the next worker."""
        self._stop.set()

    def _load(self, paths: Sequence[str]) -> None:
        try:
            load_incoming(self._database, self._settings, self._clock(), paths)
        finally:
            self._database.close()

    def _run(self) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            pause = STEP_SECONDS
            try:
                self._sync.step(self._clock())
            except Exception:  # noqa: BLE001 - it is tried again
                _log.exception("git_work_failed")
                pause = PAUSE_SECONDS
