"""A store that is on its way from one place to another: at every moment, one of the two alone may be written to.

source:  (here)   -> leaving  -> gone
target:  (empty)  -> arriving ------------> arrived, which is here again
"""

from dataclasses import dataclass

from sitecms.store.database import Session, Transaction
from sitecms.store.site_state.relocation_state import MoveState


@dataclass(frozen=True, slots=True)
class Move:
    """`place` is the other one, without a password; `mark` is the same in both, and in no other move."""

    state: MoveState
    place: str
    mark: str


def find_move(session: Session) -> Move | None:
    """The move that the store takes part in, or came by."""
    row = session.sql_row("SELECT state, place, mark FROM move")
    return Move(MoveState(row[0]), row[1], row[2]) if row else None


def set_move(transaction: Transaction, move: Move | None) -> None:
    """Keep this in the place of any other."""
    transaction.sql("DELETE FROM move")
    if move:
        transaction.sql("INSERT INTO move VALUES (1, ?, ?, ?)", move.state.value, move.place, move.mark)
