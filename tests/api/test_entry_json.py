"""The serializer of entries that refer to each other many times."""

from datetime import UTC, datetime

import pytest

from sitecms.actions.references import References, target_of
from sitecms.api.addresses import Addresses
from sitecms.api.views.entries import EntrySerializer
from sitecms.content.item import Item
from sitecms.content.references import ItemTarget
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.errors import InvalidRequest
from sitecms.settings.site import SiteSettings

SCHEMA = ContentSchema.from_json(
    {
        "collections": [
            {"key": "team", "fields": [{"slug": "friends", "type": "reference", "targets": ["team"], "many": True}]}
        ]
    }
)


def serializer_of(site: SiteSettings, count: int) -> tuple[EntrySerializer, Item]:
    """Return a serializer of items that all refer to all items, and the first item."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    fields = {"friends": [ItemTarget("team", number).uri for number in range(count)]}
    items = [
        Item(number, "team", "en", Version.LIVE, Status.PUBLISHED, fields, at, at)  # type: ignore[arg-type]
        for number in range(count)
    ]
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
