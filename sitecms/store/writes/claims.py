"""Claims: which worker holds writes, deliveries and e-mails, whether it is alive, and how its claims are released.

A worker is alive while it holds the lock of its name (`store.engines.locks`). That needs no timer: work of a living
worker is never started twice.
"""

import threading
from collections.abc import Iterable
from datetime import datetime

from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.mails import mail_owners, release_mails
from sitecms.store.database import Session, Transaction
from sitecms.store.engines.locks import Lock, LockFiles, Locks
from sitecms.store.models.writes import IS_OPEN, IS_WAITING, DeliveryRow, WriteRow
from sitecms.store.writes.deliveries import release_deliveries
from sitecms.store.writes.writes import release_all


class Membership:
    """Identity of a worker as the owner of claims, renewed after its lock was lost. Safe to share between threads."""

    def __init__(self, locks: Locks) -> None:
        self._locks = locks
        self._lock = threading.Lock()
        self._owner: Lock | None = None

    def name(self) -> str:
        """Return the name for claims now."""
        with self._lock:
            if self._owner is None or not self._owner.is_held():
                self._owner = self._locks.acquire_unique()
            return self._owner.name

    def is_now(self, name: str) -> bool:
        """Return whether the name may still claim."""
        with self._lock:
            return self._owner is not None and self._owner.name == name and self._owner.is_held()

    def leave(self) -> str | None:
        """End the life of the owner until the next claim, and return its name, if it had one."""
        with self._lock:
            owner, self._owner = self._owner, None
        if owner is None:
            return None
        owner.release()
        return owner.name


def site_locks(settings: SiteSettings) -> Locks:
    """Return the locks of a site's workers: of the server that keeps the store, for any number of hosts, or files."""
    if settings.store_url:
        from sitecms.store.engines.postgres.locks import PostgresLocks  # its driver is an extra

        return PostgresLocks(settings.store_url)
    return LockFiles(settings.workers_dir)


def claim_owners(session: Session) -> tuple[str, ...]:
    """Return the owners of all open writes, waiting deliveries and e-mails, alive or not."""
    of_writes = WriteRow.select(WriteRow.owner).where(IS_OPEN, WriteRow.owner.is_null(False))
    of_deliveries = DeliveryRow.select(DeliveryRow.owner).where(IS_WAITING, DeliveryRow.owner.is_null(False))
    owners = {str(row[0]) for row in session.rows(of_writes | of_deliveries)}
    return tuple(sorted({*owners, *mail_owners(session)}))


def release_claims(transaction: Transaction, owners: Iterable[str], at: datetime) -> None:
    """Release all claims of owners that are gone, without counting the attempts."""
    for owner in owners:
        release_all(transaction, owner)
        release_deliveries(transaction, owner, at)
        release_mails(transaction, owner, at)
