"""Addresses of published posts and pages: the columns that they follow from, without the rest of the entries."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from sitecms.clock import from_microseconds
from sitecms.content.addresses import read_addresses
from sitecms.content.change import EntryKind
from sitecms.store.database import Session
from sitecms.store.entries.post_rows import SHOWN

_POSTS = f"""
SELECT post.id, post.locale, post.slug, COALESCE(post.published_at, post.scheduled_at, post.created_at),
 (SELECT path FROM post_address WHERE post_id = post.id)
FROM post WHERE {SHOWN} ORDER BY post.id"""
_PAGES = """
SELECT page.id, shown.locale, page.slug, COALESCE(shown.published_at, shown.scheduled_at, shown.created_at),
 page.page_type, page.addresses_json
FROM page_version AS shown JOIN page ON page.id = shown.page_id
WHERE page.deleted_at IS NULL AND shown.version = 'live' AND shown.status = 'published'
ORDER BY page.id, shown.locale"""


class StoredAddress(NamedTuple):
    """What the address of one published version follows from; `path` is its own path, `place` the type of a page."""

    kind: EntryKind
    id: int
    locale: str
    slug: str
    moment: datetime
    place: str
    path: str


def published_addresses(session: Session) -> Iterator[StoredAddress]:
    """Yield what the address of each published post and page follows from."""
    for post_id, locale, slug, moment, path in session.sql(_POSTS):
        yield StoredAddress(EntryKind.POST, post_id, locale, slug, from_microseconds(moment), "", path or "")
    for page_id, locale, slug, moment, page_type, addresses in session.sql(_PAGES):
        own = _own(addresses).get(locale, "")
        yield StoredAddress(EntryKind.PAGE, page_id, locale, slug, from_microseconds(moment), page_type, own)


def _own(addresses: Any) -> dict[str, str]:
    return dict(read_addresses(orjson.loads(addresses)).paths) if addresses != "{}" else {}
