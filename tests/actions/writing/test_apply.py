"""Applying accepted writes: once whatever is killed when, in order, fenced, and never stuck."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.actions.writing.apply.applying import STEPS, Worker, apply_entry
from sitecms.actions.writing.apply.save import ID_TAKEN
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import EntryChange, Origin, VersionChange
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaFile
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.content.writes import WriteStatus
from sitecms.errors import FetchFailed, HostBusy
from sitecms.media.fetching.fetch import Budget
from sitecms.store.database import Database
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.reservations import next_entry_ids
from sitecms.store.writes.writes import MAX_ATTEMPTS, claim, finish, open_entries, release_all, reopen
from tests.support.changes import post_change
from tests.support.engines import indexed, is_sound
from tests.support.reading import get_post
from tests.support.writes import Writes

IMAGE_URL = "https://pictures.example/a.pdf"


class Killed(BaseException):
    """Ends a worker as kill -9 does: nothing of its own code runs after it."""


def killed_at(worker: Worker, step: str) -> Worker:
    """A worker that dies at the step."""

    def die(name: str) -> None:
        if name == step:
            raise Killed

    return replace(worker, step=die)


def totals(store: Database) -> dict[str, int]:
    """How much of everything there is."""
    tables = ("version_term", "term", "entry", "version", "media_file", "reservation")
    with store.reading() as session:
        found = {table: int(session.sql(f"SELECT count(*) FROM {table}")[0][0]) for table in tables}
        found["searched"] = len(indexed(session, "turn"))
    return found


@pytest.mark.parametrize("step", STEPS)
def test_a_write_survives_workers_killed_at_any_step(
    writes: Writes, remote: Any, store: Database, team_schema: ContentSchema, step: str
) -> None:
    """The next worker finishes what the killed one began: every entry is stored exactly once."""
    remote.files[IMAGE_URL] = b"%PDF-1.4\n"
    for number in range(10):
        fields = {"name": f"Item {number}", "photo": IMAGE_URL}
        accepted = [
            writes.create(EntryKind.POST, {
                "title": f"Post {number}", "status": "published", "body": "turn", "tags": ["a"],
                "featured_image": IMAGE_URL,
            }),
            writes.update(EntryKind.POST, f"post-{number}", {"summary": "later", "tags": ["a", "b"]}),
            writes.create(EntryKind.PAGE, {"title": "Page", "slug": f"page-{number}", "status": "published"}),
            writes.create(EntryKind.ITEM, {"key": "team", "status": "published", "fields": [fields]}),
        ]  # fmt: skip
        for key in dict.fromkeys(map(writes.key, accepted)):
            with pytest.raises(Killed):
                apply_entry(killed_at(writes.worker, step), key)
            apply_entry(replace(writes.worker, owner="next"), key)
            assert apply_entry(writes.worker, key) == 0
        assert {writes.get(each).status for each in accepted} == {WriteStatus.APPLIED}
    found = totals(store)
    assert (found["version_term"], found["term"], found["searched"]) == (20, 2, 10)
    assert (found["entry"], found["version"]) == (30, 30)
    assert (found["media_file"], found["reservation"]) == (1, 0)
    with store.reading() as session:
        assert {get_post(session, f"post-{number}").summary for number in range(10)} == {"later"}
    assert is_sound(store)


@pytest.mark.parametrize("step", STEPS)
def test_items_of_one_write_survive_killed_workers(
    writes: Writes, remote: Any, store: Database, team_schema: ContentSchema, step: str
) -> None:
    """60 elements are one write: a worker killed at any step leaves none or all of the items, each once in the end."""
    remote.files[IMAGE_URL] = b"%PDF-1.4\n"
    elements = [{"name": f"Item {number}", "photo": IMAGE_URL} for number in range(60)]
    write = writes.get(writes.create(EntryKind.ITEM, {"key": "team", "fields": elements}))
    assert (len(set(write.entry_ids)), totals(store)["reservation"]) == (60, 60)
    writes.update(EntryKind.ITEM, str(write.entry_ids[59]), {"fields": {"name": "Last"}}, type_="team")
    with pytest.raises(Killed):
        apply_entry(killed_at(writes.worker, step), write.entry_key)
    is_ended = writes.get(write.id).status is WriteStatus.APPLIED
    assert (is_ended, totals(store)["entry"]) == (step == "committed", 60 if is_ended else 0)
    apply_entry(replace(writes.worker, owner="next"), write.entry_key)
    found = totals(store)
    assert (found["entry"], found["version"], found["reservation"], found["media_file"]) == (60, 60, 0, 1)
    assert writes.get(write.id).status is WriteStatus.APPLIED
    with store.reading() as session:
        last = VERSIONS[EntryKind.ITEM].of(session, write.entry_ids)[59]
        assert (last.id, last.fields["name"]) == (write.entry_ids[59], "Last")


def test_all_items_of_a_write_are_created_or_none(
    writes: Writes, store: Database, team_schema: ContentSchema, make_item: Callable[..., str]
) -> None:
    """One that no longer fits rejects the write, at its place among the elements; the ids stay free."""
    make_item(7, {"name": "Ann"})
    body = {"key": "team", "fields": [{"name": "Bo"}, {"name": "Cy", "mentor": 7}]}
    write = writes.get(writes.create(EntryKind.ITEM, body))
    writes.delete(EntryKind.ITEM, "7", "team")
    rejected = writes.apply(write.id)
    assert (rejected.status, list(rejected.errors)) == (WriteStatus.REJECTED, ["fields[1].mentor"])
    assert (totals(store)["entry"], totals(store)["reservation"]) == (1, 0)


def test_a_write_that_kills_its_workers_fails(writes: Writes, store: Database) -> None:
    """It fails after five attempts, and later writes to the entry go on; it can be retried."""
    first = writes.create(EntryKind.POST, {"title": "Ebb"})
    second = writes.create(EntryKind.POST, {"title": "Flow"})
    behind = writes.update(EntryKind.POST, "ebb", {"title": "x"})
    key = writes.key(first)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(Killed):
            apply_entry(killed_at(writes.worker, "applied"), key)
    failed = writes.apply(first)
    assert failed.status is WriteStatus.FAILED
    assert "five times" in failed.errors["detail"][0]
    assert writes.get(behind).status is WriteStatus.REJECTED
    assert writes.get(behind).errors == {"detail": ["The post was deleted before this write was applied."]}
    assert writes.apply(second).status is WriteStatus.APPLIED
    store.write(reopen, first)
    assert apply_entry(writes.worker, key) == 1
    assert writes.get(first).status is WriteStatus.APPLIED


def test_writes_to_an_entry_are_applied_in_order(writes: Writes, store: Database) -> None:
    """The oldest open write to an entry comes first; variants count as one entry."""
    writes.create(EntryKind.POST, {"title": "Ebb", "status": "published"})
    writes.update(EntryKind.POST, "ebb", {"title": "Marea"}, "es")
    last = ""
    for number in range(20):
        last = writes.update(EntryKind.POST, "ebb", {"summary": str(number), "meta_description": "x" * number})
    seen: list[str] = []

    def look(step: str) -> None:
        if step == "committed":
            seen.append(store.read(get_post, "ebb").summary)

    assert apply_entry(replace(writes.worker, step=look), writes.key(last)) == 22
    assert seen == ["", "", *map(str, range(20))]


def test_writes_of_a_living_worker_are_not_claimed(writes: Writes, store: Database) -> None:
    """No other worker claims its write or a later one to the entry until it is dead or hands the write back."""
    write_id = writes.create(EntryKind.POST, {"title": "Ebb"})
    key = writes.key(write_id)
    other = replace(writes.worker, owner="other", is_alive=lambda name: name == "me")
    assert store.write(claim, key, "me", writes.worker.is_alive, writes.context.clock()) is not None
    assert apply_entry(other, key) == 0
    store.write(release_all, "me")
    assert writes.get(write_id).attempt == 0
    assert apply_entry(other, key) == 1


def test_a_worker_that_lost_its_claim_changes_nothing(writes: Writes, store: Database) -> None:
    """A worker that was taken for dead is stopped by the fence: the other worker stores the post once."""
    write_id = writes.create(EntryKind.POST, {"title": "Ebb", "tags": ["a"]})
    key = writes.key(write_id)
    taken: list[int] = []

    def take_over(step: str) -> None:
        if step == "fetched" and not taken:
            taken.append(1)
            taken.append(apply_entry(replace(writes.worker, owner="other"), key))

    assert apply_entry(replace(writes.worker, step=take_over), key) == 0
    assert taken == [1, 1]
    assert (totals(store)["entry"], writes.get(write_id).attempt) == (1, 2)


class FailingHost:
    """A worker's clock, and the fetch of a host that answers with an error until `error` is None."""

    def __init__(self, worker: Worker, error: FetchFailed | None) -> None:
        self.error = error
        self.now = worker.clock()
        self.asked = 0
        self._fetch = worker.fetch
        self.worker = replace(worker, fetch=self.fetch, clock=lambda: self.now)

    def fetch(self, url: str, budget: Budget) -> MediaFile:
        """The file, or the error."""
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self._fetch(url, budget)


