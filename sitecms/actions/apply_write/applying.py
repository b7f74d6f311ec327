"""The steps of applying a write. Killed at any of them, it is applied once all the same, by whoever comes next."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import structlog

from sitecms.actions.apply_write.entries import apply_item, apply_page, media_of_fields
from sitecms.actions.apply_write.fetching import FetchMedia, fetch_all, remember_media
from sitecms.actions.apply_write.posts import apply_post, media_of_post
from sitecms.actions.request_media import FetchedMedia
from sitecms.actions.tell_entry import SYSTEM, Teller, tell_saved, tell_write_failed
from sitecms.clock import MICROSECOND, Clock
from sitecms.content.media import MediaFile
from sitecms.content.write import EntryKind, Write, WriteStatus
from sitecms.errors import InvalidFields, MediaUnusable, NotFound, StoreUnusable
from sitecms.media.library import MediaLibrary
from sitecms.settings import SiteSettings
from sitecms.store.counters import Counters
from sitecms.store.database import Database, Transaction
from sitecms.store.tokens import find_token_name
from sitecms.store.writes import ClaimLost, claim, finish, is_waiting, release, untry

STEPS = ("claimed", "fetched", "fenced", "applied", "committed")
_log = structlog.get_logger("sitecms.writes")


@dataclass(frozen=True, slots=True)
class Worker:
    """What applying needs. `owner` is who claims, `is_alive` tells of owners, `step` is called at each of STEPS."""

    database: Database
    settings: SiteSettings
    library: MediaLibrary
    fetch: FetchMedia
    clock: Clock
    owner: str
    is_alive: Callable[[str], bool]
    step: Callable[[str], None] = lambda _name: None
    counters: Counters = field(default_factory=Counters)

    def tell_end(self, write: Write) -> None:
        """Count the write and log its end, once that is committed."""
        taken = (write.finished_at or write.accepted_at) - write.accepted_at
        self.counters.observe(("write", write.status.value), taken // MICROSECOND * 1000)
        log = _log.warning if write.status is WriteStatus.FAILED else _log.info
        seen = {"errors": write.errors} if write.errors else {}
        log(f"write_{write.status}", write=write.id, kind=write.kind.value, attempt=write.attempt, **seen)


def apply_entry(worker: Worker, entry_key: str, is_ending: Callable[[], bool] = lambda: False) -> int:
    """Apply all open writes to the entry in the order they were accepted; how many were applied or rejected.

    Ends early where someone alive holds them, where one fails (whoever sweeps next tries it again), or when the
    worker is ending.
    """
    count = 0
    while not is_ending():
        if count and not _is_waiting(worker, entry_key):
            break
        given_up: list[Write] = []
        with worker.database.writing(is_shown=False, is_durable=False) as transaction:
            at = worker.clock()
            write = claim(transaction, entry_key, worker.owner, worker.is_alive, at, given_up.append)
            for failed in given_up:
                _tell_failed(transaction, worker, failed)
        for failed in given_up:
            worker.tell_end(failed)
        if write is None:
            break
        worker.step("claimed")
        if not _apply_safely(worker, write):
            break
        count += 1
    return count


def _is_waiting(worker: Worker, entry_key: str) -> bool:
    """Looked up without keeping other writers out."""
    with worker.database.reading() as session:
        return is_waiting(session, entry_key)


def _apply_safely(worker: Worker, write: Write) -> bool:
    """Whether the write has ended; what nobody expected is told, and the claim let go."""
    try:
        _apply(worker, write)
    except ClaimLost:
        _log.info("claim_lost", write=write.id)
        return False
    except (MediaUnusable, StoreUnusable) as error:
        waits_for = "store" if isinstance(error, StoreUnusable) else "media"
        _log.warning(f"write_waits_for_{waits_for}", write=write.id, problem=str(error))
        with worker.database.writing(is_shown=False, is_durable=False) as transaction:  # the disk may be the trouble
            untry(transaction, write, worker.owner)
        return False
    except Exception as error:  # noqa: BLE001 - one write's trouble is not the worker's
        _log.warning("write_postponed", write=write.id, attempt=write.attempt, exc_info=error)
        with worker.database.writing(is_shown=False) as transaction:
            release(transaction, write, worker.owner)
        return False
    return True


def _apply(worker: Worker, write: Write) -> None:
    try:
        fetched = fetch_all(worker.fetch, _media_of(worker, write), write.attempt)
        worker.step("fetched")
        with worker.database.writing() as transaction:
            media = FetchedMedia(transaction, fetched)
            ended = finish(transaction, write, worker.owner, WriteStatus.APPLIED, worker.clock())
            worker.step("fenced")
            remember_media(transaction, media)
            _change(transaction, worker, write, media)
            worker.step("applied")
        worker.step("committed")
        _make_sure(worker, fetched.values())
    except (InvalidFields, NotFound) as error:
        errors = error.messages if isinstance(error, InvalidFields) else {"detail": [str(error)]}
        with worker.database.writing(is_shown=False) as transaction:
            ended = finish(transaction, write, worker.owner, WriteStatus.REJECTED, worker.clock(), errors)
            _tell_failed(transaction, worker, ended)
    worker.tell_end(ended)


def _media_of(worker: Worker, write: Write) -> tuple[tuple[str, str], ...]:
    """(field, URL) of each remote file that the write names."""
    with worker.database.reading() as session:
        if write.kind is EntryKind.POST:
            return media_of_post(session, write)
        return media_of_fields(session, write)


def _make_sure(worker: Worker, files: Iterable[MediaFile]) -> None:
    """Of files that the entry names from now on (`MediaLibrary.have`). The write has ended, whatever comes of it."""
    for file in files:
        try:
            worker.library.have(file.name)
        except MediaUnusable as error:
            _log.warning("media_not_looked_for", media=file.name, problem=str(error))


def _change(transaction: Transaction, worker: Worker, write: Write, media: FetchedMedia) -> None:
    """The entry with its terms and search row, and what is told of it."""
    at = worker.clock()
    match write.kind:
        case EntryKind.POST:
            saved = apply_post(transaction, write, worker.settings, media, at)
        case EntryKind.PAGE:
            saved = apply_page(transaction, write, media, at)
        case EntryKind.ITEM:
            saved = apply_item(transaction, write, media, at)
    teller = _teller(transaction, worker, write)
    for locale, status in saved:
        tell_saved(transaction, write.kind, write.entry_id, locale, status, teller)


def _tell_failed(transaction: Transaction, worker: Worker, write: Write) -> None:
    """The write ended rejected or failed."""
    tell_write_failed(transaction, write, _teller(transaction, worker, write))


def _teller(transaction: Transaction, worker: Worker, write: Write) -> Teller:
    """With the name of the token that wrote."""
    editor = (find_token_name(transaction, write.token_id) if write.token_id else None) or SYSTEM
    return Teller(worker.settings.default_locale, worker.clock(), editor, write.id)
