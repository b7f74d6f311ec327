"""Statistics of the store: numbers of entries, files, writes and deliveries, for reports and metrics."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from sitecms.clock import from_microseconds
from sitecms.store.database import Session

_POSTS = "SELECT status, count(*) FROM post WHERE deleted_at IS NULL GROUP BY status"
_VERSIONED = """
SELECT shown, count(*) FROM
 (SELECT CASE WHEN count(*) FILTER (WHERE version.status = 'published') > 0 THEN 'published'
   WHEN count(*) FILTER (WHERE version.status = 'scheduled') > 0 THEN 'scheduled' ELSE 'draft' END AS shown
  FROM entry LEFT JOIN version ON version.kind = entry.kind AND version.entry_id = entry.id
  WHERE entry.kind = '{kind}' AND entry.deleted_at IS NULL GROUP BY entry.id) AS entries
GROUP BY shown"""
_TRASH = {
    "post": "SELECT count(*) FROM post WHERE deleted_at IS NOT NULL",
    "page": "SELECT count(*) FROM entry WHERE kind = 'page' AND deleted_at IS NOT NULL",
    "item": "SELECT count(*) FROM entry WHERE kind = 'item' AND deleted_at IS NOT NULL",
}
_OTHERS = {"author": "SELECT count(*) FROM author", "term": "SELECT count(*) FROM term"}
_COUNTS = (
    ("posts", "SELECT count(*) FROM post WHERE deleted_at IS NULL"),
    ("pages", "SELECT count(*) FROM entry WHERE kind = 'page' AND deleted_at IS NULL"),
    ("items", "SELECT count(*) FROM entry WHERE kind = 'item' AND deleted_at IS NULL"),
    ("media", "SELECT count(*) FROM media_file"),
    ("tokens", "SELECT count(*) FROM token WHERE revoked_at IS NULL"),
    ("webhooks", "SELECT count(*) FROM webhook"),
    ("open_writes", "SELECT count(*) FROM write WHERE status = 'accepted'"),
    ("waiting_deliveries", "SELECT count(*) FROM delivery WHERE status = 'waiting'"),
)
_WRITES = "SELECT status, count(*), min(accepted_at) FROM write GROUP BY status"
_DELIVERIES = "SELECT status, count(*), min(created_at) FROM delivery GROUP BY status"
_OPEN_WRITES = "SELECT count(*), min(accepted_at) FROM write WHERE status = 'accepted'"
_WAITING_DELIVERIES = "SELECT count(*), min(created_at) FROM delivery WHERE status = 'waiting'"
_SIZE_BYTES = 2000  # estimate for the numbers of entries in memory
_MEDIA = "SELECT count(*), coalesce(sum(size_bytes), 0) FROM media_file"
_LATEST = """
SELECT max(updated_at) FROM (SELECT max(updated_at) AS updated_at FROM post
 UNION ALL SELECT max(updated_at) FROM version) AS latest"""


class Tally(Struct, frozen=True):
    """Number of writes or deliveries, and the time of the oldest."""

    count: int
    oldest_at: datetime


def count_rows(session: Session) -> dict[str, int]:
    """Return how much a copy of the store takes along.

    That is posts, pages and items outside the trash, media files, tokens, webhooks, and open writes and deliveries.
    """
    return {name: int(session.sql(statement)[0][0]) for name, statement in _COUNTS}


def count_entries(session: Session) -> Mapping[str, Mapping[str, int]]:
    """Return the numbers of entries by kind and status; "trash" is a status here.

    A page or item is published as soon as one of its versions is.
    """
    counts = {"post": _by_status(session, _POSTS)}
    for kind in ("page", "item"):
        counts[kind] = _by_status(session, _VERSIONED.format(kind=kind))
    for kind, by_status in counts.items():
        if trash := session.sql(_TRASH[kind])[0][0]:
            by_status["trash"] = int(trash)
    return {**counts, **{kind: {"all": int(session.sql(query)[0][0])} for kind, query in _OTHERS.items()}}


def cached_entry_counts(session: Session) -> Mapping[str, Mapping[str, int]]:
    """Return `count_entries`, which reads every page and item, from memory unless the store has changed."""
    return session.cached("count_entries", lambda: count_entries(session), lambda _counts: _SIZE_BYTES)


def open_writes(session: Session) -> Tally | None:
    """Return the tally of writes that are accepted and not ended, without reading any other; None if there are none."""
    return _tally(session, _OPEN_WRITES)


def waiting_deliveries(session: Session) -> Tally | None:
    """Return the tally of deliveries that wait, without reading any other; None if there are none."""
    return _tally(session, _WAITING_DELIVERIES)


def count_writes(session: Session) -> Mapping[str, Tally]:
    """Return tallies of all writes by status."""
    return _tallies(session, _WRITES)


def count_deliveries(session: Session) -> Mapping[str, Tally]:
    """Return tallies of all deliveries by status."""
    return _tallies(session, _DELIVERIES)


def count_media(session: Session) -> tuple[int, int]:
    """Return the number of media files and the sum of their sizes in bytes."""
    files, size_bytes = session.sql(_MEDIA)[0]
    return int(files), int(size_bytes)


def latest_change_at(session: Session) -> datetime | None:
    """Return when an entry was last changed, by the clock of the machine that changed it; None without entries."""
    latest = session.sql(_LATEST)[0][0]
    return None if latest is None else from_microseconds(latest)


def _by_status(session: Session, query: str) -> dict[str, int]:
    return {str(status): int(count) for status, count in session.sql(query)}


def _tally(session: Session, query: str) -> Tally | None:
    count, oldest_at = session.sql(query)[0]
    return Tally(int(count), from_microseconds(oldest_at)) if count else None


def _tallies(session: Session, query: str) -> Mapping[str, Tally]:
    return {str(row[0]): Tally(int(row[1]), from_microseconds(row[2])) for row in session.sql(query)}
