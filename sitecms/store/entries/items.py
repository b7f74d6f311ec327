"""Collection items: their names, their places and their number."""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import orjson
from peewee import SQL, NodeList, fn

from sitecms.content.change import AS_IN_FILE
from sitecms.content.entry import Entry
from sitecms.content.query import Visibility
from sitecms.content.schema import Collection
from sitecms.content.search_text import folded_words
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_tables import ITEMS
from sitecms.store.entries.json_fields import field_value
from sitecms.store.entries.versions import BY_PLACE, VERSIONS
from sitecms.store.models.entries import LAST_POSITION, EntryRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.site_state.last_ids import last_id
from sitecms.store.sql import ByEngine, Sql, number_list

_STORED = VERSIONS[ITEMS.kind]
_ASCII_WORD = re.compile("[a-z0-9]+")
_IS_ITEM = ITEMS.is_of_kind(EntryRow)
_HERE = _IS_ITEM & EntryRow.deleted_at.is_null()
_PLACE = Sql(
    sqlite="UPDATE entry SET position = listed.key FROM json_each(?) AS listed WHERE entry.kind = 'item' "
    "AND entry.id = listed.value AND entry.position <> listed.key RETURNING id",
    postgres="UPDATE entry SET position = listed.place - 1 "
    "FROM jsonb_array_elements_text(?::jsonb) WITH ORDINALITY AS listed (id, place) WHERE entry.kind = 'item' "
    "AND entry.id = listed.id::bigint AND entry.position <> listed.place - 1 RETURNING entry.id",
)


@prepared
def _number_of_items() -> Any:
    return EntryRow.select(fn.COUNT(SQL("*"))).where(_HERE)


class ItemName(NamedTuple):
    """The name of a published item in a locale, and of its page: `slug` is its field of that name, "" for none.

    `place` orders the items of a collection.
    """

    id: int
    place: tuple[int, int]
    label: str
    slug: str
    has_own_path: bool


def names_of_items(session: Session, collection: Collection, locale: str, text: str = "") -> Iterator[ItemName]:
    """Yield the names of the published items of a collection, in its order; their other fields stay unread.

    With a text, only those whose label may contain its words, and those with a path of their own.
    """
    label = field_value(VersionRow, (collection.label,))
    columns = (EntryRow.id, EntryRow.position, label, field_value(VersionRow, ("slug",)), EntryRow.addresses)
    is_shown = ITEMS.is_shown & (EntryRow.type == collection.key) & (VersionRow.locale == locale)
    if words := _ASCII_WORD.findall(folded_words(text)):
        is_shown &= _may_contain(label, words) | (EntryRow.addresses != {})
    query = VersionRow.select(*columns).join(EntryRow, on=ITEMS.joined).where(is_shown).order_by(*BY_PLACE)
    for item_id, position, name, slug, addresses in session.rows(query):
        yield ItemName(item_id, (position, item_id), _plain(name), _plain(slug), bool(addresses))


def _may_contain(label: Any, words: Sequence[str]) -> Any:
    """Return a condition for all texts that contain ASCII words, whatever their accents; it spares most of the rest."""
    lower = fn.LOWER(label)

    def of_engine(position: Any, has_other_signs: Any) -> Any:
        has_all = [NodeList([position(lower, word), SQL("> 0")]) for word in words]
        return NodeList([SQL("("), has_other_signs, SQL("OR ("), NodeList(has_all, glue=" AND "), SQL("))")])

    return ByEngine(
        sqlite=lambda: of_engine(fn.INSTR, NodeList([label, SQL("GLOB '*[^ -~]*'")])),
        postgres=lambda: of_engine(fn.STRPOS, NodeList([label, SQL("~ '[^ -~]'")])),
    )


def _plain(value: str | None) -> str:
    """Return a value that is stored as JSON as text; "" for none, and for lists and objects."""
    stored = None if value is None else orjson.loads(value)
    return "" if stored is None or isinstance(stored, list | dict) else str(stored)


def get_item(session: Session, collection: str, item_id: int, scope: Visibility) -> Entry:
    """Return the visible item of that id in that collection. Raises NotFound."""
    found = _STORED.read_visible(session, scope, "entry.id = ? AND entry.type = ?", item_id, collection)
    if not found:
        raise NotFound("Not found.")
    return found[0]


def trashed_items(session: Session, collection: str) -> tuple[Entry, ...]:
    """Return all versions of the collection's deleted items that a file had as they are, by id.

    Former versions of items are in the trash too, but do not count as deleted items.
    """
    gone = _IS_ITEM & EntryRow.deleted_at.is_null(is_null=False) & EntryRow.origin.in_(AS_IN_FILE)
    gone &= (EntryRow.type == collection) & EntryRow.former_of.is_null()
    ids = [row[0] for row in session.rows(EntryRow.select(EntryRow.id).where(gone))]
    return _STORED.of(session, ids, in_trash=True)


def item_exists(session: Session, item_id: int, collections: Sequence[str]) -> str | None:
    """Return the one of these collections that holds the item, or None."""
    same = (EntryRow.id == item_id) & EntryRow.type.in_(collections) & _HERE
    row = session.row(EntryRow.select(EntryRow.type).where(same))
    return str(row[0]) if row else None


def count_items(session: Session) -> int:
    """Return the number of items outside the trash, of all collections (API reference, Limits)."""
    return int(session.rows(_number_of_items())[0][0])


def next_item_id(session: Session, taken: Container[int]) -> int:
    """Return an id that no item has or ever had, and that is not in `taken`."""
    return next(number for number in count(last_id(session, "item") + 1) if number not in taken)


def places_of(session: Session, collection: str) -> dict[int, int]:
    """Return the positions of the items of a collection by id, in its order."""
    query = EntryRow.select(EntryRow.id, EntryRow.position).where(EntryRow.type == collection, _HERE)
    return dict(session.rows(query.order_by(*BY_PLACE)))


def place_items(transaction: Transaction, item_ids: Sequence[int]) -> bool:
    """Give items their positions, in this order; return False if they had them."""
    return bool(transaction.sql(_PLACE, orjson.dumps(list(item_ids)).decode()))


def place_last(transaction: Transaction, item_ids: Sequence[int]) -> None:
    """Put the items behind all items that files list."""
    if item_ids:
        listed = _IS_ITEM & EntryRow.id.in_(number_list(item_ids))
        transaction.run(EntryRow.update(position=LAST_POSITION).where(listed))
