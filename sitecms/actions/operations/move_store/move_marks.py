"""Marks that a move leaves in both stores before a row is copied, and the checks of them."""

import secrets
from pathlib import Path

from sitecms.errors import ConfigurationError
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import Address, Database, Session
from sitecms.store.maintenance.relocation import Move, find_move, set_move
from sitecms.store.maintenance.rows import is_unused, remove_everything
from sitecms.store.site_state.relocation_state import MoveState, move_error

_UNDER_WAY = (MoveState.LEAVING, MoveState.GONE)


def shown(address: Address) -> str:
    """Return the address without a password, as the other store records it and people read it."""
    return str(address.resolve()) if isinstance(address, Path) else str(address)


def is_same(one: Address, other: Address) -> bool:
    """Return whether both are one place, as far as their addresses tell."""
    if isinstance(one, ServiceUrl) and isinstance(other, ServiceUrl):
        return str(one) == str(other)
    return isinstance(one, Path) and isinstance(other, Path) and one.resolve() == other.resolve()


def move_of(database: Database) -> Move | None:
    """Return the current mark of the store."""
    with database.reading() as session:
        return find_move(session)


def claim(source: Database, target: Database) -> Move:
    """Mark both stores as parts of one move and empty the target, or continue the move that they are marked for.

    Return the mark of the source; no other process writes to either store from now on. Raises ConfigurationError, and
    changes nothing, if the source cannot be moved, or the target has other content.
    """
    source_move, target_move = move_of(source), move_of(target)
    if source_move and source_move.state is MoveState.ARRIVING:
        raise move_error(shown(source.address), source_move.state, source_move.place)
    if source_move and source_move.state in _UNDER_WAY:
        return _continued(source, source_move, target_move)
    mark = secrets.token_hex(8)
    with target.writing(counts_as_change=False) as transaction:
        _check_target(source, source_move, target, transaction)
        remove_everything(transaction)
        set_move(transaction, Move(MoveState.ARRIVING, shown(source.address), mark))
    leaving = Move(MoveState.LEAVING, shown(target.address), mark)
    with source.writing(counts_as_change=False) as transaction:
        set_move(transaction, leaving)
    return leaving


def _continued(source: Database, source_move: Move, target_move: Move | None) -> Move:
    if target_move and target_move.mark == source_move.mark and target_move.state is MoveState.ARRIVING:
        return source_move
    place = shown(source.address)
    if source_move.state is MoveState.GONE:
        raise move_error(place, source_move.state, source_move.place)
    raise ConfigurationError(
        f"The store {place} is being moved to {source_move.place} already. Continue that move, or cancel it: "
        "sitecms move-store --cancel."
    )


def _check_target(source: Database, source_move: Move | None, target: Database, session: Session) -> None:
    target_move = find_move(session)
    if target_move and target_move.state is MoveState.ARRIVING and target_move.place == shown(source.address):
        return  # of a cancelled move: its rows are still here
    if target_move and target_move.state is MoveState.GONE and source_move and target_move.mark == source_move.mark:
        return  # the way back: its content is here
    if is_unused(session):
        return
    raise ConfigurationError(
        f"There is a store at {shown(target.address)} already. Nothing was changed; name an empty database, or "
        "move that store away."
    )
