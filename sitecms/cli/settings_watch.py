"""Reports of changes of site.toml while processes of a site run: logged once, and kept for `sitecms status`."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
import structlog

from sitecms.cli.report import describe
from sitecms.files import write_atomically
from sitecms.settings.current import AT_START_COPY, USED_COPY, CurrentSettings
from sitecms.settings.site import SETTINGS_FILE, SiteSettings

POLL_SECONDS = 1.0
RESTART = "start sitecms serve and sitecms worker again"
_WAITING_FILE = "settings-waiting.json"
_log = structlog.get_logger("sitecms.settings")


class SettingsWatch:
    """Reports changes of site.toml, for the first process of a command, whose `has_children` begin as it did."""

    def __init__(self, settings: SiteSettings, *, has_children: bool = False) -> None:
        self._state = settings.state_dir
        self._current = CurrentSettings(settings)
        self._settings = settings
        self._problem, self._waiting = "", tuple[str, ...]()
        if has_children:
            self._current.copy(AT_START_COPY)
        self._current.copy(USED_COPY)
        _save_waiting(self._state, ())

    def start(self) -> None:
        """Look at the file every second, in a thread."""
        threading.Thread(target=self._run, name="settings", daemon=True).start()

    def step(self) -> None:
        """Look at the file once."""
        if not self._current.are_outdated:
            return
        former = self._settings
        self._settings = self._current.now()
        if self._settings is not former:
            _log.info("settings_changed", file=SETTINGS_FILE)
            self._current.copy(USED_COPY)
        error, waiting = self._current.problem, self._current.waiting
        problem = "; ".join(describe(error)) if error else ""
        if problem and problem != self._problem:
            _log.warning("settings_not_used", problem=problem, remedy="correct it; until then the former ones hold")
        if waiting and waiting != self._waiting:
            _log.warning("settings_wait", settings=", ".join(waiting), remedy=RESTART)
        if waiting != self._waiting:
            _save_waiting(self._state, waiting)
        self._problem, self._waiting = problem, waiting

    def _run(self) -> None:
        pause = threading.Event()
        while not pause.wait(POLL_SECONDS):
            try:
                self.step()
            except Exception:  # noqa: BLE001 - it looks again
                _log.exception("settings_not_read")


def waiting_settings(state: Path) -> tuple[str, ...]:
    """Return the names of settings in site.toml that processes of the site take when they are started again."""
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode((state / _WAITING_FILE).read_bytes(), type=tuple[str, ...])
    return ()


def _save_waiting(state: Path, names: Iterable[str]) -> None:
    """Keep the names; on a disk that cannot be written, `sitecms status` does without."""
    with suppress(OSError):
        if names:
            write_atomically(state / _WAITING_FILE, msgspec.json.encode(names))
        else:
            (state / _WAITING_FILE).unlink(missing_ok=True)
