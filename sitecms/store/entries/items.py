"""Collection items and their versions."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import count
from typing import Any

import orjson

from sitecms.content.addresses import read_addresses
from sitecms.content.change import ItemChange, Origin
from sitecms.content.item import Item
from sitecms.content.query import ItemQuery, Results, Visibility, Window
from sitecms.content.revision import UNKNOWN_CAUSE, ChangeCause
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.field_filter import holds_all
from sitecms.store.entries.version_history import VersionHistory
from sitecms.store.entries.versions import (
    SHORTENED,
    StoredVersions,
    VersionTable,
    in_scope,
    save_versions,
    visible,
)
from sitecms.store.models.entries import ItemRow, ItemVersionRow
from sitecms.store.site_state.last_ids import last_id
from sitecms.store.sql import JSON_NUMBERS, Sql

ITEMS = VersionTable(ItemVersionRow, ItemRow)
LAST_POSITION = 2_147_483_647  # also the default of the column
BY_PLACE = (ItemRow.position, ItemRow.id)
"""Order of a collection: as set in the studio or as its file lists the items, then new ones, oldest first."""
_HERE = ItemRow.deleted_at.is_null()
_PLACE_LAST = f"UPDATE item SET position = {LAST_POSITION} WHERE id IN " + JSON_NUMBERS
_PLACE = Sql(
    sqlite="UPDATE item SET position = listed.key FROM json_each(?) AS listed WHERE item.id = listed.value "
    "AND item.position <> listed.key RETURNING id",
    postgres="UPDATE item SET position = listed.place - 1 "
    "FROM jsonb_array_elements_text(?::jsonb) WITH ORDINALITY AS listed (id, place) "
    "WHERE item.id = listed.id::bigint AND item.position <> listed.place - 1 RETURNING item.id",
)


def _item(own: tuple[Any, ...], version: dict[str, Any]) -> Item:
    item_id, collection, addresses = own
    return Item(item_id, collection, addresses=read_addresses(addresses), **version)


ITEM_VERSIONS = StoredVersions(ITEMS, (ItemRow.id, ItemRow.collection, ItemRow.addresses), _item)


def published_items(session: Session) -> tuple[Item, ...]:
    """Return every published live item of every collection and locale, in the order of collections."""
    query = ITEM_VERSIONS.select().where(visible(ITEMS, preview=False)).order_by(*BY_PLACE, ItemVersionRow.locale)
    return tuple(ITEM_VERSIONS.read(row) for row in session.rows(query))


def find_items(session: Session, query: ItemQuery, window: Window | None) -> Results[Item]:
    """Return the items a query asks for, all of them if there is no window; equal ones in the collection's order.

    Raises InvalidRequest where they hold more than an answer can.
    """
    wanted = in_scope(ITEMS, query.scope) & (ItemRow.collection == query.collection)
    wanted &= holds_all(query.filters, ITEMS, query.scope)
    return ITEM_VERSIONS.find(session, query, wanted, BY_PLACE, window)


def get_item(session: Session, collection: str, item_id: int, scope: Visibility) -> Item:
    """Return the visible item of that id in that collection. Raises NotFound."""
    statement = ITEM_VERSIONS.visible("item.id = ? AND item.collection = ?", preview=scope.preview)
    row = session.sql_row(statement, scope.locale, item_id, collection)
    if row is None:
        raise NotFound("Not found.")
    return ITEM_VERSIONS.read_visible(row)


def item_versions(session: Session, item_ids: Sequence[int]) -> tuple[Item, ...]:
    """Return all versions of these items, by id and locale, the draft before the live one."""
    return ITEM_VERSIONS.of(session, item_ids)


def items_of(session: Session, collection: str) -> tuple[Item, ...]:
    """Return all versions of all items of a collection, in its order."""
    query = ITEM_VERSIONS.select().where(ItemRow.collection == collection, _HERE)
    query = query.order_by(*BY_PLACE, ItemVersionRow.locale)
    return tuple(ITEM_VERSIONS.read(row) for row in session.rows(query))


def trashed_items(session: Session, collection: str, origin: Origin) -> tuple[Item, ...]:
    """Return all versions of the collection's deleted items that this origin wrote last, by id.

    Former versions of items are in the trash too, but do not count as deleted items.
    """
    gone = ItemRow.deleted_at.is_null(is_null=False) & (ItemRow.origin == origin.value)
    gone &= ItemRow.former_of.is_null()
    query = ITEM_VERSIONS.select().where(ItemRow.collection == collection, gone).order_by(ItemRow.id)
    return tuple(ITEM_VERSIONS.read(row) for row in session.rows(query))


def find_collection_of(session: Session, item_id: int) -> str | None:
    """Return the collection of an item, in the trash or not: ids are never used twice."""
    row = session.row(ItemRow.select(ItemRow.collection).where(ItemRow.id == item_id))
    return str(row[0]) if row else None


def item_exists(session: Session, item_id: int, collections: Sequence[str]) -> str | None:
    """Return the one of these collections that holds the item, or None."""
    same = (ItemRow.id == item_id) & ItemRow.collection.in_(collections) & _HERE
    row = session.row(ItemRow.select(ItemRow.collection).where(same))
    return str(row[0]) if row else None


def count_items(session: Session) -> int:
    """Return the number of items outside the trash, of all collections (API reference, Limits)."""
    return int(session.sql("SELECT count(*) FROM item WHERE deleted_at IS NULL")[0][0])


def next_item_id(session: Session, taken: Collection[int]) -> int:
    """Return an id that no item has or ever had, and that is not in `taken`."""
    return next(number for number in count(last_id(session, "item") + 1) if number not in taken)


def insert_item(
    transaction: Transaction, collection: str, origin: Origin, at: datetime, item_id: int | None = None
) -> int:
    """Insert an item without versions, which references can already name; return its id."""
    values: dict[str, object] = {"collection": collection, "origin": origin.value, "created_at": at}
    if item_id is not None:
        values["id"] = item_id
    return transaction.insert(ItemRow, values)


def places_of(session: Session, collection: str) -> dict[int, int]:
    """Return the positions of the items of a collection by id, in its order."""
    query = ItemRow.select(ItemRow.id, ItemRow.position).where(ItemRow.collection == collection, _HERE)
    return dict(session.rows(query.order_by(*BY_PLACE)))


def place_items(transaction: Transaction, item_ids: Sequence[int]) -> bool:
    """Give items their positions, in this order; return False if they had them."""
    return bool(transaction.sql(_PLACE, orjson.dumps(list(item_ids)).decode()))


def place_last(transaction: Transaction, item_ids: Sequence[int]) -> None:
    """Put the items behind all items that files list."""
    if item_ids:
        transaction.sql(_PLACE_LAST, orjson.dumps(list(item_ids)).decode())


def save_item(
    transaction: Transaction, change: ItemChange, origin: Origin, at: datetime, cause: ChangeCause = UNKNOWN_CAUSE
) -> dict[str, str]:
    """Store the item with all its versions; return the replaced values, shortened."""
    replaced = _save_addresses(transaction, change)
    row = transaction.sql_row("SELECT origin FROM item WHERE id = ?", change.id)
    history = VersionHistory(cause, Origin(row[0]) if row else Origin.API)
    replaced |= save_versions(transaction, ITEMS, change.id, change.versions, at, history)
    if transaction.sql("SELECT 1 FROM item WHERE id = ? AND deleted_at IS NOT NULL", change.id):
        replaced["deleted"] = "restored"
    if replaced:
        transaction.sql("UPDATE item SET origin = ?, deleted_at = NULL WHERE id = ?", origin.value, change.id)
    return replaced


def _save_addresses(transaction: Transaction, change: ItemChange) -> dict[str, str]:
    """Store the addresses that a file gives, before the versions: a trigger keeps former ones of a published item."""
    if change.addresses is None:
        return {}
    given, is_item = change.addresses.as_json(), ItemRow.id == change.id
    row = transaction.row(ItemRow.select(ItemRow.addresses).where(is_item))
    if row is None or row[0] == given:
        return {}
    transaction.run(ItemRow.update(addresses=given).where(is_item))
    return {"addresses": str(row[0])[:SHORTENED]}


def delete_item(transaction: Transaction, item_id: int, at: datetime) -> None:
    """Move the item to the trash."""
    transaction.run(ItemRow.update(deleted_at=at).where(ItemRow.id == item_id))
