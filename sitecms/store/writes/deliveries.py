"""Webhook deliveries: stored in the transaction of the event, claimed by one worker at a time.

A claim holds while its owner is alive (`store.writes.claims`), until its lease ends at the latest: then the delivery
is due again, so that none is lost with its worker. The number of the attempt is the fencing token: a worker that lost
its claim cannot settle the delivery.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import orjson

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.webhooks.event import EventKind
from sitecms.content.webhooks.webhook import Attempt, AttemptOutcome, Delivery, DeliveryStatus
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction

_COLUMNS = "id, webhook_id, event, payload_json, due_at, created_at, status, attempt, failures, finished_at, write_id"
_INSERT = f"INSERT INTO delivery ({_COLUMNS}) VALUES"
_MARKS = f"({', '.join('?' * 11)})"
_AT_ONCE = 50
PRUNED_AT_ONCE = 1000
_SELECT = f"SELECT {_COLUMNS} FROM delivery"
_DUE = """
SELECT webhook_id, count(*) FROM delivery JOIN webhook ON webhook.id = delivery.webhook_id
WHERE delivery.status = 'waiting' AND due_at <= ? AND webhook.disabled_at IS NULL
GROUP BY webhook_id ORDER BY min(due_at)"""
_CLAIM = f"""
UPDATE delivery SET attempt = attempt + 1, owner = ?, due_at = ? WHERE id =
 (SELECT delivery.id FROM delivery JOIN webhook ON webhook.id = delivery.webhook_id
  WHERE webhook_id = ? AND delivery.status = 'waiting' AND due_at <= ? AND webhook.disabled_at IS NULL
  ORDER BY due_at, delivery.rowid LIMIT 1)
RETURNING {_COLUMNS}"""
_SETTLE = """
UPDATE delivery SET status = ?, failures = ?, owner = NULL, due_at = ?, finished_at = ?
WHERE id = ? AND attempt = ? AND status = 'waiting' RETURNING id"""
_PUT_OFF = "WHERE status = 'waiting' AND owner IS NULL AND failures = ? AND due_at > ?"
_LOG = """
UPDATE delivery_attempt SET duration_ms = ?, http_status = ?, answer = ? WHERE delivery_id = ? AND attempt = ?"""
_REPLAY = "UPDATE delivery SET status = 'waiting', failures = 0, owner = NULL, due_at = ?, finished_at = NULL"
_PRUNE = f"""
DELETE FROM delivery WHERE id IN (SELECT id FROM delivery
 WHERE status IN ('delivered', 'failed') AND finished_at < ? LIMIT {PRUNED_AT_ONCE}) RETURNING 1"""


def _delivery(row: tuple[Any, ...]) -> Delivery:
    return Delivery(
        id=row[0],
        webhook_id=row[1],
        event=EventKind(row[2]),
        body=orjson.loads(row[3]),
        due_at=from_microseconds(row[4]),
        created_at=from_microseconds(row[5]),
        status=DeliveryStatus(row[6]),
        attempt=row[7],
        failures=row[8],
        finished_at=None if row[9] is None else from_microseconds(row[9]),
        write_id=row[10],
    )


def insert_deliveries(transaction: Transaction, deliveries: Iterable[Delivery]) -> int:
    """Insert new deliveries, to be sent in this order after the commit, and return their number."""
    count, source = 0, iter(deliveries)
    while some := tuple(islice(source, _AT_ONCE)):
        marks = ", ".join([_MARKS] * len(some))
        transaction.sql(f"{_INSERT} {marks}", *(value for delivery in some for value in _values(delivery)))
        count += len(some)
    return count


def _values(delivery: Delivery) -> tuple[object, ...]:
    return (
        delivery.id, delivery.webhook_id, delivery.event.value, orjson.dumps(delivery.body).decode(),
        to_microseconds(delivery.due_at), to_microseconds(delivery.created_at), delivery.status.value,
        delivery.attempt, delivery.failures, None, delivery.write_id,
    )  # fmt: skip


def due_webhooks(session: Session, at: datetime) -> tuple[tuple[int, int], ...]:
    """Return (webhook id, number of due deliveries) of each webhook that has any, the longest waiting first."""
    return tuple((row[0], row[1]) for row in session.sql(_DUE, to_microseconds(at)))


def claim_delivery(
    transaction: Transaction, webhook_id: int, owner: str, at: datetime, lease: timedelta
) -> Delivery | None:
    """Claim the delivery of a webhook that is due the longest and log the attempt; return None if none is due."""
    rows = transaction.sql(_CLAIM, owner, to_microseconds(at + lease), webhook_id, to_microseconds(at))
    if not rows:
        return None
    delivery = _delivery(rows[0])
    transaction.sql(
        "INSERT INTO delivery_attempt (delivery_id, attempt, started_at, answer) VALUES (?, ?, ?, '')",
        delivery.id, delivery.attempt, to_microseconds(at),
    )  # fmt: skip
    return delivery


def delivery_owners(session: Session) -> tuple[str, ...]:
    """Return the owners of all claimed deliveries, alive or not."""
    return tuple(row[0] for row in session.sql("SELECT DISTINCT owner FROM delivery WHERE owner IS NOT NULL"))


def release_deliveries(transaction: Transaction, owner: str, at: datetime) -> None:
    """Release all deliveries of an owner that is gone, and make them due now."""
    statement = "UPDATE delivery SET owner = NULL, due_at = ? WHERE owner = ? AND status = 'waiting'"
    transaction.sql(statement, to_microseconds(at), owner)


def wait_too_long(session: Session, at: datetime, waits: Sequence[float]) -> bool:
    """Return whether a delivery waits longer than its failures allow, because a clock ran ahead when it was put off."""
    return any(session.sql(f"SELECT 1 FROM delivery {_PUT_OFF} LIMIT 1", *late) for late in _latest(at, waits))


def correct_waits(transaction: Transaction, at: datetime, waits: Sequence[float]) -> None:
    """Make deliveries that wait too long due when they should have been."""
    for failures, due_at in _latest(at, waits):
        transaction.sql(f"UPDATE delivery SET due_at = ? {_PUT_OFF}", due_at, failures, due_at)


def _latest(at: datetime, waits: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield numbers of failures, and the latest time at which a delivery may be due after them."""
    for failures, seconds in enumerate((0.0, *waits)):
        yield failures, to_microseconds(at + timedelta(seconds=seconds))


