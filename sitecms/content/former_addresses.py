"""Former slugs and addresses of published entries and archives, which lead to their present ones on the built site."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sitecms.content.change import EntryKind
from sitecms.values import dataclass


@dataclass(frozen=True, slots=True)
class FormerName:
    """A former slug of an entry. `place` is the locale of a post, the page type of a page ("" for a Single Page)."""

    kind: EntryKind
    place: str
    slug: str
    entry_id: int


@dataclass(frozen=True, slots=True)
class FormerAddress:
    """A former address of an entry: an own path, or the slug and time of publication that its pattern was filled with.

    `place` is the page type of a page, else "".
    """

    kind: EntryKind
    place: str
    locale: str
    path: str
    slug: str
    published_at: datetime
    entry_id: int


@dataclass(frozen=True, slots=True)
class FormerArchive:
    """A former slug of a category, tag or author ("category", "tag", "author"), and its present one."""

    kind: str
    slug: str
    present_slug: str


@dataclass(frozen=True, slots=True)
class AddressSettings:
    """The settings that the addresses of all entries depend on; `routes` are those of collections, by key."""

    permalinks: Mapping[str, str]
    routes: Mapping[str, str]
    timezone: str
    default_locale: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "AddressSettings":
        """Return the settings that `dataclasses.asdict` made plain data of."""
        return cls(**data)
