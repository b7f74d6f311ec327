"""Addresses of published posts and pages: the columns that they follow from, without the rest of the entries."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from sitecms.clock import from_microseconds
from sitecms.content.addresses import read_addresses
from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session
from sitecms.store.sql import JSON_NUMBERS

_AT_PATHS = "SELECT DISTINCT kind, entry_id FROM own_path WHERE path IN (?, ?, ?)"

_ENTRIES = """
SELECT entry.kind, entry.id, shown.locale, entry.slug,
 COALESCE(shown.published_at, shown.scheduled_at, shown.created_at), entry.type, entry.addresses_json
FROM version AS shown JOIN entry ON entry.kind = shown.kind AND entry.id = shown.entry_id
WHERE entry.deleted_at IS NULL AND """
_ALL = _ENTRIES + (
    "shown.kind IN ('post', 'page') AND shown.version = 'live' AND shown.status = 'published' "
    "ORDER BY entry.kind DESC, entry.id, shown.locale"
)
_POSTS = "shown.kind = 'post' AND shown.version = 'live' AND "
_PAGES = "shown.kind = 'page' AND "
_IN_ORDER = " ORDER BY entry.id, shown.locale, shown.version DESC"
_SOME = {
    kind: _ENTRIES + is_kind + "entry.id IN " + JSON_NUMBERS + _IN_ORDER
    for kind, is_kind in ((EntryKind.POST, _POSTS), (EntryKind.PAGE, _PAGES))
}

_PUBLISHED = _ENTRIES + (
    "shown.kind = ? AND shown.entry_id = ? AND shown.version = 'live' AND shown.status = 'published' "
    "ORDER BY shown.locale"
)


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
    yield from map(_address, session.sql(_ALL))


def some_addresses(session: Session, posts: Sequence[int], pages: Sequence[int]) -> Iterator[StoredAddress]:
    """Yield what the addresses of these posts and pages follow from, also of unpublished versions; live ones first."""
    for kind, ids in ((EntryKind.POST, posts), (EntryKind.PAGE, pages)):
        yield from map(_address, session.sql(_SOME[kind], orjson.dumps(ids).decode()) if ids else ())


def addresses_of(session: Session, kind: EntryKind, entry_id: int) -> tuple[StoredAddress, ...]:
    """Return what the addresses of a post or page follow from, also of unpublished versions; live ones first."""
    return tuple(some_addresses(session, *(([entry_id], []) if kind is EntryKind.POST else ([], [entry_id]))))


def published_addresses_of(session: Session, kind: EntryKind, entry_id: int) -> tuple[StoredAddress, ...]:
    """Return what the address of each published version of an entry follows from; an item has no slug."""
    return tuple(_address(row) for row in session.sql(_PUBLISHED, kind.value, entry_id))


def find_by_own_path(session: Session, path: str) -> tuple[tuple[EntryKind, int], ...]:
    """Return the entries with this own path in some locale, in the trash too.

    Case makes no difference for ASCII, nor does a final slash or the name of the index.
    """
    bare = path.encode().lower().decode().removesuffix("index.html").rstrip("/")
    rows = session.sql(_AT_PATHS, bare, f"{bare}/", f"{bare}/index.html")
    return tuple((EntryKind(kind), entry_id) for kind, entry_id in rows)


def _address(row: tuple[Any, ...]) -> StoredAddress:
    kind, entry_id, locale, slug, moment, page_type, addresses = row
    own = _own(addresses).get(locale, "")
    return StoredAddress(EntryKind(kind), entry_id, locale, slug or "", from_microseconds(moment), page_type, own)


def _own(addresses: Any) -> dict[str, str]:
    return dict(read_addresses(orjson.loads(addresses)).paths) if addresses != "{}" else {}
