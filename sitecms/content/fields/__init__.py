"""Field types: one class each, that turns what was sent into what is stored (decisions, Field types)."""

from sitecms.content.fields.field import Context, Field, FieldWarning, ItemMatch, Lookup, Message, RawReference
from sitecms.content.fields.group import FIELDS, clean_group

__all__ = [
    "FIELDS",
    "Context",
    "Field",
    "FieldWarning",
    "ItemMatch",
    "Lookup",
    "Message",
    "RawReference",
    "clean_group",
]
