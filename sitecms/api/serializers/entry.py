"""Pages and items with all that they refer to, as one answer shows them."""

from sitecms.actions.references.expand import Entry, specs_of, target_of
from sitecms.actions.references.resolve import References
from sitecms.api.addresses import Addresses
from sitecms.api.serializers.fields import FieldSerializer
from sitecms.api.serializers.item import item_json
from sitecms.api.serializers.page import page_json
from sitecms.content.field_value import JsonObject
from sitecms.content.page import Page
from sitecms.content.references import Target, parse_target
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema.types import ContentSchema

_SHORTEST_ENTRY = 17  # {"meta":{"id":1}}


class EntrySerializer:
    """Makes each entry once for each level at which it is shown, however often it is referred to there.

    So the work grows with the number of entries, not with that of the paths between them; the size of the answer,
    in which every path counts, is added up before anything is written out. Raises InvalidRequest beyond 10 MB.
    """

    def __init__(
        self, schema: ContentSchema, references: References, addresses: Addresses, *, alt_media_text: bool
    ) -> None:
        self._schema = schema
        self._references = references
        self._size = SizeLimit()
        self._fields = FieldSerializer(schema, addresses, self._reference, self._size, alt_media_text)
        self._made: dict[tuple[Target, int], tuple[JsonObject, int]] = {}

    def show(self, entry: Entry, levels: int) -> JsonObject:
        """The entry with references `levels` deep; with 1, they are URIs."""
        key = target_of(entry), levels
        if key in self._made:
            shown, size = self._made[key]
            self._size.spend(size)
            return shown
        before = self._size.spent
        self._size.spend(_SHORTEST_ENTRY)
        fields = self._fields.fields(entry.fields, specs_of(entry, self._schema), levels)
        shown = page_json(entry, fields) if isinstance(entry, Page) else item_json(entry, fields)
        self._made[key] = shown, self._size.spent - before
        return shown

    def _reference(self, uri: str, levels: int) -> object:
        target = parse_target(uri)
        if target is None:
            return None
        if levels > 1:
            entry = self._references.entries.get(target)
            return self.show(entry, levels - 1) if entry else None
        if not self._references.may_name(target):
            return None
        self._size.spend(len(target.uri))
        return target.uri
