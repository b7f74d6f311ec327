"""The site with unsaved entries, by the settings as site.toml is now."""

import threading

from sitecms.settings.current import CurrentSettings
from sitecms.settings.site import SiteSettings
from sitecms.site.unsaved.consequences import Forecast
from sitecms.site.unsaved.content import PublishedContent
from sitecms.site.unsaved.page import UnsavedPages
from sitecms.store.database import Database


class UnsavedSite:
    """Previews and forecasts of one site, made anew once its settings were changed, for any thread."""

    def __init__(
        self, published: PublishedContent, database: Database, settings: CurrentSettings, base_path: str
    ) -> None:
        self._published, self._database, self._current, self._base_path = published, database, settings, base_path
        self._lock = threading.Lock()
        self._made = self._parts()

    @property
    def settings(self) -> SiteSettings:
        """The settings as site.toml is now."""
        return self._current.now()

    @property
    def pages(self) -> UnsavedPages:
        """The pages of unsaved entries."""
        return self._now()[0]

    @property
    def forecast(self) -> Forecast:
        """The consequences of publishing unsaved entries."""
        return self._now()[1]

    def _now(self) -> tuple[UnsavedPages, Forecast]:
        with self._lock:
            if self._current.now() is not self._settings:
                self._made = self._parts()
            return self._made

    def _parts(self) -> tuple[UnsavedPages, Forecast]:
        settings = self._settings = self._current.now()
        pages = UnsavedPages(self._published, settings, self._base_path)
        return pages, Forecast(self._published, self._database, settings)
