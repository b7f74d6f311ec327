"""Versions of pages and items: their rows, what readers see of them, and lists in any order.

Each page and item has a live and a draft version in each locale.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import orjson
from msgspec import Struct
from peewee import SQL, fn

from sitecms.clock import from_microseconds
from sitecms.content.addresses import read_addresses
from sitecms.content.entry import Entry
from sitecms.content.field_path import sort_key
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.query import EntryTime, ItemQuery, Order, PageQuery, Results, Visibility, Window
from sitecms.content.response_size import MAX_RESPONSE_BYTES, SizeLimit
from sitecms.content.status import Status, Version
from sitecms.store.database import Session
from sitecms.store.entries.json_fields import field_value
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import JSON_NUMBERS, Statement, number_list

COLUMNS = (
    "shown.locale, shown.version, shown.status, shown.fields_json, shown.created_at, shown.updated_at, "
    "shown.published_at, shown.scheduled_at"
)
"""The columns of a version in statements written by hand, which `decoded` turns into those that Peewee reads."""
_OWN = (EntryRow.id, EntryRow.type, EntryRow.slug, EntryRow.title, EntryRow.titles, EntryRow.addresses)
MAX_STORED_BYTES = 3 * MAX_RESPONSE_BYTES  # what is stored may be larger than what is shown, but not by far
_BYTES_OF_ID = 8


class EntryTables(Struct, frozen=True):
    """The tables of versions and of entries, for the entries of one kind.

    The kind stands in statements as text, not as a value: both engines then use the indexes of that kind.
    """

    kind: EntryKind
    versions: Any = VersionRow
    entries: Any = EntryRow

    def aliased(self) -> "EntryTables":
        """Return the same tables under aliases, for a subquery."""
        return EntryTables(self.kind, VersionRow.alias(), EntryRow.alias())

    def is_of_kind(self, table: Any) -> Any:
        """Return the condition that a row of one of the tables is of the kind."""
        return table.kind == SQL(f"'{self.kind.value}'")

    @property
    def joined(self) -> Any:
        """The condition that a version is one of an entry of the kind."""
        entries, versions = self.entries, self.versions
        return self.is_of_kind(versions) & self.is_of_kind(entries) & (entries.id == versions.entry_id)

    @property
    def columns(self) -> tuple[Any, ...]:
        """Columns of a version, in the order in which `StoredVersions` reads them."""
        table = self.versions
        return (
            table.locale, table.version, table.status, table.fields,
            table.created_at, table.updated_at, table.published_at, table.scheduled_at,
        )  # fmt: skip

    @property
    def source(self) -> str:
        """FROM of statements written by hand, in which versions are `shown`."""
        kind = self.kind.value
        return (
            f" FROM version AS shown JOIN entry "
            f"ON shown.kind = '{kind}' AND entry.kind = '{kind}' AND entry.id = shown.entry_id "
        )

    def visible(self, *, preview: bool) -> str:
        """Return WHERE of statements written by hand: as `in_scope`, with the locale as first value."""
        newer = (
            f"SELECT 1 FROM version AS newer WHERE newer.kind = '{self.kind.value}' "
            "AND newer.entry_id = shown.entry_id AND newer.locale = shown.locale AND newer.version = 'draft'"
        )
        state = f"(shown.version = 'draft' OR NOT EXISTS ({newer}))"
        if not preview:
            state = "shown.version = 'live' AND shown.status = 'published'"
        return f"WHERE shown.locale = ? AND entry.deleted_at IS NULL AND {state} "


def decoded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns of a version, as the engine has them, in the form in which Peewee reads them."""
    locale, version, status, fields, *times = row
    return (
        locale,
        version,
        status,
        orjson.loads(fields),
        *[None if each is None else from_microseconds(each) for each in times],
    )


def visible(table: EntryTables, *, preview: bool) -> Any:
    """Return the condition of visible versions: live and published; with `preview` the draft if there is one."""
    is_present = table.entries.deleted_at.is_null()
    rows = table.versions
    if not preview:
        return is_present & (rows.version == Version.LIVE.value) & (rows.status == Status.PUBLISHED.value)
    other = VersionRow.alias()
    newer = other.select(other.id).where(
        table.is_of_kind(other),
        other.entry_id == rows.entry_id,
        other.locale == rows.locale,
        other.version == Version.DRAFT.value,
    )
    return is_present & ((rows.version == Version.DRAFT.value) | ~fn.EXISTS(newer))


