"""Targets of references: those that a reader may see, and every entry with what it names."""

from collections.abc import Collection, Iterator
from typing import Any

import orjson

from sitecms.content.change import EntryKind
from sitecms.content.item import Entry
from sitecms.content.query import Visibility
from sitecms.content.references import ItemTarget, PageTarget, Target, parse_target
from sitecms.content.response_size import SizeLimit
from sitecms.store.database import Session
from sitecms.store.entries.items import ITEMS, read_item, select_items
from sitecms.store.entries.pages import PAGES, read_page, select_pages
from sitecms.store.entries.versions import in_scope, json_list, rows_within
from sitecms.store.schema.tables import ItemRow, ItemVersionRow, PageRow, PageVersionRow, PostRow
from sitecms.store.sql import Sql, handwritten

# CROSS JOIN: from the names to the pages by their index; SQLite would rather look through all pages of the locale
_NAMED = "ON page.page_type = named.value ->> 0 AND page.slug = named.value ->> 1 AND page.deleted_at IS NULL)"
_IDS_OF_NAMES = (
    Sql(
        sqlite="(SELECT page.id FROM json_each(?) AS named CROSS JOIN page ",
        postgres="(SELECT page.id FROM jsonb_array_elements(?::jsonb) AS named (value) JOIN page ",
    )
    + _NAMED
)


def find_targets(
    session: Session, targets: Collection[Target], scope: Visibility, limit: SizeLimit
) -> dict[Target, Entry]:
    """Return the entries of the visible targets. Raises InvalidRequest if they exceed the limit."""
    found: dict[Target, Entry] = {}
    if pages := _page_names(targets):
        query = select_pages().where(_named(pages), in_scope(PAGES, scope))
        for page in map(read_page, rows_within(session, query, PAGES, limit)):
            found[PageTarget(page.page_type, page.slug)] = page
    if items := _item_ids(targets):
        query = select_items().where(ItemRow.id.in_(json_list(items)), in_scope(ITEMS, scope))
        for item in map(read_item, rows_within(session, query, ITEMS, limit)):
            found[ItemTarget(item.collection, item.id)] = item
    return {target: entry for target, entry in found.items() if target in targets}


def visible_targets(session: Session, targets: Collection[Target], scope: Visibility) -> frozenset[Target]:
    """Return the visible ones of the targets, without reading their fields."""
    found: set[Target] = set()
    if pages := _page_names(targets):
        here = PageVersionRow.select(PageRow.page_type, PageRow.slug)
        here = here.join(PageRow, on=(PageRow.id == PageVersionRow.owner_id)).where(_named(pages))
        rows = session.rows(here.where(in_scope(PAGES, scope)))
        found |= {PageTarget(page_type or None, slug) for page_type, slug in rows}
    if items := _item_ids(targets):
        there = ItemVersionRow.select(ItemRow.collection, ItemRow.id)
        there = there.join(ItemRow, on=(ItemRow.id == ItemVersionRow.owner_id)).where(ItemRow.id.in_(json_list(items)))
        found |= {ItemTarget(*row) for row in session.rows(there.where(in_scope(ITEMS, scope)))}
    return frozenset(found.intersection(targets))


def _page_names(targets: Collection[Target]) -> list[tuple[str, str]]:
    return [(target.page_type or "", target.slug) for target in targets if isinstance(target, PageTarget)]


def _item_ids(targets: Collection[Target]) -> list[int]:
    return [target.id for target in targets if isinstance(target, ItemTarget)]


def _named(names: list[tuple[str, str]]) -> Any:
    """Return the condition that a page has one of these pairs of type and slug."""
    return PageRow.id.in_(handwritten(_IDS_OF_NAMES, orjson.dumps(names).decode()))


PostId = int
"""Id of a post, as its translations name it."""


def all_targets(session: Session) -> frozenset[Target | PostId]:
    """Return all targets outside the trash."""
    pages = session.rows(PageRow.select(PageRow.page_type, PageRow.slug).where(PageRow.deleted_at.is_null()))
    items = session.rows(ItemRow.select(ItemRow.collection, ItemRow.id).where(ItemRow.deleted_at.is_null()))
    posts = session.sql("SELECT id FROM post WHERE deleted_at IS NULL")
    named = (*(PageTarget(row[0] or None, row[1]) for row in pages), *(ItemTarget(*row) for row in items))
    return frozenset((*named, *(row[0] for row in posts)))


def all_named(session: Session) -> Iterator[tuple[str, int, frozenset[Target | PostId]]]:
    """Yield (kind, id, targets) of every page or item version with references, and of every translated post."""
    for kind, rows in ((EntryKind.PAGE, PageVersionRow), (EntryKind.ITEM, ItemVersionRow)):
        query = rows.select(rows.owner_id, rows.fields).where(rows.fields.cast("TEXT").contains("/v2/"))
        for owner_id, fields in session.rows(query):
            if targets := frozenset(_targets(fields)):
                yield kind.value, owner_id, targets
    for post_id, group_id in session.rows(PostRow.select(PostRow.id, PostRow.group_id)):
        if post_id != group_id:
            yield EntryKind.POST.value, post_id, frozenset((group_id,))


def _targets(value: object) -> Iterator[Target]:
    if isinstance(value, dict):
        for held in value.values():
            yield from _targets(held)
    elif isinstance(value, list):
        for held in value:
            yield from _targets(held)
    elif isinstance(value, str) and (target := parse_target(value)):
        yield target
