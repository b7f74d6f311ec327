"""Former versions of entries: copies in the trash, made before a file replaced what a person wrote."""

from collections.abc import Collection
from datetime import datetime
from itertools import count
from typing import Any

from sitecms.clock import to_microseconds
from sitecms.content.change import EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.items import ITEMS
from sitecms.store.entries.pages import PAGES
from sitecms.store.entries.versions import VersionTable, read_version
from sitecms.store.schema.tables import ItemRow, PageRow, PostRow
from sitecms.store.site_state.last_ids import last_id

_TABLES: dict[EntryKind, Any] = {EntryKind.POST: PostRow, EntryKind.PAGE: PageRow, EntryKind.ITEM: ItemRow}
_VERSIONS: dict[EntryKind, VersionTable] = {EntryKind.PAGE: PAGES, EntryKind.ITEM: ITEMS}
_TERMS = (
    "INSERT INTO post_term (post_id, term_id, position) SELECT {}, term_id, position FROM post_term WHERE post_id = ?"
)


def copy_to_trash(
    transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime, taken: Collection[int] = ()
) -> int:
    """Put a copy of the entry as it is now into the trash; the id of the copy, which is none of those `taken`."""
    copy_id = next(number for number in count(last_id(transaction, kind.value) + 1) if number not in taken)
    names = [field.column_name for field in _TABLES[kind]._meta.sorted_fields]
    columns = ", ".join(name for name in names if name not in ("id", "deleted_at", "former_of"))
    transaction.sql(
        f"INSERT INTO {kind.value} (id, deleted_at, former_of, {columns}) "
        f"SELECT {copy_id}, {to_microseconds(at)}, id, {columns} FROM {kind.value} WHERE id = ?",
        entry_id,
    )
    if kind is EntryKind.POST:
        transaction.sql(_TERMS.format(copy_id), entry_id)
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
    """The id of the entry that this is a former version of; None if it is not a former version."""
    row = session.sql_row(f"SELECT former_of FROM {kind.value} WHERE id = ? AND former_of IS NOT NULL", copy_id)
    return int(row[0]) if row else None


def remove_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Remove the copy for good."""
    transaction.sql(f"DELETE FROM {kind.value} WHERE id = ?", copy_id)


def forget_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Make the copy an entry of its own."""
    transaction.sql(f"UPDATE {kind.value} SET former_of = NULL WHERE id = ?", copy_id)
