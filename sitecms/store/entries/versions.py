"""Versions of pages and items: their rows, what readers see of them, changes, and lists in any order.

Each page and item has a live and a draft version in each locale.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any, Generic, TypeVar

import orjson
from msgspec import Struct
from peewee import fn

from sitecms.clock import from_microseconds
from sitecms.content.change import EntryKind, VersionChange
from sitecms.content.field_path import sort_key
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.query import EntryTime, ItemQuery, Order, PageQuery, Results, Visibility, Window
from sitecms.content.response_size import MAX_RESPONSE_BYTES, SizeLimit
from sitecms.content.status import Status, Version
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.json_fields import field_value
from sitecms.store.entries.version_history import VersionHistory, keep_versions
from sitecms.store.models.table import JsonField
from sitecms.store.sql import JSON_NUMBERS, Statement, handwritten

EntryT = TypeVar("EntryT", bound=Page | Item)
SHORTENED = 60
ADDED = "fields.added."
"""Mark before the name of a field that a version did not have: no value of it was replaced."""
_ABSENT = object()
COLUMNS = (
    "shown.locale, shown.version, shown.status, shown.fields_json, shown.created_at, shown.updated_at, "
    "shown.published_at, shown.scheduled_at"
)
"""The columns of a version in statements written by hand, which `decoded` turns into those that Peewee reads."""
MAX_STORED_BYTES = 3 * MAX_RESPONSE_BYTES  # what is stored may be larger than what is shown, but not by far
_BYTES_OF_ID = 8


class VersionTable(Struct, frozen=True):
    """The table of versions and the table of their pages or items."""

    versions: Any
    owners: Any

    def aliased(self) -> "VersionTable":
        """Return the same tables under aliases, for a subquery."""
        return VersionTable(_model(self.versions).alias(), _model(self.owners).alias())

    @property
    def columns(self) -> tuple[Any, ...]:
        """Columns of a version, in the order of `content.page.Page` from `locale` on."""
        table = self.versions
        return (
            table.locale, table.version, table.status, table.fields,
            table.created_at, table.updated_at, table.published_at, table.scheduled_at,
        )  # fmt: skip

    @property
    def source(self) -> str:
        """FROM of statements written by hand: versions are `shown`, pages or items have the name of their table."""
        rows, owners = self.versions._meta.table_name, self.owners._meta.table_name
        return f" FROM {rows} AS shown JOIN {owners} ON {owners}.id = shown.{self.versions.owner_id.column_name} "

    def visible(self, *, preview: bool) -> str:
        """Return WHERE of statements written by hand: as `in_scope`, with the locale as first value."""
        rows, owner = self.versions._meta.table_name, self.versions.owner_id.column_name
        newer = (
            f"SELECT 1 FROM {rows} AS newer "
            f"WHERE newer.{owner} = shown.{owner} AND newer.locale = shown.locale AND newer.version = 'draft'"
        )
        state = f"(shown.version = 'draft' OR NOT EXISTS ({newer}))"
        if not preview:
            state = "shown.version = 'live' AND shown.status = 'published'"
        return f"WHERE shown.locale = ? AND {self.owners._meta.table_name}.deleted_at IS NULL AND {state} "


def _model(table: Any) -> Any:
    """Return the table of an alias; a table itself."""
    return getattr(table, "model", table)


def read_version(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return the columns of a version as keyword arguments of a Page or Item."""
    locale, version, status, fields, created_at, updated_at, published_at, scheduled_at = row
    return {
        "locale": locale,
        "version": Version(version),
        "status": Status(status),
        "fields": fields,
        "created_at": created_at,
        "updated_at": updated_at,
        "published_at": published_at,
        "scheduled_at": scheduled_at,
    }


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


def visible(table: VersionTable, *, preview: bool) -> Any:
    """Return the condition of visible versions: live and published; with `preview` the draft if there is one."""
    is_present = table.owners.deleted_at.is_null()
    rows = table.versions
    if not preview:
        return is_present & (rows.version == Version.LIVE.value) & (rows.status == Status.PUBLISHED.value)
    other = _model(rows).alias()
    newer = other.select(other.id).where(
        other.owner_id == rows.owner_id, other.locale == rows.locale, other.version == Version.DRAFT.value
    )
    return is_present & ((rows.version == Version.DRAFT.value) | ~fn.EXISTS(newer))


def in_scope(table: VersionTable, scope: Visibility) -> Any:
    """Return the condition of versions that are visible in the locale of the scope."""
    return visible(table, preview=scope.preview) & (table.versions.locale == scope.locale)


