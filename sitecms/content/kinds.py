"""What differs between the kinds of entries, for code that treats all of them alike."""

from sitecms.content.change import EntryKind
from sitecms.content.schema import ContentSchema, FieldSpec


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
