"""Messages to receivers of webhooks: kept in the transaction of what they tell of, claimed by one worker at a time.

A claim holds while its owner is alive (`store.writes.owners`), and until its lease ends at the longest: a waiting
message is due anew then, so that none is lost with its worker. The number of the attempt is the fence: whoever lost a
claim can settle nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import orjson

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.webhooks.event import EventKind
from sitecms.content.webhooks.webhook import Attempt, Delivery, DeliveryStatus, Outcome
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction

_COLUMNS = "id, webhook_id, event, payload_json, due_at, created_at, status, attempt, failures, finished_at, write_id"
_INSERT = f"INSERT INTO delivery ({_COLUMNS}) VALUES"
_MARKS = f"({', '.join('?' * 11)})"
_AT_ONCE = 50
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
    """Insert new messages, to be sent in this order once the transaction is committed; return their number."""
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
    """(webhook id, number of messages) of each receiver that messages are due for, the longest waiting first."""
    return tuple((row[0], row[1]) for row in session.sql(_DUE, to_microseconds(at)))


def claim_delivery(
    transaction: Transaction, webhook_id: int, owner: str, at: datetime, lease: timedelta
) -> Delivery | None:
    """The receiver's message that is due the longest, claimed, its attempt begun in the log; None: nothing is due."""
    found = transaction.sql(_CLAIM, owner, to_microseconds(at + lease), webhook_id, to_microseconds(at))
    if not found:
        return None
    delivery = _delivery(found[0])
    transaction.sql(
        "INSERT INTO delivery_attempt (delivery_id, attempt, started_at, answer) VALUES (?, ?, ?, '')",
        delivery.id, delivery.attempt, to_microseconds(at),
    )  # fmt: skip
    return delivery


def claiming_owners(session: Session) -> tuple[str, ...]:
    """Who holds messages now, alive or not."""
    return tuple(row[0] for row in session.sql("SELECT DISTINCT owner FROM delivery WHERE owner IS NOT NULL"))


def release_deliveries(transaction: Transaction, owner: str, at: datetime) -> None:
    """What the owner held is due now: it is gone."""
    statement = "UPDATE delivery SET owner = NULL, due_at = ? WHERE owner = ? AND status = 'waiting'"
    transaction.sql(statement, to_microseconds(at), owner)


def are_put_off(session: Session, at: datetime, waits: Sequence[float]) -> bool:
    """Whether a message waits longer than it may after so many failures: a clock ran ahead when that was decided."""
    return any(session.sql(f"SELECT 1 FROM delivery {_PUT_OFF} LIMIT 1", *late) for late in _latest(at, waits))


def pull_forward(transaction: Transaction, at: datetime, waits: Sequence[float]) -> None:
    """What waits longer than it may is due as if the clock had been right."""
    for failures, due_at in _latest(at, waits):
        transaction.sql(f"UPDATE delivery SET due_at = ? {_PUT_OFF}", due_at, failures, due_at)


def _latest(at: datetime, waits: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The number of failures, and when a message may be due at the latest after them."""
    for failures, seconds in enumerate((0.0, *waits)):
        yield failures, to_microseconds(at + timedelta(seconds=seconds))


def log_outcome(transaction: Transaction, delivery: Delivery, outcome: Outcome) -> None:
    """How the attempt that the claim began ended."""
    transaction.sql(
        _LOG,
        outcome.duration_ms, outcome.http_status, outcome.answer, delivery.id, delivery.attempt,
    )  # fmt: skip


def settle(
    transaction: Transaction, delivery: Delivery, status: DeliveryStatus, failures: int, due_at: datetime, at: datetime
) -> bool:
    """How the message stands after its attempt; False, and nothing is changed, if the claim was lost meanwhile."""
    finished_at = None if status is DeliveryStatus.WAITING else to_microseconds(at)
    values = status.value, failures, to_microseconds(due_at), finished_at
    return bool(transaction.sql(_SETTLE, *values, delivery.id, delivery.attempt))


def give_up_waiting(transaction: Transaction, webhook_id: int, at: datetime) -> None:
    """Every waiting message to the receiver has failed: it wants no more."""
    changed = "status = 'failed', owner = NULL, finished_at = ?"
    statement = f"UPDATE delivery SET {changed} WHERE webhook_id = ? AND status = 'waiting'"
    transaction.sql(statement, to_microseconds(at), webhook_id)


def replay_delivery(transaction: Transaction, delivery_id: str, at: datetime) -> None:
    """Send the message once more, with the same id, now. Raises NotFound."""
    if not transaction.sql(f"{_REPLAY} WHERE id = ? RETURNING id", to_microseconds(at), delivery_id):
        raise NotFound(f"There is no message {delivery_id!r}; `sitecms webhook deliveries` shows those there are.")


def replay_failed(transaction: Transaction, webhook_id: int, at: datetime) -> int:
    """Send every message once more that the receiver did not take; how many."""
    statement = f"{_REPLAY} WHERE webhook_id = ? AND status = 'failed' RETURNING id"
    return len(transaction.sql(statement, to_microseconds(at), webhook_id))


def find_deliveries(
    session: Session, webhook_id: int, status: DeliveryStatus | None, limit: int
) -> tuple[Delivery, ...]:
    """The newest messages to a receiver, of one status (None: of any), newest first."""
    wanted, values = ("AND status = ?", (status.value,)) if status else ("", ())
    statement = f"{_SELECT} WHERE webhook_id = ? {wanted} ORDER BY created_at DESC, rowid DESC LIMIT ?"
    return tuple(_delivery(row) for row in session.sql(statement, webhook_id, *values, limit))


def get_delivery(session: Session, delivery_id: str) -> Delivery:
    """The message of that id. Raises NotFound."""
    row = session.sql_row(f"{_SELECT} WHERE id = ?", delivery_id)
    if row is None:
        raise NotFound(f"There is no message {delivery_id!r}; `sitecms webhook deliveries` shows those there are.")
    return _delivery(row)


def find_attempts(session: Session, delivery_id: str) -> tuple[Attempt, ...]:
    """Every attempt to hand the message over, in order."""
    statement = """
    SELECT attempt, started_at, duration_ms, http_status, answer FROM delivery_attempt
    WHERE delivery_id = ? ORDER BY attempt"""
    return tuple(
        Attempt(row[0], from_microseconds(row[1]), None if row[2] is None else Outcome(*row[2:]))
        for row in session.sql(statement, delivery_id)
    )
