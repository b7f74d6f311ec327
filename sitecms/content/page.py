"""A page: of a Page Type, or a Single Page. One slug across locales; fields and status are per locale."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from msgspec import Struct

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version


class Page(Struct, frozen=True):
    """One version of a page in one locale. `page_type` is None for a Single Page.

    Stored field values: media as `{"url", "alt"}`, a reference as its URI (`content.references`), a component as
    an object, a component picker as `[{"type", "fields"}]`, a repeater as a list of objects, a date as ISO 8601
    without zone.
    """

    kind: ClassVar[EntryKind] = EntryKind.PAGE
    id: int
    page_type: str | None
    slug: str
    title: str
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
        """The page type, "" for a Single Page."""
        return self.page_type or ""

    @property
    def group_id(self) -> int:
        """The id of its locale group: the versions of one page are translations of each other."""
        return self.id

    @property
    def path(self) -> str:
        """Its own path, or ""."""
        return self.addresses.path(self.locale)

    @property
    def aliases_by_locale(self) -> Mapping[str, tuple[str, ...]]:
        """Former addresses by locale."""
        return self.addresses.aliases
