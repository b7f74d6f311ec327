"""Lists of pages and of items: what is wanted, in what order, which stretch of it, and no more than an answer holds."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import orjson
from peewee import fn

from sitecms.content.field_value import FieldValue
from sitecms.content.query import ItemQuery, Moment, PageQuery, Scope, Window
from sitecms.content.response_size import MAX_RESPONSE_BYTES, SizeLimit
from sitecms.content.text.collation import sort_key
from sitecms.store.database import Session
from sitecms.store.entries.json_fields import field_value
from sitecms.store.entries.versions import VersionTable
from sitecms.store.sql import JSON_NUMBERS, handwritten

MAX_STORED_BYTES = 3 * MAX_RESPONSE_BYTES  # what is stored may be larger than what is shown, but not by far

BYTES_OF_ID = 40
Rows = list[tuple[Any, ...]]
Query = PageQuery | ItemQuery


def list_versions(
    session: Session, table: VersionTable, query: Query, wanted: Any, ties: Sequence[Any], window: Window | None
) -> tuple[int, tuple[int, ...]]:
    """Return how many versions are wanted, and the ids of those in the window (None: of all), in the query's order.

    `ties` are the terms by which entries are sorted that are equal in that order, or all if the query has none.
    """
    order = query.order
    if order is None:
        return _list_by_terms(session, table, wanted, ties, window)
    if isinstance(order.by, Moment):
        first = _by_moment(order.by, table, query.scope, descending=order.descending)
        return _list_by_terms(session, table, wanted, (first, *ties), window)
    keys = order.by
    ids = session.cached(
        ("sorted", query),
        lambda: _sorted_by_field(session, table, keys, wanted, ties, descending=order.descending),
        lambda made: BYTES_OF_ID * len(made) + len(repr(query)),
    )
    return len(ids), ids if window is None else ids[window.offset : window.offset + window.limit]


def _list_by_terms(
    session: Session, table: VersionTable, wanted: Any, terms: Sequence[Any], window: Window | None
) -> tuple[int, tuple[int, ...]]:
    """Ids first: sorting then carries no contents, and contents are read for what is shown only."""
    rows, owners = table.versions, table.owners
    ids = rows.select(rows.id).join(owners, on=(owners.id == rows.owner_id)).where(wanted).order_by(*terms)
    if window is None:
        found = tuple(row[0] for row in session.rows(ids))
        return len(found), found
    found = tuple(row[0] for row in session.rows(ids.limit(window.limit).offset(window.offset)))
    counting = rows.select(fn.COUNT(rows.id)).join(owners, on=(owners.id == rows.owner_id)).where(wanted)
    return int(session.rows(counting)[0][0]), found


def _sorted_by_field(
    session: Session,
    table: VersionTable,
    keys: tuple[str, ...],
    wanted: Any,
    ties: Sequence[Any],
    *,
    descending: bool,
) -> tuple[int, ...]:
    """Return the ids of all wanted versions, sorted here: the engines' own collations differ.

    The caller keeps the ids until the store changes, so that they are sorted once for all pages of a list.
    """
    rows, owners = table.versions, table.owners
    values = rows.select(rows.id, field_value(rows, keys)).join(owners, on=(owners.id == rows.owner_id))
    found = [(sort_key(_value(text)), row_id) for row_id, text in session.rows(values.where(wanted).order_by(*ties))]
    found.sort(key=itemgetter(0), reverse=descending)
    return tuple(row_id for _, row_id in found)


def _value(text: str | None) -> FieldValue:
    value: FieldValue = None if text is None else orjson.loads(text)
    return value


def rows_of_ids(session: Session, query: Any, table: VersionTable, ids: Sequence[int]) -> Rows:
    """The rows of a query that have these version ids, in the order of the ids. Raises InvalidRequest if too large."""
    if not ids:
        return []
    mine = query.select_extend(table.versions.id).where(table.versions.id.in_(json_list(ids)))
    rows = {row[-1]: row[:-1] for row in rows_within(session, mine, table, SizeLimit(MAX_STORED_BYTES))}
    return [rows[version_id] for version_id in ids]


def rows_within(session: Session, query: Any, table: VersionTable, limit: SizeLimit) -> Rows:
    """The rows of a query, read one by one so that an answer that cannot be given does not fill the memory.

    Raises InvalidRequest beyond the limit.
    """
    rows: Rows = []
    for row in session.stream(query.select_extend(fn.LENGTH(table.versions.fields))):
        limit.spend(row[-1])
        rows.append(row[:-1])
    return rows


def json_list(numbers: Sequence[int]) -> Any:
    """The numbers as one bound JSON list, to be used with `in_`: one statement, however many there are."""
    return handwritten(JSON_NUMBERS, orjson.dumps(numbers).decode())


def _by_moment(moment: Moment, table: VersionTable, scope: Scope, *, descending: bool) -> Any:
    """The first term of ORDER BY: what is unset before all else."""
    term = _shown_at(table, scope) if moment is Moment.PUBLISHED else table.versions.updated_at
    return term.desc(nulls="LAST") if descending else term.asc(nulls="FIRST")


def _shown_at(table: VersionTable, scope: Scope) -> Any:
    """When an entry was published; in previews, drafts that never were stand by their creation."""
    rows = table.versions
    return fn.COALESCE(rows.published_at, rows.created_at) if scope.preview else rows.published_at
