"""Where a store stands in a move, and what is said to those who would use it as if it stayed."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from sitecms.errors import StoreMoved

ASK_IN_THE_WAY = "SELECT state, place FROM move WHERE state <> 'arrived'"
"""One row, for `refusal`, where nothing may be written."""


class MoveState(StrEnum):
    """What a store is in a move."""

    LEAVING = "leaving"
    """Being copied; read by all, written to by nobody."""
    GONE = "gone"
    """Copied as a whole, and not to be used any more."""
    ARRIVING = "arriving"
    """Half there."""
    ARRIVED = "arrived"
    """Whole, and used; it remembers where it came from."""


_NOT_TO_BE_OPENED = (MoveState.GONE, MoveState.ARRIVING)


def refusal(here: object, state: str, place: str) -> StoreMoved:
    """Why the store `here` is not written to, or not even opened."""
    if state == MoveState.GONE:
        return StoreMoved(
            f"The store {here} has moved to {place}: say so by url under [store] in site.toml, or by SITECMS_STORE_URL."
        )
    if state == MoveState.LEAVING:
        return StoreMoved(f"The store {here} is being moved to {place}; nothing is written to it until that is done.")
    return StoreMoved(f"The store {here} is only half there: sitecms move-store has still to bring it from {place}.")


def check_open(here: object, row: Sequence[Any] | None) -> None:
    """Raises StoreMoved for a store that nobody but who moves it is to open."""
    if row and row[0] in _NOT_TO_BE_OPENED:
        raise refusal(here, *row)


def what_is_in_the_way(row: Sequence[Any] | None) -> str:
    """Why the store is not to be read, to people who need not know its place; "" if it may be."""
    return "The store has moved." if row and row[0] in _NOT_TO_BE_OPENED else ""
