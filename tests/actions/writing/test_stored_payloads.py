"""Open writes that nothing can read."""

from sitecms.actions.writing.accept import Caller, EntryName, WriteContext, create, delete, update
from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.writes import Write, WriteStatus
from sitecms.store.database import Database
from sitecms.store.writes.payloads import UNREADABLE
from sitecms.store.writes.writes import get_write
from tests.support.reading import execute


def status_of(store: Database, write_id: str) -> Write:
    """The write as it is now."""
    return store.read(get_write, write_id)


def insert_stored(store: Database, name: str, kind: str, operation: str, *rest: object) -> None:
    """Insert an open write with this text as its payload."""
    statement = """INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt,
    errors_json, accepted_at) VALUES (?, ?, ?, ?, ?, ?, 'accepted', 0, '{}', 1)"""
    execute(store, statement, name, kind, operation, *rest)


def test_unreadable_write_fails_and_the_next_one_is_applied(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """Its error says what is wrong; tried again, it fails again. The entry can be written meanwhile, and deleted."""
    create(context, caller, EntryKind.POST, {"title": "Ebb"})
    assert apply_entry(worker, "post:1") == 1
    insert_stored(store, "odd", "post", "update", "post:1", 1, '{"verb": "save", "title": 7}')
    later = update(context, caller, EntryName(EntryKind.POST, "ebb"), {"summary": "later"})
    assert apply_entry(worker, "post:1") == 2
    failed = status_of(store, "odd")
    assert (failed.status, failed.attempt) == (WriteStatus.FAILED, 1)
    problem = "Expected `str | null`, got `int` - at `$.title`"
    assert failed.errors == {"detail": [UNREADABLE.format(problem=problem)]}
    assert status_of(store, later.write_id).status is WriteStatus.APPLIED
    store.write(retry_write, "odd", is_forced=True)
    assert apply_entry(worker, "post:1") == 1
    assert status_of(store, "odd").status is WriteStatus.FAILED
    insert_stored(store, "odder", "post", "create", "post:1", 2, "{")
    delete(context, caller, EntryName(EntryKind.POST, "ebb"))
    assert status_of(store, "odder").status is WriteStatus.ACCEPTED
    assert apply_entry(worker, "post:1") == 1
    assert status_of(store, "odder").status is WriteStatus.FAILED
