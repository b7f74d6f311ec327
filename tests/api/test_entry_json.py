"""The serializer of entries that refer to each other many times."""

from datetime import UTC, datetime

import pytest

from sitecms.actions.references import References, target_of
from sitecms.api.addresses import Addresses
from sitecms.api.views.entries import EntrySerializer
from sitecms.content.entry import Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.references import ItemTarget
from sitecms.content.schema import ContentSchema
from sitecms.errors import InvalidRequest
from sitecms.settings.site import SiteSettings
from tests.support.entries import an_entry

SCHEMA = ContentSchema.from_json(
    {
        "collections": [
            {"key": "team", "fields": [{"slug": "friends", "type": "reference", "targets": ["team"], "many": True}]}
        ]
    }
)


def serializer_of(site: SiteSettings, count: int) -> tuple[EntrySerializer, Entry]:
    """Return a serializer of items that all refer to all items, and the first item."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    fields = {"friends": [ItemTarget("team", number).uri for number in range(count)]}
    items = [an_entry(EntryKind.ITEM, number, at, type="team", fields=fields) for number in range(count)]
    references = References({target_of(item): item for item in items}, frozenset())
    return EntrySerializer(SCHEMA, references, Addresses(site, ""), alt_media_text=False), items[0]


def test_entry_is_serialized_once_for_each_level(site: SiteSettings) -> None:
    """All references at one level share one object."""
    serializer, first = serializer_of(site, 3)
    result = serializer.entry(first, 4)
    assert result["friends"][1]["friends"][2] is result["friends"][0]["friends"][2]  # type: ignore[index]


def test_every_path_to_an_entry_counts_towards_the_size_limit(site: SiteSettings) -> None:
    """A hundred million entries are refused before any byte is written."""
    serializer, first = serializer_of(site, 100)
    with pytest.raises(InvalidRequest, match="10 MB"):
        serializer.entry(first, 5)


@pytest.mark.parametrize(
    ("kind", "stored", "shown"),
    [
        ("number", "Posts", None), ("number", True, None), ("number", 0, 0), ("checkbox", "Posts", False),
        ("checkbox", True, True), ("short_text", 7, ""), ("short_text", "Posts", "Posts"), ("color", 7, ""),
        ("media", "Posts", ""), ("repeater", "Posts", []), ("reference", 7, None),
    ],
)  # fmt: skip
def test_a_value_of_a_former_type_is_shown_as_unset(
    site: SiteSettings, kind: str, stored: FieldValue, shown: object
) -> None:
    """The document promises values of the type, and `load` says that the value is not shown."""
    more = {"fields": [{"slug": "x", "type": "short_text"}]} if kind == "repeater" else {"targets": ["team"]}
    spec = {"slug": "label", "type": kind, **(more if kind in ("repeater", "reference") else {})}
    schema = ContentSchema.from_json({"collections": [{"key": "team", "fields": [spec]}]})
    at = datetime(2026, 3, 1, tzinfo=UTC)
    item = an_entry(EntryKind.ITEM, 1, at, type="team", fields={"label": stored})
    serializer = EntrySerializer(schema, References({}, frozenset()), Addresses(site, ""), alt_media_text=False)
    result = serializer.entry(item, 2)
    assert isinstance(result, dict)
    assert result["label"] == shown
