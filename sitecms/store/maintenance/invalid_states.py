"""Writes, deliveries and reservations in states that no operation leads to, and their repair."""

from datetime import datetime

from sitecms.clock import to_microseconds
from sitecms.store.database import Session, Transaction

_WRITES = """
SELECT id, what FROM (SELECT id, sequence, CASE
 WHEN status = 'accepted' AND finished_at IS NOT NULL THEN 'is accepted, and has a time at which it ended'
 WHEN status <> 'accepted' AND finished_at IS NULL THEN 'is ' || status || ', and has no time at which it ended'
 WHEN status <> 'accepted' AND owner IS NOT NULL THEN 'is ' || status || ', and ' || owner || ' still holds it'
 END AS what FROM write) AS looked WHERE what IS NOT NULL ORDER BY sequence"""
_DELIVERIES = """
SELECT id, what FROM (SELECT delivery.id, CASE
 WHEN webhook.id IS NULL THEN 'is for the webhook ' || webhook_id || ', which does not exist'
 WHEN status = 'waiting' AND finished_at IS NOT NULL THEN 'waits, and has a time at which it ended'
 WHEN status <> 'waiting' AND finished_at IS NULL THEN 'is ' || status || ', and has no time at which it ended'
 WHEN status <> 'waiting' AND owner IS NOT NULL THEN 'is ' || status || ', and ' || owner || ' still holds it'
 END AS what FROM delivery LEFT JOIN webhook ON webhook.id = webhook_id) AS looked
WHERE what IS NOT NULL ORDER BY id"""
_RESERVATIONS = """
SELECT reservation.kind, name, write_id FROM reservation LEFT JOIN write ON write.id = write_id
WHERE write.id IS NULL OR write.status <> 'accepted' ORDER BY 1, 2"""
_END = (
    "UPDATE write SET finished_at = NULL WHERE status = 'accepted' AND finished_at IS NOT NULL",
    "UPDATE write SET owner = NULL WHERE status <> 'accepted' AND owner IS NOT NULL",
    "UPDATE delivery SET finished_at = NULL WHERE status = 'waiting' AND finished_at IS NOT NULL",
    "UPDATE delivery SET owner = NULL WHERE status <> 'waiting' AND owner IS NOT NULL",
    "DELETE FROM delivery WHERE webhook_id NOT IN (SELECT id FROM webhook)",
    "DELETE FROM reservation WHERE write_id NOT IN (SELECT id FROM write WHERE status = 'accepted')",
)
_END_NOW = (
    "UPDATE write SET finished_at = ? WHERE status <> 'accepted' AND finished_at IS NULL",
    "UPDATE delivery SET finished_at = ? WHERE status <> 'waiting' AND finished_at IS NULL",
)


def invalid_writes(session: Session) -> tuple[tuple[str, str], ...]:
    """Return (id, problem) of each write in an invalid state."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_WRITES))


def invalid_deliveries(session: Session) -> tuple[tuple[str, str], ...]:
    """Return (id, problem) of each delivery in an invalid state."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_DELIVERIES))


def stale_reservations(session: Session) -> tuple[tuple[str, str, str], ...]:
    """Return (kind, name, write id) of names that are still reserved for writes that ended."""
    return tuple((str(row[0]), str(row[1]), str(row[2])) for row in session.sql(_RESERVATIONS))


def repair_states(transaction: Transaction, at: datetime) -> None:
    """Correct each row to match its status; a row that lacks the time of its end gets `at`.

    Deliveries without a webhook are removed, as they should have been with it.
    """
    for statement in _END:
        transaction.sql(statement)
    for statement in _END_NOW:
        transaction.sql(statement, to_microseconds(at))