def in_scope(table: EntryTables, scope: Visibility) -> Any:
    """Return the condition of versions that are visible in the locale of the scope."""
    return visible(table, preview=scope.preview) & (table.versions.locale == scope.locale)


VersionRows = list[tuple[Any, ...]]
VersionQuery = PageQuery | ItemQuery


def list_versions(
    session: Session, table: EntryTables, query: VersionQuery, wanted: Any, ties: Sequence[Any], window: Window | None
) -> tuple[int, Sequence[int]]:
    """Return how many versions are wanted, and the ids of those in the window (None: of all), in the query's order.

    `ties` are the terms by which entries are sorted that are equal in that order, or all if the query has none. The ids
    of all pages of a list are cached until the store changes: filters and orders look at each entry once.
    """
    ids = session.cached(
        ("listed", query),
        lambda: array("q", _all_ids(session, table, query, wanted, ties)),
        lambda made: _BYTES_OF_ID * len(made) + len(repr(query)),
    )
    return len(ids), (ids if window is None else ids[window.offset : window.offset + window.limit]).tolist()


def _all_ids(
    session: Session, table: EntryTables, query: VersionQuery, wanted: Any, ties: Sequence[Any]
) -> Iterable[int]:
    """Return ids alone: the engine then sorts no fields, and fields are read for shown versions only."""
    order = query.order
    if order is not None and not isinstance(order.by, EntryTime):
        return _sorted_by_field(session, table, order.by, wanted, ties, descending=order.descending)
    terms = ties if order is None else (_by_moment(order, table, query.scope), *ties)
    rows = table.versions
    ids = rows.select(rows.id).join(table.entries, on=table.joined).where(wanted).order_by(*terms)
    return (row[0] for row in session.rows(ids))


def _sorted_by_field(
    session: Session, table: EntryTables, keys: tuple[str, ...], wanted: Any, ties: Sequence[Any], *, descending: bool
) -> tuple[int, ...]:
    """Return the ids of all wanted versions, sorted here: the engines' own collations differ."""
    rows = table.versions
    values = rows.select(rows.id, field_value(rows, keys)).join(table.entries, on=table.joined)
    found = [(sort_key(_value(text)), row_id) for row_id, text in session.rows(values.where(wanted).order_by(*ties))]
    found.sort(key=itemgetter(0), reverse=descending)
    return tuple(row_id for _, row_id in found)


def _value(text: str | None) -> FieldValue:
    value: FieldValue = None if text is None else orjson.loads(text)
    return value


def rows_of_ids(session: Session, statement: Statement, ids: Sequence[int]) -> VersionRows:
    """Return the rows of a statement for these version ids, which it returns first, in their order.

    Raises InvalidRequest if they are too large.
    """
    if not ids:
        return []
    rows = rows_within(session, SizeLimit(MAX_STORED_BYTES), statement, orjson.dumps(ids).decode())
    by_id = {row[0]: row[1:] for row in rows}
    return [by_id[version_id] for version_id in ids]


def rows_within(session: Session, limit: SizeLimit, statement: Statement, *values: object) -> VersionRows:
    """Return the rows of a statement, read one by one so that too large an answer does not fill the memory.

    The last column is the size of a row. Raises InvalidRequest beyond the limit.
    """
    rows: VersionRows = []
    for row in session.stream_sql(statement, *values):
        limit.spend(row[-1])
        rows.append(row[:-1])
    return rows


