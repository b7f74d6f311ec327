"""Lists of the entries of a type that readers see: filtered by fields, in any order."""

from array import array
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import orjson
from peewee import fn

from sitecms.content.entry import Entry
from sitecms.content.field_path import sort_key
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import KINDS
from sitecms.content.query import EntryQuery, EntryTime, FieldFilter, Order, Results, Visibility, Window
from sitecms.content.response_size import MAX_RESPONSE_BYTES, SizeLimit
from sitecms.store.database import Session
from sitecms.store.entries.entry_tables import EntryTables
from sitecms.store.entries.field_filter import holds_all
from sitecms.store.entries.json_fields import field_value
from sitecms.store.entries.versions import BY_PLACE, VERSIONS
from sitecms.store.models.entries import EntryRow, VersionRow

MAX_STORED_BYTES = 3 * MAX_RESPONSE_BYTES  # what is stored may be larger than what is shown, but not by far
_NEWEST = Order(EntryTime.PUBLISHED, descending=True)
_BYTES_OF_ID = 8


def find_entries(session: Session, query: EntryQuery, window: Window | None) -> Results[Entry]:
    """Return the entries in the window (None: all) that a query asks for, and the number of all.

    The ids of all pages of a list are cached until the store changes: filters and orders look at each entry once.
    Raises InvalidRequest where they hold more than an answer can.
    """
    ids = session.cached(
        ("listed", query),
        lambda: array("q", _all_ids(session, query)),
        lambda made: _BYTES_OF_ID * len(made) + len(repr(query)),
    )
    chosen = (ids if window is None else ids[window.offset : window.offset + window.limit]).tolist()
    found = VERSIONS[query.kind].of_versions(session, chosen, limit=SizeLimit(MAX_STORED_BYTES))
    return Results(len(ids), tuple(found.values()))


def matches(session: Session, entry: Entry, scope: Visibility, filters: tuple[FieldFilter, ...]) -> bool:
    """Return whether a visible entry matches every filter."""
    tables = EntryTables(entry.kind)
    return bool(_ids(session, tables, _is_wanted(tables, scope, filters) & (EntryRow.id == entry.id), ()))


def _is_wanted(tables: EntryTables, scope: Visibility, filters: tuple[FieldFilter, ...]) -> Any:
    return tables.in_scope(scope) & holds_all(filters, tables, scope)


def _all_ids(session: Session, query: EntryQuery) -> Iterable[int]:
    """Return ids alone: the engine then sorts no fields, and fields are read for shown versions only."""
    tables, has_slug = EntryTables(query.kind), KINDS[query.kind].has_slug
    wanted = _is_wanted(tables, query.scope, query.filters) & (EntryRow.type == query.type)
    ties = (EntryRow.slug, EntryRow.id) if has_slug else BY_PLACE
    order = query.order or (_NEWEST if has_slug else None)
    if order is None:
        return _ids(session, tables, wanted, ties)
    if isinstance(order.by, EntryTime):
        return _ids(session, tables, wanted, (_by_moment(order, preview=query.scope.preview), *ties))
    return _sorted_by_field(session, _columns(tables, field_value(VersionRow, order.by)).where(wanted), order, ties)


def _columns(tables: EntryTables, *columns: Any) -> Any:
    return VersionRow.select(VersionRow.id, *columns).join(EntryRow, on=tables.joined)


def _ids(session: Session, tables: EntryTables, wanted: Any, order: Sequence[Any]) -> list[int]:
    return [row[0] for row in session.rows(_columns(tables).where(wanted).order_by(*order))]


def _sorted_by_field(session: Session, values: Any, order: Order, ties: Sequence[Any]) -> tuple[int, ...]:
    """Return the ids of all versions, sorted here: the engines' own collations differ."""
    found = [(sort_key(_value(text)), row_id) for row_id, text in session.rows(values.order_by(*ties))]
    found.sort(key=itemgetter(0), reverse=order.descending)
    return tuple(row_id for _, row_id in found)


def _value(text: str | None) -> FieldValue:
    value: FieldValue = None if text is None else orjson.loads(text)
    return value


def _by_moment(order: Order, *, preview: bool) -> Any:
    """Return the first term of ORDER BY; unset values come first. In previews, drafts have the time of their creation.

    It is that of entries which never were published.
    """
    term: Any = VersionRow.updated_at
    if order.by is EntryTime.PUBLISHED:
        term = VersionRow.published_at
        if preview:
            term = fn.COALESCE(term, VersionRow.created_at)
    return term.desc(nulls="LAST") if order.descending else term.asc(nulls="FIRST")
