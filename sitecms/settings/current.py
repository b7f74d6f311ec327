"""The settings of a site as site.toml is now, for programs that run while people change it."""

import threading
from pathlib import Path

from sitecms.documents import locator, read_toml
from sitecms.errors import ConfigurationError
from sitecms.settings.site import SETTINGS_FILE, SiteSettings, settings_of

Stamp = tuple[int, int] | None


class CurrentSettings:
    """Settings that are read again once site.toml was changed, for any thread; while it has errors, the last ones hold.

    The plug-ins stay those that were imported at the start.
    """

    def __init__(self, settings: SiteSettings) -> None:
        self._settings = settings
        self._path = settings.folder / SETTINGS_FILE
        self._stamp = _stamp(self._path)
        self._lock = threading.Lock()

    def now(self) -> SiteSettings:
        """Return the settings."""
        with self._lock:
            stamp = _stamp(self._path)
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    data = read_toml(self._path, SETTINGS_FILE)
                    former = self._settings
                    self._settings = settings_of(former.folder, data, locator(self._path), plugins=former.plugins)
                except ConfigurationError:
                    pass
            return self._settings


def _stamp(path: Path) -> Stamp:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
