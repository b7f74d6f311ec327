"""Find everything that entries refer to, level by level: one look-up a level, however many entries."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from sitecms.content.fields.group import targets_in
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.references import ItemTarget, PageTarget, Target
from sitecms.content.schema.types import ContentSchema, FieldSpec

Entry: TypeAlias = Page | Item
Find: TypeAlias = Callable[[frozenset[Target]], Mapping[Target, Entry]]


def expand_references(
    entries: Iterable[Entry], schema: ContentSchema, *, levels: int, find: Find
) -> dict[Target, Entry]:
    """The entries that these show when references are followed `levels` deep (1: none; specification, levels).

    `find` gives those of the targets that exist and may be seen; the others are left out, and so cost nothing more.
    """
    found: dict[Target, Entry] = {}
    frontier: Iterable[Entry] = entries
    for _level in range(levels - 1):
        wanted = {target for entry in frontier for target in targets_of(entry, schema)} - found.keys()
        if not wanted:
            break
        new = find(frozenset(wanted))
        found.update(new)
        frontier = new.values()
    return found


def target_of(entry: Entry) -> Target:
    """How references name this entry."""
    if isinstance(entry, Page):
        return PageTarget(entry.page_type, entry.slug)
    return ItemTarget(entry.collection, entry.id)


def specs_of(entry: Entry, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """The fields the schema gives this entry; none if its type is no longer there."""
    if isinstance(entry, Item):
        collection = schema.collections.get(entry.collection)
        return collection.fields if collection else ()
    if entry.page_type is None or entry.page_type in schema.page_types:
        return schema.page_fields(entry.page_type)
    return ()


def targets_of(entry: Entry, schema: ContentSchema) -> Iterator[Target]:
    """What the entry's own fields refer to, components and repeaters included."""
    return targets_in(entry.fields, specs_of(entry, schema), schema)
