"""Accepted writes: stored before they are answered, claimed by one worker at a time, ended once.

Only the oldest open write of an entry can be claimed, so that writes are applied in the order they were accepted; one
whose remote media could not be fetched is claimed again after a pause (`postpone`).
Owner and attempt are a fencing token: a worker that lost its claim cannot end the write.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import convert, to_builtins
from msgspec.structs import replace
from peewee import Expression, fn

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.query import Results, Window
from sitecms.content.writes import IdempotencyKey, Operation, Payload, Write, WriteStatus, WriteWarnings
from sitecms.errors import Conflict, NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.models.writes import IS_OPEN, ReservationRow, WriteRow
from sitecms.store.prepared import prepared
from sitecms.store.writes.payloads import decode_payload, encode_payload

MAX_ATTEMPTS = 5
PRUNED_AT_ONCE = 1000
GAVE_UP = "Given up: it crashed its worker, or failed unexpectedly, five times. Try again: sitecms writes retry."
_COLUMNS = [getattr(WriteRow, name) for name in Write.__struct_fields__]
_UNAPPLIED = (WriteStatus.ACCEPTED, WriteStatus.REJECTED, WriteStatus.FAILED)
_LATER_AT_ONCE = 500
_NEWEST = 64  # writes that may end within one second, with those that are open


class ClaimLost(Exception):
    """The write has ended, or another worker holds it now: the transaction must be rolled back."""


@prepared
def _by_id(write_id: str) -> Any:
    return WriteRow.select(*_COLUMNS).where(WriteRow.id == write_id)


@prepared
def _by_idempotency_key(token_id: int, name: str) -> Any:
    is_match = (WriteRow.token_id == token_id) & (WriteRow.idempotency_key == name)
    return WriteRow.select(*_COLUMNS, WriteRow.idempotency_digest).where(is_match)


@prepared
def _first_open(entry_key: str) -> Any:
    writes = WriteRow.select(*_COLUMNS, WriteRow.owner, WriteRow.not_before)
    return writes.where(WriteRow.entry_key == entry_key, IS_OPEN).order_by(WriteRow.sequence).limit(1)


@prepared
def _open_of_entry(kind: EntryKind, entry_id: int) -> Any:
    is_match = (WriteRow.kind == kind) & (WriteRow.entry_id == entry_id)
    return WriteRow.select(*_COLUMNS).where(is_match, IS_OPEN).order_by(WriteRow.sequence)


@prepared
def _creation(kind: EntryKind, entry_id: int) -> Any:
    is_match = (WriteRow.kind == kind) & (WriteRow.entry_id == entry_id) & (WriteRow.operation == Operation.CREATE)
    return WriteRow.select(*_COLUMNS).where(is_match, IS_OPEN)


@prepared
def _creation_of_id(kind: EntryKind, entry_id: str) -> Any:
    is_match = (ReservationRow.kind == kind) & (ReservationRow.name == entry_id)
    return WriteRow.select(*_COLUMNS).where(
        WriteRow.id == ReservationRow.select(ReservationRow.write_id).where(is_match)
    )


@prepared
def _open_entries(after: int, at: datetime, limit: int) -> Any:
    other = WriteRow.alias()
    first = other.select(fn.MIN(other.sequence)).where(other.entry_key == WriteRow.entry_key, IS_OPEN)
    is_due = WriteRow.not_before.is_null() | (WriteRow.not_before <= at)
    writes = WriteRow.select(WriteRow.id, fn.COALESCE(WriteRow.owner, ""), WriteRow.sequence)
    is_first = (WriteRow.sequence > after) & (WriteRow.sequence == first)
    return writes.where(IS_OPEN, is_first, is_due).order_by(WriteRow.sequence).limit(limit)


@prepared
def _claim(write_id: str, owner: str) -> Any:
    return WriteRow.update(owner=owner, attempt=WriteRow.attempt + 1).where(WriteRow.id == write_id)


@prepared
def _end(write: Write, owner: str | None, status: WriteStatus, errors: Mapping[str, list[str]], at: datetime) -> Any:
    ended = WriteRow.update(status=status, errors=errors, finished_at=at, owner=None)
    is_held = Expression(WriteRow.owner, "IS NOT DISTINCT FROM", owner) & (WriteRow.attempt == write.attempt)
    return ended.where(WriteRow.id == write.id, IS_OPEN, is_held)


@prepared
def _release_names(write_id: str) -> Any:
    return ReservationRow.delete().where(ReservationRow.write_id == write_id)


def _write(row: tuple[Any, ...]) -> Write:
    values = dict(zip(Write.__struct_fields__, row, strict=False))
    is_applied = values["status"] is WriteStatus.APPLIED
    values["payload"] = decode_payload(values["payload"])
    values["warnings"] = convert(values["warnings"], WriteWarnings) if is_applied else WriteWarnings()
    return Write(**values)


def insert_write(transaction: Transaction, write: Write, key: IdempotencyKey | None = None) -> None:
    """Insert a new write. The store gives it its `sequence`."""
    row = {name: getattr(write, name) for name in Write.__struct_fields__ if name != "sequence"}
    row["payload"] = encode_payload(write.payload)
    row["warnings"] = to_builtins(write.warnings) if write.warnings.shown else {}
    row["idempotency_key"], row["idempotency_digest"] = (key.name, key.digest) if key else (None, None)
    transaction.insert(WriteRow, row)


def get_write(session: Session, write_id: str) -> Write:
    """Return the write with this id. Raises NotFound."""
    row = session.row(_by_id(write_id))
    if row is None:
        raise NotFound("Not found.")
    return _write(row)


def find_writes(session: Session, status: WriteStatus | None, limit: int) -> tuple[Write, ...]:
    """Return the newest writes of a status (None: of any), newest first."""
    writes = WriteRow.select(*_COLUMNS).order_by(WriteRow.sequence.desc()).limit(limit)
    return tuple(map(_write, session.rows(writes.where(WriteRow.status == status) if status else writes)))


def find_unapplied(session: Session, user_id: int | None, window: Window) -> Results[Write]:
    """Return the writes that are open, rejected or failed, the last accepted first; of one user, or of all (None)."""
    writes = WriteRow.select(*_COLUMNS).where(WriteRow.status.in_(_UNAPPLIED))
    if user_id is not None:
        writes = writes.where(WriteRow.user_id == user_id)
    newest = writes.order_by(WriteRow.sequence.desc()).limit(window.limit).offset(window.offset)
    return Results(session.count(writes), tuple(map(_write, session.rows(newest))))


def find_failed(session: Session, since: datetime, limit: int) -> Results[Write]:
    """Return the writes that failed since then, the first of them first, and their number."""
    failed = WriteRow.select(*_COLUMNS).where(WriteRow.status == WriteStatus.FAILED, WriteRow.finished_at >= since)
    some = failed.order_by(WriteRow.sequence).limit(limit)
    return Results(session.count(failed), tuple(map(_write, session.rows(some))))


def find_repeated(session: Session, token_id: int, name: str) -> tuple[Write, str] | None:
    """Return the write that the token made with this idempotency key, and the digest of its request."""
    row = session.row(_by_idempotency_key(token_id, name))
    return (_write(row), str(row[-1])) if row else None


def find_creation(session: Session, kind: EntryKind, entry_id: int) -> Write | None:
    """Return the open write that will create this entry, or None."""
    creates_several = KINDS[kind].creates_several  # the write has the id of the first one
    row = session.row(_creation_of_id(kind, str(entry_id)) if creates_several else _creation(kind, entry_id))
    return _write(row) if row else None


def find_creator(session: Session, kind: EntryKind, entry_id: int) -> tuple[int | None, int | None] | None:
    """Return the ids of user and token of the write that created an entry, or None once that was removed."""
    is_match = (WriteRow.kind == kind) & (WriteRow.entry_id == entry_id) & (WriteRow.operation == Operation.CREATE)
    row = session.row(WriteRow.select(WriteRow.user_id, WriteRow.token_id).where(is_match).order_by(WriteRow.sequence))
    return (row[0], row[1]) if row else None


def find_open(session: Session, kind: EntryKind, entry_id: int) -> tuple[Write, ...]:
    """Return the open writes that create or change this entry, in the order they were accepted."""
    writes = map(_write, session.rows(_open_of_entry(kind, entry_id)))
    open_writes = {write.id: write for write in writes if entry_id in write.entry_ids}
    creation = find_creation(session, kind, entry_id)
    if creation is None or creation.id in open_writes:
        return tuple(open_writes.values())
    return (creation, *open_writes.values())


def find_newer(session: Session, write: Write) -> tuple[Write, ...]:
    """Return the writes to the same entries that were accepted later and are open or applied, oldest first.

    Reads a few hundred writes at a time, since all later ones may be compared.
    """
    entry_ids, newer, last = set(write.entry_ids), [], write.sequence
    is_match = (WriteRow.kind == write.kind) & WriteRow.status.in_((WriteStatus.ACCEPTED, WriteStatus.APPLIED))
    later = WriteRow.select(*_COLUMNS).where(is_match).order_by(WriteRow.sequence).limit(_LATER_AT_ONCE)
    while rows := session.rows(later.where(WriteRow.sequence > last)):
        writes = list(map(_write, rows))
        newer += [each for each in writes if not entry_ids.isdisjoint(each.entry_ids)]
        last = writes[-1].sequence
    return tuple(newer)


def is_waiting(session: Session, entry_key: str) -> bool:
    """Return whether a write to the entry is accepted and not ended."""
    return session.row(_first_open(entry_key)) is not None


class OpenEntry(NamedTuple):
    """Oldest open write of an entry. `owner` is "" if no worker has claimed it."""

    write_id: str
    owner: str
    sequence: int


def open_entries(session: Session, at: datetime, limit: int, after: int = 0) -> tuple[OpenEntry, ...]:
    """Return the oldest open write of each entry whose sequence is greater than `after`, oldest first.

    Entries whose oldest write pauses at that time are left out.
    """
    return tuple(OpenEntry(*row) for row in session.rows(_open_entries(after, at, limit)))


def claim(
    transaction: Transaction,
    entry_key: str,
    owner: str,
    is_alive: Callable[[str], bool],
    at: datetime,
    gave_up: Callable[[Write], None] = lambda _write: None,
) -> Write | None:
    """Claim the oldest open write of the entry; return None if there is none, it pauses, or a living owner holds it.

    A write that was tried five times without an end fails and is passed to `gave_up`, so that it does not block those
    behind it.
    """
    while row := transaction.row(_first_open(entry_key)):
        *_values, holder, not_before = row
        write = _write(row)
        if (holder and is_alive(holder)) or (not_before and at < not_before):
            return None
        if write.attempt < MAX_ATTEMPTS:
            transaction.run(_claim(write.id, owner))
            return replace(write, attempt=write.attempt + 1)
        gave_up(finish(transaction, write, holder, WriteStatus.FAILED, at, {"detail": [GAVE_UP]}))
    return None


@prepared
def _ended_since(write_id: str, since: datetime) -> Any:
    newest = WriteRow.alias()
    first = newest.select(fn.MAX(newest.sequence) - _NEWEST)
    is_other = (WriteRow.sequence > first) & (WriteRow.id != write_id)
    return WriteRow.select(WriteRow.id).where(is_other, WriteRow.finished_at >= since).limit(1)


def time_of_change(session: Session, write: Write, at: datetime) -> datetime:
    """Return the time that an entry has from a write: the whole second, as people write times in files.

    The exact time if another write ended in this second, so that entries keep the order in which they changed.
    """
    second = at.replace(microsecond=0)
    is_alone = second == at or session.row(_ended_since(write.id, second)) is None
    return second if is_alone else at


def finish(
    transaction: Transaction,
    write: Write,
    owner: str | None,
    status: WriteStatus,
    at: datetime,
    errors: Mapping[str, Sequence[str]] | None = None,
) -> Write:
    """End the write, remove its reservations, and return it as it is now.

    Raises ClaimLost unless the owner holds it in this attempt.
    """
    ended_errors = {name: list(texts) for name, texts in (errors or {}).items()}
    if not transaction.run(_end(write, owner, status, ended_errors, at)):
        raise ClaimLost(write.id)
    transaction.run(_release_names(write.id))
    return replace(write, status=status, errors=ended_errors, finished_at=at)


def _held(write: Write, owner: str) -> Any:
    """Return the condition of the write while the owner holds it in this attempt."""
    return (WriteRow.id == write.id) & IS_OPEN & (WriteRow.owner == owner) & (WriteRow.attempt == write.attempt)


def release(transaction: Transaction, write: Write, owner: str) -> None:
    """Release a claim; the attempt counts. A lost claim is left alone."""
    transaction.run(WriteRow.update(owner=None).where(_held(write, owner)))


def release_uncounted(transaction: Transaction, write: Write, owner: str) -> None:
    """Release a claim without counting the attempt, because the reason it failed is not in the write."""
    transaction.run(WriteRow.update(owner=None, attempt=WriteRow.attempt - 1).where(_held(write, owner)))


def postpone(transaction: Transaction, write: Write, owner: str, until: datetime, failing_since: datetime) -> None:
    """Release a claim without counting the attempt; nobody claims the write before then. A lost claim is left alone."""
    times = {"not_before": until, "failing_since": failing_since}
    transaction.run(WriteRow.update(owner=None, attempt=WriteRow.attempt - 1, **times).where(_held(write, owner)))


def release_all(transaction: Transaction, owner: str) -> None:
    """Release all writes that the owner holds without counting the attempts, for a worker that stops."""
    transaction.run(WriteRow.update(owner=None, attempt=WriteRow.attempt - 1).where(IS_OPEN, WriteRow.owner == owner))


def cancel(transaction: Transaction, write: Write, reason: str, at: datetime) -> Write:
    """Reject an open write and return it as it is now. A worker that is applying it loses its claim."""
    ((owner,),) = transaction.rows(WriteRow.select(WriteRow.owner).where(WriteRow.id == write.id))
    return finish(transaction, write, owner, WriteStatus.REJECTED, at, {"detail": [reason]})


def replace_payload(transaction: Transaction, write: Write, payload: Payload) -> None:
    """Change the request of an open write. A worker that is applying it loses its claim."""
    transaction.run(WriteRow.update(payload=encode_payload(payload), owner=None).where(WriteRow.id == write.id))


def reopen(transaction: Transaction, write_id: str) -> Write:
    """Accept a rejected or failed write again, at its former place in the order. Raises NotFound, Conflict."""
    write = get_write(transaction, write_id)
    if write.status not in (WriteStatus.REJECTED, WriteStatus.FAILED):
        raise Conflict("status", f"Write {write_id} is {write.status}; only rejected and failed ones are retried.")
    open_writes = find_open(transaction, write.kind, write.entry_id) if KINDS[write.kind].creates_several else ()
    entry_key = open_writes[0].entry_key if open_writes else write.entry_key
    times = {"finished_at": None, "not_before": None, "failing_since": None}
    reopened = WriteRow.update(status=WriteStatus.ACCEPTED, attempt=0, errors={}, entry_key=entry_key, **times)
    transaction.run(reopened.where(WriteRow.id == write_id))
    return get_write(transaction, write_id)


def prune_writes(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE writes that were applied or rejected before then, and return their number.

    Failed writes are kept for people.
    """
    is_old = WriteRow.status.in_((WriteStatus.APPLIED, WriteStatus.REJECTED)) & (WriteRow.finished_at < before)
    old = WriteRow.select(WriteRow.id).where(is_old).limit(PRUNED_AT_ONCE)
    return transaction.run(WriteRow.delete().where(WriteRow.id.in_(old)))
