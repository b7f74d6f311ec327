"""Targets of references: those that a reader may see, and every entry with what it names."""

from collections.abc import Collection, Iterator
from functools import cache

import orjson
from peewee import fn

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.query import Visibility
from sitecms.content.references import ItemTarget, PageTarget, Target, item_uri_start, parse_target
from sitecms.content.response_size import SizeLimit
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_tables import JOINED
from sitecms.store.entries.pages import NAMED_PAGES
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.sql import JSON_NUMBERS, Statement

_LISTED_ITEMS = "entry.id IN " + JSON_NUMBERS


def find_targets(
    session: Session, targets: Collection[Target], scope: Visibility, limit: SizeLimit
) -> dict[Target, Entry]:
    """Return the entries of the visible targets. Raises InvalidRequest if they exceed the limit."""
    found = (
        VERSIONS[kind].read_visible(session, scope, matching, names, limit=limit)
        for kind, matching, names in _named(targets)
    )
    entries = {_target(each.kind, each.type, each.slug, each.id): each for of_kind in found for each in of_kind}
    return {target: entries[target] for target in targets if target in entries}


def visible_targets(session: Session, targets: Collection[Target], scope: Visibility) -> frozenset[Target]:
    """Return the visible ones of the targets, without reading their fields."""
    rows = (
        session.sql(_names(kind, matching, preview=scope.preview), scope.locale, names)
        for kind, matching, names in _named(targets)
    )
    visible = {_target(*row) for of_kind in rows for row in of_kind}
    return frozenset(target for target in targets if target in visible)


@cache
def _names(kind: EntryKind, matching: Statement, *, preview: bool) -> Statement:
    visible = VERSIONS[kind].visible(matching, preview=preview)
    return f"SELECT entry.kind, entry.type, entry.slug, entry.id FROM {JOINED} WHERE " + visible


def _named(targets: Collection[Target]) -> Iterator[tuple[EntryKind, Statement, str]]:
    """Yield the kinds of targets, each with the condition of targets and the JSON of their names."""
    pages = [(target.page_type, target.slug) for target in targets if isinstance(target, PageTarget)]
    items = [target.id for target in targets if isinstance(target, ItemTarget)]
    for kind, matching, names in ((EntryKind.PAGE, NAMED_PAGES, pages), (EntryKind.ITEM, _LISTED_ITEMS, items)):
        if names:
            yield kind, matching, orjson.dumps(names).decode()


def rename_target(transaction: Transaction, old: PageTarget, new: PageTarget) -> frozenset[tuple[str, int]]:
    """Make all references to a page name its new slug, those in drafts, the trash and working copies included.

    A reference is stored as a JSON string that is the URI and nothing else, which no other text can contain.
    Return kind and id of the entries outside the trash that changed, except for working copies alone.
    """
    if old == new:
        return frozenset()
    old_text, new_text = (orjson.dumps(target.uri).decode() for target in (old, new))
    text = VersionRow.fields.cast("TEXT")
    is_named = text.contains(old_text)
    entries = VersionRow.select(VersionRow.kind, VersionRow.entry_id).distinct()
    entries = entries.where(is_named, VersionRow.deleted_at.is_null(), VersionRow.saved_by.is_null())
    changed = frozenset((str(kind), int(entry_id)) for kind, entry_id in transaction.rows(entries))
    transaction.run(VersionRow.update({VersionRow.fields: fn.REPLACE(text, old_text, new_text)}).where(is_named))
    return changed


def referred_items(session: Session, collection: str) -> frozenset[int]:
    """Return the ids of the items of a collection that entries outside the trash refer to."""
    start = item_uri_start(collection)
    refers = VersionRow.fields.cast("TEXT").contains(start) & VersionRow.saved_by.is_null()
    fields = session.rows(VersionRow.select(VersionRow.fields).where(refers, VersionRow.deleted_at.is_null()))
    targets = (target for row in fields for target in _targets(row[0]))
    return frozenset(
        target.id for target in targets if isinstance(target, ItemTarget) and target.collection == collection
    )


PostId = int
"""Id of a post, as its translations name it."""


def all_targets(session: Session) -> frozenset[Target | PostId]:
    """Return all targets outside the trash."""
    columns = (EntryRow.kind, EntryRow.type, EntryRow.slug, EntryRow.id)
    rows = session.rows(EntryRow.select(*columns).where(EntryRow.deleted_at.is_null()))
    return frozenset(_target(*row) for row in rows)


def _target(kind: str, entry_type: str, slug: str, entry_id: int) -> Target | PostId:
    properties = KINDS[EntryKind(kind)]
    if not properties.is_target:
        return entry_id
    return PageTarget(entry_type, slug) if properties.has_slug else ItemTarget(entry_type, entry_id)


def all_named(session: Session) -> Iterator[tuple[str, int, frozenset[Target | PostId]]]:
    """Yield (kind, id, targets) of every post and page or item version with references, and of translated posts."""
    versions = VersionRow.select(VersionRow.kind, VersionRow.entry_id, VersionRow.fields)
    may_refer = VersionRow.fields.cast("TEXT").contains("/v2/") & VersionRow.saved_by.is_null()
    for kind, entry_id, fields in session.rows(versions.where(may_refer)):
        if targets := frozenset(_targets(fields)):
            yield kind, entry_id, targets
    translated = EntryRow.select(EntryRow.kind, EntryRow.id, EntryRow.group_id).where(EntryRow.group_id != EntryRow.id)
    for kind, entry_id, group_id in session.rows(translated):
        yield kind, entry_id, frozenset((group_id,))


def _targets(value: object) -> Iterator[Target]:
    if isinstance(value, dict):
        for element in value.values():
            yield from _targets(element)
    elif isinstance(value, list):
        for element in value:
            yield from _targets(element)
    elif isinstance(value, str) and (target := parse_target(value)):
        yield target