@pytest.fixture
def picture_write(writes: Writes, remote: Any) -> str:
    """The id of a write of a post with a remote picture."""
    remote.files[IMAGE_URL] = b"%PDF-1.4\n"
    return writes.create(EntryKind.POST, {"title": "Ebb", "featured_image": IMAGE_URL})


def test_a_failed_fetch_is_tried_again_after_growing_pauses(
    writes: Writes, store: Database, picture_write: str
) -> None:
    """Pauses grow; nobody claims the write in one, attempts do not count, and the file that comes at last is stored."""
    host, key = FailingHost(writes.worker, FetchFailed("no answer")), writes.key(picture_write)
    tried: list[float] = []
    begun = host.now
    for second in range(300):
        host.now = begun + timedelta(seconds=second)
        asked = host.asked
        apply_entry(host.worker, key)
        tried += [second] if host.asked > asked else []
        assert store.read(open_entries, host.now, 10) == ()
    waiting = writes.get(picture_write)
    assert (waiting.status, waiting.attempt) == (WriteStatus.ACCEPTED, 0)
    assert tried == [0, 1, 2, 4, 8, 16, 32, 64, 124, 184, 244]
    host.error, host.now = None, host.now + timedelta(seconds=60)
    assert apply_entry(host.worker, key) == 1
    assert writes.get(picture_write).status is WriteStatus.APPLIED


