"""What references name, for many of them at once: one query for pages and one for items."""

from collections.abc import Collection
from typing import Any

import orjson

from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.query import Scope
from sitecms.content.references import ItemTarget, PageTarget, Target
from sitecms.content.response_size import SizeLimit
from sitecms.store.database import Session
from sitecms.store.entries.items import ITEMS, read_item, select_items
from sitecms.store.entries.pages import PAGES, read_page, select_pages
from sitecms.store.entries.version_lists import json_list, rows_within
from sitecms.store.entries.versions import in_scope
from sitecms.store.schema.tables import ItemRow, ItemVersionRow, PageRow, PageVersionRow
from sitecms.store.sql import Sql, handwritten

Entry = Page | Item
# CROSS JOIN: from the names to the pages by their index; SQLite would rather look through all pages of the locale
_NAMED = "ON page.page_type = named.value ->> 0 AND page.slug = named.value ->> 1 AND page.deleted_at IS NULL)"
_IDS_OF_NAMES = (
    Sql(
        sqlite="(SELECT page.id FROM json_each(?) AS named CROSS JOIN page ",
        postgres="(SELECT page.id FROM jsonb_array_elements(?::jsonb) AS named (value) JOIN page ",
    )
    + _NAMED
)


def find_targets(session: Session, targets: Collection[Target], scope: Scope, limit: SizeLimit) -> dict[Target, Entry]:
    """The targets that exist and that the reader may see. Raises InvalidRequest where they exceed the limit."""
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


def visible_targets(session: Session, targets: Collection[Target], scope: Scope) -> frozenset[Target]:
    """Those of the targets that exist and that the reader may see, without reading what they hold."""
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
    """The condition that a page has one of these types and slugs."""
    return PageRow.id.in_(handwritten(_IDS_OF_NAMES, orjson.dumps(names).decode()))
