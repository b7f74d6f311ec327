"""The kinds of entries, and the properties in which they differ."""

from collections.abc import Mapping

from msgspec import Struct

from sitecms.content.change import EntryKind
from sitecms.content.schema import ContentSchema, FieldSpec


class Kind(Struct, frozen=True):
    """The properties of a kind of entry.

    With `has_versions` an entry has live and draft versions in several locales, otherwise one version in its own.
    With `is_named` it has a slug and a title, otherwise a number.
    With `creates_several` a creation may hold several entries. `required` are keys that an update cannot set to null,
    `immutable` keys that an update ignores.
    """

    has_versions: bool = True
    is_named: bool = True
    creates_several: bool = False
    required: tuple[str, ...] = ("fields",)
    immutable: tuple[str, ...] = ()


KINDS: Mapping[EntryKind, Kind] = {
    EntryKind.POST: Kind(has_versions=False, required=("title",)),
    EntryKind.PAGE: Kind(required=("title", "fields"), immutable=("title", "slug")),
    EntryKind.ITEM: Kind(is_named=False, creates_several=True),
}


def declared_fields(
    schema: ContentSchema, kind: EntryKind, owner: str | None = None, slug: str = ""
) -> tuple[FieldSpec, ...]:
    """Return the declared fields of an entry: `owner` is its page type or collection. Raises NotFound."""
    match kind:
        case EntryKind.POST:
            return schema.post_fields
        case EntryKind.PAGE:
            return schema.page_fields(owner, slug)
        case EntryKind.ITEM:
            return schema.collection(owner or "").fields
