"""The trash: deleted entries, deleted locales of entries, and former versions.

A former version is a copy of an entry, made before a file replaced what a person wrote.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import count
from typing import Any

from peewee import fn

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import EntryKind, Origin
from sitecms.content.trash import TrashedEntry
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import row_of
from sitecms.store.entries.entry_state import set_origin
from sitecms.store.entries.versions import EntryTables, read_version
from sitecms.store.models.entries import EntryRow, PostRow, VersionRow
from sitecms.store.site_state.last_ids import last_id
from sitecms.store.writes.reservations import next_entry_ids

_LIST = """
SELECT 'post', id, slug, deleted_at, former_of FROM post WHERE deleted_at IS NOT NULL
UNION ALL SELECT kind, id, CASE WHEN slug IS NULL THEN type ELSE coalesce(nullif(type, ''), '*') || '/' || slug END
 || CASE WHEN part_of IS NULL THEN '' ELSE CASE WHEN slug IS NULL THEN ' ' || part_of ELSE '' END
 || ' (' || (SELECT min(locale) FROM version WHERE version.kind = entry.kind AND entry_id = entry.id) || ')' END,
 deleted_at, former_of FROM entry WHERE deleted_at IS NOT NULL
ORDER BY 4 DESC, 1, 2 DESC"""
_NAME = ("kind", "type", "slug", "title", "created_at")  # of a page or item, which its part in the trash has too
_PARTS_OF_POSTS = (
    "INSERT INTO post_term SELECT {}, term_id, position, name FROM post_term WHERE post_id = ?",
    "INSERT INTO post_source (post_id, markdown) SELECT {}, markdown FROM post_source WHERE post_id = ?",
    "INSERT INTO post_address (post_id, path, guid) SELECT {}, path, guid FROM post_address WHERE post_id = ?",
    "INSERT INTO post_fields (post_id, fields_json) SELECT {}, fields_json FROM post_fields WHERE post_id = ?",
)


def find_trash(session: Session) -> tuple[TrashedEntry, ...]:
    """Return all entries in the trash, the last deleted first."""
    return tuple(
        TrashedEntry(EntryKind(kind), entry_id, name, from_microseconds(deleted_at), former_of)
        for kind, entry_id, name, deleted_at, former_of in session.sql(_LIST)
    )


def move_to_trash(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Move the entry to the trash; its slug is free."""
    table, is_it = row_of(kind, entry_id)
    transaction.run(table.update(deleted_at=at).where(is_it))


def take_out(transaction: Transaction, kind: EntryKind, entry_id: int) -> None:
    """Take the entry out of the trash. Raises NotFound if it is not there."""
    table, is_it = row_of(kind, entry_id)
    if not transaction.run(table.update(deleted_at=None).where(is_it, table.deleted_at.is_null(is_null=False))):
        raise NotFound(f"There is no {kind} {entry_id} in the trash; `sitecms trash list` shows what is.")


def part_locale(transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, at: datetime) -> None:
    """Move the versions of a page or item in one locale to the trash, as an entry of their own."""
    (part_id,) = next_entry_ids(transaction, kind)
    own = {"id": part_id, "part_of": entry_id, "origin": Origin.API.value, "deleted_at": to_microseconds(at)}
    _copy_row(transaction, kind, entry_id, _NAME, own)
    of_locale = _is_version_of(kind, entry_id) & (VersionRow.locale == locale)
    transaction.run(VersionRow.update(entry_id=part_id).where(of_locale))
    set_origin(transaction, kind, entry_id, Origin.API)


def find_part(session: Session, kind: EntryKind, part_id: int) -> tuple[int, str] | None:
    """Return (entry id, locale) if this entry in the trash is one locale of a page or item."""
    if kind is EntryKind.POST:
        return None
    is_part = row_of(kind, part_id).is_it & EntryRow.deleted_at.is_null(is_null=False)
    query = EntryRow.select(EntryRow.part_of, fn.MIN(VersionRow.locale))
    query = query.join(VersionRow, on=_is_version_of(kind, part_id))
    row = session.row(query.where(is_part, EntryRow.part_of.is_null(is_null=False)).group_by(EntryRow.part_of))
    return (int(row[0]), str(row[1])) if row else None


