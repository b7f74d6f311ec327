"""Former slugs and addresses of published entries and archives, which lead to their present ones on the built site."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from sitecms.content.kinds import EntryKind


class FormerAddress(Struct, frozen=True):
    """A former address of an entry: an own path, or the slug and time of publication that its pattern was filled with.

    `type` is the one that it had then: the page type of a page, the collection of an item.
    """

    kind: EntryKind
    type: str
    locale: str
    path: str
    slug: str
    published_at: datetime
    entry_id: int


class FormerArchive(Struct, frozen=True):
    """A former slug of a category, tag or author ("category", "tag", "author"), and its present one."""

    kind: str
    slug: str
    present_slug: str


class AddressSettings(Struct, frozen=True):
    """The settings that the addresses of all entries depend on; `routes` are those of collections, by key."""

    permalinks: Mapping[str, str]
    routes: Mapping[str, str]
    timezone: str
    default_locale: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AddressSettings":
        """Return the settings that `asdict` made plain data of."""
        return cls(**data)
