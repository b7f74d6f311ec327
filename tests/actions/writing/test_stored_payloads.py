"""Open writes that nothing can read."""

from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.actions.writing.apply.applying import apply_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.writes import WriteStatus
from sitecms.store.database import Database
from sitecms.store.writes.payloads import UNREADABLE
from tests.support.reading import execute
from tests.support.writes import Writes


def insert_stored(store: Database, name: str, kind: str, operation: str, *rest: object) -> None:
    """Insert an open write with this text as its payload."""
    statement = """INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt,
    errors_json, accepted_at) VALUES (?, ?, ?, ?, ?, ?, 'accepted', 0, '{}', 1)"""
    execute(store, statement, name, kind, operation, *rest)


def test_unreadable_write_fails_and_the_next_one_is_applied(writes: Writes, store: Database) -> None:
    """Its error says what is wrong; tried again, it fails again. The entry can be written meanwhile, and deleted."""
    writes.create(EntryKind.POST, {"title": "Ebb"})
    assert apply_entry(writes.worker, "post:1") == 1
    insert_stored(store, "odd", "post", "update", "post:1", 1, '{"verb": "save", "title": 7}')
    later = writes.update(EntryKind.POST, "ebb", {"summary": "later"})
    assert apply_entry(writes.worker, "post:1") == 2
    failed = writes.get("odd")
    assert (failed.status, failed.attempt) == (WriteStatus.FAILED, 1)
    problem = "Expected `str | null`, got `int` - at `$.title`"
    assert failed.errors == {"detail": [UNREADABLE.format(problem=problem)]}
    assert writes.get(later).status is WriteStatus.APPLIED
    store.write(retry_write, "odd", is_forced=True)
    assert apply_entry(writes.worker, "post:1") == 1
    assert writes.get("odd").status is WriteStatus.FAILED
    insert_stored(store, "odder", "post", "create", "post:1", 2, "{")
    writes.delete(EntryKind.POST, "ebb")
    assert writes.get("odder").status is WriteStatus.ACCEPTED
    assert apply_entry(writes.worker, "post:1") == 1
    assert writes.get("odder").status is WriteStatus.FAILED
