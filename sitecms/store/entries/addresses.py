"""Addresses of published posts and pages: the columns that they follow from, without the rest of the entries."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from sitecms.clock import from_microseconds
from sitecms.content.addresses import read_addresses
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.store.database import Session
from sitecms.store.entries.entry_tables import JOINED
from sitecms.store.sql import JSON_NUMBERS

_AT_PATHS = "SELECT DISTINCT kind, entry_id FROM own_path WHERE path IN (?, ?, ?)"

_ENTRIES = f"""
SELECT entry.kind, entry.id, shown.locale, entry.slug,
 COALESCE(shown.published_at, shown.scheduled_at, shown.created_at), entry.type, entry.addresses_json
FROM {JOINED} WHERE entry.deleted_at IS NULL AND """
_KINDS = ", ".join(f"'{kind}'" for kind, properties in KINDS.items() if properties.has_slug)
_IS_PUBLISHED = "shown.version = 'live' AND shown.status = 'published' "
_ALL = f"{_ENTRIES}shown.kind IN ({_KINDS}) AND {_IS_PUBLISHED}ORDER BY entry.kind DESC, entry.id, shown.locale"
_SOME = (
    f"{_ENTRIES}shown.kind = ? AND shown.saved_by IS NULL AND entry.id IN "
    + JSON_NUMBERS
    + " ORDER BY entry.id, shown.locale, shown.version DESC"
)
_PUBLISHED = f"{_ENTRIES}shown.kind = ? AND shown.entry_id = ? AND {_IS_PUBLISHED}ORDER BY shown.locale"


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


def addresses_of(session: Session, kind: EntryKind, *ids: int) -> tuple[StoredAddress, ...]:
    """Return what the addresses of entries with slugs follow from, also of unpublished versions; live ones first."""
    return tuple(_address(row) for row in session.sql(_SOME, kind.value, orjson.dumps(ids).decode()))


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
