"""What posts, pages and items have in common: who wrote them last, and whether they are still there."""

from typing import Any

from sitecms.content.write import EntryKind
from sitecms.store.database import Session
from sitecms.store.tables import ItemRow, PageRow, PostRow

_TABLES: dict[str, Any] = {
    EntryKind.POST.value: PostRow,
    EntryKind.PAGE.value: PageRow,
    EntryKind.ITEM.value: ItemRow,
}


def origin_of(session: Session, kind: str, entry_id: int) -> str:
    """Who wrote the entry last (content.write.Origin); "" if it is not there."""
    table = _TABLES[kind]
    row = session.row(table.select(table.origin).where(table.id == entry_id, table.deleted_at.is_null()))
    return str(row[0]) if row else ""


def is_there(session: Session, kind: str, entry_id: int) -> bool:
    """Whether the entry exists outside the trash."""
    return bool(origin_of(session, kind, entry_id))
