"""An item of a collection: one id, fields and status per locale."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, TypeAlias

from msgspec import Struct

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.status import Status, Version


class Item(Struct, frozen=True):
    """One version of an item in one locale; field values are stored as in `content.page.Page`. It has no slug."""

    kind: ClassVar[EntryKind] = EntryKind.ITEM
    slug: ClassVar[str] = ""

    id: int
    collection: str
    locale: str
    version: Version
    status: Status
    fields: Fields
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None = None
    scheduled_at: datetime | None = None
    addresses: OwnAddresses = NO_ADDRESSES

    @property
    def type(self) -> str:
        """The key of its collection."""
        return self.collection

    @property
    def group_id(self) -> int:
        """The id of its locale group: the versions of one item are translations of each other."""
        return self.id

    @property
    def path(self) -> str:
        """Its own path, or ""."""
        return self.addresses.path(self.locale)

    @property
    def aliases_by_locale(self) -> Mapping[str, tuple[str, ...]]:
        """Former addresses by locale."""
        return self.addresses.aliases


Entry: TypeAlias = Page | Item
"""A version of a page or of an item."""


def is_live(entry: Entry | Post) -> bool:
    """Return whether readers see this version."""
    return entry.version is Version.LIVE and entry.status is Status.PUBLISHED
