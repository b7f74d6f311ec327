"""Accepted writes: stored before they are answered, claimed by one worker at a time, ended once.

Only the oldest open write of an entry can be claimed, so that writes are applied in the order they were accepted; one
whose remote media could not be fetched is claimed again after a pause (`postpone`).
Owner and attempt are a fencing token: a worker that lost its claim cannot end the write.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from msgspec.structs import asdict, replace

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import EntryKind
from sitecms.content.query import Results, Window
from sitecms.content.writes import IdempotencyKey, Operation, Payload, Write, WriteStatus, WriteWarning, WriteWarnings
from sitecms.errors import Conflict, NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.writes.payloads import decode_payload, encode_payload

MAX_ATTEMPTS = 5
PRUNED_AT_ONCE = 1000
GAVE_UP = "Given up: it crashed its worker, or failed unexpectedly, five times. Try again: sitecms writes retry."
_SELECT = """
SELECT id, sequence, kind, operation, entry_key, entry_id, payload_json, status, attempt, errors_json, accepted_at,
 finished_at, token_id, warnings_json, user_id, failing_since, owner, not_before FROM write """
_FIRST_OPEN = f"{_SELECT} WHERE entry_key = ? AND status = 'accepted' ORDER BY sequence LIMIT 1"
_OPEN_ENTRIES = """
SELECT id, coalesce(owner, ''), sequence FROM write AS mine WHERE status = 'accepted' AND sequence > ? AND sequence =
 (SELECT min(sequence) FROM write WHERE entry_key = mine.entry_key AND status = 'accepted')
AND coalesce(not_before, 0) <= ? ORDER BY sequence LIMIT ?"""
_LATER = f"""
{_SELECT} WHERE kind = ? AND sequence > ? AND status IN ('accepted', 'applied') ORDER BY sequence LIMIT 500"""
_OPEN_OF_ENTRY = "WHERE kind = ? AND entry_id = ? AND status = 'accepted'"
_OF_RESERVED_ITEM = f"{_SELECT} WHERE id = (SELECT write_id FROM reservation WHERE kind = 'item' AND name = ?)"
_INSERT = """
INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, token_id, user_id, idempotency_key,
 idempotency_digest, attempt, errors_json, warnings_json, accepted_at, finished_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '{}', ?, ?, ?)
