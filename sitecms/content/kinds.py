"""The kinds of entries, and the properties in which they differ."""

from collections.abc import Mapping

from msgspec import Struct

from sitecms.content.change import EntryKind
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.schema import ContentSchema, FieldSpec


class Kind(Struct, frozen=True):
    """The properties of a kind of entry.

    With `has_versions` an entry has live and draft versions in several locales, otherwise one version in its own.
    With `creates_several` a creation may hold several entries. `required` are keys that an update cannot set to null,
    `immutable` keys that an update ignores. `permalink` is the name of the pattern
    that gives entries their addresses: a setting, "route" of a collection.
    """

    has_versions: bool = True
    creates_several: bool = False
    required: tuple[str, ...] = ("fields",)
    immutable: tuple[str, ...] = ()
    permalink: str = ""


KINDS: Mapping[EntryKind, Kind] = {
    EntryKind.POST: Kind(has_versions=False, required=("title",), permalink="post"),
    EntryKind.PAGE: Kind(required=("title", "fields"), immutable=("title", "slug"), permalink="page"),
    EntryKind.ITEM: Kind(creates_several=True, permalink="route"),
}


def kind_of(entry: Post | Page | Item) -> EntryKind:
    """Return the kind of an entry."""
    if isinstance(entry, Post):
        return EntryKind.POST
    return EntryKind.PAGE if isinstance(entry, Page) else EntryKind.ITEM


def declared_fields(
    schema: ContentSchema, kind: EntryKind, owner: str | None = None, slug: str = ""
) -> tuple[FieldSpec, ...]:
    """Return the declared fields of an entry: `owner` is its page type or collection. Raises NotFound."""
    match kind:
        case EntryKind.POST:
            return schema.post_fields
        case EntryKind.PAGE:
            return schema.page_fields(owner or None, slug)
        case EntryKind.ITEM:
            return schema.collection(owner or "").fields