@pytest.mark.parametrize("error", [FetchFailed("no answer"), HostBusy(429, 0), HostBusy(503, 45)])
def test_a_write_fails_after_the_time_for_its_media(
    writes: Writes, store: Database, picture_write: str, error: FetchFailed
) -> None:
    """It fails as a whole, with the reason under the field, and is repeated by a command."""
    host, key = FailingHost(writes.worker, error), writes.key(picture_write)
    begun = host.now
    for second in range(0, 601, 15):
        host.now = begun + timedelta(seconds=second)
        apply_entry(host.worker, key)
    failed = writes.get(picture_write)
    assert (failed.status, failed.errors) == (WriteStatus.FAILED, {"featured_image": [str(error)]})
    assert 5 < host.asked < 20
    host.error = None
    store.write(retry_write, picture_write, is_forced=False)
    assert apply_entry(host.worker, key) == 1
    assert writes.get(picture_write).status is WriteStatus.APPLIED


def test_a_host_is_left_alone_for_the_time_it_asks(writes: Writes, picture_write: str) -> None:
    """One that asks for more than the time of the write ends it at once."""
    host, key = FailingHost(writes.worker, HostBusy(429, 90)), writes.key(picture_write)
    begun = host.now
    for second in (0, 1, 30, 89, 90, 91):
        host.now = begun + timedelta(seconds=second)
        apply_entry(host.worker, key)
    assert host.asked == 2
    host.error, host.now = HostBusy(503, 3600), host.now + timedelta(seconds=90)
    apply_entry(host.worker, key)
    assert writes.get(picture_write).status is WriteStatus.FAILED


