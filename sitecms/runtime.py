"""One site, opened: its settings, its store, its clock."""

import time
from dataclasses import dataclass, field

from sitecms.clock import Clock, now
from sitecms.content.locale import Locales
from sitecms.errors import StoreMissing, StoreUnusable
from sitecms.settings import SiteSettings
from sitecms.store.counters import Counters
from sitecms.store.database import Database, open_database

RETRY_SECONDS = 0.25
PATIENCE_SECONDS = 20.0  # of processes that are started in place of one that died, while the site is served


@dataclass(frozen=True, slots=True)
class Runtime:
    """What every door needs; passed as an argument, never kept in a module."""

    settings: SiteSettings
    database: Database
    clock: Clock
    locales: Locales
    counters: Counters = field(default_factory=Counters)


def open_runtime(
    settings: SiteSettings,
    *,
    create: bool = False,
    clock: Clock = now,
    counting: str = "",
    patience_seconds: float = 0,
) -> Runtime:
    """Open the site's store (with `create`, make it if there is none). Raises StoreUnusable.

    `counting` names the kind of a process that is to be seen by others: what it counts, and that it is alive. With
    patience a store that cannot be used is tried again for so long: its server may be starting just now.
    """
    database = _open_patiently(settings, patience_seconds, create=create)
    counters = Counters(settings.counters_dir, counting) if counting else Counters()
    return Runtime(settings, database, clock, Locales(settings.locales, settings.default_locale), counters)


def _open_patiently(settings: SiteSettings, seconds: float, *, create: bool) -> Database:
    end = time.monotonic() + seconds
    while True:
        try:
            return open_database(settings.store, create=create)
        except StoreUnusable as error:
            if isinstance(error, StoreMissing) or time.monotonic() >= end:
                raise
        time.sleep(RETRY_SECONDS)
