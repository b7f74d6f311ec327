"""Lists of pages and of items: what is wanted, in what order, which stretch of it, and no more than an answer holds."""

from collections.abc import Sequence
from typing import Any

import orjson
from peewee import fn

from sitecms.content.query import Moment, Order, Scope, Window
from sitecms.content.response_size import MAX_RESPONSE_BYTES, SizeLimit
from sitecms.store.database import Session
from sitecms.store.json_fields import by_field
from sitecms.store.statement import LISTED, in_words
from sitecms.store.versions import VersionTable

MAX_STORED_BYTES = 3 * MAX_RESPONSE_BYTES  # what is stored may be larger than what is shown, but not by far

Rows = list[tuple[Any, ...]]


def list_versions(
    session: Session, table: VersionTable, wanted: Any, order: Sequence[Any], window: Window | None
) -> tuple[int, tuple[int, ...]]:
    """How many versions are wanted, and the ids of those in the window (None: of all), in order.

    Ids first: sorting then carries no contents, and contents are read for what is shown only.
    """
    rows, owners = table.versions, table.owners
    ids = rows.select(rows.id).join(owners, on=(owners.id == rows.owner_id)).where(wanted).order_by(*order)
    if window is None:
        found = tuple(row[0] for row in session.rows(ids))
        return len(found), found
    found = tuple(row[0] for row in session.rows(ids.limit(window.limit).offset(window.offset)))
    counting = rows.select(fn.COUNT(rows.id)).join(owners, on=(owners.id == rows.owner_id)).where(wanted)
    return int(session.rows(counting)[0][0]), found


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
    for row in session.each(query.select_extend(fn.LENGTH(table.versions.fields))):
        limit.spend(row[-1])
        rows.append(row[:-1])
    return rows


def json_list(numbers: Sequence[int]) -> Any:
    """The numbers as one bound JSON list, to be used with `in_`: one statement, however many there are."""
    return in_words(LISTED, orjson.dumps(numbers).decode())


def ordered_by(order: Order, table: VersionTable, scope: Scope) -> Any:
    """The first term of ORDER BY: what is unset before all else, then numbers, then text by letters of any case."""
    match order.by:
        case Moment.PUBLISHED:
            term = shown_at(table, scope)
        case Moment.UPDATED:
            term = table.versions.updated_at
        case keys:
            return by_field(table.versions, keys, descending=order.descending)
    return term.desc(nulls="LAST") if order.descending else term.asc(nulls="FIRST")


def shown_at(table: VersionTable, scope: Scope) -> Any:
    """When an entry was published; in previews, drafts that never were stand by their creation."""
    rows = table.versions
    return fn.COALESCE(rows.published_at, rows.created_at) if scope.preview else rows.published_at
