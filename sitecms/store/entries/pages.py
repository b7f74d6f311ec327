"""Pages and their versions."""

from collections.abc import Sequence

import orjson
from msgspec.structs import replace

from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntryTime, FieldFilter, Order, PageQuery, Results, Visibility, Window
from sitecms.store.database import Session
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.field_filter import holds_all
from sitecms.store.entries.versions import (
    VERSIONS,
    in_scope,
    visible,
)
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.sql import Sql

PAGE_VERSIONS = VERSIONS[EntryKind.PAGE]
PAGES = PAGE_VERSIONS.table
_IS_PAGE = PAGES.is_of_kind(EntryRow)
_HERE = _IS_PAGE & EntryRow.deleted_at.is_null()
# CROSS JOIN: from the names to the pages by their index; SQLite would rather look through all pages of the locale
NAMED_PAGES = Sql(
    sqlite="entry.id IN (SELECT page.id FROM json_each(?) AS named CROSS JOIN entry AS page ",
    postgres="entry.id IN (SELECT page.id FROM jsonb_array_elements(?::jsonb) AS named (value) JOIN entry AS page ",
) + (
    "ON page.kind = 'page' AND page.type = named.value ->> 0 AND page.slug = named.value ->> 1 "
    "AND page.deleted_at IS NULL)"
)
"""The condition that a page has one of the pairs of type and slug in a JSON list."""
_NAMED_IN_ORDER = NAMED_PAGES + " ORDER BY entry.id"


def published_pages(session: Session) -> tuple[Entry, ...]:
    """Return all published pages of all locales, newest first, then by slug and page type."""
    order = (VersionRow.published_at.desc(), EntryRow.slug, EntryRow.type, VersionRow.locale)
    rows = session.rows(PAGE_VERSIONS.select().where(visible(PAGES, preview=False)).order_by(*order))
    return tuple(PAGE_VERSIONS.read(row) for row in rows)


def find_pages(session: Session, query: PageQuery, window: Window) -> Results[Entry]:
    """Return the pages that match a query, in its order or newest published first, then by slug."""
    wanted = in_scope(PAGES, query.scope) & (EntryRow.type == query.page_type)
    wanted &= holds_all(query.filters, PAGES, query.scope)
    ordered = query if query.order else replace(query, order=Order(EntryTime.PUBLISHED, descending=True))
    return PAGE_VERSIONS.find(session, ordered, wanted, (EntryRow.slug, EntryRow.id), window)


def pages_by_slug(session: Session, slug: str, page_types: Sequence[str], scope: Visibility) -> tuple[Entry, ...]:
    """Return the visible pages with that slug of these types ("": Single Pages), in order of creation."""
    names = orjson.dumps([(page_type, slug) for page_type in page_types]).decode()
    if r"\u0000" in names:  # PostgreSQL has no such text, and no slug holds one
        return ()
    rows = session.sql(PAGE_VERSIONS.visible(_NAMED_IN_ORDER, preview=scope.preview), scope.locale, names)
    return tuple(map(PAGE_VERSIONS.read_visible, rows))


def page_matches(session: Session, page: Entry, scope: Visibility, filters: tuple[FieldFilter, ...]) -> bool:
    """Return whether a visible page matches every filter."""
    wanted = (EntryRow.id == page.id) & in_scope(PAGES, scope) & holds_all(filters, PAGES, scope)
    return session.row(PAGE_VERSIONS.select().where(wanted)) is not None


def page_versions(session: Session, page_id: int) -> tuple[Entry, ...]:
    """Return all versions of a page, by locale, the draft before the live one."""
    return PAGE_VERSIONS.of(session, (page_id,))


def pages_of_versions(session: Session, version_ids: Sequence[int]) -> dict[int, Entry]:
    """Return the pages of these versions, by id of the version."""
    return PAGE_VERSIONS.of_versions(session, version_ids)


def published_versions(session: Session, page_id: int) -> dict[int, Entry]:
    """Return the published versions of a page, by id of the version."""
    query = PAGE_VERSIONS.select().select_extend(VersionRow.id)
    rows = session.rows(query.where(EntryRow.id == page_id, visible(PAGES, preview=False)).order_by(VersionRow.id))
    return {row[-1]: PAGE_VERSIONS.read(row[:-1]) for row in rows}


def version_ids(session: Session, page_id: int) -> tuple[int, ...]:
    """Return the ids of all versions of the page; the id of a removed version may be used again."""
    is_of_page = PAGES.is_of_kind(VersionRow) & (VersionRow.entry_id == page_id)
    return tuple(row[0] for row in session.rows(VersionRow.select(VersionRow.id).where(is_of_page)))


def all_page_ids(session: Session) -> tuple[int, ...]:
    """Return the ids of all pages outside the trash, in order of creation."""
    return tuple(row[0] for row in session.rows(EntryRow.select(EntryRow.id).where(_HERE).order_by(EntryRow.id)))


def find_page_id(session: Session, page_type: str, slug: str) -> int | None:
    """Return the id of the page of that type ("": a Single Page) and slug, or None."""
    return find_named(session, PAGES.kind, page_type, slug)


def find_page_by_slug(session: Session, slug: str, page_types: tuple[str, ...]) -> tuple[str, str] | None:
    """Return (page type, slug) of the first page with that slug among these types, or None."""
    same = (EntryRow.type.in_(page_types)) & (EntryRow.slug == slug) & _HERE
    row = session.row(EntryRow.select(EntryRow.type, EntryRow.slug).where(same).order_by(EntryRow.id))
    return (row[0], row[1]) if row else None
