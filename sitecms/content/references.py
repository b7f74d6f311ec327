"""References: how one entry names another."""

import re

from msgspec import Struct

from sitecms.errors import NotFound

PAGE_TARGET_PREFIX = "page:"
SINGLE_PAGES = "*"
MAX_ITEM_ID = 2**53 - 1
_ITEM_URI = re.compile(r"/v2/content/\?keys=([^\[]+)\[_id=(\d+)\]$")
_ITEM_URI_IN_TEXT = re.compile(r"/v2/content/\?keys=([a-zA-Z0-9_-]+)\[_id=(\d{1,16})\]")
_PAGE_URI = re.compile(r"/v2/pages/([^/]+)/([^/]+)/$")


def parse_item_id(text: str) -> int:
    """Return the id that a path names. Raises NotFound for other text, and for numbers that no item has."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ITEM_ID)) and int(text) <= MAX_ITEM_ID:
        return int(text)
    raise NotFound("Not found.")


class ItemTarget(Struct, frozen=True):
    """An item of a collection, by its id."""

    collection: str
    id: int

    @property
    def uri(self) -> str:
        """The URI that is stored, and shown beyond the requested level (API reference, References)."""
        return f"{item_uri_start(self.collection)}{self.id}]"


class PageTarget(Struct, frozen=True):
    """A page, by its type ("": a Single Page) and slug."""

    page_type: str
    slug: str

    @property
    def uri(self) -> str:
        """The URI that is stored, and shown beyond the requested level (API reference, References)."""
        return f"{page_uri_start(self.page_type)}{self.slug}/"


Target = ItemTarget | PageTarget


def item_uri_start(collection: str) -> str:
    """Return the beginning of the URIs of a collection's items; the id and `]` follow."""
    return f"/v2/content/?keys={collection}[_id="


def page_uri_start(page_type: str) -> str:
    """Return the beginning of the URIs of pages of a type ("": Single Pages); the slug and `/` follow."""
    return f"/v2/pages/{page_type or SINGLE_PAGES}/"


def parse_target(uri: str) -> Target | None:
    """Return the target that a stored reference names, or None if the text is not a reference."""
    if match := _ITEM_URI.match(uri):
        return ItemTarget(match[1], int(match[2]))
    if match := _PAGE_URI.match(uri):
        return PageTarget("" if match[1] == SINGLE_PAGES else match[1], match[2])
    return None


def items_in(text: str) -> frozenset[ItemTarget]:
    """Return the items that the text of a file names by their URIs."""
    return frozenset(ItemTarget(match[1], int(match[2])) for match in _ITEM_URI_IN_TEXT.finditer(text))


def read_item_id(text: str) -> int | None:
    """Return the item id that the text names, None if it cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
