"""Order of the items of a collection: set in the studio, and kept when a file that lists the items is loaded again."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from sitecms.actions.accounts.permissions import require
from sitecms.actions.writing.entry_events import EventCause, record_all_saved
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Action, User
from sitecms.errors import NotFound
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Transaction
from sitecms.store.entries import items
from sitecms.store.models.entries import LAST_POSITION
from sitecms.store.site_state.file_changes import FileAction
from sitecms.store.site_state.site_builds import count_site_change

if TYPE_CHECKING:
    from sitecms.actions.writing.accept import WriteContext  # a load needs none of it: it imports urllib3


class MoveDirection(StrEnum):
    """A direction in which items move within their collection."""

    UP = "up"
    DOWN = "down"
    TOP = "top"


def move_items(context: "WriteContext", user: User, collection: str, ids: Collection[int], move: MoveDirection) -> int:
    """Move items within their collection; return the place of the first of them, counted from 0.

    The new order holds at once, in answers of the API and for the next build. Items at the top or end stay there.
    Raises Forbidden, and NotFound if the collection has none of the items.
    """
    require(user, Action.EDIT_PAGES)
    with context.database.writing() as transaction:
        before = list(items.places_of(transaction, collection))
        moved = [each for each in before if each in ids]
        if not moved:
            raise NotFound("Not found.")
        after = _moved(before, moved, move)
        if after != before:
            _place(transaction, context, user, after, moved)
            subject = f"{collection} {', '.join(map(str, moved))}"
            record_action(transaction, user, "order", subject, context.clock(), detail=f"moved {move}")
    return after.index(moved[0])


def arrange_items(context: "WriteContext", user: User, collection: str, ids: Sequence[int]) -> None:
    """Put the items of a collection in this order; the others keep theirs behind them. Raises Forbidden."""
    require(user, Action.EDIT_PAGES)
    with context.database.writing() as transaction:
        before = list(items.places_of(transaction, collection))
        first = [each for each in ids if each in before]
        after = [*first, *(each for each in before if each not in first)]
        if after != before:
            moved = [each for each, former in zip(after, before, strict=True) if each != former]
            _place(transaction, context, user, after, moved)
            record_action(transaction, user, "order", collection, context.clock())


def _place(
    transaction: Transaction, context: "WriteContext", user: User, order: Sequence[int], moved: Sequence[int]
) -> None:
    """Give the items their places, for the next build, histories and files."""
    items.place_items(transaction, order)
    count_site_change(transaction)
    cause = EventCause(context.settings.default_locale, context.clock(), user.name)
    for item_id in moved:
        record_all_saved(transaction, EntryKind.ITEM, item_id, cause, action=FileAction.ORDER)


def _moved(order: Sequence[int], moved: Sequence[int], move: MoveDirection) -> list[int]:
    others = [each for each in order if each not in moved]
    first, last = order.index(moved[0]), order.index(moved[-1])
    place = {
        MoveDirection.TOP: 0,
        MoveDirection.UP: max(0, first - 1),
        MoveDirection.DOWN: min(len(others), last + 2 - len(moved)),
    }[move]
    return [*others[:place], *moved, *others[place:]]


def is_set_in_studio(places: Mapping[int, int], listed: Sequence[int], others: Collection[int]) -> bool:
    """Return whether a collection has other places than the load of a file gave it that listed these items so.

    The `others` are of no file, and stand behind them until somebody moves an item.
    """
    has_moved = any(places.get(each, place) != place for place, each in enumerate(listed))
    return has_moved or any(places[each] != LAST_POSITION for each in others)


def with_items_of_file(order: Sequence[int], before: Collection[int], listed: Sequence[int]) -> list[int]:
    """Return an order set in the studio with the items that a file lists now.

    Each item that is not one of those listed `before` follows the one above it in the file; the first one comes first.
    """
    there, here = set(before), set(listed)
    merged = [each for each in order if each in there or each not in here]
    for number, item in enumerate(listed):
        if item not in there:
            merged.insert(merged.index(listed[number - 1]) + 1 if number else 0, item)
    return merged
