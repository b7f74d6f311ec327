"""The trash: entries with a time of deletion. They can be taken out again, or removed for good."""

from datetime import datetime

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import EntryKind, Origin
from sitecms.content.trash import TrashedEntry
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
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


def find_trash(session: Session) -> tuple[TrashedEntry, ...]:
    """Everything in the trash, what was deleted last first."""
    return tuple(
        TrashedEntry(EntryKind(kind), entry_id, name, from_microseconds(deleted_at), former_of)
        for kind, entry_id, name, deleted_at, former_of in session.sql(_LIST)
    )


def take_out(transaction: Transaction, kind: EntryKind, entry_id: int) -> None:
    """The entry is no longer in the trash. Raises NotFound if it was not there."""
    statement = f"UPDATE {_TABLES[kind]} SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL RETURNING id"
    if not transaction.sql(statement, entry_id):
        raise NotFound(f"There is no {kind} {entry_id} in the trash; `sitecms trash list` shows what is.")


def part_locale(transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, at: datetime) -> None:
    """Move the versions of a page or item in one locale to the trash: they become an entry of their own there."""
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
    """Give the versions of a part in the trash back to their page or item."""
    table = _TABLES[kind]
    transaction.sql(f"UPDATE {table}_version SET {table}_id = ? WHERE {table}_id = ?", entry_id, part_id)
    transaction.sql(f"DELETE FROM {table} WHERE id = ?", part_id)


def find_trashed_post(session: Session, post_id: int) -> tuple[str, int, str] | None:
    """Slug, group id and locale of a post in the trash."""
    statement = "SELECT slug, group_id, locale FROM post WHERE id = ? AND deleted_at IS NOT NULL"
    row = session.sql_row(statement, post_id)
    return (str(row[0]), int(row[1]), str(row[2])) if row else None


def find_trashed_page(session: Session, page_id: int) -> tuple[str | None, str] | None:
    """Page type (None: a Single Page) and slug of a page in the trash."""
    row = session.sql_row("SELECT page_type, slug FROM page WHERE id = ? AND deleted_at IS NOT NULL", page_id)
    return (row[0] or None, str(row[1])) if row else None


def remove_for_good(transaction: Transaction, before: datetime) -> int:
    """Remove what was deleted until then, with its versions; how many entries. Ids are not given out again."""
    moment = to_microseconds(before)
    statement = "DELETE FROM {} WHERE deleted_at <= ? RETURNING 1"
    return sum(len(transaction.sql(statement.format(table), moment)) for table in _TABLES.values())
