"""Writes, reservations and messages: states that nothing leads to, and claims of workers that are gone."""

from collections.abc import Callable

from sitecms.actions.operations.verify.finding import Finding, FindingKind
from sitecms.store.database import Session
from sitecms.store.maintenance import invalid_states
from sitecms.store.writes.claims import claimants


def state_findings(session: Session) -> list[Finding]:
    """What cannot be."""
    found = [
        Finding(FindingKind.WRITE_IMPOSSIBLE, f"write {write_id}", what, "", True)
        for write_id, what in invalid_states.impossible_writes(session)
    ]
    found += [
        Finding(FindingKind.DELIVERY_IMPOSSIBLE, f"message {delivery_id}", what, "", True)
        for delivery_id, what in invalid_states.impossible_deliveries(session)
    ]
    what = "is kept for the write {}, which has ended"
    return found + [
        Finding(FindingKind.RESERVATION_LEFT, f"{kind} {name}", what.format(write_id), "", True)
        for kind, name, write_id in invalid_states.left_reservations(session)
    ]


def dead_owners(session: Session, is_alive: Callable[[str], bool]) -> tuple[str, ...]:
    """Who holds writes or messages and is not alive. A worker that runs takes these over by itself."""
    return tuple(owner for owner in claimants(session) if not is_alive(owner))


def claim_findings(owners: tuple[str, ...]) -> list[Finding]:
    """One for each of the dead."""
    what = "holds writes or messages, and is gone"
    return [Finding(FindingKind.CLAIM_ABANDONED, f"worker {owner}", what, "", True) for owner in owners]