"""
_END = """
UPDATE write SET status = ?, errors_json = ?, finished_at = ?, owner = NULL
WHERE id = ? AND status = 'accepted' AND owner IS NOT DISTINCT FROM ? AND attempt = ? RETURNING id"""

_PRUNE = f"""
DELETE FROM write WHERE id IN (SELECT id FROM write
 WHERE status IN ('applied', 'rejected') AND finished_at < ? LIMIT {PRUNED_AT_ONCE}) RETURNING 1"""


class ClaimLost(Exception):
    """The write has ended, or another worker holds it now: the transaction must be rolled back."""


def _write(row: tuple[Any, ...]) -> Write:
    return Write(
        id=row[0],
        sequence=row[1],
        kind=EntryKind(row[2]),
        operation=Operation(row[3]),
        entry_key=row[4],
        entry_id=row[5],
        payload=decode_payload(row[6], EntryKind(row[2]), Operation(row[3]), row[5]),
        status=WriteStatus(row[7]),
        attempt=row[8],
        errors=orjson.loads(row[9]),
        accepted_at=from_microseconds(row[10]),
        finished_at=None if row[11] is None else from_microseconds(row[11]),
        token_id=row[12],
        warnings=_warnings(row[13]) if row[7] == WriteStatus.APPLIED else WriteWarnings(),
        user_id=row[14],
        failing_since=None if row[15] is None else from_microseconds(row[15]),
    )


def _warnings(text: str) -> WriteWarnings:
    data = orjson.loads(text)
    shown = tuple(WriteWarning(**warning) for warning in data.get("shown", ()))
    return WriteWarnings(shown, data.get("left_out", 0))


def insert_write(transaction: Transaction, write: Write, key: IdempotencyKey | None = None) -> None:
    """Insert a new write. The store gives it its `sequence`."""
    transaction.sql(
        _INSERT,
        write.id, write.kind.value, write.operation.value, write.entry_key, write.entry_id,
        encode_payload(write.payload), write.status.value, write.token_id, write.user_id,
        key.name if key else None, key.digest if key else None,
        orjson.dumps(write.warnings, default=asdict).decode() if write.warnings.shown else "{}",
        to_microseconds(write.accepted_at),
        to_microseconds(write.finished_at) if write.finished_at else None,
    )  # fmt: skip


def get_write(session: Session, write_id: str) -> Write:
    """Return the write with this id. Raises NotFound."""
    row = session.sql_row(f"{_SELECT} WHERE id = ?", write_id)
    if row is None:
        raise NotFound("Not found.")
    return _write(row)


def find_writes(session: Session, status: WriteStatus | None, limit: int) -> tuple[Write, ...]:
    """Return the newest writes of a status (None: of any), newest first."""
    wanted, values = ("WHERE status = ?", (status.value,)) if status else ("", ())
    rows = session.sql(f"{_SELECT} {wanted} ORDER BY sequence DESC LIMIT ?", *values, limit)
    return tuple(map(_write, rows))


def find_unapplied(session: Session, user_id: int | None, window: Window) -> Results[Write]:
    """Return the writes that are open, rejected or failed, the last accepted first; of one user, or of all (None)."""
    wanted = "status IN ('accepted', 'rejected', 'failed')"
    values: tuple[int, ...] = ()
    if user_id is not None:
        wanted, values = wanted + " AND user_id = ?", (user_id,)
    count = int(session.sql(f"SELECT count(*) FROM write WHERE {wanted}", *values)[0][0])
    statement = f"{_SELECT} WHERE {wanted} ORDER BY sequence DESC LIMIT ? OFFSET ?"
    return Results(count, tuple(map(_write, session.sql(statement, *values, window.limit, window.offset))))


def find_repeated(session: Session, token_id: int, name: str) -> tuple[Write, str] | None:
    """Return the write that the token made with this idempotency key, and the digest of its request."""
    statement = f"{_SELECT.replace(', owner', ', idempotency_digest')} WHERE token_id = ? AND idempotency_key = ?"
    row = session.sql_row(statement, token_id, name)
    return (_write(row), str(row[16])) if row else None


def find_creation(session: Session, kind: EntryKind, entry_id: int) -> Write | None:
    """Return the open write that will create this entry, or None."""
    if kind is EntryKind.ITEM:
        row = session.sql_row(_OF_RESERVED_ITEM, str(entry_id))
    else:
        row = session.sql_row(f"{_SELECT} {_OPEN_OF_ENTRY} AND operation = 'create'", kind.value, entry_id)
    return _write(row) if row else None


def find_open(session: Session, kind: EntryKind, entry_id: int) -> tuple[Write, ...]:
    """Return the open writes that create or change this entry, in the order they were accepted."""
    rows = session.sql(f"{_SELECT} {_OPEN_OF_ENTRY} ORDER BY sequence", kind.value, entry_id)
    open_writes = {write.id: write for write in map(_write, rows) if entry_id in write.entry_ids}
    creation = find_creation(session, kind, entry_id)
    if creation is None or creation.id in open_writes:
        return tuple(open_writes.values())
    return (creation, *open_writes.values())


def find_newer(session: Session, write: Write) -> tuple[Write, ...]:
    """Return the writes to the same entries that were accepted later and are open or applied, oldest first.

    Reads a few hundred writes at a time, since all later ones may be compared.
    """
    entry_ids, newer, last = set(write.entry_ids), [], write.sequence
    while rows := session.sql(_LATER, write.kind.value, last):
        writes = list(map(_write, rows))
        newer += [each for each in writes if not entry_ids.isdisjoint(each.entry_ids)]
        last = writes[-1].sequence
    return tuple(newer)


def is_waiting(session: Session, entry_key: str) -> bool:
    """Return whether a write to the entry is accepted and not ended."""
    return session.sql_row(_FIRST_OPEN, entry_key) is not None


class OpenEntry(NamedTuple):
    """Oldest open write of an entry. `owner` is "" if no worker has claimed it."""

    write_id: str
    owner: str
    sequence: int


def open_entries(session: Session, at: datetime, limit: int, after: int = 0) -> tuple[OpenEntry, ...]:
    """Return the oldest open write of each entry whose sequence is greater than `after`, oldest first.

    Entries whose oldest write pauses at that time are left out.
    """
    return tuple(OpenEntry(*row) for row in session.sql(_OPEN_ENTRIES, after, to_microseconds(at), limit))


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
    while row := transaction.sql_row(_FIRST_OPEN, entry_key):
        write, holder, not_before = _write(row), row[16], row[17]
        if (holder and is_alive(holder)) or to_microseconds(at) < (not_before or 0):
            return None
        if write.attempt < MAX_ATTEMPTS:
            transaction.sql("UPDATE write SET owner = ?, attempt = attempt + 1 WHERE id = ?", owner, write.id)
            return replace(write, attempt=write.attempt + 1)
        gave_up(finish(transaction, write, holder, WriteStatus.FAILED, at, {"detail": [GAVE_UP]}))
    return None


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
    text = orjson.dumps(dict(errors or {})).decode()
    ended = transaction.sql(_END, status.value, text, to_microseconds(at), write.id, owner, write.attempt)
    if not ended:
        raise ClaimLost(write.id)
    transaction.sql("DELETE FROM reservation WHERE write_id = ?", write.id)
    ended_errors = {name: list(texts) for name, texts in (errors or {}).items()}
    return replace(write, status=status, errors=ended_errors, finished_at=at)


def release(transaction: Transaction, write: Write, owner: str) -> None:
    """Release a claim; the attempt counts. A lost claim is left alone."""
    statement = "UPDATE write SET owner = NULL WHERE id = ? AND status = 'accepted' AND owner = ? AND attempt = ?"
    transaction.sql(statement, write.id, owner, write.attempt)


def release_uncounted(transaction: Transaction, write: Write, owner: str) -> None:
    """Release a claim without counting the attempt, because the reason it failed is not in the write."""
    statement = """UPDATE write SET owner = NULL, attempt = attempt - 1
    WHERE id = ? AND status = 'accepted' AND owner = ? AND attempt = ?"""
    transaction.sql(statement, write.id, owner, write.attempt)


def postpone(transaction: Transaction, write: Write, owner: str, until: datetime, failing_since: datetime) -> None:
    """Release a claim without counting the attempt; nobody claims the write before then. A lost claim is left alone."""
    statement = """UPDATE write SET owner = NULL, attempt = attempt - 1, not_before = ?, failing_since = ?
    WHERE id = ? AND status = 'accepted' AND owner = ? AND attempt = ?"""
    times = to_microseconds(until), to_microseconds(failing_since)
    transaction.sql(statement, *times, write.id, owner, write.attempt)


def release_all(transaction: Transaction, owner: str) -> None:
    """Release all writes that the owner holds without counting the attempts, for a worker that stops."""
    transaction.sql(
        "UPDATE write SET owner = NULL, attempt = attempt - 1 WHERE status = 'accepted' AND owner = ?", owner
    )


def cancel(transaction: Transaction, write: Write, reason: str, at: datetime) -> Write:
    """Reject an open write and return it as it is now. A worker that is applying it loses its claim."""
    owner = transaction.sql("SELECT owner FROM write WHERE id = ?", write.id)[0][0]
    return finish(transaction, write, owner, WriteStatus.REJECTED, at, {"detail": [reason]})


def replace_payload(transaction: Transaction, write: Write, payload: Payload) -> None:
    """Change the request of an open write. A worker that is applying it loses its claim."""
    transaction.sql("UPDATE write SET payload_json = ?, owner = NULL WHERE id = ?", encode_payload(payload), write.id)


def reopen(transaction: Transaction, write_id: str) -> Write:
    """Accept a rejected or failed write again, at its former place in the order. Raises NotFound, Conflict."""
    write = get_write(transaction, write_id)
    if write.status not in (WriteStatus.REJECTED, WriteStatus.FAILED):
        raise Conflict("status", f"Write {write_id} is {write.status}; only rejected and failed ones are retried.")
    waiting = find_open(transaction, write.kind, write.entry_id) if write.kind is EntryKind.ITEM else ()
    entry_key = waiting[0].entry_key if waiting else write.entry_key
    again = """UPDATE write SET status = 'accepted', attempt = 0, errors_json = '{}', finished_at = NULL, entry_key = ?,
    not_before = NULL, failing_since = NULL WHERE id = ?"""
    transaction.sql(again, entry_key, write_id)
    return get_write(transaction, write_id)


def prune_writes(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE writes that were applied or rejected before then, and return their number.

    Failed writes are kept for people.
    """
    return len(transaction.sql(_PRUNE, to_microseconds(before)))
