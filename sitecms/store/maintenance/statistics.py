"""Statistics of the store: numbers of entries, files, writes, deliveries and e-mails, for reports and metrics."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from peewee import SQL, fn

from sitecms.content.kinds import EntryKind
from sitecms.content.webhooks.webhook import DeliveryStatus
from sitecms.content.writes import WriteStatus
from sitecms.store.database import Session
from sitecms.store.models.accounts import MailRow
from sitecms.store.models.entries import PRESENT, AuthorRow, EntryRow, MediaRow, TermRow, VersionRow
from sitecms.store.models.writes import IS_OPEN, IS_WAITING, DeliveryRow, TokenRow, WebhookRow, WriteRow

# By hand: Peewee needs twice as many words for the status of each entry.
_VERSIONED = """
SELECT entry_status, count(*) FROM
 (SELECT CASE WHEN count(*) FILTER (WHERE version.status = 'published') > 0 THEN 'published'
   WHEN count(*) FILTER (WHERE version.status = 'scheduled') > 0 THEN 'scheduled' ELSE 'draft' END AS entry_status
  FROM entry LEFT JOIN version ON version.kind = entry.kind AND version.entry_id = entry.id
  WHERE entry.kind = ? AND entry.deleted_at IS NULL GROUP BY entry.id) AS entries
GROUP BY entry_status"""
_COUNT = fn.COUNT(SQL("*"))
_WRITES = WriteRow.select(WriteRow.status, _COUNT, fn.MIN(WriteRow.accepted_at)).group_by(WriteRow.status)
_DELIVERIES = DeliveryRow.select(DeliveryRow.status, _COUNT, fn.MIN(DeliveryRow.created_at)).group_by(
    DeliveryRow.status
)
_MAILS = MailRow.select(MailRow.status, _COUNT, fn.MIN(MailRow.created_at)).group_by(MailRow.status)
_KINDS = tuple(kind.value for kind in EntryKind)
_ENTRIES: Mapping[str, Any] = {kind: EntryRow.select().where(EntryRow.kind == kind) for kind in _KINDS}
_COUNTED = {
    **{f"{kind}s": entries.where(PRESENT) for kind, entries in _ENTRIES.items()},
    "media": MediaRow.select(),
    "tokens": TokenRow.select().where(TokenRow.revoked_at.is_null()),
    "webhooks": WebhookRow.select(),
    "open_writes": WriteRow.select().where(IS_OPEN),
    "waiting_deliveries": DeliveryRow.select().where(IS_WAITING),
}
_SIZE_BYTES = 2000  # estimate for the numbers of entries in memory


class Tally(Struct, frozen=True):
    """Number of writes, deliveries or e-mails, and the time of the oldest."""

    count: int
    oldest_at: datetime


def count_rows(session: Session) -> dict[str, int]:
    """Return how much a copy of the store takes along.

    That is posts, pages and items outside the trash, media files, tokens, webhooks, and open writes and deliveries.
    """
    return {name: session.count(query) for name, query in _COUNTED.items()}


def count_entries(session: Session) -> Mapping[str, Mapping[str, int]]:
    """Return the numbers of entries by kind and status; "trash" is a status here.

    An entry is published as soon as one of its versions is.
    """
    counts = {kind: dict(session.sql(_VERSIONED, kind)) for kind in _KINDS}
    for kind, by_status in counts.items():
        if trash := session.count(_ENTRIES[kind].where(SQL("deleted_at IS NOT NULL"))):
            by_status["trash"] = trash
    others = {"author": AuthorRow, "term": TermRow}
    return {**counts, **{kind: {"all": session.count(table.select())} for kind, table in others.items()}}


def cached_entry_counts(session: Session) -> Mapping[str, Mapping[str, int]]:
    """Return `count_entries`, which reads every page and item, from memory unless the store has changed."""
    return session.cached("count_entries", lambda: count_entries(session), lambda _counts: _SIZE_BYTES)


def open_writes(session: Session) -> Tally | None:
    """Return the tally of writes that are accepted and not ended, without reading any other; None if there are none."""
    return _tallies(session, _WRITES.where(IS_OPEN)).get(WriteStatus.ACCEPTED)


def waiting_deliveries(session: Session) -> Tally | None:
    """Return the tally of deliveries that wait, without reading any other; None if there are none."""
    return _tallies(session, _DELIVERIES.where(IS_WAITING)).get(DeliveryStatus.WAITING)


def count_writes(session: Session) -> Mapping[str, Tally]:
    """Return tallies of all writes by status."""
    return _tallies(session, _WRITES)


def count_deliveries(session: Session) -> Mapping[str, Tally]:
    """Return tallies of all deliveries by status."""
    return _tallies(session, _DELIVERIES)


def count_mails(session: Session) -> Mapping[str, Tally]:
    """Return tallies of all e-mails by status."""
    return _tallies(session, _MAILS)


def count_media(session: Session) -> tuple[int, int]:
    """Return the number of media files and the sum of their sizes in bytes."""
    ((files, size_bytes),) = session.rows(MediaRow.select(_COUNT, fn.COALESCE(fn.SUM(MediaRow.size_bytes), 0)))
    return int(files), int(size_bytes)


def latest_change_at(session: Session) -> datetime | None:
    """Return when an entry was last changed, by the clock of the machine that changed it; None without entries."""
    row = session.row(VersionRow.select(fn.MAX(VersionRow.updated_at)).where(VersionRow.saved_by.is_null()))
    return row[0] if row else None


def _tallies(session: Session, query: Any) -> Mapping[str, Tally]:
    return {str(status): Tally(count, oldest_at) for status, count, oldest_at in session.rows(query)}
