"""Periodic work of a worker beside the queue: deliveries, builds, housekeeping. Called once a second.

No call waits: threads and a separate process do the work, and what is interrupted is done again later.
"""

import threading
import time

import structlog

from sitecms.actions.deliver_webhooks import Deliverer, make_sender
from sitecms.actions.operations.housekeeping import remove_expired
from sitecms.actions.operations.rebuild_site import Rebuilder
from sitecms.clock import Clock
from sitecms.errors import StoreUnusable
from sitecms.media.library import open_library
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.engines.locks import Locks, try_lock
from sitecms.store.maintenance.counters import Counters
from sitecms.store.writes.claims import Owners

HOUSEKEEPING_SECONDS = 3600.0
FIRST_HOUSEKEEPING_SECONDS = 60.0  # and after this, if another worker was doing it
HOUSEKEEPING = "housekeeping"
STOP_SECONDS = 0.5
_log = structlog.get_logger("sitecms.worker")


class PeriodicWork:
    """Periodic work of one worker; several workers may do it for one site."""

    def __init__(
        self,
        settings: SiteSettings,
        database: Database,
        clock: Clock,
        counters: Counters,
        locks: Locks,
        *,
        builds: bool = True,
    ) -> None:
        self._settings, self._database, self._clock, self._locks = settings, database, clock, locks
        sender = make_sender(settings.webhooks, counters)
        self._deliverer = Deliverer(database, sender, clock, Owners(locks))
        self._rebuilder = Rebuilder(settings, database) if builds and settings.build.on_publish else None
        self._next_housekeeping = time.monotonic() + FIRST_HOUSEKEEPING_SECONDS

    def step(self) -> None:
        """Start the work that is due. Failures are logged, and tried again with the next step.

        Raises StoreUnusable.
        """
        try:
            self._deliverer.dispatch()
            if self._rebuilder:
                self._rebuilder.step()
            if time.monotonic() >= self._next_housekeeping:
                self._next_housekeeping = time.monotonic() + HOUSEKEEPING_SECONDS
                threading.Thread(target=self._remove_expired, name="housekeeping", daemon=True).start()
        except StoreUnusable:
            raise
        except Exception:  # noqa: BLE001 - the worker goes on
            _log.exception("side_work_failed")

    def ask_to_stop(self) -> None:
        """Start nothing more, and do not wait."""
        self._deliverer.ask_to_stop()
        if self._rebuilder:
            self._rebuilder.ask_to_stop()

    def stop(self) -> None:
        """Stop the work: deliveries that are being sent get half a second, a build one second."""
        self.ask_to_stop()
        self._deliverer.stop(STOP_SECONDS)
        if self._rebuilder:
            self._rebuilder.stop()

    def _remove_expired(self) -> None:
        settings = self._settings
        try:
            with try_lock(self._locks, HOUSEKEEPING) as is_alone:
                if not is_alone:
                    self._next_housekeeping = time.monotonic() + FIRST_HOUSEKEEPING_SECONDS
                    return
                library = open_library(settings)
                removed = remove_expired(self._database, library, settings.housekeeping, self._clock())
        except Exception:  # noqa: BLE001 - it is tried again in an hour
            _log.exception("housekeeping_failed")
        else:
            if removed:
                counts = {"writes": removed.writes, "deliveries": removed.deliveries, "media": removed.media}
                _log.info("housekeeping", **counts)
        finally:
            self._database.close()
