"""Queries of scheduled entries whose time has come.

Each build asks for them, and mostly there are none, so this module imports little.
"""

from datetime import datetime
from typing import NamedTuple

from peewee import SQL

from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.store.database import Session
from sitecms.store.models.entries import VersionRow

_IS_SCHEDULED = SQL(f"status = '{Status.SCHEDULED.value}'")  # as the indexes of scheduled rows have it


class DueVersion(NamedTuple):
    """A scheduled version of a page or item whose time has come."""

    id: int
    kind: EntryKind
    entry_id: int


class DueEntries(NamedTuple):
    """Scheduled entries whose time has come: posts by id, versions of pages and of items."""

    posts: tuple[int, ...]
    versions: tuple[DueVersion, ...]


def find_due(session: Session, at: datetime) -> DueEntries:
    """Return the entries that are due, pages before items; deleted ones never are."""
    query = VersionRow.select(VersionRow.id, VersionRow.kind, VersionRow.entry_id)
    query = query.where(_IS_SCHEDULED, VersionRow.scheduled_at <= at, VersionRow.deleted_at.is_null())
    rows = session.rows(query.order_by(VersionRow.kind.desc(), VersionRow.id))
    due = [DueVersion(version_id, EntryKind(kind), entry_id) for version_id, kind, entry_id in rows]
    return DueEntries(
        tuple(sorted(each.entry_id for each in due if each.kind is EntryKind.POST)),
        tuple(each for each in due if each.kind is not EntryKind.POST),
    )
