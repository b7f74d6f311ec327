"""`write.failed`: told of each accepted write that ends badly, once, with what its author would see."""

from collections.abc import Callable
from typing import Any

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.writes.deliveries import find_deliveries
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.reading import execute
from tests.support.writes import Writes


@pytest.fixture(autouse=True)
def receiver(runtime: Runtime) -> None:
    """A receiver of the event of failed writes."""
    runtime.database.write(insert_webhook, "https://hooks.example/", ["write.failed"], "whsec_", {}, runtime.clock())


def told(store: Database) -> list[tuple[str, str, object]]:
    """(write, status, errors) of each event."""
    found = store.read(find_deliveries, 1, None, 99)[::-1]
    data: list[Any] = [delivery.body["data"] for delivery in found]
    assert [delivery.write_id for delivery in found] == [body["id"] for body in data]
    assert {body["editor"] for body in data} <= {"newsroom"}
    return [(body["id"], body["status"], body["errors"]) for body in data]


def test_a_rejected_write_has_an_event(writes: Writes, store: Database, make_post: Callable[..., int]) -> None:
    """A slug that a file took meanwhile."""
    write_id = writes.create(EntryKind.POST, {"title": "Ebb"})
    make_post("ebb")
    writes.apply(write_id)
    ((failed, status, errors),) = told(store)
    assert (failed, status) == (write_id, "rejected")
    assert isinstance(errors, dict)
    assert list(errors) == ["slug"]


def test_a_failed_write_has_an_event(writes: Writes, store: Database) -> None:
    """It failed five times."""
    write_id = writes.create(EntryKind.POST, {"title": "Ebb"})
    execute(store, "UPDATE write SET attempt = 5 WHERE id = ?", write_id)
    writes.apply(write_id)
    assert [entry[:2] for entry in told(store)] == [(write_id, "failed")]


def test_a_write_to_a_deleted_entry_has_an_event(writes: Writes, store: Database) -> None:
    """It was deleted before the write was applied; an applied write has no such event."""
    made = writes.create(EntryKind.POST, {"title": "Ebb"})
    writes.apply(made)
    late = writes.update(EntryKind.POST, "ebb", {"title": "Flow"})
    writes.delete(EntryKind.POST, "ebb")
    assert [entry[:2] for entry in told(store)] == [(late, "rejected")]
