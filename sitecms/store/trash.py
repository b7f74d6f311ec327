"""The trash: entries with a time of deletion. They can be taken out again, or removed for good."""

from datetime import datetime

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.trash import TrashedEntry
from sitecms.content.write import EntryKind
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction

_LIST = """
SELECT 'post', id, slug, deleted_at FROM post WHERE deleted_at IS NOT NULL
UNION ALL SELECT 'page', id, coalesce(nullif(page_type, ''), '*') || '/' || slug, deleted_at FROM page
 WHERE deleted_at IS NOT NULL
UNION ALL SELECT 'item', id, collection, deleted_at FROM item WHERE deleted_at IS NOT NULL
ORDER BY 4 DESC, 1, 2 DESC"""
_TABLES = {EntryKind.POST: "post", EntryKind.PAGE: "page", EntryKind.ITEM: "item"}


def find_trash(session: Session) -> tuple[TrashedEntry, ...]:
    """Everything in the trash, what was deleted last first."""
    return tuple(
        TrashedEntry(EntryKind(kind), entry_id, name, from_microseconds(deleted_at))
        for kind, entry_id, name, deleted_at in session.sql(_LIST)
    )


def take_out(transaction: Transaction, kind: EntryKind, entry_id: int) -> None:
    """The entry is no longer in the trash. Raises NotFound if it was not there."""
    statement = f"UPDATE {_TABLES[kind]} SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL RETURNING id"
    if not transaction.sql(statement, entry_id):
        raise NotFound(f"There is no {kind} {entry_id} in the trash; `sitecms trash list` shows what is.")


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
