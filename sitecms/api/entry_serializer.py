"""Pages and items as JSON, with all entries that they refer to (API reference, Read shapes).

Page: {"slug", "name", "page_type", "published", "updated", "fields": {...}}. `page_type` is null for a Single Page;
`published` of a page that never was published is the time of its creation.

Item: {"meta": {"id": 41}, <the fields of its collection>}.

Fields are all that the schema declares, in declared order; each field type writes its own value (`content.fields`).
A field that is declared but not stored has its unset value.
"""

from collections.abc import Sequence

from sitecms.actions.references import References, specs_of, target_of
from sitecms.api.addresses import Addresses
from sitecms.clock import format_timestamp
from sitecms.content.field_value import Fields, JsonObject
from sitecms.content.fields import type_of
from sitecms.content.item import Entry
from sitecms.content.page import Page
from sitecms.content.references import Target, parse_target
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema.types import ContentSchema, FieldSpec

_SHORTEST_ENTRY = 17  # {"meta":{"id":1}}


class EntrySerializer:
    """Serializer of one response, which makes each entry once for each level, however many references lead to it.

    So the work grows with the number of entries, not with the number of paths between them. `size` adds up what the
    response holds at least, in which every path counts, before anything is written: a response over 10 MB raises
    InvalidRequest. It is the JsonOutput of the field types.
    """

    def __init__(
        self, schema: ContentSchema, references: References, addresses: Addresses, *, alt_media_text: bool
    ) -> None:
        self.schema = schema
        self.alt_media_text = alt_media_text
        self.size = SizeLimit()
        self._references = references
        self._addresses = addresses
        self._entries: dict[tuple[Target, int], tuple[JsonObject, int]] = {}
        """Each entry at each level as JSON, with its size."""

    def entry(self, entry: Entry, levels: int) -> JsonObject:
        """Return the entry as JSON with references followed for `levels` levels; at 1 they are URIs."""
        key = target_of(entry), levels
        if key in self._entries:
            result, size = self._entries[key]
            self.size.spend(size)
            return result
        before = self.size.spent
        self.size.spend(_SHORTEST_ENTRY)
        fields = self.fields(entry.fields, specs_of(entry, self.schema), levels)
        result = _page_json(entry, fields) if isinstance(entry, Page) else {"meta": {"id": entry.id}, **fields}
        self._entries[key] = result, self.size.spent - before
        return result

    def fields(self, stored: Fields, specs: Sequence[FieldSpec], levels: int) -> JsonObject:
        """Return a group of fields as JSON."""
        result: JsonObject = {}
        for spec in specs:
            self.size.spend(len(spec.slug) + 4)
            result[spec.slug] = type_of(spec).to_json(stored.get(spec.slug), spec, levels, self)
        return result

    def text(self, text: str) -> str:
        """Count the text, and return it."""
        self.size.spend(len(text))
        return text

    def html(self, html: str) -> str:
        """Return the HTML with absolute media addresses, counted."""
        return self.text(self._addresses.body(html))

    def media(self, address: str) -> str:
        """Return a media address as clients reach it, counted."""
        return self.text(self._addresses.media(address))

    def reference(self, uri: str, levels: int) -> object:
        """Return the entry or, at level 1, the URI of a stored reference; None if its target is not visible."""
        target = parse_target(uri)
        if target is None:
            return None
        if levels > 1:
            entry = self._references.entries.get(target)
            return self.entry(entry, levels - 1) if entry else None
        return self.text(target.uri) if self._references.may_name(target) else None


def _page_json(page: Page, fields: JsonObject) -> JsonObject:
    return {
        "slug": page.slug,
        "name": page.title,
        "page_type": page.page_type,
        "published": format_timestamp(page.published_at or page.created_at),
        "updated": format_timestamp(page.updated_at),
        "fields": fields,
    }
