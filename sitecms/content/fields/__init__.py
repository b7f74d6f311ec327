"""Field types: one class owns everything that differs by type (API reference, Field types).

Reading order: `field_type` (the interface), `text` (the simplest types), `component` and `lists` (types that hold
fields), `group` (fields together), `outputs` (interfaces of the layers above). A new type is one module, and its place
in the list below.
"""

from sitecms.content.fields.cleaning import CleanHtml, Context, FieldWarning, ItemMatch, Lookup, Message, RawReference
from sitecms.content.fields.component import ComponentType
from sitecms.content.fields.field_type import FieldType, field_types, find_type, register, type_of, unregister
from sitecms.content.fields.group import clean_group
from sitecms.content.fields.lists import ComponentPickerType, RepeaterType
from sitecms.content.fields.media import MediaType
from sitecms.content.fields.reference import ReferenceType
from sitecms.content.fields.scalar import CheckboxType, DateType, NumberType
from sitecms.content.fields.text import ColorType, DropdownType, HtmlType, LongTextType, ShortTextType, WysiwygType

register(
    ShortTextType(),
    LongTextType(),
    WysiwygType(),
    HtmlType(),
    NumberType(),
    DateType(),
    DropdownType(),
    CheckboxType(),
    ColorType(),
    MediaType(),
    ReferenceType(),
    ComponentType(),
    ComponentPickerType(),
    RepeaterType(),
)

__all__ = [
    "CleanHtml",
    "Context",
    "FieldType",
    "FieldWarning",
    "ItemMatch",
    "Lookup",
    "Message",
    "RawReference",
    "clean_group",
    "field_types",
    "find_type",
    "register",
    "type_of",
    "unregister",
]
