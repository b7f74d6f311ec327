"""Retry of a rejected or failed write, refused if it would overwrite later changes."""

from sitecms.clock import format_timestamp
from sitecms.content.change import ENTRY_IDS, EntryKind, Write
from sitecms.errors import Conflict
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_state import last_written
from sitecms.store.writes import reservations, writes

MAX_NAMED = 5
_ASK = "It would replace what was written since. To apply it all the same, add --force."


def retry_write(transaction: Transaction, write_id: str, *, is_forced: bool) -> Write:
    """Accept a rejected or failed write again, at its old place in the order.

    Raises NotFound, and Conflict where the write did not end rejected or failed, or where its entry was changed since
    then, unless `is_forced`.
    """
    write = writes.get_write(transaction, write_id)
    reopened = writes.reopen(transaction, write_id)
    if not is_forced:
        _check_unchanged(transaction, write)
    if ENTRY_IDS in write.payload:
        reservations.reserve_items(transaction, write.entry_ids, write.id)
    return reopened


def _check_unchanged(session: Session, write: Write) -> None:
    """Raise Conflict if a later write, or another change such as a load, changed the entry."""
    newer = writes.find_newer(session, write)
    if newer:
        named = "; ".join(map(_described, newer[:MAX_NAMED]))
        more = f"; and {len(newer) - MAX_NAMED} more" if len(newer) > MAX_NAMED else ""
        raise Conflict(
            "write", f"There are later writes to the same entry: {named}{more}. This one is {_described(write)}. {_ASK}"
        )
    found = (last_written(session, write.kind, entry_id) for entry_id in write.entry_ids)
    changed_at = max((at for _origin, at in filter(None, found)), default=None)
    if changed_at is not None and write.finished_at is not None and changed_at > write.finished_at:
        changed, ended = format_timestamp(changed_at), format_timestamp(write.finished_at)
        raise Conflict("write", f"The entry was changed at {changed}; write {write.id} ended at {ended}. {_ASK}")


def _described(write: Write) -> str:
    """Return id, operation, keys and time of a write: `4f1c (update of body, title, accepted 2026-...)`."""
    keys = ", ".join(_keys(write))
    of_keys = f" of {keys}" if keys else ""
    return f"{write.id} ({write.operation}{of_keys}, accepted {format_timestamp(write.accepted_at)})"


def _keys(write: Write) -> list[str]:
    """Return the keys that a write sets, those of pages and items without their locales."""
    fields = write.payload.get("fields")
    groups = [fields] if write.kind is EntryKind.POST else list(fields.values()) if isinstance(fields, dict) else []
    names = {name for group in groups if isinstance(group, dict) for name in group}
    return sorted(names | ({"status"} if write.payload.get("status") else set()))