@pytest.mark.parametrize("kind", [EntryKind.POST, EntryKind.PAGE])
def test_a_write_is_rejected_if_a_file_took_its_slug(
    writes: Writes, store: Database, make_post: Callable[..., int], make_page: Callable[..., int], kind: EntryKind
) -> None:
    """The error is under `slug`, and nothing of the write is stored."""
    body = {"title": "Ebb", "slug": "ebb", "page_type": "guide", "tags": ["only-here"]}
    write_id = writes.create(kind, body)
    store.write(next_entry_ids, kind)  # a file has an id of its own
    (make_post if kind is EntryKind.POST else make_page)("ebb")
    before = totals(store)
    rejected = writes.apply(write_id)
    assert (rejected.status, list(rejected.errors)) == (WriteStatus.REJECTED, ["slug"])
    assert totals(store) == {**before, "reservation": 0}


@pytest.mark.parametrize("kind", EntryKind)
def test_a_write_is_rejected_if_a_file_took_its_id(
    writes: Writes, store: Database, team_schema: ContentSchema, kind: EntryKind
) -> None:
    """The entry of the file stays as it is, and the error says what to do."""
    body = {"title": "Ebb", "slug": "ebb", "key": "team", "fields": {}}
    write = writes.get(writes.create(kind, body))
    with store.writing() as transaction:
        saves = SaveContext(transaction, Origin.FILE, writes.context.clock())
        save_entry(saves, with_id(kind, write.entry_id))
    before = totals(store)
    rejected = writes.apply(write.id)
    assert rejected.errors == {"id": [ID_TAKEN.format(id=write.entry_id, kind=kind)]}
    assert totals(store) == {**before, "reservation": 0}


def with_id(kind: EntryKind, entry_id: int) -> EntryChange:
    """The change that stores an entry of a file with this id."""
    versions = (VersionChange("en", Version.LIVE, Status.PUBLISHED, {}),)
    if kind is EntryKind.PAGE:
        return EntryChange(EntryKind.PAGE, entry_id, "", versions, "flow", "Flow")
    if kind is EntryKind.ITEM:
        return EntryChange(EntryKind.ITEM, entry_id, "team", versions)
    return post_change("en", "flow", "Flow", Status.PUBLISHED, id=entry_id, author="ann-ray")


def test_a_stopping_worker_leaves_later_writes_open(writes: Writes) -> None:
    """It checks between two writes whether it is to stop."""
    writes.create(EntryKind.POST, {"title": "Ebb"})
    write_id = writes.update(EntryKind.POST, "ebb", {"summary": "x"})
    asked = iter([False, True])
    assert apply_entry(writes.worker, writes.key(write_id), lambda: next(asked)) == 1
    assert writes.get(write_id).status is WriteStatus.ACCEPTED


def test_finishing_a_write_needs_the_claim(writes: Writes, store: Database) -> None:
    """`finish` is refused to any other owner and attempt."""
    write_id = writes.create(EntryKind.POST, {"title": "Ebb"})
    write = store.write(claim, writes.key(write_id), "me", writes.worker.is_alive, writes.context.clock())
    assert write is not None
    for owner, attempt in (("other", 1), ("me", 2), (None, 1)):
        with pytest.raises(Exception, match=write_id), store.writing() as transaction:
            finish(transaction, replace(write, attempt=attempt), owner, WriteStatus.APPLIED, writes.context.clock())
