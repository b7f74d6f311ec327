"""Steps of a move."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sitecms.actions.operations.move_store.move_marks import claim, is_same, move_of, shown
from sitecms.actions.operations.reindex import reindex_all
from sitecms.actions.operations.store_transfer import PHASE
from sitecms.errors import ConfigurationError, StoreUnusable
from sitecms.progress import Progress
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Address, Database, Session
from sitecms.store.engines.locks import try_lock
from sitecms.store.maintenance.relocation import Move, find_move, set_move
from sitecms.store.maintenance.row_digests import check_rows
from sitecms.store.maintenance.rows import (
    TableSum,
    count,
    last_key,
    numbers,
    put_rows,
    row_chunks,
    set_numbers,
    table_sums,
)
from sitecms.store.opening import open_database
from sitecms.store.schema.columns import content_tables
from sitecms.store.site_state.relocation_state import MoveState, move_error
from sitecms.store.writes.claims import site_locks

_LOCK = "move-store"


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Result of a move. `sums` are the equal checksums of both stores by table; places have no passwords.

    `closed_seconds` is the time for which this run refused writers.
    """

    source: str
    target: str
    sums: dict[str, TableSum]
    change_number: int
    closed_seconds: float

    @property
    def rows(self) -> int:
        """Number of all rows."""
        return sum(each.rows for each in self.sums.values())


def move_store(settings: SiteSettings, target: Address, progress: Progress | None = None) -> MoveReport:
    """Move the site's store to the target; the settings are not changed.

    Continues a move to the same target that was killed. If it fails, the source is open to writers again, and the next
    move starts from the beginning. Raises ConfigurationError if the target has a store, or another move is running.
    """
    if is_same(settings.store, target):
        raise ConfigurationError(f"The store of {settings.name} is at {shown(target)} already.")
    with _alone(settings):
        return _move(settings.store, target, progress)


def cancel_move(settings: SiteSettings) -> Move:
    """Open the site's own store to writers again, and return the move that it was in.

    Raises ConfigurationError if it was in none, or a move is running.
    """
    with _alone(settings):
        source = open_database(settings.store, moving=True)
        try:
            found = move_of(source)
            if found is None or found.state is MoveState.ARRIVED:
                raise ConfigurationError(f"The store {shown(settings.store)} is not being moved.")
            if found.state is MoveState.ARRIVING:
                raise move_error(shown(settings.store), found.state, found.place)
            _stay(source, found)
            return found
        finally:
            source.close()


@contextmanager
def _alone(settings: SiteSettings) -> Iterator[None]:
    """Hold the lock for moving the site's store. Raises ConfigurationError if another process holds it."""
    locks = site_locks(settings)
    try:
        with try_lock(locks, _LOCK) as is_alone:
            if not is_alone:
                raise ConfigurationError(f"The store of {settings.name} is being moved by another process.")
            yield
    finally:
        locks.close()


def _move(source: Address, target: Address, progress: Progress | None) -> MoveReport:
    leaving = open_database(source, moving=True)
    try:
        arriving = open_database(target, create=True, moving=True)
        try:
            return _carry_out(leaving, arriving, progress)
        finally:
            arriving.close()
    finally:
        leaving.close()


def _carry_out(source: Database, target: Database, progress: Progress | None) -> MoveReport:
    started = time.perf_counter()
    move = claim(source, target)
    try:
        with source.reading() as session:
            if move.state is MoveState.LEAVING:
                check_rows(session, shown(source.address))
                _copy(session, target, progress)
            sums, found = _compared(session, target, progress), numbers(session)
        _be_gone(source, move)
    except BaseException:
        if move.state is MoveState.LEAVING:
            _stay(source, move)
        raise
    with target.writing(counts_as_change=False) as transaction:
        set_move(transaction, Move(MoveState.ARRIVED, shown(source.address), move.mark))
    closed = time.perf_counter() - started
    return MoveReport(shown(source.address), shown(target.address), sums, found.change, closed)


def _be_gone(source: Database, move: Move) -> None:
    """Mark the source as moved. Raises ConfigurationError if the move was cancelled: the source may have new writes."""
    with source.writing(counts_as_change=False) as transaction:
        if find_move(transaction) != move:
            raise ConfigurationError(f"The move of {shown(source.address)} was cancelled meanwhile. Start it again.")
        set_move(transaction, Move(MoveState.GONE, move.place, move.mark))


def _stay(source: Database, move: Move) -> None:
    """Open the source to writers again, if it is still in this move."""
    with source.writing(counts_as_change=False) as transaction:
        if find_move(transaction) == move:
            set_move(transaction, None)


def _copy(source: Session, target: Database, progress: Progress | None) -> None:
    """Copy what the target does not have yet; only the transaction that ends the move waits for the disk."""
    with target.reading() as session:
        behind = {shape.name: last_key(session, shape) for shape in content_tables()}
        done = sum(count(session, shape) for shape in content_tables())
    total = sum(count(source, shape) for shape in content_tables())
    for shape in content_tables():
        for rows in row_chunks(source, shape, behind[shape.name]):
            with target.writing(counts_as_change=False, is_durable=False) as transaction:
                put_rows(transaction, shape, rows)
            done += len(rows)
            if progress:
                progress(PHASE, done, total)
    with target.writing(counts_as_change=False) as transaction:
        reindex_all(transaction, progress)
        set_numbers(transaction, numbers(source))


def _compared(source: Session, target: Database, progress: Progress | None) -> dict[str, TableSum]:
    """Return the checksums of both stores. Raises StoreUnusable if they differ."""

    def tick(done: int, total: int) -> None:
        if progress:
            progress("Comparing", done, total)

    with target.reading() as session:
        target_sums, source_sums = table_sums(session, tick), table_sums(source)
        is_equal = numbers(session) == numbers(source)
    different = [name for name, each in source_sums.items() if target_sums[name] != each]
    if different or not is_equal:
        what = ", ".join(different) or "the numbers of changes and entries"
        raise StoreUnusable(f"The copy at {shown(target.address)} differs from the source: {what}.")
    return source_sums
