"""The trash: deleted entries, deleted locales of entries, and former versions.

A former version is a copy of an entry, made before a file replaced what a person wrote.
"""

from collections.abc import Collection
from datetime import datetime
from itertools import count
from typing import Any

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import EntryKind, Origin
from sitecms.content.trash import TrashedEntry
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.items import ITEMS
from sitecms.store.entries.pages import PAGES
from sitecms.store.entries.versions import VersionTable, read_version
from sitecms.store.models.entries import ItemRow, PageRow, PostRow
from sitecms.store.site_state.last_ids import last_id
from sitecms.store.writes.reservations import next_entry_ids

_LIST = """
SELECT 'post', id, slug, deleted_at, former_of FROM post WHERE deleted_at IS NOT NULL
UNION ALL SELECT 'page', id, coalesce(nullif(page_type, ''), '*') || '/' || slug || CASE WHEN part_of IS NULL THEN ''
 ELSE ' (' || (SELECT min(locale) FROM page_version WHERE page_id = page.id) || ')' END, deleted_at,
 former_of FROM page WHERE deleted_at IS NOT NULL
UNION ALL SELECT 'item', id, collection || CASE WHEN part_of IS NULL THEN ''
 ELSE ' ' || part_of || ' (' || (SELECT min(locale) FROM item_version WHERE item_id = item.id) || ')' END, deleted_at,
 former_of FROM item WHERE deleted_at IS NOT NULL
ORDER BY 4 DESC, 1, 2 DESC"""
_TABLES = {EntryKind.POST: "post", EntryKind.PAGE: "page", EntryKind.ITEM: "item"}
_NAMED = {EntryKind.PAGE: "page_type, slug, title", EntryKind.ITEM: "collection"}
_FIND_PART = """
SELECT part.part_of, min(locale) FROM {table} AS part JOIN {table}_version ON {table}_id = part.id
WHERE part.id = ? AND part.deleted_at IS NOT NULL AND part.part_of IS NOT NULL GROUP BY part.id, part.part_of"""
_ROWS: dict[EntryKind, Any] = {EntryKind.POST: PostRow, EntryKind.PAGE: PageRow, EntryKind.ITEM: ItemRow}
_VERSIONS: dict[EntryKind, VersionTable] = {EntryKind.PAGE: PAGES, EntryKind.ITEM: ITEMS}
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


def take_out(transaction: Transaction, kind: EntryKind, entry_id: int) -> None:
    """Take the entry out of the trash. Raises NotFound if it is not there."""
    statement = f"UPDATE {_TABLES[kind]} SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL RETURNING id"
    if not transaction.sql(statement, entry_id):
        raise NotFound(f"There is no {kind} {entry_id} in the trash; `sitecms trash list` shows what is.")


def part_locale(transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, at: datetime) -> None:
    """Move the versions of a page or item in one locale to the trash, as an entry of their own."""
    table, named = _TABLES[kind], _NAMED[kind]
    (part_id,) = next_entry_ids(transaction, kind)
    transaction.sql(
        f"INSERT INTO {table} (id, {named}, origin, created_at, deleted_at, part_of) "
        f"SELECT ?, {named}, ?, created_at, ?, id FROM {table} WHERE id = ?",
        part_id, Origin.API.value, to_microseconds(at), entry_id,
    )  # fmt: skip
    moved = f"UPDATE {table}_version SET {table}_id = ? WHERE {table}_id = ? AND locale = ?"
    transaction.sql(moved, part_id, entry_id, locale)
    transaction.sql(f"UPDATE {table} SET origin = ? WHERE id = ?", Origin.API.value, entry_id)


def find_part(session: Session, kind: EntryKind, part_id: int) -> tuple[int, str] | None:
    """Return (entry id, locale) if this entry in the trash is one locale of a page or item."""
    if kind is EntryKind.POST:
        return None
    row = session.sql_row(_FIND_PART.format(table=_TABLES[kind]), part_id)
    return (int(row[0]), str(row[1])) if row else None


def put_part_back(transaction: Transaction, kind: EntryKind, part_id: int, entry_id: int) -> None:
    """Give the versions of a deleted locale back to their page or item."""
    table = _TABLES[kind]
    transaction.sql(f"UPDATE {table}_version SET {table}_id = ? WHERE {table}_id = ?", entry_id, part_id)
    transaction.sql(f"DELETE FROM {table} WHERE id = ?", part_id)


def find_trashed_post(session: Session, post_id: int) -> tuple[str, int, str] | None:
    """Return slug, locale group and locale of a post in the trash, or None."""
    statement = "SELECT slug, group_id, locale FROM post WHERE id = ? AND deleted_at IS NOT NULL"
    row = session.sql_row(statement, post_id)
    return (str(row[0]), int(row[1]), str(row[2])) if row else None


def find_trashed_page(session: Session, page_id: int) -> tuple[str | None, str] | None:
    """Return page type (None: a Single Page) and slug of a page in the trash, or None."""
    row = session.sql_row("SELECT page_type, slug FROM page WHERE id = ? AND deleted_at IS NOT NULL", page_id)
    return (row[0] or None, str(row[1])) if row else None


def remove_for_good(transaction: Transaction, before: datetime) -> int:
    """Remove entries deleted until `before`, with their versions; return their number. Ids are not used again."""
    moment = to_microseconds(before)
    statement = "DELETE FROM {} WHERE deleted_at <= ? RETURNING 1"
    return sum(len(transaction.sql(statement.format(table), moment)) for table in _TABLES.values())


def copy_to_trash(
    transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime, taken: Collection[int] = ()
) -> int:
    """Put a copy of the entry as it is now into the trash; return the id of the copy, which is not in `taken`."""
    copy_id = next(number for number in count(last_id(transaction, kind.value) + 1) if number not in taken)
    names = [field.column_name for field in _ROWS[kind]._meta.sorted_fields]
    columns = ", ".join(name for name in names if name not in ("id", "deleted_at", "former_of"))
    transaction.sql(
        f"INSERT INTO {kind.value} (id, deleted_at, former_of, {columns}) "
        f"SELECT {copy_id}, {to_microseconds(at)}, id, {columns} FROM {kind.value} WHERE id = ?",
        entry_id,
    )
    if kind is EntryKind.POST:
        for statement in _PARTS_OF_POSTS:
            transaction.sql(statement.format(copy_id), entry_id)
    else:
        _copy_versions(transaction, _VERSIONS[kind], entry_id, copy_id)
    return copy_id


def _copy_versions(transaction: Transaction, table: VersionTable, entry_id: int, copy_id: int) -> None:
    rows = table.versions
    query = rows.select(*table.columns).where(rows.owner_id == entry_id).order_by(rows.id)
    for row in transaction.rows(query):
        version = read_version(row)
        values = {**version, "version": version["version"].value, "status": version["status"].value}
        transaction.insert(rows, {"owner_id": copy_id, **values})


def find_entry_of(session: Session, kind: EntryKind, copy_id: int) -> int | None:
    """Return the id of the entry that this is a former version of; None if it is not a former version."""
    row = session.sql_row(f"SELECT former_of FROM {kind.value} WHERE id = ? AND former_of IS NOT NULL", copy_id)
    return int(row[0]) if row else None


def remove_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Remove a former version permanently."""
    transaction.sql(f"DELETE FROM {kind.value} WHERE id = ?", copy_id)


def forget_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Make a former version an entry of its own."""
    transaction.sql(f"UPDATE {kind.value} SET former_of = NULL WHERE id = ?", copy_id)