class StoredVersions:
    """Versions of pages or of items: statements that select them, and their rows as entries."""

    def __init__(self, table: EntryTables) -> None:
        self.table = table
        self._columns = "".join(f"entry.{each.column_name}, " for each in _OWN) + COLUMNS
        # joined by columns: with the kind as text, SQLite would begin with all entries of the kind, not with the ids
        self._of_versions = (
            f"SELECT shown.id, {self._columns}, length(shown.fields_json) FROM version AS shown "
            "JOIN entry ON entry.kind = shown.kind AND entry.id = shown.entry_id WHERE shown.id IN " + JSON_NUMBERS
        )

    def select(self) -> Any:
        """Return the query of the columns that `read` takes."""
        return VersionRow.select(*_OWN, *self.table.columns).join(EntryRow, on=self.table.joined)

    def read(self, row: tuple[Any, ...]) -> Entry:
        """Return the entry of a row of `select`."""
        entry_id, entry_type, slug, title, titles, addresses, locale, version, status, fields, *times = row
        created_at, updated_at, published_at, scheduled_at = times
        return Entry(
            self.table.kind, entry_id, entry_id, entry_type, slug or "", titles.get(locale) or title, locale,
            Version(version), Status(status), fields, created_at, updated_at, published_at, scheduled_at,
            read_addresses(addresses),
        )  # fmt: skip

    @cache  # noqa: B019 - there are two instances, which live as long as the process
    def visible(self, condition: Statement, *, preview: bool, with_size: bool = False) -> Statement:
        """Return the statement that selects what `read_visible` takes, in a locale and with a condition.

        `with_size` adds the size of the row as last column.
        """
        columns = self._columns + (", length(shown.fields_json)" if with_size else "")
        return f"SELECT {columns} {self.table.source}{self.table.visible(preview=preview)}AND " + condition

    def read_visible(self, row: tuple[Any, ...]) -> Entry:
        """Return the entry of a row of `visible`."""
        entry_id, entry_type, slug, title, titles, addresses, *version = row
        own = entry_id, entry_type, slug, title, orjson.loads(titles), orjson.loads(addresses)
        return self.read((*own, *decoded(tuple(version))))

    def of(self, session: Session, ids: Sequence[int], *, in_trash: bool = False) -> tuple[Entry, ...]:
        """Return all versions of these entries, in the trash or not, by id and locale, drafts before live ones."""
        wanted = EntryRow.id.in_(number_list(ids)) & EntryRow.deleted_at.is_null(not in_trash)
        query = self.select().where(wanted).order_by(EntryRow.id, VersionRow.locale, VersionRow.version)
        return tuple(map(self.read, session.rows(query) if ids else ()))

    def of_versions(self, session: Session, version_ids: Sequence[int]) -> dict[int, Entry]:
        """Return the entries of these versions, by id of the version."""
        rows = session.sql(self._of_versions, orjson.dumps(version_ids).decode()) if version_ids else ()
        return {row[0]: self.read_visible(row[1:-1]) for row in rows}

    def find(
        self, session: Session, query: VersionQuery, wanted: Any, ties: Sequence[Any], window: Window | None
    ) -> Results[Entry]:
        """Return the wanted versions as `list_versions`. Raises InvalidRequest if they are larger than an answer."""
        count, ids = list_versions(session, self.table, query, wanted, ties, window)
        return Results(count, tuple(map(self.read_visible, rows_of_ids(session, self._of_versions, ids))))


VERSIONS: Mapping[EntryKind, StoredVersions] = {
    kind: StoredVersions(EntryTables(kind)) for kind, each in KINDS.items() if each.has_versions
}
"""The stored versions of the kinds whose entries have several."""


@prepared
def _fields_of(kind: str, entry_id: int) -> Any:
    return _all_fields(kind).where(VersionRow.entry_id == entry_id)


def _all_fields(kind: str) -> Any:
    is_entry = (EntryRow.kind == VersionRow.kind) & (EntryRow.id == VersionRow.entry_id)
    columns = (VersionRow.id, EntryRow.type, EntryRow.slug, VersionRow.fields)
    return VersionRow.select(*columns).join(EntryRow, on=is_entry).where(VersionRow.kind == kind)


def fields_of_versions(session: Session, kind: EntryKind, entry_id: int = 0) -> list[tuple[int, str, str, Fields]]:
    """Return id, type, slug and fields of the versions of an entry, or of all of the kind, those in the trash too."""
    rows = session.rows(_fields_of(kind.value, entry_id) if entry_id else _all_fields(kind.value))
    return [(version_id, owner, slug or "", fields) for version_id, owner, slug, fields in rows]


def _by_moment(order: Order, table: EntryTables, scope: Visibility) -> Any:
    """Return the first term of ORDER BY; unset values come first."""
    term = _shown_at(table, scope) if order.by is EntryTime.PUBLISHED else table.versions.updated_at
    return term.desc(nulls="LAST") if order.descending else term.asc(nulls="FIRST")


def _shown_at(table: EntryTables, scope: Visibility) -> Any:
    """Return the time of publication; in previews, that of creation for drafts without one."""
    rows = table.versions
    return fn.COALESCE(rows.published_at, rows.created_at) if scope.preview else rows.published_at
