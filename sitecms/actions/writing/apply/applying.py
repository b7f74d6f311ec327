"""Steps by which a worker applies a write. A worker may be killed at each of them: the write is applied once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta

import structlog
from msgspec import Struct, field

from sitecms.actions.writing.apply.application import application_of, html_reader
from sitecms.actions.writing.apply.fetching import (
    MEGABYTE,
    FetchJob,
    FetchMedia,
    FetchQueueFull,
    MediaUnavailable,
    StartFetching,
    fetch_now,
    remember_media,
)
from sitecms.actions.writing.apply.remote_media import errors_of_media, media_to_fetch
from sitecms.actions.writing.apply.save import prepare_body, save_entries
from sitecms.actions.writing.entry_events import (
    SYSTEM,
    EventCause,
    record_saved,
    record_unpublished,
    record_write_failed,
)
from sitecms.actions.writing.request_media import FetchedMedia
from sitecms.clock import Clock, format_timestamp
from sitecms.content.entry import Entry
from sitecms.content.media import MediaFile
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.status import Status
from sitecms.content.writes import Unreadable, Write, WriteStatus
from sitecms.errors import InvalidFields, MediaUnusable, NotFound, StoreUnusable
from sitecms.media.fetching.fetch import Budget
from sitecms.media.library import MediaLibrary
from sitecms.messages import text_of
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.users import find_user_name
from sitecms.store.database import Database, Transaction
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.maintenance.metrics import WRITE, Metrics
from sitecms.store.writes.tokens import find_token_name
from sitecms.store.writes.writes import (
    ClaimLost,
    claim,
    finish,
    is_waiting,
    postpone,
    release,
    release_uncounted,
    time_of_change,
)

STEPS = ("claimed", "fetched", "fenced", "applied", "committed")
SHORTEST_PAUSE = timedelta(seconds=1)
LONGEST_PAUSE = timedelta(minutes=1)
IsEnding = Callable[[], bool]
_log = structlog.get_logger("sitecms.writes")


class Worker(Struct, frozen=True):
    """Dependencies of applying writes. `owner` is the name of the worker; `step` is called at each of STEPS.

    `is_alive` returns whether the worker of an owner's name runs. `fetch` takes one remote file into the library;
    `start_fetching` decides in which thread.
    """

    database: Database
    settings: SiteSettings
    library: MediaLibrary
    fetch: FetchMedia
    clock: Clock
    owner: str
    is_alive: Callable[[str], bool]
    step: Callable[[str], None] = lambda _name: None
    start_fetching: StartFetching = fetch_now
    metrics: Metrics = field(default_factory=Metrics)

    def report_end(self, write: Write) -> None:
        """Count and log an ended write, after the commit."""
        taken = (write.finished_at or write.accepted_at) - write.accepted_at
        self.metrics.observe(WRITE, taken.total_seconds(), write.status.value)
        log = _log.warning if write.status is WriteStatus.FAILED else _log.info
        errors = {"errors": write.errors} if write.errors else {}
        log(f"write_{write.status}", write=write.id, kind=write.kind.value, attempt=write.attempt, **errors)


def apply_entry(worker: Worker, entry_key: str, is_ending: IsEnding = lambda: False) -> int:
    """Apply the open writes to one entry in the order of acceptance; return how many were applied or rejected.

    Stops at a write that another worker holds, that fails (the next sweep retries it) or that waits for remote media
    (the thread that fetches them continues), and when the worker is to end.
    """
    count = 0
    while not is_ending():
        if count and not _is_waiting(worker, entry_key):
            break
        write = _claim(worker, entry_key)
        if write is None:
            break
        worker.step("claimed")
        if not _begin(worker, write, is_ending):
            break
        count += 1
    return count


def _claim(worker: Worker, entry_key: str) -> Write | None:
    """Claim the oldest open write to the entry; return None if there is none or another worker holds it."""
    failed_writes: list[Write] = []
    with worker.database.writing(counts_as_change=False, is_durable=False) as transaction:
        at = worker.clock()
        write = claim(transaction, entry_key, worker.owner, worker.is_alive, at, failed_writes.append)
        for failed in failed_writes:
            _record_failed(transaction, worker, failed)
    for failed in failed_writes:
        worker.report_end(failed)
    return write


def _begin(worker: Worker, write: Write, is_ending: IsEnding) -> bool:
    """Apply a claimed write, or start to fetch its remote media; return whether it has ended."""

    def act() -> bool:
        if isinstance(write.payload, Unreadable):
            return _end_unapplied(worker, write, WriteStatus.FAILED, {"detail": [write.payload.problem]})
        named = _media_of(worker, write)
        if not named:
            return _apply(worker, write, {})
        limits = worker.settings.media
        job = FetchJob(named, worker.fetch, Budget(limits.fetch_seconds, limits.fetch_mb * MEGABYTE))
        is_done = worker.start_fetching(job, lambda: _continue(worker, write, job, is_ending))
        return is_done and _apply(worker, write, job.result())

    return _reject_or_release(worker, write, act)


def _continue(worker: Worker, write: Write, job: FetchJob, is_ending: IsEnding) -> None:
    """Apply a write whose media are fetched, then the later writes to the same entry."""
    if not is_ending() and _reject_or_release(worker, write, lambda: _apply(worker, write, job.result())):
        apply_entry(worker, write.entry_key, is_ending)


def _is_waiting(worker: Worker, entry_key: str) -> bool:
    """Return whether the entry has an open write, read without the writer lock."""
    return worker.database.read(is_waiting, entry_key)


def _reject_or_release(worker: Worker, write: Write, act: Callable[[], bool]) -> bool:
    """Return the result of `act`, whether the write has ended. If it raises, reject or release the write."""
    try:
        return act()
    except (InvalidFields, NotFound) as error:
        errors = error.messages if isinstance(error, InvalidFields) else {"detail": [text_of(error)]}
        return _reject_or_release(worker, write, lambda: _end_unapplied(worker, write, WriteStatus.REJECTED, errors))
    except ClaimLost:
        _log.info("claim_lost", write=write.id)
    except FetchQueueFull:
        _release(worker, write, release_uncounted)
    except (MediaUnusable, StoreUnusable) as error:
        waits_for = "store" if isinstance(error, StoreUnusable) else "media"
        _log.warning(f"write_waits_for_{waits_for}", write=write.id, problem=str(error))
        _release(worker, write, release_uncounted)
    except MediaUnavailable as error:
        unavailable = error
        return _reject_or_release(worker, write, lambda: _end_or_postpone(worker, write, unavailable))
    except Exception as error:  # noqa: BLE001 - the error of one write must not end the worker
        _log.warning("write_postponed", write=write.id, attempt=write.attempt, exc_info=error)
        _release(worker, write, release)
    return False


def _end_or_postpone(worker: Worker, write: Write, error: MediaUnavailable) -> bool:
    """Reject the write, or try it again later, or let it fail after a time; return whether it has ended.

    Pauses grow from a second to a minute; a host that asks for more time gets it (API reference, Writes).
    """
    at = worker.clock()
    since = write.failing_since or at
    status = WriteStatus.REJECTED
    if error.wait_seconds is not None:
        pause = timedelta(seconds=error.wait_seconds)
        until = at + max(pause, min(max(at - since, SHORTEST_PAUSE), LONGEST_PAUSE))
        if until <= since + timedelta(minutes=worker.settings.media.retry_minutes):
            _log.warning("write_postponed", write=write.id, until=format_timestamp(until), problem=str(error))
            with worker.database.writing(counts_as_change=False, is_durable=False) as transaction:
                postpone(transaction, write, worker.owner, until, since)
            return False
        status = WriteStatus.FAILED
    errors = worker.database.read(errors_of_media, write, worker.settings, error.problems)
    return _end_unapplied(worker, write, status, errors)


def _release(worker: Worker, write: Write, release_claim: Callable[[Transaction, Write, str], None]) -> None:
    """Release the claim. The commit is not durable, since the disk may be the problem."""
    with worker.database.writing(counts_as_change=False, is_durable=False) as transaction:
        release_claim(transaction, write, worker.owner)


def _apply(worker: Worker, write: Write, fetched: Mapping[str, MediaFile]) -> bool:
    """Change the entry and end the write in one transaction. Return True."""
    worker.step("fetched")
    with worker.database.reading() as session:
        media = FetchedMedia(session, fetched)
        body = prepare_body(application_of(write, worker.settings, media, worker.clock()), media)
    with worker.database.writing() as transaction:
        media.session = transaction
        ended = finish(transaction, write, worker.owner, WriteStatus.APPLIED, worker.clock())
        worker.step("fenced")
        remember_media(transaction, media)
        cause = _event_cause(transaction, worker, write)
        ended_live = _live_versions(transaction, write) if write.save.unpublishes else ()
        html = html_reader(write, media)
        at = time_of_change(transaction, write, worker.clock())
        application = application_of(write, worker.settings, media, at, html)
        saved = save_entries(transaction, application, body, _change_cause(write, cause.editor))
        for live in ended_live:
            record_unpublished(transaction, live, cause)
        for entry_id, locale, status in saved:
            record_saved(transaction, write.kind, entry_id, locale, status, cause)
        worker.step("applied")
    worker.step("committed")
    _verify_files(worker, fetched.values())
    worker.report_end(ended)
    return True


def _live_versions(transaction: Transaction, write: Write) -> tuple[Entry, ...]:
    """Return the published versions of a page or item in the locales of a write, which are going to end."""
    locales = {locale for sent in write.entries for locale in sent.fields}
    return tuple(
        entry
        for entry in VERSIONS[write.kind].of(transaction, (write.entry_id,))
        if entry.locale in locales and entry.status is Status.PUBLISHED
    )


def _end_unapplied(worker: Worker, write: Write, status: WriteStatus, errors: Mapping[str, Sequence[str]]) -> bool:
    """End the write as rejected or failed. Return True."""
    with worker.database.writing(counts_as_change=False) as transaction:
        ended = finish(transaction, write, worker.owner, status, worker.clock(), errors)
        _record_failed(transaction, worker, ended)
    worker.report_end(ended)
    return True


def _media_of(worker: Worker, write: Write) -> tuple[str, ...]:
    """Return the URL of each remote file that is to be fetched."""
    return worker.database.read(media_to_fetch, write, worker.settings)


def _verify_files(worker: Worker, files: Iterable[MediaFile]) -> None:
    """Verify that the library has the fetched files (`MediaLibrary.have`); the write has ended already."""
    for file in files:
        try:
            worker.library.storage.have(file.name)
        except MediaUnusable as error:
            _log.warning("media_not_verified", media=file.name, problem=str(error))


def _record_failed(transaction: Transaction, worker: Worker, write: Write) -> None:
    """Record the event of a write that was rejected or failed."""
    record_write_failed(transaction, write, _event_cause(transaction, worker, write))


def _event_cause(transaction: Transaction, worker: Worker, write: Write) -> EventCause:
    """Return the cause of the events of a write, with the name of its token or user."""
    named = find_token_name(transaction, write.token_id) if write.token_id else None
    named = find_user_name(transaction, write.user_id) if write.user_id else named
    return EventCause(worker.settings.default_locale, worker.clock(), named or SYSTEM, write.id)


def _change_cause(write: Write, name: str) -> ChangeCause:
    """Return the cause of a write for the history of its entry."""
    source = ChangeSource.USER if write.user_id else ChangeSource.TOKEN if write.token_id else ChangeSource.COMMAND
    return ChangeCause(source, name, write.save.change_kind)
