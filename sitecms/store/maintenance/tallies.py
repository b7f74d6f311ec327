"""How much of everything the store holds, for those who watch over it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sitecms.clock import from_microseconds
from sitecms.store.database import Session

_POSTS = "SELECT status, count(*) FROM post WHERE deleted_at IS NULL GROUP BY status"
_VERSIONED = """
SELECT shown, count(*) FROM
 (SELECT CASE WHEN count(*) FILTER (WHERE version.status = 'published') > 0 THEN 'published'
   WHEN count(*) FILTER (WHERE version.status = 'scheduled') > 0 THEN 'scheduled' ELSE 'draft' END AS shown
  FROM {kind} AS entry LEFT JOIN {kind}_version AS version ON version.{kind}_id = entry.id
  WHERE entry.deleted_at IS NULL GROUP BY entry.id) AS entries
GROUP BY shown"""
_TRASH = "SELECT count(*) FROM {kind} WHERE deleted_at IS NOT NULL"
_OTHERS = {"author": "SELECT count(*) FROM author", "term": "SELECT count(*) FROM term"}
_WRITES = "SELECT status, count(*), min(accepted_at) FROM write GROUP BY status"
_DELIVERIES = "SELECT status, count(*), min(created_at) FROM delivery GROUP BY status"
_OPEN_WRITES = "SELECT count(*), min(accepted_at) FROM write WHERE status = 'accepted'"
_WAITING_DELIVERIES = "SELECT count(*), min(created_at) FROM delivery WHERE status = 'waiting'"
_SIZE_BYTES = 2000  # about what the numbers of entries take in memory
_MEDIA = "SELECT count(*), coalesce(sum(size_bytes), 0) FROM media_file"
_LATEST = """
SELECT max(updated_at) FROM (SELECT max(updated_at) AS updated_at FROM post
 UNION ALL SELECT max(updated_at) FROM page_version UNION ALL SELECT max(updated_at) FROM item_version) AS latest"""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many there are, and since when the oldest of them is there."""

    count: int
    oldest_at: datetime


def count_entries(session: Session) -> Mapping[str, Mapping[str, int]]:
    """Numbers by kind and status. A page or item is published as soon as one of its versions is; "trash" is another."""
    found = {"post": _by_status(session, _POSTS)}
    for kind in ("page", "item"):
        found[kind] = _by_status(session, _VERSIONED.format(kind=kind))
    for kind, counts in found.items():
        if trash := session.sql(_TRASH.format(kind=kind))[0][0]:
            counts["trash"] = int(trash)
    return {**found, **{kind: {"all": int(session.sql(query)[0][0])} for kind, query in _OTHERS.items()}}


def remembered_entries(session: Session) -> Mapping[str, Mapping[str, int]]:
    """As `count_entries`, which reads every page and item: counted anew only after a change."""
    return session.cached("count_entries", lambda: count_entries(session), lambda _counts: _SIZE_BYTES)


def open_writes(session: Session) -> Tally | None:
    """Those that are accepted and not ended, without looking at any other; None if there are none."""
    return _tally(session, _OPEN_WRITES)


def waiting_deliveries(session: Session) -> Tally | None:
    """Those that are still to be taken, without looking at any other; None if there are none."""
    return _tally(session, _WAITING_DELIVERIES)


def count_writes(session: Session) -> Mapping[str, Tally]:
    """By status; those that were pruned are not among them."""
    return _tallies(session, _WRITES)


def count_deliveries(session: Session) -> Mapping[str, Tally]:
    """By status; those that were pruned are not among them."""
    return _tallies(session, _DELIVERIES)


def count_media(session: Session) -> tuple[int, int]:
    """Files and bytes."""
    files, size_bytes = session.sql(_MEDIA)[0]
    return int(files), int(size_bytes)


def latest_change_at(session: Session) -> datetime | None:
    """When an entry was changed last, by the clock of whoever did it."""
    latest = session.sql(_LATEST)[0][0]
    return None if latest is None else from_microseconds(latest)


def _by_status(session: Session, query: str) -> dict[str, int]:
    return {str(status): int(count) for status, count in session.sql(query)}


def _tally(session: Session, query: str) -> Tally | None:
    count, oldest_at = session.sql(query)[0]
    return Tally(int(count), from_microseconds(oldest_at)) if count else None


def _tallies(session: Session, query: str) -> Mapping[str, Tally]:
    return {str(row[0]): Tally(int(row[1]), from_microseconds(row[2])) for row in session.sql(query)}