def log_outcome(transaction: Transaction, delivery: Delivery, outcome: AttemptOutcome) -> None:
    """Log the outcome of the attempt that the claim began."""
    transaction.sql(
        _LOG,
        outcome.duration_ms, outcome.http_status, outcome.answer, delivery.id, delivery.attempt,
    )  # fmt: skip


def settle(
    transaction: Transaction, delivery: Delivery, status: DeliveryStatus, failures: int, due_at: datetime, at: datetime
) -> bool:
    """Store the state of a delivery after its attempt; return False, changing nothing, if the claim was lost."""
    finished_at = None if status is DeliveryStatus.WAITING else to_microseconds(at)
    values = status.value, failures, to_microseconds(due_at), finished_at
    return bool(transaction.sql(_SETTLE, *values, delivery.id, delivery.attempt))


def fail_waiting(transaction: Transaction, webhook_id: int, at: datetime) -> None:
    """Mark the waiting deliveries of a webhook as failed, since its receiver wants no more."""
    changed = "status = 'failed', owner = NULL, finished_at = ?"
    statement = f"UPDATE delivery SET {changed} WHERE webhook_id = ? AND status = 'waiting'"
    transaction.sql(statement, to_microseconds(at), webhook_id)


def replay_delivery(transaction: Transaction, delivery_id: str, at: datetime) -> None:
    """Send a delivery again now, with the same id. Raises NotFound."""
    if not transaction.sql(f"{_REPLAY} WHERE id = ? RETURNING id", to_microseconds(at), delivery_id):
        raise NotFound(f"There is no delivery {delivery_id!r}. List them: sitecms webhook deliveries")


def replay_failed(transaction: Transaction, webhook_id: int, at: datetime) -> int:
    """Send all failed deliveries of a webhook again, and return their number."""
    statement = f"{_REPLAY} WHERE webhook_id = ? AND status = 'failed' RETURNING id"
    return len(transaction.sql(statement, to_microseconds(at), webhook_id))


def find_deliveries(
    session: Session, webhook_id: int, status: DeliveryStatus | None, limit: int
) -> tuple[Delivery, ...]:
    """Return the newest deliveries of a webhook, of one status (None: of any), newest first."""
    wanted, values = ("AND status = ?", (status.value,)) if status else ("", ())
    statement = f"{_SELECT} WHERE webhook_id = ? {wanted} ORDER BY created_at DESC, rowid DESC LIMIT ?"
    return tuple(_delivery(row) for row in session.sql(statement, webhook_id, *values, limit))


def get_delivery(session: Session, delivery_id: str) -> Delivery:
    """Return the delivery with this id. Raises NotFound."""
    row = session.sql_row(f"{_SELECT} WHERE id = ?", delivery_id)
    if row is None:
        raise NotFound(f"There is no delivery {delivery_id!r}. List them: sitecms webhook deliveries")
    return _delivery(row)


def find_attempts(session: Session, delivery_id: str) -> tuple[Attempt, ...]:
    """Return the attempts of a delivery, in order."""
    statement = """
    SELECT attempt, started_at, duration_ms, http_status, answer FROM delivery_attempt
    WHERE delivery_id = ? ORDER BY attempt"""
    return tuple(
        Attempt(row[0], from_microseconds(row[1]), None if row[2] is None else AttemptOutcome(*row[2:]))
        for row in session.sql(statement, delivery_id)
    )


def prune_deliveries(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE deliveries that were delivered or failed before then, and return their number.

    Their attempts are removed with them.
    """
    return len(transaction.sql(_PRUNE, to_microseconds(before)))
