"""Webhook deliveries: stored in the transaction of the event, claimed by one worker at a time.

A claim holds while its owner is alive (`store.writes.claims`), until its lease ends at the latest: then the delivery
is due again, so that none is lost with its worker. The number of the attempt is the fencing token: a worker that lost
its claim cannot settle the delivery.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from msgspec.structs import asdict
from peewee import SQL, fn

from sitecms.content.webhooks.webhook import Attempt, AttemptOutcome, Delivery, DeliveryStatus
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.models.writes import IS_WAITING, DeliveryAttemptRow, DeliveryRow, WebhookRow
from sitecms.store.prepared import prepared

_COLUMNS = [getattr(DeliveryRow, name) for name in Delivery.__struct_fields__]
_AT_ONCE = 50
PRUNED_AT_ONCE = 1000
_NO_DELIVERY = "There is no delivery {!r}. List them: sitecms webhook deliveries"


@prepared
def _due(at: datetime) -> Any:
    deliveries = DeliveryRow.select(DeliveryRow.webhook_id, fn.COUNT(SQL("*"))).join(WebhookRow)
    is_due = (DeliveryRow.due_at <= at) & WebhookRow.disabled_at.is_null()
    return deliveries.where(IS_WAITING, is_due).group_by(DeliveryRow.webhook_id).order_by(fn.MIN(DeliveryRow.due_at))


@prepared
def _claim(webhook_id: int, owner: str, at: datetime, lost_at: datetime) -> Any:
    due = DeliveryRow.alias("due")
    first = due.select(due.id).join(WebhookRow, on=(WebhookRow.id == due.webhook_id))
    first = first.where(due.webhook_id == webhook_id, IS_WAITING, due.due_at <= at, WebhookRow.disabled_at.is_null())
    first = first.order_by(due.due_at, SQL("due.rowid")).limit(1)
    claimed = DeliveryRow.update(attempt=DeliveryRow.attempt + 1, owner=owner, due_at=lost_at)
    return claimed.where(DeliveryRow.id == first).returning(*_COLUMNS)


@prepared
def _settle(
    delivery: Delivery, status: DeliveryStatus, failures: int, due_at: datetime, finished_at: datetime | None
) -> Any:
    settled = DeliveryRow.update(status=status, failures=failures, owner=None, due_at=due_at, finished_at=finished_at)
    return settled.where(DeliveryRow.id == delivery.id, DeliveryRow.attempt == delivery.attempt, IS_WAITING)


@prepared
def _log(delivery: Delivery, outcome: AttemptOutcome) -> Any:
    logged = DeliveryAttemptRow.update({name: getattr(outcome, name) for name in AttemptOutcome.__struct_fields__})
    is_match = (DeliveryAttemptRow.delivery_id == delivery.id) & (DeliveryAttemptRow.attempt == delivery.attempt)
    return logged.where(is_match)


def _late(failures: int, due_at: datetime) -> Any:
    """Return the condition of deliveries with so many failures that are put off beyond that time."""
    is_late = (DeliveryRow.failures == failures) & (DeliveryRow.due_at > due_at)
    return IS_WAITING & DeliveryRow.owner.is_null() & is_late


@prepared
def _put_off(failures: int, due_at: datetime) -> Any:
    return DeliveryRow.select(DeliveryRow.id).where(_late(failures, due_at)).limit(1)


def insert_deliveries(transaction: Transaction, deliveries: Iterable[Delivery]) -> int:
    """Insert new deliveries, to be sent in this order after the commit, and return their number."""
    count, source = 0, iter(deliveries)
    while some := tuple(islice(source, _AT_ONCE)):
        transaction.insert_many(DeliveryRow, [asdict(delivery) for delivery in some])
        count += len(some)
    return count


def due_webhooks(session: Session, at: datetime) -> tuple[tuple[int, int], ...]:
    """Return (webhook id, number of due deliveries) of each webhook that has any, the longest waiting first."""
    return tuple((row[0], row[1]) for row in session.rows(_due(at)))


def claim_delivery(
    transaction: Transaction, webhook_id: int, owner: str, at: datetime, lease: timedelta
) -> Delivery | None:
    """Claim the delivery of a webhook that is due the longest and log the attempt; return None if none is due."""
    row = transaction.row(_claim(webhook_id, owner, at, at + lease))
    if row is None:
        return None
    delivery = Delivery(*row)
    attempt = {"delivery_id": delivery.id, "attempt": delivery.attempt, "started_at": at, "answer": ""}
    transaction.insert(DeliveryAttemptRow, attempt)
    return delivery


def delivery_owners(session: Session) -> tuple[str, ...]:
    """Return the owners of all claimed deliveries, alive or not."""
    owners = DeliveryRow.select(DeliveryRow.owner).where(DeliveryRow.owner.is_null(False)).distinct()
    return tuple(row[0] for row in session.rows(owners))


def release_deliveries(transaction: Transaction, owner: str, at: datetime) -> None:
    """Release all deliveries of an owner that is gone, and make them due now."""
    transaction.run(DeliveryRow.update(owner=None, due_at=at).where(DeliveryRow.owner == owner, IS_WAITING))


def wait_too_long(session: Session, at: datetime, waits: Sequence[float]) -> bool:
    """Return whether a delivery waits longer than its failures allow, because a clock ran ahead when it was put off."""
    return any(session.row(_put_off(*latest)) for latest in _latest(at, waits))


def correct_waits(transaction: Transaction, at: datetime, waits: Sequence[float]) -> None:
    """Make deliveries that wait too long due when they should have been."""
    for failures, due_at in _latest(at, waits):
        transaction.run(DeliveryRow.update(due_at=due_at).where(_late(failures, due_at)))


def _latest(at: datetime, waits: Sequence[float]) -> Iterator[tuple[int, datetime]]:
    """Yield numbers of failures, and the latest time at which a delivery may be due after them."""
    for failures, seconds in enumerate((0.0, *waits)):
        yield failures, at + timedelta(seconds=seconds)


def log_outcome(transaction: Transaction, delivery: Delivery, outcome: AttemptOutcome) -> None:
    """Log the outcome of the attempt that the claim began."""
    transaction.run(_log(delivery, outcome))


def settle(
    transaction: Transaction, delivery: Delivery, status: DeliveryStatus, failures: int, due_at: datetime, at: datetime
) -> bool:
    """Store the state of a delivery after its attempt; return False, changing nothing, if the claim was lost."""
    finished_at = None if status is DeliveryStatus.WAITING else at
    return bool(transaction.run(_settle(delivery, status, failures, due_at, finished_at)))


def fail_waiting(transaction: Transaction, webhook_id: int, at: datetime) -> None:
    """Mark the waiting deliveries of a webhook as failed, since its receiver wants no more."""
    failed = DeliveryRow.update(status=DeliveryStatus.FAILED, owner=None, finished_at=at)
    transaction.run(failed.where(DeliveryRow.webhook_id == webhook_id, IS_WAITING))


def _replay(at: datetime) -> Any:
    return DeliveryRow.update(status=DeliveryStatus.WAITING, failures=0, owner=None, due_at=at, finished_at=None)


def replay_delivery(transaction: Transaction, delivery_id: str, at: datetime) -> None:
    """Send a delivery again now, with the same id. Raises NotFound."""
    if not transaction.run(_replay(at).where(DeliveryRow.id == delivery_id)):
        raise NotFound(_NO_DELIVERY.format(delivery_id))


def replay_failed(transaction: Transaction, webhook_id: int, at: datetime) -> int:
    """Send all failed deliveries of a webhook again, and return their number."""
    is_failed = (DeliveryRow.webhook_id == webhook_id) & (DeliveryRow.status == DeliveryStatus.FAILED)
    return transaction.run(_replay(at).where(is_failed))


def find_deliveries(
    session: Session, webhook_id: int, status: DeliveryStatus | None, limit: int
) -> tuple[Delivery, ...]:
    """Return the newest deliveries of a webhook, of one status (None: of any), newest first."""
    deliveries = DeliveryRow.select(*_COLUMNS).where(DeliveryRow.webhook_id == webhook_id)
    if status:
        deliveries = deliveries.where(DeliveryRow.status == status)
    newest = deliveries.order_by(DeliveryRow.created_at.desc(), SQL("rowid DESC")).limit(limit)
    return tuple(Delivery(*row) for row in session.rows(newest))


def get_delivery(session: Session, delivery_id: str) -> Delivery:
    """Return the delivery with this id. Raises NotFound."""
    row = session.row(DeliveryRow.select(*_COLUMNS).where(DeliveryRow.id == delivery_id))
    if row is None:
        raise NotFound(_NO_DELIVERY.format(delivery_id))
    return Delivery(*row)


def find_attempts(session: Session, delivery_id: str) -> tuple[Attempt, ...]:
    """Return the attempts of a delivery, in order."""
    attempts = DeliveryAttemptRow.select(
        DeliveryAttemptRow.attempt, DeliveryAttemptRow.started_at, DeliveryAttemptRow.duration_ms,
        DeliveryAttemptRow.http_status, DeliveryAttemptRow.answer,
    ).where(DeliveryAttemptRow.delivery_id == delivery_id)  # fmt: skip
    return tuple(
        Attempt(number, started_at, None if outcome[0] is None else AttemptOutcome(*outcome))
        for number, started_at, *outcome in session.rows(attempts.order_by(DeliveryAttemptRow.attempt))
    )


def prune_deliveries(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE deliveries that were delivered or failed before then, and return their number.

    Their attempts are removed with them.
    """
    is_old = DeliveryRow.status.in_((DeliveryStatus.DELIVERED, DeliveryStatus.FAILED)) & (
        DeliveryRow.finished_at < before
    )
    old = DeliveryRow.select(DeliveryRow.id).where(is_old).limit(PRUNED_AT_ONCE)
    return transaction.run(DeliveryRow.delete().where(DeliveryRow.id.in_(old)))
