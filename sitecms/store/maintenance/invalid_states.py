"""Writes, reservations and messages in states that nothing leads to, and how they are ended."""

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


def impossible_writes(session: Session) -> tuple[tuple[str, str], ...]:
    """(id, what is wrong) of each such write."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_WRITES))


def impossible_deliveries(session: Session) -> tuple[tuple[str, str], ...]:
    """(id, what is wrong) of each such message."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_DELIVERIES))


def left_reservations(session: Session) -> tuple[tuple[str, str, str], ...]:
    """(kind, name, write id) of names that are kept for writes which have ended: nobody else can have them."""
    return tuple((str(row[0]), str(row[1]), str(row[2])) for row in session.sql(_RESERVATIONS))


def mend_states(transaction: Transaction, at: datetime) -> None:
    """Give each the state that its status says; what has no time of its end ended now.

    Messages to no webhook go, as they would have gone with it.
    """
    for statement in _END:
        transaction.sql(statement)
    for statement in _END_NOW:
        transaction.sql(statement, to_microseconds(at))
