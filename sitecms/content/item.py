"""An item of a collection: one id, fields and status per locale."""

from datetime import datetime
from typing import TypeAlias

from msgspec import Struct

from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.field_value import Fields
from sitecms.content.page import Page
from sitecms.content.status import Status, Version


class Item(Struct, frozen=True):
    """One version of an item in one locale; field values are stored as in `content.page.Page`."""

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


Entry: TypeAlias = Page | Item
"""A version of a page or of an item."""


def is_live(entry: Entry) -> bool:
    """Return whether readers see this version."""
    return entry.version is Version.LIVE and entry.status is Status.PUBLISHED
