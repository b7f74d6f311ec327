"""Queries of scheduled entries whose time has come.

Each build asks for them, and mostly there are none, so this module imports little.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sitecms.content.status import Status
from sitecms.store.database import Session
from sitecms.store.models.entries import ItemRow, ItemVersionRow, PageRow, PageVersionRow, PostRow


class DueEntries(NamedTuple):
    """Scheduled entries whose time has come: posts by id, pages and items as (version id, entry id)."""

    posts: tuple[int, ...]
    pages: tuple[tuple[int, int], ...]
    items: tuple[tuple[int, int], ...]


def find_due(session: Session, at: datetime) -> DueEntries:
    """Return the entries that are due; deleted ones never are."""
    is_due = (PostRow.status == Status.SCHEDULED.value) & (PostRow.scheduled_at <= at) & PostRow.deleted_at.is_null()
    posts = session.rows(PostRow.select(PostRow.id).where(is_due).order_by(PostRow.id))
    return DueEntries(
        tuple(row[0] for row in posts),
        _due_versions(session, PageVersionRow, PageRow, at),
        _due_versions(session, ItemVersionRow, ItemRow, at),
    )


def _due_versions(session: Session, rows: Any, owners: Any, at: datetime) -> tuple[tuple[int, int], ...]:
    query = (
        rows.select(rows.id, rows.owner_id)
        .join(owners, on=(owners.id == rows.owner_id))
        .where(rows.status == Status.SCHEDULED.value, rows.scheduled_at <= at, owners.deleted_at.is_null())
        .order_by(rows.id)
    )
    return tuple((row[0], row[1]) for row in session.rows(query))
