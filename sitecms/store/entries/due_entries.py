"""Queries of scheduled entries whose time has come.

Each build asks for them, and mostly there are none, so this module imports little.
"""

from datetime import datetime
from typing import NamedTuple

from peewee import SQL

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.store.database import Session
from sitecms.store.models.entries import VersionRow

_IS_SCHEDULED = SQL(f"status = '{Status.SCHEDULED.value}'")  # as the indexes of scheduled rows have it


class DueVersion(NamedTuple):
    """A scheduled version of an entry whose time has come."""

    id: int
    kind: EntryKind
    entry_id: int
    locale: str
    version: Version
    scheduled_at: datetime


def find_due(session: Session, at: datetime) -> tuple[DueVersion, ...]:
    """Return the versions that are due, of posts, then of pages, then of items; those of deleted entries never are."""
    columns = (VersionRow.id, VersionRow.kind, VersionRow.entry_id, VersionRow.locale, VersionRow.version)
    query = VersionRow.select(*columns, VersionRow.scheduled_at).where(
        _IS_SCHEDULED, VersionRow.scheduled_at <= at, VersionRow.deleted_at.is_null()
    )
    rows = session.rows(query.order_by(VersionRow.kind.desc(), VersionRow.id))
    return tuple(
        DueVersion(version_id, EntryKind(kind), entry_id, locale, Version(version), scheduled_at)
        for version_id, kind, entry_id, locale, version, scheduled_at in rows
    )
