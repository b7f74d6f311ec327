"""Entries that refer to each other many times over, put together without being written out."""

from datetime import UTC, datetime

import pytest

from sitecms.actions.references.expand import target_of
from sitecms.actions.references.resolve import References
from sitecms.api.addresses import Addresses
from sitecms.api.serializers.entry import EntrySerializer
from sitecms.content.item import Item
from sitecms.content.references import ItemTarget
from sitecms.content.schema.types import ContentSchema
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
    """Items that all refer to all of them, and one of these."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    fields = {"friends": [ItemTarget("team", number).uri for number in range(count)]}
    found = [
        Item(number, "team", "en", Version.LIVE, Status.PUBLISHED, fields, at, at)  # type: ignore[arg-type]
        for number in range(count)
    ]
    references = References({target_of(item): item for item in found}, frozenset())
    return EntrySerializer(SCHEMA, references, Addresses(site, ""), alt_media_text=False), found[0]


def test_an_entry_is_made_once_for_each_level(site: SiteSettings) -> None:
    """However many ways lead to it."""
    serializer, first = serializer_of(site, 3)
    shown = serializer.show(first, 4)
    assert shown["friends"][1]["friends"][2] is shown["friends"][0]["friends"][2]  # type: ignore[index]


def test_every_way_to_an_entry_counts_towards_the_limit(site: SiteSettings) -> None:
    """A hundred million entries are refused before anyone writes them out."""
    serializer, first = serializer_of(site, 100)
    with pytest.raises(InvalidRequest, match="10 MB"):
        serializer.show(first, 5)
