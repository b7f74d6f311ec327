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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sitecms.api.addresses import Addresses
from sitecms.content.field_value import FieldValue, JsonObject
from sitecms.content.fields.components import parts
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema.types import ContentSchema, FieldSpec, FieldType

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

    def fields(self, stored: Mapping[str, FieldValue], specs: Iterable[FieldSpec], levels: int) -> JsonObject:
        """The values of these fields. Raises InvalidRequest where the answer becomes too large."""
        shown: JsonObject = {}
        for spec in specs:
            self.size.spend(len(spec.slug) + 4)
            shown[spec.slug] = self._value(stored.get(spec.slug), spec, levels)
        return shown

    def _value(self, value: FieldValue, spec: FieldSpec, levels: int) -> object:
        match spec.type:
            case FieldType.NUMBER | FieldType.DATE:
                return value
            case FieldType.CHECKBOX:
                return bool(value)
            case FieldType.MEDIA:
                return self._media(value)
            case FieldType.REFERENCE:
                return self._reference(value, spec, levels)
            case FieldType.COMPONENT:
                given = parts(value, spec, self.schema) if value else ()
                return next((self.fields(inner, specs, levels) for inner, specs in given), {})
            case FieldType.COMPONENT_PICKER:
                return self._picked(value, levels)
            case FieldType.REPEATER:
                return [self.fields(row, specs, levels) for row, specs in parts(value or [], spec, self.schema)]
            case FieldType.WYSIWYG | FieldType.HTML:
                return self._text(self.addresses.body(str(value or "")))
            case _:
                return self._text(str(value or ""))

    def _text(self, text: str) -> str:
        self.size.spend(len(text))
        return text

    def _media(self, value: FieldValue) -> object:
        stored = value if isinstance(value, dict) else {}
        url = self._text(self.addresses.media(str(stored.get("url") or "")))
        if not self.alt_media_text:
            return url
        alt = self._text(str(stored.get("alt") or ""))
        return {"url": url, "alt": alt} if alt else {"url": url}

    def _reference(self, value: FieldValue, spec: FieldSpec, levels: int) -> object:
        uris = [uri for uri in (value if isinstance(value, list) else [value]) if isinstance(uri, str)]
        shown = [entry for entry in (self.show_reference(uri, levels) for uri in uris) if entry is not None]
        return shown if spec.many else next(iter(shown), None)

    def _picked(self, value: FieldValue, levels: int) -> list[JsonObject]:
        """Entries of components that are no longer declared are left out."""
        shown: list[JsonObject] = []
        for entry in value if isinstance(value, list) else []:
            slug = entry.get("type") if isinstance(entry, dict) else None
            component = self.schema.components.get(str(slug))
            if component and isinstance(entry, dict):
                inner = entry.get("fields")
                fields = self.fields(inner if isinstance(inner, dict) else {}, component.fields, levels)
                self.size.spend(len(component.slug) + 23)  # {"type":"","fields":...},
                shown.append({"type": component.slug, "fields": fields})
        return shown
