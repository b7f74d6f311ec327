"""The parts of one open site: settings, store, clock, metrics."""

import structlog
from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.operations.reindex import reindex_stale
from sitecms.actions.plugin_events import tell_plugins
from sitecms.clock import Clock, now
from sitecms.content.locale import Locales
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.maintenance.metrics import Metrics
from sitecms.store.opening import open_store

_log = structlog.get_logger("sitecms.plugins")


class Runtime(Struct, frozen=True):
    """The parts of one site that every interface needs; passed as an argument, never kept in a module."""

    settings: SiteSettings
    database: Database
    clock: Clock
    locales: Locales
    metrics: Metrics = field(default_factory=Metrics)

    def with_settings(self, settings: SiteSettings) -> "Runtime":
        """Return the same site with other settings; from now on its plug-ins hear of changes by these."""
        tell_plugins(self.database, settings, _log_plugin)
        return replace(self, settings=settings, locales=_locales(settings))


def open_runtime(settings: SiteSettings, *, create: bool = False, clock: Clock = now) -> Runtime:
    """Open the site's store, and create it with `create` if it does not exist. Raises StoreUnusable."""
    database = open_store(settings, create=create)
    reindex_stale(database)
    return Runtime(settings, database, clock, _locales(settings)).with_settings(settings)


def _locales(settings: SiteSettings) -> Locales:
    return Locales(settings.locales, settings.default_locale)


def _log_plugin(problem: str) -> None:
    _log.warning("plugin_failed", problem=problem)
