"""Relocation of a store from one address to another. At every moment only one of the two may be written to.

source:  (here)   -> leaving  -> gone
target:  (empty)  -> arriving ------------> arrived, which is here again
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from sitecms.errors import StoreMoved
from sitecms.store.database import Session, Transaction
from sitecms.store.models.site_state import MoveRow

SELECT_BLOCKING_MOVE = "SELECT state, place FROM move WHERE state <> 'arrived'"
"""Returns one row, the arguments of `move_error`, if nothing may be written. Begins each write, so it is by hand."""


class MoveState(StrEnum):
    """State of one of the two stores of a move."""

    LEAVING = "leaving"
    """The source while it is copied: it can be read, not written."""
    GONE = "gone"
    """The source after it was copied completely: it must not be used any more."""
    ARRIVING = "arriving"
    """The target while it is incomplete."""
    ARRIVED = "arrived"
    """The target when it is complete and in use; it keeps the address of the source."""


_CLOSED_STATES = (MoveState.GONE, MoveState.ARRIVING)


def move_error(address: object, state: str, place: str) -> StoreMoved:
    """Return the error for a store that must not be written to, or not even opened."""
    if state == MoveState.GONE:
        return StoreMoved(
            f"The store {address} has moved to {place}: set url under [store] in site.toml to it, or SITECMS_STORE_URL."
        )
    if state == MoveState.LEAVING:
        return StoreMoved(
            f"The store {address} is being moved to {place}; nothing is written to it until that is done."
        )
    return StoreMoved(
        f"The store {address} is incomplete: sitecms move-store has not finished bringing it from {place}."
    )


def check_not_moved(address: object, row: Sequence[Any] | None) -> None:
    """Raise StoreMoved for a store that only the command that moves it may open."""
    if row and row[0] in _CLOSED_STATES:
        raise move_error(address, *row)


def move_problem(row: Sequence[Any] | None) -> str:
    """Return why the store must not be read, without its place, which is not public; "" if it may be."""
    return "The store has moved." if row and row[0] in _CLOSED_STATES else ""


class Relocation(Struct, frozen=True):
    """A relocation: `place` is the other place, without a password; `mark` is unique, and the same in both."""

    state: MoveState
    place: str
    mark: str


def find_move(session: Session) -> Relocation | None:
    """Return the relocation that the store takes part in, or came by."""
    row = session.row(MoveRow.select(MoveRow.state, MoveRow.place, MoveRow.mark))
    return Relocation(MoveState(row[0]), row[1], row[2]) if row else None


def set_move(transaction: Transaction, move: Relocation | None) -> None:
    """Store the relocation in place of any other."""
    transaction.run(MoveRow.delete())
    if move:
        transaction.insert(MoveRow, {"id": 1, **asdict(move), "state": move.state.value})
