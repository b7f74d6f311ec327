"""Rows that have had their time: writes that ended, messages that were settled. A thousand at a time are removed."""

from datetime import datetime

from sitecms.clock import to_microseconds
from sitecms.store.database import Transaction

CHUNK = 1000
_OLD_WRITES = f"""
DELETE FROM write WHERE id IN (SELECT id FROM write
 WHERE status IN ('applied', 'rejected') AND finished_at < ? LIMIT {CHUNK}) RETURNING 1"""
_OLD_DELIVERIES = f"""
DELETE FROM delivery WHERE id IN (SELECT id FROM delivery
 WHERE status IN ('delivered', 'failed') AND finished_at < ? LIMIT {CHUNK}) RETURNING 1"""


def prune_writes(transaction: Transaction, before: datetime) -> int:
    """Remove writes that were applied or rejected before then, CHUNK at most; how many. Failed ones wait for people."""
    return len(transaction.sql(_OLD_WRITES, to_microseconds(before)))


def prune_deliveries(transaction: Transaction, before: datetime) -> int:
    """Remove messages that were delivered or given up before then, with their log, CHUNK at most; how many."""
    return len(transaction.sql(_OLD_DELIVERIES, to_microseconds(before)))
