"""Moves of a site's store and of its media library to another place.

The store moves between an SQLite file and a PostgreSQL database, with all waiting work. The source is closed to writers
first: writes are refused (503), reads continue. Rows are copied in batches, each committed in the target; after a kill,
the next run continues behind the last batch. At the end the digests of all tables are compared, and the source is
marked as moved before the target is opened, so at no moment may both be written to. Marks in both stores record the
state of the move before a row is copied.

The media library is copied before the settings name its new place.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.operations.reindex import reindex_all
from sitecms.actions.operations.store_transfer import PHASE
from sitecms.errors import ConfigurationError, MediaUnusable, StoreUnusable
from sitecms.media.library import MediaLibrary, open_library, protected_media
from sitecms.media.storage.interface import is_digest_of
from sitecms.plurals import counted
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session, StoreAddress
from sitecms.store.engines.locks import try_lock
from sitecms.store.maintenance.row_digests import check_rows
from sitecms.store.maintenance.rows import (
    TableSum,
    count,
    is_unused,
    last_key,
    numbers,
    put_rows,
    remove_everything,
    row_chunks,
    set_numbers,
    table_sums,
)
from sitecms.store.opening import open_database, open_store
from sitecms.store.schema.columns import CONTENT_TABLES
from sitecms.store.site_state.relocation_state import MoveState, Relocation, find_move, move_error, set_move
from sitecms.store.writes.claims import site_locks

_AT_ONCE = 64
_UNDER_WAY = (MoveState.LEAVING, MoveState.GONE)
_LOCK = "move-store"


class MediaMoveReport(Struct, frozen=True):
    """Content of the new place. `damaged` files have other bytes than their names say, and were not copied."""

    target: str
    copied: int
    present: int
    damaged: tuple[str, ...]
    seconds: float


def move_media(settings: SiteSettings, target: ServiceUrl, progress: Progress | None = None) -> MediaMoveReport:
    """Copy every missing file to the place at the address ("": the folder of the site).

    The old library stays unchanged. At the end, the content of every file in the new place is compared with its name.
    Raises ConfigurationError if the media are there already, MediaUnusable.
    """
    started = time.perf_counter()
    moved = replace(settings, media=replace(settings.media, url=target))
    source, place = open_library(settings), open_library(moved)
    if moved.media.bucket == settings.media.bucket:
        raise ConfigurationError(f"The media library is there already: {_shown(moved)}.")
    with protected_media(source), protected_media(place):
        names = source.names()
        there = place.names()
        wanted = sorted(set(names) - set(_consistent_files(place, there)))
        damaged = _copy_media(source, place, wanted, set(there), progress)
        lost = set(names) - set(damaged) - set(_consistent_files(place, names))
    if lost:
        raise MediaUnusable(
            f"{counted(len(lost), 'file')} incomplete in the new place, such as {min(lost)}. Run the command again."
        )
    return MediaMoveReport(
        _shown(moved), len(wanted) - len(damaged), len(names), damaged, time.perf_counter() - started
    )  # fmt: skip


def _copy_media(
    source: MediaLibrary, place: MediaLibrary, wanted: list[str], there: set[str], progress: Progress | None
) -> tuple[str, ...]:
    """Copy the files in batches, over existing ones; return the names of damaged files, which are not copied."""
    damaged = []
    for start in range(0, len(wanted), _AT_ONCE):
        batch = wanted[start : start + _AT_ONCE]
        consistent = set(_consistent_files(source, batch))
        damaged += [name for name in batch if name not in consistent]
        with source.storage.held(sorted(consistent), keep=False) as paths:
            for name in sorted(paths.keys() & there):
                place.storage.replace(name, paths[name].read_bytes())
            place.storage.put_files({name: path for name, path in paths.items() if name not in there})
        if progress:
            progress("Media", min(start + _AT_ONCE, len(wanted)), len(wanted))
    return tuple(damaged)


def _consistent_files(library: MediaLibrary, names: tuple[str, ...] | list[str]) -> list[str]:
    """Return the files whose content matches their names."""
    return [name for name, digest, _ in library.storage.digests(names) if is_digest_of(digest, name)]


def _shown(settings: SiteSettings) -> str:
    return str(settings.media.bucket or settings.media_dir)


def shown(address: StoreAddress) -> str:
    """Return the address without a password, as the other store records it and people read it."""
    return str(address.resolve()) if isinstance(address, Path) else str(address)


def is_same(one: StoreAddress, other: StoreAddress) -> bool:
    """Return whether both are one place, as far as their addresses tell."""
    if isinstance(one, ServiceUrl) and isinstance(other, ServiceUrl):
        return str(one) == str(other)
    return isinstance(one, Path) and isinstance(other, Path) and one.resolve() == other.resolve()


def move_of(database: Database) -> Relocation | None:
    """Return the current mark of the store."""
    return database.read(find_move)


def claim(source: Database, target: Database) -> Relocation:
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
        set_move(transaction, Relocation(MoveState.ARRIVING, shown(source.address), mark))
    leaving = Relocation(MoveState.LEAVING, shown(target.address), mark)
    with source.writing(counts_as_change=False) as transaction:
        set_move(transaction, leaving)
    return leaving


def _continued(source: Database, source_move: Relocation, target_move: Relocation | None) -> Relocation:
    if target_move and target_move.mark == source_move.mark and target_move.state is MoveState.ARRIVING:
        return source_move
    place = shown(source.address)
    if source_move.state is MoveState.GONE:
        raise move_error(place, source_move.state, source_move.place)
    raise ConfigurationError(
        f"The store {place} is being moved to {source_move.place} already. Continue that move, or cancel it: "
        "sitecms move-store --cancel."
    )


def _check_target(source: Database, source_move: Relocation | None, target: Database, session: Session) -> None:
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


class MoveReport(Struct, frozen=True):
    """Result of a move. `sums` are the equal checksums of both stores by table; places have no passwords.

    `closed_seconds` is the time for which this run refused writers.
    """

    target: str
    sums: dict[str, TableSum]
    change_number: int
    closed_seconds: float

    @property
    def rows(self) -> int:
        """Number of all rows."""
        return sum(each.rows for each in self.sums.values())


def move_store(settings: SiteSettings, target: StoreAddress, progress: Progress | None = None) -> MoveReport:
    """Move the site's store to the target; the settings are not changed.

    Continues a move to the same target that was killed. If it fails, the source is open to writers again, and the next
    move starts from the beginning. Raises ConfigurationError if the target has a store, or another move is running.
    """
    if is_same(settings.store, target):
        raise ConfigurationError(f"The store of {settings.name} is at {shown(target)} already.")
    with _exclusive(settings):
        return _move(settings, target, progress)


def cancel_move(settings: SiteSettings) -> Relocation:
    """Open the site's own store to writers again, and return the move that it was in.

    Raises ConfigurationError if it was in none, or a move is running.
    """
    with _exclusive(settings):
        source = open_store(settings, moving=True)
        try:
            found = move_of(source)
            if found is None or found.state is MoveState.ARRIVED:
                raise ConfigurationError(f"The store {shown(settings.store)} is not being moved.")
            if found.state is MoveState.ARRIVING:
                raise move_error(shown(settings.store), found.state, found.place)
            _cancel(source, found)
            return found
        finally:
            source.close()


@contextmanager
def _exclusive(settings: SiteSettings) -> Iterator[None]:
    """Hold the lock for moving the site's store. Raises ConfigurationError if another process holds it."""
    locks = site_locks(settings)
    try:
        with try_lock(locks, _LOCK) as is_exclusive:
            if not is_exclusive:
                raise ConfigurationError(f"The store of {settings.name} is being moved by another process.")
            yield
    finally:
        locks.close()


