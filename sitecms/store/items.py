"""Collection items and their versions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sitecms.content.item import Item
from sitecms.content.write import ItemChange, Origin
from sitecms.store.database import Session, Transaction
from sitecms.store.tables import ItemRow, ItemVersionRow
from sitecms.store.versions import VersionTable, read_version, save_versions, visible

ITEMS = VersionTable(ItemVersionRow, ItemRow)
_HERE = ItemRow.deleted_at.is_null()


def _select() -> Any:
    query = ItemVersionRow.select(ItemRow.id, ItemRow.collection, *ITEMS.columns)
    return query.join(ItemRow, on=(ItemRow.id == ItemVersionRow.owner_id))


def _item(row: tuple[Any, ...]) -> Item:
    return Item(id=row[0], collection=row[1], **read_version(row[2:]))


def published_items(session: Session) -> tuple[Item, ...]:
    """Every published live item of every collection and locale, in order of creation."""
    query = _select().where(visible(ITEMS, preview=False)).order_by(ItemRow.id, ItemVersionRow.locale)
    return tuple(_item(row) for row in session.rows(query))


def item_versions(session: Session, item_ids: Sequence[int]) -> tuple[Item, ...]:
    """All versions of these items, by id and locale, the draft before the live one."""
    order = (ItemRow.id, ItemVersionRow.locale, ItemVersionRow.version)
    rows = session.rows(_select().where(ItemRow.id.in_(item_ids), _HERE).order_by(*order))
    return tuple(_item(row) for row in rows)


def items_of(session: Session, collection: str) -> tuple[Item, ...]:
    """All versions of all items of a collection, in order of creation."""
    query = _select().where(ItemRow.collection == collection, _HERE).order_by(ItemRow.id, ItemVersionRow.locale)
    return tuple(_item(row) for row in session.rows(query))


def find_collection_of(session: Session, item_id: int) -> str | None:
    """The collection an item belongs to, in the trash or not: ids are never used twice."""
    row = session.row(ItemRow.select(ItemRow.collection).where(ItemRow.id == item_id))
    return str(row[0]) if row else None


def item_exists(session: Session, item_id: int, collections: Sequence[str]) -> str | None:
    """The one of these collections that holds the item."""
    same = (ItemRow.id == item_id) & ItemRow.collection.in_(collections) & _HERE
    row = session.row(ItemRow.select(ItemRow.collection).where(same))
    return str(row[0]) if row else None


def count_items(session: Session) -> int:
    """Items outside the trash, of all collections (specification, Limits)."""
    return int(session.sql("SELECT count(*) FROM item WHERE deleted_at IS NULL")[0][0])


def insert_item(
    transaction: Transaction, collection: str, origin: Origin, at: datetime, item_id: int | None = None
) -> int:
    """An item without any version yet: references can already name it."""
    values: dict[str, object] = {"collection": collection, "origin": origin.value, "created_at": at}
    if item_id is not None:
        values["id"] = item_id
    return transaction.run(ItemRow.insert(**values))


def save_item(transaction: Transaction, change: ItemChange, origin: Origin, at: datetime) -> dict[str, str]:
    """Keep the item as it stands in the change, out of the trash; what was replaced, shortened."""
    replaced = save_versions(transaction, ITEMS, change.id, change.versions, at)
    mine = ItemRow.id == change.id
    if transaction.row(ItemRow.select(ItemRow.id).where(mine, ~_HERE)):
        replaced["deleted"] = "restored"
    if replaced:
        transaction.run(ItemRow.update(origin=origin.value, deleted_at=None).where(mine))
    return replaced


def delete_item(transaction: Transaction, item_id: int, at: datetime) -> None:
    """To the trash: no read shows it any more."""
    transaction.run(ItemRow.update(deleted_at=at).where(ItemRow.id == item_id))


def forget_item(transaction: Transaction, item_id: int) -> None:
    """Undo `insert_item`: for an item whose versions turned out faulty."""
    transaction.run(ItemRow.delete().where(ItemRow.id == item_id))
