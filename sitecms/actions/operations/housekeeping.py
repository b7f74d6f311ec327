"""Removal of old writes, deliveries, revisions, unsaved text, log entries and unused media, and of ended sessions."""

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import astuple

from sitecms.content.second_factor import STEP_LIFETIME
from sitecms.content.user import DEVICE_LONGEST
from sitecms.media.library import MediaLibrary, may_remove_media
from sitecms.settings.operations import Housekeeping
from sitecms.store.accounts.audit import prune_actions
from sitecms.store.accounts.links import delete_old_links
from sitecms.store.accounts.mails import prune_mails
from sitecms.store.accounts.open_forms import prune_unsaved
from sitecms.store.accounts.second_factors import delete_old_steps
from sitecms.store.accounts.sessions import end_expired, forget_old_devices
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries.media_files import forget_media, kept_media
from sitecms.store.entries.revisions import delete_revisions, find_old
from sitecms.store.maintenance.media_usage import used_media
from sitecms.store.writes.deliveries import prune_deliveries
from sitecms.store.writes.writes import PRUNED_AT_ONCE, prune_writes

_KEEP_LINKS = timedelta(days=30)
Prune = Callable[[Transaction, datetime], int]


class Removed(Struct, frozen=True):
    """Numbers of what was removed."""

    writes: int
    deliveries: int
    media: int
    revisions: int
    unsaved: int
    actions: int
    mails: int

    def __bool__(self) -> bool:
        return any(astuple(self))


def remove_expired(database: Database, library: MediaLibrary, keep: Housekeeping, at: datetime) -> Removed:
    """Remove what is older than the settings allow. Writers hardly wait, unless media are removed.

    Safe to run at the same time as anything else, itself included.
    """
    with database.writing(counts_as_change=False) as transaction:
        end_expired(transaction, at)
        delete_old_links(transaction, at - _KEEP_LINKS)
        delete_old_steps(transaction, at - STEP_LIFETIME)
        forget_old_devices(transaction, at - DEVICE_LONGEST)
    return Removed(
        writes=_prune(database, prune_writes, at - timedelta(days=keep.keep_writes_days)),
        deliveries=_prune(database, prune_deliveries, at - timedelta(days=keep.keep_deliveries_days)),
        revisions=_remove_revisions(database, keep),
        unsaved=_prune(database, prune_unsaved, at - timedelta(days=keep.keep_unsaved_days)),
        actions=_prune(database, prune_actions, at - timedelta(days=keep.keep_audit_days)),
        mails=_prune(database, prune_mails, at - timedelta(days=keep.keep_deliveries_days)),
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
            removed = library.storage.remove(_unused(transaction, unused), before)
            for name in removed:
                forget_media(transaction, name)
    return len(removed)


def _remove_revisions(database: Database, keep: Housekeeping) -> int:
    """Remove old revisions, and return their number. What is old stays old, so the search needs no lock."""
    old = database.read(find_old, keep.keep_revisions, keep.keep_published_revisions)
    for start in range(0, len(old), PRUNED_AT_ONCE):
        with database.writing(counts_as_change=False) as transaction:
            delete_revisions(transaction, old[start : start + PRUNED_AT_ONCE])
    return len(old)


def _unused(session: Session, names: tuple[str, ...]) -> tuple[str, ...]:
    used = used_media(session).keys() | kept_media(session)
    return tuple(name for name in names if name not in used)


def _prune(database: Database, prune: Prune, before: datetime) -> int:
    total, removed = 0, PRUNED_AT_ONCE
    while removed == PRUNED_AT_ONCE:
        with database.writing(counts_as_change=False) as transaction:
            removed = prune(transaction, before)
        total += removed
    return total
