"""Claims as such: who holds writes and messages, alive or not, and how they are let go of."""

from collections.abc import Iterable
from datetime import datetime

from sitecms.store.database import Session, Transaction
from sitecms.store.writes.deliveries import release_deliveries
from sitecms.store.writes.writes import hand_back

_OWNERS = """
SELECT owner FROM write WHERE status = 'accepted' AND owner IS NOT NULL
UNION SELECT owner FROM delivery WHERE status = 'waiting' AND owner IS NOT NULL ORDER BY 1"""


def claimants(session: Session) -> tuple[str, ...]:
    """Every owner of an open write or a waiting message."""
    return tuple(str(row[0]) for row in session.sql(_OWNERS))


def release_claims(transaction: Transaction, owners: Iterable[str], at: datetime) -> None:
    """What these held is free, as if they had never tried: they are gone."""
    for owner in owners:
        hand_back(transaction, owner)
        release_deliveries(transaction, owner, at)