def save_versions(
    transaction: Transaction,
    table: VersionTable,
    owner_id: int,
    changes: Sequence[VersionChange],
    at: datetime,
    history: VersionHistory,
) -> dict[str, str]:
    """Make these the only versions of the entry; return replaced values by `locale.version.field`, shortened.

    What is replaced in a locale is kept as a revision.
    """
    rows = table.versions
    before: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    name, owner = rows._meta.table_name, rows.owner_id.column_name
    if transaction.sql(f"SELECT 1 FROM {name} WHERE {owner} = ? LIMIT 1", owner_id):  # a new entry has none
        query = rows.select(rows.id, *table.columns).where(rows.owner_id == owner_id)
        before = {(row[1], row[2]): (row[0], read_version(row[1:])) for row in transaction.rows(query)}
    former = {place: version for place, (_id, version) in before.items()}
    replaced: dict[str, str] = {}
    begun = {locale: version["created_at"] for (locale, _), (_, version) in sorted(before.items(), reverse=True)}
    for change in changes:
        stored = before.pop((change.locale, change.version.value), None)
        old = stored[1] if stored else None
        values = _values(change, old, at, begun.get(change.locale))
        differing = _differing(change, old, values)
        if not differing:
            continue
        values["updated_at"] = change.times.updated_at or change.times.published_at or at
        if stored:
            transaction.run(rows.update(**values).where(rows.id == stored[0]))
        else:
            transaction.insert(rows, {"owner_id": owner_id, **values})
        replaced.update(differing)
    for (locale, version), (version_id, _old) in before.items():
        transaction.run(rows.delete().where(rows.id == version_id))
        replaced[f"{locale}.{version}"] = "removed"
    if former and (replaced or history.is_renamed):
        kind = EntryKind(table.owners._meta.table_name)
        keep_versions(transaction, kind, owner_id, former, changes, replaced, at, history)
    return replaced


def _values(change: VersionChange, old: dict[str, Any] | None, at: datetime, begun: datetime | None) -> dict[str, Any]:
    """Return the new row; `begun` is the creation of the entry in this locale, if it has a version."""
    times = change.times
    was_published_at = old["published_at"] if old else None
    published_at = times.published_at or was_published_at
    if change.status is Status.PUBLISHED and published_at is None:
        published_at = at
    return {
        "locale": change.locale,
        "version": change.version.value,
        "status": change.status.value,
        "fields": dict(change.fields),
        "created_at": times.created_at or (old["created_at"] if old else begun or times.published_at or at),
        "updated_at": times.updated_at or (old["updated_at"] if old else times.published_at or at),
        "published_at": published_at,
        "scheduled_at": times.scheduled_at if change.status is Status.SCHEDULED else None,
    }


def _differing(change: VersionChange, old: dict[str, Any] | None, values: dict[str, Any]) -> dict[str, str]:
    place = f"{change.locale}.{change.version.value}"
    if old is None:
        return {place: "new"}
    found = {
        f"{place}.{name}": str(old[name])[:SHORTENED]
        for name in ("status", "created_at", "updated_at", "published_at", "scheduled_at")
        if old[name] != values[name]
    }
    return found | {f"{place}.{name}": text for name, text in replaced_fields(old["fields"], values["fields"]).items()}


def replaced_fields(old: Fields, new: Fields) -> dict[str, str]:
    """Return the old values that differ, shortened, by `fields.<name>`; ADDED marks fields that had no value."""
    found = {}
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            found[f"{ADDED}{name}"] = ""
        elif old[name] != new.get(name, _ABSENT):
            found[f"fields.{name}"] = str(old[name])[:SHORTENED]
    return found


def publish_version(transaction: Transaction, table: VersionTable, version_id: int) -> str:
    """Publish a scheduled version as of its scheduled time; return its locale, "" if it does not exist any more."""
    rows = table.versions
    is_version = rows.id == version_id
    row = transaction.row(rows.select(rows.owner_id, rows.locale, rows.version, rows.scheduled_at).where(is_version))
    if row is None:
        return ""
    owner_id, locale, version, scheduled_at = row
    if version == Version.DRAFT.value:
        live = (rows.owner_id == owner_id) & (rows.locale == locale) & (rows.version == Version.LIVE.value)
        transaction.run(rows.delete().where(live))
    transaction.run(
        rows.update(
            version=Version.LIVE.value,
            status=Status.PUBLISHED.value,
            published_at=scheduled_at,
            updated_at=scheduled_at,
            scheduled_at=None,
        ).where(is_version)
    )
    return str(locale)


VersionRows = list[tuple[Any, ...]]
VersionQuery = PageQuery | ItemQuery


