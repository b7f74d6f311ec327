"""The stored versions of entries of every kind: their columns, and their rows as entries.

The statement that reads rows is written by hand: reads of entries are most of what the API answers, and Peewee would
convert each value on its own. Longer lists are ids first, since engines then sort no texts, and rows of ids afterwards.
Authors and terms are few and come with many entries, so they are kept in memory until the store changes.
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import repeat
from operator import attrgetter
from sys import intern
from typing import Any, TypeVar

import orjson
from msgspec.structs import replace
from peewee import fn

from sitecms.clock import from_microseconds
from sitecms.content.addresses import NO_ADDRESSES, read_addresses
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.query import Visibility
from sitecms.content.response_size import SizeLimit
from sitecms.content.status import Status, Version
from sitecms.content.term import TermKind
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.entries.authors import first_authors, some_authors
from sitecms.store.entries.entry_tables import JOINED, EntryTables
from sitecms.store.entries.terms import first_terms, some_terms
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.sql import JSON_NUMBERS, Statement

KEPT_AT_MOST = 5_000
KEPT_BYTES_EACH = 600
NO_FIELDS: Fields = {}
_EMPTY = "{}"
_AT_ONCE = 2_000
_COLUMNS = (
    "shown.id, entry.id, entry.group_id, entry.type, entry.slug, shown.title, entry.title, entry.titles_json, "
    "shown.locale, shown.version, shown.status, shown.fields_json, entry.addresses_json, "
    "shown.created_at, shown.updated_at, shown.published_at, shown.scheduled_at"
)
_FIELDS, _ADDRESSES = 11, 12
_OF_TEXTS = (
    ", shown.author_id, (SELECT string_agg(CAST(term_id AS TEXT), ' ' ORDER BY position) FROM version_term "
    "WHERE version_id = shown.id), shown.featured_image, shown.featured_image_alt, shown.summary, shown.seo_title, "
    "shown.meta_description, {body}, shown.reading_minutes, shown.body_digest, shown.body_media"
)
"""Further columns of kinds whose entries have a body, an author and terms; `_texts` reads them."""
_AUTHOR, _TERMS, _MEDIA = 17, 18, 27
_BODY = "(SELECT html FROM version_body WHERE version_id = shown.id)"
_NO_BODY = "''"  # the bulk of a post: not even read
_OF_VERSIONS = "shown.id IN " + JSON_NUMBERS
_OF_ENTRY = "shown.entry_id = ?"
_OF_ENTRIES = "shown.entry_id IN " + JSON_NUMBERS
_STATUSES = {status.value: status for status in Status}
_VERSIONS = {version.value: version for version in Version}
_CATEGORY, _TAG = TermKind.CATEGORY, TermKind.TAG
_IN_ENTRY = attrgetter("id", "locale", "version")
_MOMENT = fn.COALESCE(VersionRow.published_at, VersionRow.scheduled_at, VersionRow.created_at)
BY_PLACE = (EntryRow.position, EntryRow.id)
"""Order of a collection: as set in the studio or as its file lists the items, then new ones, oldest first."""
Row = tuple[Any, ...]
T = TypeVar("T")


class StoredVersions:
    """The versions of the entries of one kind."""

    def __init__(self, kind: EntryKind) -> None:
        self.tables = EntryTables(kind)
        self._kind = kind
        self._has_texts = KINDS[kind].has_body
        self._own_order = (EntryRow.id,) if KINDS[kind].has_slug else BY_PLACE

    @cache  # noqa: B019 - there is one instance for each kind, which lives as long as the process
    def select(self, matching: Statement, *, with_body: bool = False, beside: Statement = "") -> Statement:
        """Return the statement of the versions that match a condition, always the same object, as drivers look for it.

        Its rows are those that `entries` takes, with the columns `beside` as their last ones.
        """
        texts = _OF_TEXTS.format(body=_BODY if with_body else _NO_BODY) if self._has_texts else ""
        return f"SELECT {_COLUMNS}{texts}" + beside + f" FROM {JOINED} WHERE " + matching

    def entries(self, session: Session, rows: Sequence[Row]) -> dict[int, Entry]:
        """Return the entries of rows, by the id of the version."""
        texts = _texts(session, rows) if self._has_texts else repeat(())
        return {row[0]: self._entry(row, own) for row, own in zip(rows, texts, strict=False)}

    def _entry(self, row: Row, texts: Row) -> Entry:
        _, entry_id, group, type_, slug, own_title, title, titles, locale, version, status, fields = row[:_ADDRESSES]
        addresses, created, updated, published, scheduled = row[_ADDRESSES:_AUTHOR]
        created_at = from_microseconds(created)
        if titles != _EMPTY:
            title = orjson.loads(titles).get(locale) or title
        return Entry(
            self._kind,
            entry_id,
            entry_id if group is None or group == entry_id else group,  # one number, not two
            type_,
            slug or "",
            own_title or title,
            intern(locale),
            _VERSIONS[version],
            _STATUSES[status],
            NO_FIELDS if fields == _EMPTY else orjson.loads(fields),
            created_at,
            created_at if updated == created else from_microseconds(updated),  # often one and the same
            created_at if published == created else _moment(published),
            _moment(scheduled),
            NO_ADDRESSES if addresses == _EMPTY else read_addresses(orjson.loads(addresses)),
            *texts,
        )

    def read(
        self, session: Session, matching: Statement, *values: object, with_body: bool = False
    ) -> tuple[Entry, ...]:
        """Return the versions that match a constant condition."""
        rows = session.sql(self.select(matching, with_body=with_body), *values)
        return tuple(self.entries(session, rows).values())

    def read_visible(
        self,
        session: Session,
        scope: Visibility,
        matching: Statement,
        *values: object,
        limit: SizeLimit | None = None,
    ) -> tuple[Entry, ...]:
        """Return the visible versions that match a constant condition. Raises InvalidRequest beyond the limit."""
        statement = self.select(self.visible(matching, preview=scope.preview))
        rows = _rows(session, statement, (scope.locale, *values), limit)
        return tuple(self.entries(session, rows).values())

    @cache  # noqa: B019
    def visible(self, matching: Statement, *, preview: bool) -> Statement:
        """Return the condition of visible versions, whose first value is the locale, and a further condition."""
        return f"{self.tables.visible_by_hand(preview=preview)} AND shown.locale = ? AND " + matching

    def of(
        self, session: Session, ids: Sequence[int], *, with_body: bool = False, in_trash: bool = False
    ) -> tuple[Entry, ...]:
        """Return all versions of these entries, in the trash or not, by id and locale, drafts before live ones."""
        if not ids:
            return ()
        found = self.read(
            session,
            self._of_entries(_OF_ENTRIES, in_trash=in_trash),
            orjson.dumps([*ids]).decode(),
            with_body=with_body,
        )
        return tuple(sorted(found, key=_IN_ENTRY))

    @cache  # noqa: B019
    def _of_entries(self, which: Statement, *, in_trash: bool) -> Statement:
        present = f"shown.deleted_at IS {'NOT NULL' if in_trash else 'NULL'}"
        return f"{self.tables.of_kind_by_hand} AND shown.saved_by IS NULL AND {present} AND " + which

    def get(self, session: Session, entry_id: int, *, in_trash: bool = False) -> Entry:
        """Return an entry that has one version, with its body. Raises NotFound."""
        versions = self.read(session, self._of_entries(_OF_ENTRY, in_trash=in_trash), entry_id, with_body=True)
        if not versions:
            raise NotFound("Not found.")
        return versions[0]

    def of_versions(
        self, session: Session, version_ids: Sequence[int], *, with_body: bool = False, limit: SizeLimit | None = None
    ) -> dict[int, Entry]:
        """Return the entries of these versions, by id of the version and in the order of ids.

        Raises InvalidRequest beyond the limit.
        """
        if not version_ids:
            return {}
        statement = self.select(_OF_VERSIONS, with_body=with_body)
        found = self.entries(session, _rows(session, statement, (orjson.dumps([*version_ids]).decode(),), limit))
        return {each: found[each] for each in version_ids}

    def published(self, session: Session) -> tuple[Entry, ...]:
        """Return all versions that readers see, without bodies: newest first, or in the order of collections."""
        return self._sorted(session, [self.tables.is_shown], self._newest_first(VersionRow.published_at))

    def latest(self, session: Session) -> tuple[Entry, ...]:
        """Return the latest version of every entry and locale as if it were published, as `published`.

        What never was published is ordered by its scheduled time, or by its creation.
        """
        found = self._sorted(session, [self.tables.visible(preview=True)], self._newest_first(_MOMENT))
        return tuple(map(_as_published, found))

    def _newest_first(self, moment: Any) -> tuple[Any, ...]:
        order = (moment.desc(), EntryRow.slug, EntryRow.type) if KINDS[self._kind].has_slug else BY_PLACE
        return (*order, VersionRow.locale)

    def unpublished(self, session: Session) -> tuple[Entry, ...]:
        """Return all versions of the entries of which one is not published, without bodies, as `all`."""
        tables = self.tables.aliased()
        rows = tables.versions
        is_unpublished = (rows.version != Version.LIVE.value) | (rows.status != Status.PUBLISHED.value)
        entries = rows.select(rows.entry_id).where(tables.is_own, is_unpublished, rows.deleted_at.is_null())
        return self._in_own_order(session, VersionRow.entry_id.in_(entries))

    def all(self, session: Session, *, with_body: bool = False) -> tuple[Entry, ...]:
        """Return all versions outside the trash by id, or in the order of collections, then by locale, drafts first."""
        return self._in_own_order(session, with_body=with_body)

    def of_type(self, session: Session, entry_type: str) -> tuple[Entry, ...]:
        """Return all versions of the entries of a page type or collection, as `all`."""
        return self._in_own_order(session, EntryRow.type == entry_type)

    def _in_own_order(self, session: Session, *conditions: Any, with_body: bool = False) -> tuple[Entry, ...]:
        wanted = [self.tables.is_own, VersionRow.deleted_at.is_null(), *conditions]
        order = (*self._own_order, VersionRow.locale, VersionRow.version)
        return self._sorted(session, wanted, order, with_body=with_body)

    def _sorted(
        self, session: Session, wanted: Sequence[Any], order: Sequence[Any], *, with_body: bool = False
    ) -> tuple[Entry, ...]:
        """Return versions in an order. They are read in parts: rows take more memory than entries."""
        query = VersionRow.select(VersionRow.id).join(EntryRow, on=self.tables.joined).where(*wanted)
        ids = array("q", [row[0] for row in session.rows(query.order_by(*order))])
        parts = (ids[start : start + _AT_ONCE].tolist() for start in range(0, len(ids), _AT_ONCE))
        found = (self.of_versions(session, part, with_body=with_body).values() for part in parts)
        return tuple([entry for part in found for entry in part])


VERSIONS: Mapping[EntryKind, StoredVersions] = {kind: StoredVersions(kind) for kind in KINDS}
"""The stored versions of each kind."""


def _rows(session: Session, statement: Statement, values: Sequence[object], limit: SizeLimit | None) -> Sequence[Row]:
    """Return the rows of a statement; with a limit they are read one by one, so that they do not fill the memory."""
    if limit is None:
        return session.sql(statement, *values)
    rows = []
    for row in session.stream_sql(statement, *values):
        limit.spend(len(row[_FIELDS]))
        rows.append(row)
    return rows


def _moment(value: int | None) -> datetime | None:
    return None if value is None else from_microseconds(value)


def _texts(session: Session, rows: Sequence[Row]) -> list[Row]:
    """Return the values of the columns `_OF_TEXTS` of each row, in the order of the attributes of an entry."""
    term_ids = [[*map(int, row[_TERMS].split())] if row[_TERMS] else () for row in rows]
    terms = _known(session, {each for ids in term_ids for each in ids}, first_terms, some_terms)
    authors = _known(session, {row[_AUTHOR] for row in rows}, first_authors, some_authors)
    values = []
    for row, ids in zip(rows, term_ids, strict=True):
        own = [terms[each] for each in ids]
        categories = tuple([term for term in own if term.kind is _CATEGORY])
        tags = tuple([term for term in own if term.kind is _TAG])
        media = tuple(row[_MEDIA].split()) if row[_MEDIA] else ()
        values.append((authors[row[_AUTHOR]], categories, tags, *row[_TERMS + 1 : _MEDIA], media))
    return values


def _known(
    session: Session,
    ids: set[int],
    first: Callable[[Session, int], Mapping[int, T]],
    some: Callable[[Session, Collection[int]], Mapping[int, T]],
) -> Mapping[int, T]:
    """Return the values of these ids, and maybe more: the first thousands are cached, the others are read."""
    kept: Mapping[int, T] = {}
    if session.has_cache:
        kept = session.cached(first, lambda: first(session, KEPT_AT_MOST), lambda all_: len(all_) * KEPT_BYTES_EACH)
    if ids <= kept.keys():
        return kept
    return {**kept, **some(session, ids - kept.keys())}


def _as_published(entry: Entry) -> Entry:
    moment = entry.published_at or entry.scheduled_at or entry.created_at
    return replace(entry, version=Version.LIVE, status=Status.PUBLISHED, published_at=moment)
