"""Removal of expired data by `[housekeeping]`: old writes, old deliveries, unused media files."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sitecms.media.library import MediaLibrary, may_remove_media
from sitecms.settings.site import Housekeeping
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries.media_files import forget_media
from sitecms.store.maintenance.media_usage import used_media
from sitecms.store.writes.deliveries import prune_deliveries
from sitecms.store.writes.writes import PRUNED_AT_ONCE, prune_writes

Prune = Callable[[Transaction, datetime], int]


@dataclass(frozen=True, slots=True)
class Removed:
    """Numbers of what was removed."""

    writes: int
    deliveries: int
    media: int

    def __bool__(self) -> bool:
        return bool(self.writes or self.deliveries or self.media)


def remove_expired(database: Database, library: MediaLibrary, keep: Housekeeping, at: datetime) -> Removed:
    """Remove what is older than the settings allow. Writers wait for milliseconds at most, unless media are removed.

    Safe to run at the same time as anything else, itself included.
    """
    return Removed(
        writes=_prune(database, prune_writes, at - timedelta(days=keep.keep_writes_days)),
        deliveries=_prune(database, prune_deliveries, at - timedelta(days=keep.keep_deliveries_days)),
        media=remove_unused_media(database, library, at - timedelta(days=keep.keep_media_days)),
    )


def remove_unused_media(database: Database, library: MediaLibrary, before: datetime) -> int:
    """Remove unused files that were last added before then, and return their number.

    The first search needs no lock. Writers wait only if there is something to remove, while it searches again.
    """
    old = library.old_names(before)
    if not old:
        return 0
    with database.reading() as session:
        unused = _unused(session, old)
    if not unused:
        return 0
    with may_remove_media(library) as is_free:
        if not is_free:
            return 0  # a backup is running; the next call removes them
        with database.writing(counts_as_change=False) as transaction:
            removed = library.remove_old(_unused(transaction, unused), before)
            for name in removed:
                forget_media(transaction, name)
    return len(removed)


def _unused(session: Session, names: tuple[str, ...]) -> tuple[str, ...]:
    used = used_media(session)
    return tuple(name for name in names if name not in used)


def _prune(database: Database, prune: Prune, before: datetime) -> int:
    total, removed = 0, PRUNED_AT_ONCE
    while removed == PRUNED_AT_ONCE:
        with database.writing(counts_as_change=False) as transaction:
            removed = prune(transaction, before)
        total += removed
    return total