def _move(settings: SiteSettings, target: StoreAddress, progress: Progress | None) -> MoveReport:
    leaving = open_store(settings, moving=True)
    try:
        arriving = open_database(target, create=True, moving=True)
        arriving.field_types = leaving.field_types
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
        _mark_moved(source, move)
    except BaseException:
        if move.state is MoveState.LEAVING:
            _cancel(source, move)
        raise
    with target.writing(counts_as_change=False) as transaction:
        set_move(transaction, Relocation(MoveState.ARRIVED, shown(source.address), move.mark))
    closed = time.perf_counter() - started
    return MoveReport(shown(target.address), sums, found.change, closed)


def _mark_moved(source: Database, move: Relocation) -> None:
    """Mark the source as moved. Raises ConfigurationError if the move was cancelled: the source may have new writes."""
    with source.writing(counts_as_change=False) as transaction:
        if find_move(transaction) != move:
            raise ConfigurationError(f"The move of {shown(source.address)} was cancelled meanwhile. Start it again.")
        set_move(transaction, Relocation(MoveState.GONE, move.place, move.mark))


def _cancel(source: Database, move: Relocation) -> None:
    """Open the source to writers again, if it is still in this move."""
    with source.writing(counts_as_change=False) as transaction:
        if find_move(transaction) == move:
            set_move(transaction, None)


def _copy(source: Session, target: Database, progress: Progress | None) -> None:
    """Copy what the target does not have yet; only the transaction that ends the move waits for the disk."""
    with target.reading() as session:
        behind = {shape.name: last_key(session, shape) for shape in CONTENT_TABLES}
        done = sum(count(session, shape) for shape in CONTENT_TABLES)
    total = sum(count(source, shape) for shape in CONTENT_TABLES)
    for shape in CONTENT_TABLES:
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
