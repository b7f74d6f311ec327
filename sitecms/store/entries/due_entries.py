"""Queries of scheduled entries whose time has come.

Each build asks for them, and mostly there are none, so this module imports little.
"""

from datetime import datetime
from typing import NamedTuple

from peewee import SQL

from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.store.database import Session
from sitecms.store.models.entries import EntryRow, PostRow, VersionRow

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
    is_due = _IS_SCHEDULED & (PostRow.scheduled_at <= at) & PostRow.deleted_at.is_null()
    posts = session.rows(PostRow.select(PostRow.id).where(is_due).order_by(PostRow.id))
    is_owner = (EntryRow.kind == VersionRow.kind) & (EntryRow.id == VersionRow.entry_id)
    query = VersionRow.select(VersionRow.id, VersionRow.kind, VersionRow.entry_id).join(EntryRow, on=is_owner)
    query = query.where(_IS_SCHEDULED, VersionRow.scheduled_at <= at, EntryRow.deleted_at.is_null())
    versions = session.rows(query.order_by(VersionRow.kind.desc(), VersionRow.id))
    return DueEntries(
        tuple(row[0] for row in posts),
        tuple(DueVersion(version_id, EntryKind(kind), entry_id) for version_id, kind, entry_id in versions),
    )
