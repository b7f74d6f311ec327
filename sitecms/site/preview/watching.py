"""Detection of changes: files by notices of the system, the store and new folders by polling."""

import threading
from collections.abc import Callable, Collection
from pathlib import Path

from sitecms.resources import resource_dir
from sitecms.settings.site import SETTINGS_FILE, SiteSettings
from sitecms.site.scratch_site import FOLDERS
from sitecms.store.maintenance.readiness import ChangeWatch

POLL_SECONDS = 0.2
STEP_MS = 20
GATHER_MS = 150
_PASSING = (".swp", ".swx", "~", ".tmp", ".part", ".crdownload")

Tell = Callable[[Collection[Path]], None]


class Watcher:
    """Calls `tell` with changed files (none: the store), from threads of its own, until it is closed."""

    def __init__(self, settings: SiteSettings, tell: Tell) -> None:
        self._settings = settings
        self._tell = tell
        self._changes = ChangeWatch(settings.store)
        self._closing = threading.Event()
        self._stale = threading.Event()
        self._folders = self._present()
        self._threads = [
            threading.Thread(target=self._watch_files, name="preview-files", daemon=True),
            threading.Thread(target=self._look, name="preview-look", daemon=True),
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop, and wait for the threads."""
        self._closing.set()
        self._stale.set()
        for thread in self._threads:
            thread.join()
        self._changes.close()

    def _watch_files(self) -> None:
        from watchfiles import watch

        while not self._closing.is_set():
            self._stale.clear()
            folders = self._present()
            if not folders:
                self._closing.wait(POLL_SECONDS)
                continue
            for changes in watch(
                *folders,
                watch_filter=None,
                debounce=GATHER_MS,
                step=STEP_MS,
                stop_event=self._stale,
                rust_timeout=1000,
                raise_interrupt=False,
            ):
                paths = {Path(name) for _kind, name in changes}
                if kept := {path for path in paths if _is_content(path)}:
                    self._tell(kept)

    def _look(self) -> None:
        """Poll the settings file, added and removed folders, and the store; each takes microseconds."""
        before = self._glance()
        while not self._closing.wait(POLL_SECONDS):
            now = self._glance()
            if now[1] != before[1]:
                self._stale.set()
            if now != before:
                self._tell({self._settings.folder / SETTINGS_FILE} if now[0] != before[0] else ())
            before = now

    def _glance(self) -> tuple[tuple[int, int] | None, tuple[Path, ...], tuple[int, int] | None]:
        try:
            stat = (self._settings.folder / SETTINGS_FILE).stat()
            settings_file = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            settings_file = None
        return settings_file, self._present(), self._changes.now()

    def _present(self) -> tuple[Path, ...]:
        own = (self._settings.folder / name for name in FOLDERS)
        return (*(folder for folder in own if folder.is_dir()), resource_dir("templates"))


def _is_content(path: Path) -> bool:
    """Return True for a possible file of the site, False for temporary files of text editors."""
    return not path.name.startswith((".", "#")) and not path.name.endswith(_PASSING) and not path.name.isdecimal()
