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
    """Mark both as parts of one move, the target emptied, or go on with the one that they are marked for.

    Gives the source's part; from now on nobody else writes to either. Raises ConfigurationError, and changes nothing,
    if the source is not to be moved, or the target holds something else.
    """
    ours, theirs = move_of(source), move_of(target)
    if ours and ours.state is MoveState.ARRIVING:
        raise move_error(shown(source.address), ours.state, ours.place)
    if ours and ours.state in _UNDER_WAY:
        return _taken_up(source, ours, theirs)
    mark = secrets.token_hex(8)
    with target.writing(counts_as_change=False) as transaction:
        _check_target(source, ours, target, transaction)
        remove_everything(transaction)
        set_move(transaction, Move(MoveState.ARRIVING, shown(source.address), mark))
    leaving = Move(MoveState.LEAVING, shown(target.address), mark)
    with source.writing(counts_as_change=False) as transaction:
        set_move(transaction, leaving)
    return leaving


def _taken_up(source: Database, ours: Move, theirs: Move | None) -> Move:
    if theirs and theirs.mark == ours.mark and theirs.state is MoveState.ARRIVING:
        return ours
    place = shown(source.address)
    if ours.state is MoveState.GONE:
        raise move_error(place, ours.state, ours.place)
    raise ConfigurationError(
        f"The store {place} is being moved to {ours.place} already. Go on with that, or call it off: "
        "sitecms move-store --cancel."
    )


def _check_target(source: Database, ours: Move | None, target: Database, session: Session) -> None:
    theirs = find_move(session)
    if theirs and theirs.state is MoveState.ARRIVING and theirs.place == shown(source.address):
        return  # of a move that was called off: what came then is still here
    if theirs and theirs.state is MoveState.GONE and ours and theirs.mark == ours.mark:
        return  # the way back: all that it held came here
    if is_unused(session):
        return
    raise ConfigurationError(
        f"There is a store at {shown(target.address)} already. Nothing was changed; name an empty database, or move "
        "that store away."
    )
