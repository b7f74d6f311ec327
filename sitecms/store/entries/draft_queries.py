"""Queries of entries of any status outside the trash, for checks and previews of a whole site."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace
from peewee import SQL, Case, NodeList, fn

from sitecms.clock import to_microseconds
from sitecms.content.entry import Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.status import Status, Version
from sitecms.store.database import Session
from sitecms.store.entries import items, pages
from sitecms.store.entries.live_posts import IS_PRESENT, PRESENT
from sitecms.store.entries.post_rows import read_posts
from sitecms.store.entries.versions import EntryTables, StoredVersions, visible
from sitecms.store.models.entries import EntryRow, VersionBodyRow, VersionRow
from sitecms.store.prepared import prepared

_CHUNK = 200


def all_posts(session: Session) -> tuple[Entry, ...]:
    """Return all posts by id, without their bodies."""
    return read_posts(session, f"WHERE {PRESENT} ORDER BY post.entry_id", with_body=False)


def all_whole_posts(session: Session) -> tuple[Entry, ...]:
    """Return all posts by id, with their bodies."""
    return read_posts(session, f"WHERE {PRESENT} ORDER BY post.entry_id")


@prepared
def _with_pictures(last: int) -> Any:
    is_body = VersionBodyRow.version_id == VersionRow.id
    bodies = VersionRow.select(VersionRow.entry_id, VersionBodyRow.html).join(VersionBodyRow, on=is_body)
    bodies = bodies.where(IS_PRESENT, VersionBodyRow.html.contains("<img"), VersionRow.entry_id > last)
    return bodies.order_by(VersionRow.entry_id).limit(_CHUNK)


def bodies_with_pictures(session: Session) -> Iterator[tuple[int, str]]:
    """Yield (id, body) of each post with a picture, by id, 200 in memory at a time."""
    last = 0
    while rows := session.rows(_with_pictures(last)):
        yield from rows
        last = rows[-1][0]


def all_pages(session: Session) -> tuple[Entry, ...]:
    """Return all versions of all pages, by id and locale, the draft before the live one."""
    order = (EntryRow.id, VersionRow.locale, VersionRow.version)
    return _all(session, pages.PAGE_VERSIONS, EntryRow.deleted_at.is_null(), order)


def all_items(session: Session) -> tuple[Entry, ...]:
    """Return all versions of all items in the order of collections, then by locale, the draft before the live one."""
    order = (*items.BY_PLACE, VersionRow.locale, VersionRow.version)
    return _all(session, items.ITEM_VERSIONS, EntryRow.deleted_at.is_null(), order)


def _all(session: Session, stored: StoredVersions, wanted: Any, order: Sequence[Any]) -> tuple[Entry, ...]:
    return tuple(map(stored.read, session.rows(stored.select().where(wanted).order_by(*order))))


def stored_fields(session: Session, kind: EntryKind) -> Iterator[tuple[int, str, bool, dict[str, FieldValue]]]:
    """Yield (id, group, is in the trash, fields) of all versions of a kind with fields, in the trash or not.

    The group is the page type (`*/<slug>`: a Single Page) or the collection, and "" for posts. Working copies are
    left out.
    """
    query = VersionRow.select(EntryRow.id, EntryRow.type, EntryRow.deleted_at, VersionRow.fields, EntryRow.slug)
    query = query.join(EntryRow, on=EntryTables(kind).joined)
    for row in session.rows(query.where(VersionRow.saved_by.is_null())):
        group = row[1] or (f"*/{row[4]}" if KINDS[kind].has_versions else "")
        if row[3] or KINDS[kind].has_versions:
            yield row[0], group, row[2] is not None, row[3]


def count_by_locale(session: Session, kind: EntryKind) -> list[tuple[str, int, int]]:
    """Return (locale, number of entries, number of those in the trash) of each locale."""
    number = fn.COUNT(VersionRow.entry_id.distinct())
    in_trash = Case(None, [(VersionRow.deleted_at.is_null(is_null=False), VersionRow.entry_id)])
    trashed = fn.COUNT(NodeList((SQL("DISTINCT"), in_trash)))
    query = VersionRow.select(VersionRow.locale, number, trashed).where(EntryTables(kind).is_of_kind(VersionRow))
    return [(row[0], row[1], row[2]) for row in session.rows(query.group_by(VersionRow.locale))]


def posts_with_drafts(session: Session) -> tuple[Entry, ...]:
    """Return all posts as if they were published, newest first, without their bodies.

    A post that never was published is ordered by its scheduled time, or by its creation.
    """
    moment = "coalesce(post.published_at, post.scheduled_at, post.created_at)"
    posts = read_posts(session, f"WHERE {PRESENT} ORDER BY {moment} DESC, post.slug", with_body=False)
    return tuple(_shown(post) if post.status is not Status.PUBLISHED else post for post in posts)


def unpublished_posts(session: Session) -> tuple[Entry, ...]:
    """Return drafts and scheduled posts by id, without their bodies."""
    matching = f"WHERE {PRESENT} AND post.status <> 'published' ORDER BY post.entry_id"
    return read_posts(session, matching, with_body=False)


def pages_with_drafts(session: Session) -> tuple[Entry, ...]:
    """Return the latest version of every page and locale as if it were published, newest first, then by slug."""
    order = (EntryRow.id, VersionRow.locale)
    found = _all(session, pages.PAGE_VERSIONS, visible(pages.PAGES, preview=True), order)
    return tuple(sorted(map(_as_published, found), key=_place))


def items_with_drafts(session: Session) -> tuple[Entry, ...]:
    """Return the latest version of every item and locale as if it were published, in the order of collections."""
    order = (*items.BY_PLACE, VersionRow.locale)
    found = _all(session, items.ITEM_VERSIONS, visible(items.ITEMS, preview=True), order)
    return tuple(map(_as_published, found))


def _shown(post: Entry) -> Entry:
    return replace(post, status=Status.PUBLISHED, published_at=_moment(post))


def _as_published(entry: Entry) -> Entry:
    return replace(entry, version=Version.LIVE, status=Status.PUBLISHED, published_at=_moment(entry))


def _place(page: Entry) -> tuple[int, str, str]:
    """Return the sort key of a page: the newest first, then by slug and page type."""
    return -to_microseconds(_moment(page)), page.slug, page.type


def _moment(entry: Entry) -> datetime:
    return entry.published_at or entry.scheduled_at or entry.created_at
