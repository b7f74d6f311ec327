"""Writes, reservations and owners in the store."""

import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.content.kinds import EntryKind
from sitecms.content.writes import BuiltInFields, IdempotencyKey, Operation, Save, SentEntry, Write, WriteStatus
from sitecms.errors import Conflict, NotFound
from sitecms.store.database import Database
from sitecms.store.engines.locks import LockFiles
from sitecms.store.writes.reservations import find_reserved, next_entry_ids, reserve
from sitecms.store.writes.writes import (
    cancel,
    claim,
    find_creation,
    find_repeated,
    find_writes,
    finish,
    get_write,
    insert_write,
    is_waiting,
    open_entries,
    reopen,
    time_of_change,
)

_HOLD = """
import sys, time
from pathlib import Path
from sitecms.store.engines.locks import LockFiles
print(LockFiles(Path(sys.argv[1])).acquire_unique().name, flush=True)
time.sleep(60)
"""


@pytest.fixture
def a_write(noon: datetime) -> Write:
    """Return an accepted write that creates post 1."""
    return Write(
        id="w1",
        sequence=0,
        kind=EntryKind.POST,
        operation=Operation.CREATE,
        entry_key="post:1",
        entry_id=1,
        payload=Save(slug="ebb", entries=(SentEntry(1),), built_in=BuiltInFields(tags=("ö",))),
        status=WriteStatus.ACCEPTED,
        attempt=0,
        errors={},
        accepted_at=noon,
    )


def test_stored_write_is_read_back_unchanged(store: Database, a_write: Write) -> None:
    """It has its number in the order of acceptance; unknown ids raise NotFound."""
    with store.writing() as transaction:
        insert_write(transaction, a_write)
        insert_write(transaction, replace(a_write, id="w2", operation=Operation.UPDATE))
    with store.reading() as session:
        assert get_write(session, "w1") == replace(a_write, sequence=1)
        assert [write.sequence for write in find_writes(session, None, 10)] == [2, 1]
        assert find_writes(session, WriteStatus.FAILED, 10) == ()
        assert find_creation(session, EntryKind.POST, 1) == replace(a_write, sequence=1)
        assert find_creation(session, EntryKind.PAGE, 1) is None
        assert is_waiting(session, "post:1")
        with pytest.raises(NotFound):
            get_write(session, "w3")


def test_accepted_write_does_not_count_as_change(store: Database, a_write: Write) -> None:
    """The change number, by which responses are cached, stays the same."""
    before = store.change_number()
    with store.writing(counts_as_change=False) as transaction:
        insert_write(transaction, a_write)
    assert store.change_number() == before


def test_only_the_oldest_write_of_an_entry_is_claimed(store: Database, a_write: Write, noon: datetime) -> None:
    """Entries are independent; when the oldest write ends the next one can be claimed."""
    with store.writing() as transaction:
        for number, key in ((1, "post:1"), (2, "post:1"), (3, "post:9")):
            insert_write(transaction, replace(a_write, id=f"w{number}", entry_key=key))
        assert open_entries(transaction, noon, 10) == (("w1", "", 1), ("w3", "", 3))
        first = claim(transaction, "post:1", "me", lambda _: True, noon)
        assert first is not None
        assert (first.id, first.attempt) == ("w1", 1)
        assert claim(transaction, "post:1", "other", lambda _: True, noon) is None
        assert open_entries(transaction, noon, 10) == (("w1", "me", 1), ("w3", "", 3))
        finish(transaction, first, "me", WriteStatus.APPLIED, noon)
        second = claim(transaction, "post:1", "other", lambda _: True, noon)
        assert second is not None
        assert second.id == "w2"


