"""Field types: one class owns everything that differs by type (API reference, Field types).

Reading order: `field_type` (the interface), `types` (the types of a site), `text` (the simplest types), `component` and
`lists` (types that hold fields), `group` (fields together), `outputs` (interfaces of the layers above). A new type is
one module, and its address in the list of `types`.
"""

from sitecms.content.fields.cleaning import CleanHtml, Context, FieldWarning, ItemMatch, Lookup, Message, RawReference
from sitecms.content.fields.field_type import FieldType
from sitecms.content.fields.group import clean_group
from sitecms.content.fields.types import built_in_types, own_types, shown_type, type_of, types_of

__all__ = [
    "CleanHtml",
    "Context",
    "FieldType",
    "FieldWarning",
    "ItemMatch",
    "Lookup",
    "Message",
    "RawReference",
    "built_in_types",
    "clean_group",
    "own_types",
    "shown_type",
    "type_of",
    "types_of",
]
