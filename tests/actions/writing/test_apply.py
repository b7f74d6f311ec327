"""Applying accepted writes: once whatever is killed when, in order, fenced, and never stuck."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.writing.accept import Caller, EntryName, WriteContext, create, delete, update
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
from sitecms.content.writes import Write, WriteStatus
from sitecms.errors import FetchFailed, HostBusy
from sitecms.media.fetching.fetch import Budget
from sitecms.store.database import Database
from sitecms.store.entries import items
from sitecms.store.writes.reservations import next_entry_ids
from sitecms.store.writes.writes import MAX_ATTEMPTS, claim, finish, get_write, open_entries, release_all, reopen
from tests.support.changes import post_change
from tests.support.engines import indexed, is_sound
from tests.support.reading import get_post

IMAGE_URL = "https://pictures.example/a.pdf"


class Killed(BaseException):
    """Ends a worker as kill -9 does: nothing of its own code runs after it."""


def status_of(store: Database, write_id: str) -> Write:
    """The write as it is now."""
    return store.read(get_write, write_id)


def killed_at(worker: Worker, step: str) -> Worker:
    """A worker that dies at the step."""

    def die(name: str) -> None:
        if name == step:
            raise Killed

    return replace(worker, step=die)


def post_name(number: int) -> EntryName:
    """The name of a post."""
    return EntryName(EntryKind.POST, f"post-{number}")


def totals(store: Database) -> dict[str, int]:
    """How much of everything there is."""
    tables = ("version_term", "term", "entry", "version", "media_file", "reservation")
    with store.reading() as session:
        found = {table: int(session.sql(f"SELECT count(*) FROM {table}")[0][0]) for table in tables}
        found["searched"] = len(indexed(session, "turn"))
    return found


@pytest.mark.parametrize("step", STEPS)
def test_a_write_survives_workers_killed_at_any_step(
    context: WriteContext,
    caller: Caller,
    worker: Worker,
    remote: Any,
    store: Database,
    team_schema: ContentSchema,
    step: str,
) -> None:
    """The next worker finishes what the killed one began: every entry is stored exactly once."""
    remote.files[IMAGE_URL] = b"%PDF-1.4\n"
    for number in range(10):
        fields = {"name": f"Item {number}", "photo": IMAGE_URL}
        accepted = [
            create(context, caller, EntryKind.POST, {
                "title": f"Post {number}", "status": "published", "body": "turn", "tags": ["a"],
                "featured_image": IMAGE_URL,
            }),
            update(context, caller, post_name(number), {"summary": "later", "tags": ["a", "b"]}),
            create(context, caller, EntryKind.PAGE, {"title": "Page", "slug": f"page-{number}", "status": "published"}),
            create(context, caller, EntryKind.ITEM, {"key": "team", "status": "published", "fields": [fields]}),
        ]  # fmt: skip
        writes = [status_of(store, each.write_id) for each in accepted]
        for key in dict.fromkeys(write.entry_key for write in writes):
            with pytest.raises(Killed):
                apply_entry(killed_at(worker, step), key)
            apply_entry(replace(worker, owner="next"), key)
            assert apply_entry(worker, key) == 0
        assert {status_of(store, write.id).status for write in writes} == {WriteStatus.APPLIED}
    found = totals(store)
    assert (found["version_term"], found["term"], found["searched"]) == (20, 2, 10)
    assert (found["entry"], found["version"]) == (30, 30)
    assert (found["media_file"], found["reservation"]) == (1, 0)
    with store.reading() as session:
        assert {get_post(session, f"post-{number}").summary for number in range(10)} == {"later"}
    assert is_sound(store)


@pytest.mark.parametrize("step", STEPS)
def test_items_of_one_write_survive_killed_workers(
    context: WriteContext,
    caller: Caller,
    worker: Worker,
    remote: Any,
    store: Database,
    team_schema: ContentSchema,
    step: str,
) -> None:
    """60 elements are one write: a worker killed at any step leaves none or all of the items, each once in the end."""
    remote.files[IMAGE_URL] = b"%PDF-1.4\n"
    elements = [{"name": f"Item {number}", "photo": IMAGE_URL} for number in range(60)]
    write = status_of(store, create(context, caller, EntryKind.ITEM, {"key": "team", "fields": elements}).write_id)
    assert (len(set(write.entry_ids)), totals(store)["reservation"]) == (60, 60)
    update(context, caller, EntryName(EntryKind.ITEM, str(write.entry_ids[59]), "team"), {"fields": {"name": "Last"}})
    with pytest.raises(Killed):
        apply_entry(killed_at(worker, step), write.entry_key)
    is_ended = status_of(store, write.id).status is WriteStatus.APPLIED
    assert (is_ended, totals(store)["entry"]) == (step == "committed", 60 if is_ended else 0)
    apply_entry(replace(worker, owner="next"), write.entry_key)
    found = totals(store)
    assert (found["entry"], found["version"], found["reservation"], found["media_file"]) == (60, 60, 0, 1)
    assert status_of(store, write.id).status is WriteStatus.APPLIED
    with store.reading() as session:
        last = items.item_versions(session, write.entry_ids)[59]
        assert (last.id, last.fields["name"]) == (write.entry_ids[59], "Last")


def test_all_items_of_a_write_are_created_or_none(
    context: WriteContext,
    caller: Caller,
    worker: Worker,
    store: Database,
    team_schema: ContentSchema,
    make_item: Callable[..., str],
) -> None:
    """One that no longer fits rejects the write, at its place among the elements; the ids stay free."""
    make_item(7, {"name": "Ann"})
    body = {"key": "team", "fields": [{"name": "Bo"}, {"name": "Cy", "mentor": 7}]}
    write = status_of(store, create(context, caller, EntryKind.ITEM, body).write_id)
    delete(context, caller, EntryName(EntryKind.ITEM, "7", "team"))
    apply_entry(worker, write.entry_key)
    rejected = status_of(store, write.id)
    assert (rejected.status, list(rejected.errors)) == (WriteStatus.REJECTED, ["fields[1].mentor"])
    assert (totals(store)["entry"], totals(store)["reservation"]) == (1, 0)


def test_a_write_that_kills_its_workers_fails(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """It fails after five attempts, and later writes to the entry go on; it can be retried."""
    first = create(context, caller, EntryKind.POST, {"title": "Ebb"}).write_id
    second = create(context, caller, EntryKind.POST, {"title": "Flow"}).write_id
    behind = update(context, caller, EntryName(EntryKind.POST, "ebb"), {"title": "x"}).write_id
    key = status_of(store, first).entry_key
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(Killed):
            apply_entry(killed_at(worker, "applied"), key)
    apply_entry(worker, key)
    apply_entry(worker, status_of(store, second).entry_key)
    assert status_of(store, first).status is WriteStatus.FAILED
    assert "five times" in status_of(store, first).errors["detail"][0]
    assert status_of(store, behind).status is WriteStatus.REJECTED
    assert status_of(store, behind).errors == {"detail": ["The post was deleted before this write was applied."]}
    assert status_of(store, second).status is WriteStatus.APPLIED
    store.write(reopen, first)
    assert apply_entry(worker, key) == 1
    assert status_of(store, first).status is WriteStatus.APPLIED


def test_writes_to_an_entry_are_applied_in_order(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """The oldest open write to an entry comes first; variants count as one entry."""
    create(context, caller, EntryKind.POST, {"title": "Ebb", "status": "published"})
    update(context, caller, EntryName(EntryKind.POST, "ebb"), {"title": "Marea"}, "es")
    last = ""
    for number in range(20):
        last = update(
            context,
            caller,
            EntryName(EntryKind.POST, "ebb"),
            {"summary": str(number), "meta_description": "x" * number},
        ).write_id
    seen: list[str] = []

    def look(step: str) -> None:
        if step == "committed":
            seen.append(store.read(get_post, "ebb").summary)

    assert apply_entry(replace(worker, step=look), status_of(store, last).entry_key) == 22
    assert seen == ["", "", *map(str, range(20))]


def test_writes_of_a_living_worker_are_not_claimed(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """No other worker claims its write or a later one to the entry until it is dead or hands the write back."""
    write_id = create(context, caller, EntryKind.POST, {"title": "Ebb"}).write_id
    key = status_of(store, write_id).entry_key
    other = replace(worker, owner="other", is_alive=lambda name: name == "me")
    assert store.write(claim, key, "me", worker.is_alive, context.clock()) is not None
    assert apply_entry(other, key) == 0
    store.write(release_all, "me")
    assert status_of(store, write_id).attempt == 0
    assert apply_entry(other, key) == 1


def test_a_worker_that_lost_its_claim_changes_nothing(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """A worker that was taken for dead is stopped by the fence: the other worker stores the post once."""
    write_id = create(context, caller, EntryKind.POST, {"title": "Ebb", "tags": ["a"]}).write_id
    key = status_of(store, write_id).entry_key
    taken: list[int] = []

    def take_over(step: str) -> None:
        if step == "fetched" and not taken:
            taken.append(1)
            taken.append(apply_entry(replace(worker, owner="other"), key))

    assert apply_entry(replace(worker, step=take_over), key) == 0
    assert taken == [1, 1]
    assert (totals(store)["entry"], status_of(store, write_id).attempt) == (1, 2)


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
def picture_write(context: WriteContext, caller: Caller, remote: Any) -> str:
    """The id of a write of a post with a remote picture."""
    remote.files[IMAGE_URL] = b"%PDF-1.4\n"
    return create(context, caller, EntryKind.POST, {"title": "Ebb", "featured_image": IMAGE_URL}).write_id


def test_a_failed_fetch_is_tried_again_after_growing_pauses(
    worker: Worker, store: Database, picture_write: str
) -> None:
    """Pauses grow; nobody claims the write in one, attempts do not count, and the file that comes at last is stored."""
    host, key = FailingHost(worker, FetchFailed("no answer")), status_of(store, picture_write).entry_key
    tried: list[float] = []
    begun = host.now
    for second in range(300):
        host.now = begun + timedelta(seconds=second)
        asked = host.asked
        apply_entry(host.worker, key)
        tried += [second] if host.asked > asked else []
        assert store.read(open_entries, host.now, 10) == ()
    waiting = status_of(store, picture_write)
    assert (waiting.status, waiting.attempt) == (WriteStatus.ACCEPTED, 0)
    assert tried == [0, 1, 2, 4, 8, 16, 32, 64, 124, 184, 244]
    host.error, host.now = None, host.now + timedelta(seconds=60)
    assert apply_entry(host.worker, key) == 1
    assert status_of(store, picture_write).status is WriteStatus.APPLIED


@pytest.mark.parametrize("error", [FetchFailed("no answer"), HostBusy(429, 0), HostBusy(503, 45)])
def test_a_write_fails_after_the_time_for_its_media(
    worker: Worker, store: Database, picture_write: str, error: FetchFailed
) -> None:
    """It fails as a whole, with the reason under the field, and is repeated by a command."""
    host, key = FailingHost(worker, error), status_of(store, picture_write).entry_key
    begun = host.now
    for second in range(0, 601, 15):
        host.now = begun + timedelta(seconds=second)
        apply_entry(host.worker, key)
    failed = status_of(store, picture_write)
    assert (failed.status, failed.errors) == (WriteStatus.FAILED, {"featured_image": [str(error)]})
    assert 5 < host.asked < 20
    host.error = None
    store.write(retry_write, picture_write, is_forced=False)
    assert apply_entry(host.worker, key) == 1
    assert status_of(store, picture_write).status is WriteStatus.APPLIED


def test_a_host_is_left_alone_for_the_time_it_asks(worker: Worker, store: Database, picture_write: str) -> None:
    """One that asks for more than the time of the write ends it at once."""
    host, key = FailingHost(worker, HostBusy(429, 90)), status_of(store, picture_write).entry_key
    begun = host.now
    for second in (0, 1, 30, 89, 90, 91):
        host.now = begun + timedelta(seconds=second)
        apply_entry(host.worker, key)
    assert host.asked == 2
    host.error, host.now = HostBusy(503, 3600), host.now + timedelta(seconds=90)
    apply_entry(host.worker, key)
    assert status_of(store, picture_write).status is WriteStatus.FAILED


@pytest.mark.parametrize("kind", [EntryKind.POST, EntryKind.PAGE])
def test_a_write_is_rejected_if_a_file_took_its_slug(
    context: WriteContext,
    caller: Caller,
    worker: Worker,
    store: Database,
    make_post: Callable[..., int],
    make_page: Callable[..., int],
    kind: EntryKind,
) -> None:
    """The error is under `slug`, and nothing of the write is stored."""
    body = {"title": "Ebb", "slug": "ebb", "page_type": "guide", "tags": ["only-here"]}
    write_id = create(context, caller, kind, body).write_id
    store.write(next_entry_ids, kind)  # a file has an id of its own
    (make_post if kind is EntryKind.POST else make_page)("ebb")
    before = totals(store)
    apply_entry(worker, status_of(store, write_id).entry_key)
    rejected = status_of(store, write_id)
    assert (rejected.status, list(rejected.errors)) == (WriteStatus.REJECTED, ["slug"])
    assert totals(store) == {**before, "reservation": 0}


@pytest.mark.parametrize("kind", EntryKind)
def test_a_write_is_rejected_if_a_file_took_its_id(
    context: WriteContext, caller: Caller, worker: Worker, store: Database, team_schema: ContentSchema, kind: EntryKind
) -> None:
    """The entry of the file stays as it is, and the error says what to do."""
    body = {"title": "Ebb", "slug": "ebb", "key": "team", "fields": {}}
    write = status_of(store, create(context, caller, kind, body).write_id)
    with store.writing() as transaction:
        saves = SaveContext(transaction, Origin.FILE, context.clock())
        save_entry(saves, with_id(kind, write.entry_id))
    before = totals(store)
    apply_entry(worker, write.entry_key)
    rejected = status_of(store, write.id)
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


def test_a_stopping_worker_leaves_later_writes_open(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """It checks between two writes whether it is to stop."""
    create(context, caller, EntryKind.POST, {"title": "Ebb"})
    write_id = update(context, caller, EntryName(EntryKind.POST, "ebb"), {"summary": "x"}).write_id
    asked = iter([False, True])
    assert apply_entry(worker, status_of(store, write_id).entry_key, lambda: next(asked)) == 1
    assert status_of(store, write_id).status is WriteStatus.ACCEPTED


def test_finishing_a_write_needs_the_claim(
    context: WriteContext, caller: Caller, worker: Worker, store: Database
) -> None:
    """`finish` is refused to any other owner and attempt."""
    write_id = create(context, caller, EntryKind.POST, {"title": "Ebb"}).write_id
    write = store.write(claim, status_of(store, write_id).entry_key, "me", worker.is_alive, context.clock())
    assert write is not None
    for owner, attempt in (("other", 1), ("me", 2), (None, 1)):
        with pytest.raises(Exception, match=write_id), store.writing() as transaction:
            finish(transaction, replace(write, attempt=attempt), owner, WriteStatus.APPLIED, context.clock())
