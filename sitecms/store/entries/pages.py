"""Pages by their names."""

from collections.abc import Sequence

import orjson

from sitecms.content.entry import Entry
from sitecms.content.query import Visibility
from sitecms.store.database import Session
from sitecms.store.entries.entry_tables import PAGES
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.models.entries import EntryRow
from sitecms.store.sql import Sql

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


def pages_by_slug(session: Session, slug: str, page_types: Sequence[str], scope: Visibility) -> tuple[Entry, ...]:
    """Return the visible pages with that slug of these types ("": Single Pages), in order of creation."""
    names = orjson.dumps([(page_type, slug) for page_type in page_types]).decode()
    if r"\u0000" in names:  # PostgreSQL has no such text, and no slug holds one
        return ()
    return VERSIONS[PAGES.kind].read_visible(session, scope, _NAMED_IN_ORDER, names)


def find_page_by_slug(session: Session, slug: str, page_types: tuple[str, ...]) -> tuple[str, str] | None:
    """Return (page type, slug) of the first page with that slug among these types, or None."""
    same = PAGES.is_of_kind(EntryRow) & EntryRow.type.in_(page_types) & (EntryRow.slug == slug)
    pages = EntryRow.select(EntryRow.type, EntryRow.slug).where(same, EntryRow.deleted_at.is_null())
    row = session.row(pages.order_by(EntryRow.id))
    return (row[0], row[1]) if row else None
