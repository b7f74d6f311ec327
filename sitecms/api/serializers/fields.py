"""Content fields as JSON (decisions, Field types): every declared field of an entry, in declared order.

    short_text, long_text, dropdown, color   text, "" where unset
    wysiwyg, html                            text, its media addresses absolute
    number                                   number or null
    date                                     "2026-03-01T08:00:00" or null
    checkbox                                 true or false
    media                                    address, "" where unset; with alt_media_text {"url", "alt"}, `alt` if any
    reference                                page or item, beyond the levels its URI; null where unset; many: a list
    component                                {field: value}, {} where unset
    component_picker                         [{"type": component, "fields": {field: value}}]
    repeater                                 [{field: value}]

An entry that is stored without a field, since the field was declared later, shows it as unset.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sitecms.api.addresses import Addresses
from sitecms.content.field_value import Fields, JsonObject
from sitecms.content.fields import type_of
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema.types import ContentSchema, FieldSpec

ShowReference = Callable[[str, int], object]
"""What stands for a stored reference, given its URI and the levels there; None if it is left out."""


@dataclass(frozen=True, slots=True)
class FieldSerializer:
    """Fields as one answer shows them. `size` counts what the answer will hold at least."""

    schema: ContentSchema
    addresses: Addresses
    show_reference: ShowReference
    size: SizeLimit
    alt_media_text: bool = False

    def fields(self, stored: Fields, specs: Iterable[FieldSpec], levels: int) -> JsonObject:
        """The values of these fields. Raises InvalidRequest where the answer becomes too large."""
        shown: JsonObject = {}
        for spec in specs:
            self.size.spend(len(spec.slug) + 4)
            shown[spec.slug] = type_of(spec).to_json(stored.get(spec.slug), spec, levels, self)
        return shown

    def text(self, text: str) -> str:
        """Count the text, and return it."""
        self.size.spend(len(text))
        return text

    def html(self, html: str) -> str:
        """Return the HTML with absolute media addresses, counted."""
        return self.text(self.addresses.body(html))

    def media(self, address: str) -> str:
        """Return a media address as clients reach it, counted."""
        return self.text(self.addresses.media(address))

    def reference(self, uri: str, levels: int) -> object:
        """Return what stands for a stored reference; None if it is left out."""
        return self.show_reference(uri, levels)
