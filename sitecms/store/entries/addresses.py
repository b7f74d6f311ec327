"""Addresses of published posts and pages: the columns that they follow from, without the rest of the entries."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from sitecms.clock import from_microseconds
from sitecms.content.addresses import read_addresses
from sitecms.content.change import EntryKind
from sitecms.store.database import Session
from sitecms.store.entries.post_rows import PRESENT, SHOWN
from sitecms.store.sql import JSON_NUMBERS

_POSTS = """
SELECT post.id, post.locale, post.slug, COALESCE(post.published_at, post.scheduled_at, post.created_at),
 (SELECT path FROM post_address WHERE post_id = post.id)
FROM post WHERE """
_PAGES = """
SELECT page.id, shown.locale, page.slug, COALESCE(shown.published_at, shown.scheduled_at, shown.created_at),
 page.type, page.addresses_json
FROM version AS shown JOIN entry AS page ON page.kind = 'page' AND page.id = shown.entry_id
WHERE shown.kind = 'page' AND page.deleted_at IS NULL AND """
_ALL_POSTS = _POSTS + SHOWN + " ORDER BY post.id"
_ALL_PAGES = _PAGES + "shown.version = 'live' AND shown.status = 'published' ORDER BY page.id, shown.locale"
_SOME_POSTS = _POSTS + PRESENT + " AND post.id IN " + JSON_NUMBERS + " ORDER BY post.id"
_SOME_PAGES = _PAGES + "page.id IN " + JSON_NUMBERS + " ORDER BY page.id, shown.locale, shown.version DESC"


class StoredAddress(NamedTuple):
    """Parts of the address of a published version; `path` is its own path, `place` the type of a page."""

    kind: EntryKind
    id: int
    locale: str
    slug: str
    moment: datetime
    place: str
    path: str


def published_addresses(session: Session) -> Iterator[StoredAddress]:
    """Yield what the address of each published post and page follows from."""
    yield from map(_of_post, session.sql(_ALL_POSTS))
    yield from map(_of_page, session.sql(_ALL_PAGES))


def some_addresses(session: Session, posts: Sequence[int], pages: Sequence[int]) -> Iterator[StoredAddress]:
    """Yield what the addresses of these posts and pages follow from, also of unpublished versions; live ones first."""
    yield from map(_of_post, session.sql(_SOME_POSTS, orjson.dumps(posts).decode()) if posts else ())
    yield from map(_of_page, session.sql(_SOME_PAGES, orjson.dumps(pages).decode()) if pages else ())


def _of_post(row: tuple[Any, ...]) -> StoredAddress:
    post_id, locale, slug, moment, path = row
    return StoredAddress(EntryKind.POST, post_id, locale, slug, from_microseconds(moment), "", path or "")


def _of_page(row: tuple[Any, ...]) -> StoredAddress:
    page_id, locale, slug, moment, page_type, addresses = row
    own = _own(addresses).get(locale, "")
    return StoredAddress(EntryKind.PAGE, page_id, locale, slug, from_microseconds(moment), page_type, own)


def _own(addresses: Any) -> dict[str, str]:
    return dict(read_addresses(orjson.loads(addresses)).paths) if addresses != "{}" else {}
