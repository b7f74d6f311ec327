"""The settings of a site as site.toml is now, for the processes that run while people change it.

Each process has one `CurrentSettings`. A request or a task asks it once, at its beginning, so that it sees the former
settings or the new ones, never a mixture.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sitecms.documents import locator, read_toml
from sitecms.errors import ConfigurationError
from sitecms.files import stamp_of, write_atomically
from sitecms.plugins.site_plugins import are_opened
from sitecms.settings.site import SETTINGS_FILE, STATE_FOLDER, SiteSettings, settings_of

RETRY_SECONDS = 1.0  # after errors, which may be those of another file, as of a theme
AT_START = {"store_url": "url under [store]", "queue_url": "url under [queue]", "logs": "[logs]"}
"""Settings that a process keeps from its start, and their names in messages."""
AT_START_COPY, USED_COPY = f"{STATE_FOLDER}/settings-at-start.toml", f"{STATE_FOLDER}/settings-in-use.toml"
"""Copies of site.toml, of the start and the last one without errors, for processes that take the place of others."""
BEFORE, PLUGINS = "before under [build]", "[plugins]"
"""Names of settings that make it run programs, which whoever may only change the folder must not start here."""


class CurrentSettings:
    """Settings that are read again once site.toml was changed, for any thread; while it has errors, the last ones hold.

    `on_change` gets new settings before anybody else. `problem` is the error of site.toml as it is now, and
    `waiting` names the settings in it that take effect when the process is started again.
    """

    def __init__(self, settings: SiteSettings, on_change: Callable[[SiteSettings], object] | None = None) -> None:
        self._start = self._settings = settings
        self._on_change = on_change
        self._path = settings.folder / SETTINGS_FILE
        self._stamp = settings.stamp
        self._retry_at = inf
        self._lock = threading.Lock()
        self.problem: ConfigurationError | None = None
        self.waiting: tuple[str, ...] = ()

    def copy(self, name: str) -> None:
        """Copy site.toml as it is used, for processes that start later, or remove the copy. Never fails."""
        path = self._start.folder / name
        with suppress(OSError):
            data = self._path.read_bytes()
            if self.problem is None and not self.are_outdated:
                write_atomically(path, data, mode=0o600)
            else:
                path.unlink(missing_ok=True)

    @property
    def are_outdated(self) -> bool:
        """True if the next call of `now` reads site.toml; never waits."""
        return stamp_of(self._path) != self._stamp or time.monotonic() >= self._retry_at

    def now(self) -> SiteSettings:
        """Return the settings."""
        if self.are_outdated:
            with self._lock:
                if self.are_outdated:
                    self._read()
        return self._settings

    def _read(self) -> None:
        stamp = stamp_of(self._path)
        try:
            self._use(SETTINGS_FILE)
        except ConfigurationError as error:
            self.problem, self._retry_at = error, time.monotonic() + RETRY_SECONDS
            if self._settings is self._start:
                with suppress(ConfigurationError):
                    self._use(USED_COPY)
        else:
            self.problem, self._retry_at = None, inf
        self._stamp = stamp  # at the end: until then other threads come here and wait

    def _use(self, name: str) -> None:
        settings, waiting = read_beside(self._start, name)
        if settings != self._settings:
            if self._on_change is not None:
                self._on_change(settings)
            self._settings = settings
        self.waiting = waiting


def read_beside(start: SiteSettings, name: str = SETTINGS_FILE) -> tuple[SiteSettings, tuple[str, ...]]:
    """Return the settings as site.toml is now, for a process that was started with others, and what it does not take.

    `name` is that of the file, or of a copy of it. Raises ConfigurationError.
    """
    path = start.folder / name
    data, locate = read_toml(path, SETTINGS_FILE), locator(path)
    written = settings_of(start.folder, data, locate, plugins=start.plugins)
    waiting = [name for field, name in AT_START.items() if getattr(written, field) != getattr(start, field)]
    if written.build.before != start.build.before:
        waiting.append(BEFORE)
    if not are_opened(start.plugins, data.get("plugins", {}), SETTINGS_FILE, locate):
        waiting.append(PLUGINS)
    former: dict[str, Any] = {field: getattr(start, field) for field in AT_START}
    build = replace(written.build, before=start.build.before)
    return replace(written, build=build, stamp=start.stamp, **former), tuple(waiting)


def settings_at_start(folder: Path, *, with_plugins: bool = True) -> SiteSettings | None:
    """Return the settings with which the first process of a command started; None without a copy of them."""
    path = folder / AT_START_COPY
    try:
        return settings_of(folder, read_toml(path, SETTINGS_FILE), locator(path), with_plugins=with_plugins)
    except ConfigurationError:
        return None
