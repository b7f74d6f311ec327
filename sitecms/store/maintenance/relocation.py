"""Relocation of a store from one place to another. At every moment only one of the two may be written to.

source:  (here)   -> leaving  -> gone
target:  (empty)  -> arriving ------------> arrived, which is here again
"""

from dataclasses import dataclass

from sitecms.store.database import Session, Transaction
from sitecms.store.site_state.relocation_state import MoveState


@dataclass(frozen=True, slots=True)
class Move:
    """A relocation: `place` is the other place, without a password; `mark` is unique, and the same in both."""

    state: MoveState
    place: str
    mark: str


def find_move(session: Session) -> Move | None:
    """Return the relocation that the store takes part in, or came by."""
    row = session.sql_row("SELECT state, place, mark FROM move")
    return Move(MoveState(row[0]), row[1], row[2]) if row else None


def set_move(transaction: Transaction, move: Move | None) -> None:
    """Store the relocation in place of any other."""
    transaction.sql("DELETE FROM move")
    if move:
        transaction.sql("INSERT INTO move VALUES (1, ?, ?, ?)", move.state.value, move.place, move.mark)