def put_part_back(transaction: Transaction, kind: EntryKind, part_id: int, entry_id: int) -> None:
    """Give the versions of a deleted locale back to their page or item."""
    transaction.run(VersionRow.update(entry_id=entry_id).where(_is_version_of(kind, part_id)))
    remove_former_version(transaction, kind, part_id)


def _is_version_of(kind: EntryKind, entry_id: int) -> Any:
    return (VersionRow.kind == kind.value) & (VersionRow.entry_id == entry_id)


def _copy_row(
    transaction: Transaction, kind: EntryKind, entry_id: int, names: Collection[str], values: Mapping[str, object]
) -> None:
    """Insert a row with these columns of the row of an entry, and with other values in others.

    By hand, so that the body of a post is copied within the store: Peewee cannot mix values and columns as plainly.
    """
    key = {"id": entry_id} if kind is EntryKind.POST else {"kind": kind.value, "id": entry_id}
    table = row_of(kind, entry_id).table._meta.table_name
    transaction.sql(
        f"INSERT INTO {table} ({', '.join((*values, *names))}) SELECT {', '.join((*'?' * len(values), *names))} "
        f"FROM {table} WHERE {' AND '.join(f'{column} = ?' for column in key)}",
        *values.values(),
        *key.values(),
    )


def find_trashed_post(session: Session, post_id: int) -> tuple[str, int, str] | None:
    """Return slug, locale group and locale of a post in the trash, or None."""
    statement = "SELECT slug, group_id, locale FROM post WHERE id = ? AND deleted_at IS NOT NULL"
    row = session.sql_row(statement, post_id)
    return (str(row[0]), int(row[1]), str(row[2])) if row else None


def remove_for_good(transaction: Transaction, before: datetime) -> int:
    """Remove entries deleted until `before`, with their versions; return their number. Ids are not used again."""
    tables: tuple[Any, ...] = (PostRow, EntryRow)
    return sum(transaction.run(table.delete().where(table.deleted_at <= before)) for table in tables)


def copy_to_trash(
    transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime, taken: Collection[int] = ()
) -> int:
    """Put a copy of the entry as it is now into the trash; return the id of the copy, which is not in `taken`."""
    copy_id = next(number for number in count(last_id(transaction, kind.value) + 1) if number not in taken)
    own = {"id": copy_id, "deleted_at": to_microseconds(at), "former_of": entry_id}
    columns = [field.column_name for field in row_of(kind, entry_id).table._meta.sorted_fields]
    _copy_row(transaction, kind, entry_id, [name for name in columns if name not in own], own)
    if kind is EntryKind.POST:
        for statement in _PARTS_OF_POSTS:
            transaction.sql(statement.format(copy_id), entry_id)
    else:
        _copy_versions(transaction, EntryTables(kind), entry_id, copy_id)
    return copy_id


def _copy_versions(transaction: Transaction, table: EntryTables, entry_id: int, copy_id: int) -> None:
    query = VersionRow.select(*table.columns).where(_is_version_of(table.kind, entry_id)).order_by(VersionRow.id)
    for row in transaction.rows(query):
        version = read_version(row)
        values = {**version, "version": version["version"].value, "status": version["status"].value}
        transaction.insert(VersionRow, {"kind": table.kind.value, "entry_id": copy_id, **values})


def find_entry_of(session: Session, kind: EntryKind, copy_id: int) -> int | None:
    """Return the id of the entry that this is a former version of; None if it is not a former version."""
    table, is_it = row_of(kind, copy_id)
    row = session.row(table.select(table.former_of).where(is_it, table.former_of.is_null(is_null=False)))
    return int(row[0]) if row else None


def remove_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Remove a former version permanently."""
    table, is_it = row_of(kind, copy_id)
    transaction.run(table.delete().where(is_it))


def forget_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Make a former version an entry of its own."""
    table, is_it = row_of(kind, copy_id)
    transaction.run(table.update(former_of=None).where(is_it))