def test_reservations_end_with_their_write(store: Database, a_write: Write, noon: datetime) -> None:
    """A write may be applied or cancelled; a later write to the same entry takes the name over."""
    with store.writing() as transaction:
        for number in (1, 2):
            insert_write(transaction, replace(a_write, id=f"w{number}"))
            reserve(transaction, EntryKind.POST, "ebb", f"w{number}")
        assert find_reserved(transaction, EntryKind.POST, "ebb") == (1, "post:1")
        assert find_reserved(transaction, EntryKind.PAGE, "ebb") is None
        write = claim(transaction, "post:1", "me", lambda _: True, noon)
        assert write is not None
        finish(transaction, write, "me", WriteStatus.APPLIED, noon)
        assert find_reserved(transaction, EntryKind.POST, "ebb") == (1, "post:1")
        cancel(transaction, get_write(transaction, "w2"), "gone", noon + timedelta(seconds=1))
        assert find_reserved(transaction, EntryKind.POST, "ebb") is None
        ended = get_write(transaction, "w2")
        assert (ended.status, ended.errors) == (WriteStatus.REJECTED, {"detail": ["gone"]})
        assert ended.finished_at == noon + timedelta(seconds=1)


def test_entries_have_whole_seconds_where_their_order_stays(store: Database, a_write: Write, noon: datetime) -> None:
    """Two writes that end within one second keep their order: the first is cut to the second, the other one is not."""
    with store.writing() as transaction:
        ended = []
        for number, milliseconds in enumerate((300, 700, 1500)):
            insert_write(transaction, replace(a_write, id=f"w{number}", entry_key=f"post:{number}"))
            write = claim(transaction, f"post:{number}", "me", lambda _: True, noon)
            assert write is not None
            at = noon + timedelta(milliseconds=milliseconds)
            finish(transaction, write, "me", WriteStatus.APPLIED, at)
            ended.append(time_of_change(transaction, write, at))
    assert ended == [noon, noon + timedelta(milliseconds=700), noon + timedelta(seconds=1)]


def test_ids_are_never_reused(store: Database, make_post: Callable[..., int]) -> None:
    """New ids are unique before and after the first row."""
    with store.writing() as transaction:
        assert [next_entry_ids(transaction, EntryKind.POST, count) for count in (1, 2)] == [(1,), (2, 3)]
    assert make_post("ebb") == 4
    assert store.write(next_entry_ids, EntryKind.POST) == (5,)


def test_idempotency_keys(store: Database, a_write: Write, make_token: Callable[..., str]) -> None:
    """A write is found by token and key, with the digest of its request."""
    make_token()
    with store.writing() as transaction:
        insert_write(transaction, replace(a_write, token_id=1), IdempotencyKey("k", "d"))
        assert find_repeated(transaction, 1, "k") == (replace(a_write, token_id=1, sequence=1), "d")
        assert find_repeated(transaction, 1, "other") is None
        assert find_repeated(transaction, 2, "k") is None


def test_rejected_and_failed_writes_are_reopened(store: Database, a_write: Write, noon: datetime) -> None:
    """Other writes cannot be reopened; attempts are counted from the start."""
    with store.writing() as transaction:
        insert_write(transaction, a_write)
        with pytest.raises(Conflict):
            reopen(transaction, "w1")
        cancel(transaction, get_write(transaction, "w1"), "gone", noon)
        assert reopen(transaction, "w1") == replace(a_write, sequence=1)


def test_an_owner_is_alive_while_its_process_is(tmp_path: Path) -> None:
    """After kill -9 the next owner removes its lock file. Unknown owners are dead."""
    owners = LockFiles(tmp_path / "workers")
    command = [sys.executable, "-c", _HOLD, str(tmp_path / "workers")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    assert owners.is_held(name)
    mine = owners.acquire_unique()
    assert owners.is_held(name)
    assert owners.is_held(mine.name)
    process.kill()
    process.wait()
    process.stdout.close()
    assert not owners.is_held(name)
    assert not owners.is_held("nobody")
    mine.release()
    assert not owners.is_held(mine.name)
    owners.acquire_unique().release()
    assert list((tmp_path / "workers").iterdir()) == []
