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
    `immutable` keys that an update ignores.

    With `has_slug` a slug names an entry, which has a file of its own; without one a file lists entries, and their ids
    name them. Fields may refer to an entry that `is_target`. The place of an entry that `is_dated` follows from the
    time of its publication. Its fields are declared in `schema_place` of the site folder. `permalink` is the name
    of the pattern that gives entries their addresses: a setting, "route" of a collection.
    """

    has_versions: bool = True
    creates_several: bool = False
    required: tuple[str, ...] = ("fields",)
    immutable: tuple[str, ...] = ()
    has_slug: bool = True
    is_target: bool = True
    is_dated: bool = False
    schema_place: str = ""
    permalink: str = ""


KINDS: Mapping[EntryKind, Kind] = {
    EntryKind.POST: Kind(
        has_versions=False,
        required=("title",),
        is_target=False,
        is_dated=True,
        schema_place="schema/post.yaml",
        permalink="post",
    ),
    EntryKind.PAGE: Kind(
        required=("title", "fields"),
        immutable=("title", "slug"),
        schema_place="schema/page_types",
        permalink="page",
    ),
    EntryKind.ITEM: Kind(creates_several=True, has_slug=False, schema_place="schema/collections", permalink="route"),
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
