"""Entries that are published or scheduled within some time, for the calendar of editors."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.store.database import Session
from sitecms.store.entries.authors import is_of_author
from sitecms.store.entries.entry_tables import IS_VERSION
from sitecms.store.listings.entries import titles_of
from sitecms.store.listings.posts import is_version_of
from sitecms.store.models.entries import EntryRow, VersionRow

MAX_DATED = 5_000
_WITH_SLUGS = [kind.value for kind in EntryKind if KINDS[kind].has_slug]


class DatedEntry(Struct, frozen=True):
    """An entry in one locale at the time of its publication; `is_change`: what is scheduled is a draft over it."""

    kind: EntryKind
    id: int
    type: str
    locale: str
    status: Status
    at: datetime
    title: str
    is_change: bool


def find_dated(
    session: Session, start: datetime, end: datetime, own_author: str | None, schema: ContentSchema
) -> tuple[DatedEntry, ...]:
    """Return the posts and pages published, and all entries scheduled, from `start` to before `end`, by time.

    With `own_author`, what is scheduled is that of posts of this author (slug) alone. Published items are left out:
    they come with the pages that show them.
    """
    dated = EntryRow.select(
        EntryRow.kind, EntryRow.id, EntryRow.type, VersionRow.locale, VersionRow.saved_by, VersionRow.status,
        VersionRow.published_at, VersionRow.scheduled_at, EntryRow.slug,
    ).join(VersionRow, on=IS_VERSION)  # fmt: skip
    is_published = (VersionRow.status == Status.PUBLISHED.value) & VersionRow.kind.in_(_WITH_SLUGS)
    is_published &= (VersionRow.published_at >= start) & (VersionRow.published_at < end)
    is_scheduled = (VersionRow.status == Status.SCHEDULED.value) & _is_seen(own_author)
    is_scheduled &= (VersionRow.scheduled_at >= start) & (VersionRow.scheduled_at < end)
    rows = session.rows(
        dated.where(VersionRow.deleted_at.is_null(), is_published | is_scheduled)
        .order_by(VersionRow.id.desc())
        .limit(MAX_DATED)
    )
    titles = titles_of(session, {(EntryKind(row[0]), row[1]) for row in rows}, schema)
    found = [
        DatedEntry(
            EntryKind(kind), entry_id, type_name, locale, Status(status),
            scheduled_at if status == Status.SCHEDULED else published_at,
            titles.get((EntryKind(kind), entry_id)) or slug or f"{type_name} {entry_id}",
            saved_by is not None,
        )
        for kind, entry_id, type_name, locale, saved_by, status, published_at, scheduled_at, slug in rows
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda each: (each.at, each.kind, each.id, each.locale)))


def _is_seen(own_author: str | None) -> Any:
    """Return the condition of scheduled versions that a user may see."""
    if own_author is None:
        return VersionRow.id > 0
    return is_version_of(is_of_author(own_author))
