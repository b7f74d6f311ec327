"""Targets of references: those that a reader may see, and every entry with what it names."""

from collections.abc import Collection, Iterator
from functools import cache

import orjson

from sitecms.content.change import EntryKind
from sitecms.content.item import Entry
from sitecms.content.query import Visibility
from sitecms.content.references import ItemTarget, PageTarget, Target, parse_target
from sitecms.content.response_size import SizeLimit
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.items import ITEM_VERSIONS, ITEMS
from sitecms.store.entries.pages import NAMED_PAGES, PAGE_VERSIONS, PAGES
from sitecms.store.entries.versions import EntryTables, rows_within
from sitecms.store.models.entries import EntryRow, PostRow, VersionRow
from sitecms.store.sql import JSON_NUMBERS, Statement

_LISTED_ITEMS = "entry.id IN " + JSON_NUMBERS
_RENAME = "UPDATE {} SET {} = replace({}, ?, ?) WHERE {} LIKE ?"
_REFERRING = (("version", "fields_json"), ("post_fields", "fields_json"), ("working_copy", "values_json"))
"""Tables with fields of entries outside the history, and their columns."""


def find_targets(
    session: Session, targets: Collection[Target], scope: Visibility, limit: SizeLimit
) -> dict[Target, Entry]:
    """Return the entries of the visible targets. Raises InvalidRequest if they exceed the limit."""
    found: dict[Target, Entry] = {}
    if names := _page_names(targets):
        pages = PAGE_VERSIONS.visible(NAMED_PAGES, preview=scope.preview, with_size=True)
        for page in map(PAGE_VERSIONS.read_visible, rows_within(session, limit, pages, scope.locale, names)):
            found[PageTarget(page.page_type, page.slug)] = page
    if ids := _item_ids(targets):
        items = ITEM_VERSIONS.visible(_LISTED_ITEMS, preview=scope.preview, with_size=True)
        for item in map(ITEM_VERSIONS.read_visible, rows_within(session, limit, items, scope.locale, ids)):
            found[ItemTarget(item.collection, item.id)] = item
    return {target: entry for target, entry in found.items() if target in targets}


@cache
def _visible_names(columns: str, table: EntryTables, condition: Statement, *, preview: bool) -> Statement:
    return f"SELECT {columns} {table.source}{table.visible(preview=preview)}AND " + condition


def visible_targets(session: Session, targets: Collection[Target], scope: Visibility) -> frozenset[Target]:
    """Return the visible ones of the targets, without reading their fields."""
    found: set[Target] = set()
    if names := _page_names(targets):
        pages = _visible_names("entry.type, entry.slug", PAGES, NAMED_PAGES, preview=scope.preview)
        found |= {PageTarget(row[0] or None, row[1]) for row in session.sql(pages, scope.locale, names)}
    if ids := _item_ids(targets):
        items = _visible_names("entry.type, entry.id", ITEMS, _LISTED_ITEMS, preview=scope.preview)
        found |= {ItemTarget(*row) for row in session.sql(items, scope.locale, ids)}
    return frozenset(found.intersection(targets))


def _page_names(targets: Collection[Target]) -> str:
    """Return the pairs of type and slug of the pages as JSON; "" if there are none."""
    names = [(target.page_type or "", target.slug) for target in targets if isinstance(target, PageTarget)]
    return orjson.dumps(names).decode() if names else ""


def _item_ids(targets: Collection[Target]) -> str:
    """Return the ids of the items as JSON; "" if there are none."""
    ids = [target.id for target in targets if isinstance(target, ItemTarget)]
    return orjson.dumps(ids).decode() if ids else ""


def rename_target(transaction: Transaction, old: PageTarget, new: PageTarget) -> None:
    """Make all references to a page name its new slug, those in drafts, the trash and working copies included.

    A reference is stored as a JSON string that is the URI and nothing else, which no other text can contain.
    """
    if old == new:
        return
    named = [orjson.dumps(target.uri).decode() for target in (old, new)]
    for table, column in _REFERRING:
        transaction.sql(_RENAME.format(table, *[column] * 3), *named, f"%{named[0]}%")


PostId = int
"""Id of a post, as its translations name it."""


def all_targets(session: Session) -> frozenset[Target | PostId]:
    """Return all targets outside the trash."""
    here = EntryRow.select(EntryRow.type, EntryRow.slug, EntryRow.id).where(EntryRow.deleted_at.is_null())
    pages = session.rows(here.where(PAGES.is_of_kind(EntryRow)))
    items = session.rows(here.where(ITEMS.is_of_kind(EntryRow)))
    posts = session.sql("SELECT id FROM post WHERE deleted_at IS NULL")
    named = (*(PageTarget(row[0] or None, row[1]) for row in pages), *(ItemTarget(row[0], row[2]) for row in items))
    return frozenset((*named, *(row[0] for row in posts)))


def all_named(session: Session) -> Iterator[tuple[str, int, frozenset[Target | PostId]]]:
    """Yield (kind, id, targets) of every post and page or item version with references, and of translated posts."""
    query = VersionRow.select(VersionRow.kind, VersionRow.entry_id, VersionRow.fields)
    for kind, entry_id, fields in session.rows(query.where(VersionRow.fields.cast("TEXT").contains("/v2/"))):
        if targets := frozenset(_targets(fields)):
            yield kind, entry_id, targets
    for post_id, fields in session.sql("SELECT post_id, fields_json FROM post_fields WHERE fields_json LIKE '%/v2/%'"):
        if targets := frozenset(_targets(orjson.loads(fields))):
            yield EntryKind.POST.value, post_id, targets
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