def list_versions(
    session: Session, table: VersionTable, query: VersionQuery, wanted: Any, ties: Sequence[Any], window: Window | None
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
    session: Session, table: VersionTable, query: VersionQuery, wanted: Any, ties: Sequence[Any]
) -> Iterable[int]:
    """Return ids alone: the engine then sorts no fields, and fields are read for shown versions only."""
    order = query.order
    if order is not None and not isinstance(order.by, EntryTime):
        return _sorted_by_field(session, table, order.by, wanted, ties, descending=order.descending)
    terms = ties if order is None else (_by_moment(order, table, query.scope), *ties)
    rows, owners = table.versions, table.owners
    ids = rows.select(rows.id).join(owners, on=(owners.id == rows.owner_id)).where(wanted).order_by(*terms)
    return (row[0] for row in session.rows(ids))


def _sorted_by_field(
    session: Session,
    table: VersionTable,
    keys: tuple[str, ...],
    wanted: Any,
    ties: Sequence[Any],
    *,
    descending: bool,
) -> tuple[int, ...]:
    """Return the ids of all wanted versions, sorted here: the engines' own collations differ."""
    rows, owners = table.versions, table.owners
    values = rows.select(rows.id, field_value(rows, keys)).join(owners, on=(owners.id == rows.owner_id))
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


class StoredVersions(Generic[EntryT]):
    """Versions of pages or of items as values: statements that select them, and their rows as pages or items.

    `own` are the columns of a page or item itself. `make` gets their values, and the columns of a
    version as keyword arguments.
    """

    def __init__(
        self, table: VersionTable, own: tuple[Any, ...], make: Callable[[tuple[Any, ...], dict[str, Any]], EntryT]
    ) -> None:
        self._table, self._own, self._make = table, own, make
        owner = table.owners._meta.table_name
        self._columns = "".join(f"{owner}.{each.column_name}, " for each in own) + COLUMNS
        of_versions = f"SELECT shown.id, {self._columns}, length(shown.fields_json) {table.source}WHERE shown.id IN "
        self._of_versions = of_versions + JSON_NUMBERS

    def select(self) -> Any:
        """Return the query of the columns that `read` takes."""
        rows, owners = self._table.versions, self._table.owners
        return rows.select(*self._own, *self._table.columns).join(owners, on=(owners.id == rows.owner_id))

    def read(self, row: tuple[Any, ...]) -> EntryT:
        """Return the page or item of a row of `select`."""
        count = len(self._own)
        return self._make(row[:count], read_version(row[count:]))

    @cache  # noqa: B019 - there are two instances, which live as long as the process
    def visible(self, condition: Statement, *, preview: bool, with_size: bool = False) -> Statement:
        """Return the statement that selects what `read_visible` takes, in a locale and with a condition.

        `with_size` adds the size of the row as last column.
        """
        columns = self._columns + (", length(shown.fields_json)" if with_size else "")
        return f"SELECT {columns} {self._table.source}{self._table.visible(preview=preview)}AND " + condition

    def read_visible(self, row: tuple[Any, ...]) -> EntryT:
        """Return the page or item of a row of `visible`."""
        own = zip(row, self._own, strict=False)
        values = (orjson.loads(value) if isinstance(column, JsonField) else value for value, column in own)
        return self.read((*values, *decoded(row[len(self._own) :])))

    def of(self, session: Session, ids: Sequence[int], *, in_trash: bool = False) -> tuple[EntryT, ...]:
        """Return all versions of these entries, in the trash or not, by id and locale, drafts before live ones."""
        rows, owners = self._table.versions, self._table.owners
        wanted = owners.id.in_(json_list(ids)) & owners.deleted_at.is_null(not in_trash)
        query = self.select().where(wanted).order_by(owners.id, rows.locale, rows.version)
        return tuple(map(self.read, session.rows(query) if ids else ()))

    def find(
        self, session: Session, query: VersionQuery, wanted: Any, ties: Sequence[Any], window: Window | None
    ) -> Results[EntryT]:
        """Return the wanted versions as `list_versions`. Raises InvalidRequest if they are larger than an answer."""
        count, ids = list_versions(session, self._table, query, wanted, ties, window)
        return Results(count, tuple(map(self.read_visible, rows_of_ids(session, self._of_versions, ids))))


def json_list(numbers: Sequence[int]) -> Any:
    """Return the numbers as one bound JSON list for `in_`: the statement is the same for any number of them."""
    return handwritten(JSON_NUMBERS, orjson.dumps(numbers).decode())


def _by_moment(order: Order, table: VersionTable, scope: Visibility) -> Any:
    """Return the first term of ORDER BY; unset values come first."""
    term = _shown_at(table, scope) if order.by is EntryTime.PUBLISHED else table.versions.updated_at
    return term.desc(nulls="LAST") if order.descending else term.asc(nulls="FIRST")


def _shown_at(table: VersionTable, scope: Visibility) -> Any:
    """Return the time of publication; in previews, that of creation for drafts without one."""
    rows = table.versions
    return fn.COALESCE(rows.published_at, rows.created_at) if scope.preview else rows.published_at
