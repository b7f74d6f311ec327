"""One site, opened: its settings, its store, its clock."""

from dataclasses import dataclass

from sitecms.clock import Clock, now
from sitecms.content.locale import Locales
from sitecms.settings import SiteSettings
from sitecms.store.database import Database, open_database


@dataclass(frozen=True, slots=True)
class Runtime:
    """What every door needs; passed as an argument, never kept in a module."""

    settings: SiteSettings
    database: Database
    clock: Clock
    locales: Locales


def open_runtime(settings: SiteSettings, *, create: bool = False, clock: Clock = now) -> Runtime:
    """Open the site's store (with `create`, make it if there is none). Raises StoreUnusable."""
    database = open_database(settings.store_path, create=create)
    return Runtime(settings, database, clock, Locales(settings.locales, settings.default_locale))
