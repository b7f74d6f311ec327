"""Accepting writes: one of many at once, the network outside the transaction, one durable transaction for all of it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.writes import IdempotencyKey
from sitecms.errors import InvalidFields, KeyReused, LimitReached, NotFound, SitecmsError, Stale
from sitecms.settings.operations import Limits
from sitecms.store.database import Database
from sitecms.store.entries.entry_state import revisions_of
from tests.support.reading import select
from tests.support.writes import Writes

URL = "https://pictures.example/a.png"
EIGHT = 8


def kept(store: Database) -> tuple[int, int]:
    """How many writes and reservations there are."""
    with store.reading() as session:
        return (
            int(session.sql("SELECT count(*) FROM write")[0][0]),
            int(session.sql("SELECT count(*) FROM reservation")[0][0]),
        )


def race(accept: Callable[[int], str]) -> list[str | SitecmsError]:
    """Eight threads at once: what each got."""
    barrier = threading.Barrier(EIGHT)

    def one(number: int) -> str | SitecmsError:
        barrier.wait()
        try:
            return accept(number)
        except SitecmsError as error:
            return error

    with ThreadPoolExecutor(EIGHT) as pool:
        return list(pool.map(one, range(EIGHT)))


def test_one_of_eight_equal_slugs_is_accepted(writes: Writes, store: Database) -> None:
    """The other requests get an error under `slug`; generated slugs are numbered instead."""
    got = race(lambda _: writes.create(EntryKind.POST, {"title": "Ebb", "slug": "ebb"}))
    assert sum(isinstance(each, str) for each in got) == 1
    assert [list(each.messages) for each in got if isinstance(each, InvalidFields)] == [["slug"]] * 7
    assert kept(store) == (1, 1)
    assert all(isinstance(each, str) for each in race(lambda _: writes.create(EntryKind.POST, {"title": "Flow"})))
    assert kept(store) == (9, 9)


def test_one_of_eight_equal_variants_is_created(writes: Writes, store: Database) -> None:
    """The other requests update the variant that was accepted first."""
    writes.create(EntryKind.POST, {"title": "Ebb"})
    race(lambda number: writes.update(EntryKind.POST, "ebb", {"summary": str(number)}, "es"))
    found = select(store, "SELECT operation, count(*), count(DISTINCT entry_id) FROM write GROUP BY operation")
    assert found == [("create", 2, 2), ("update", 7, 1)]


def test_the_item_limit_holds_for_concurrent_writes(
    writes: Writes, store: Database, team_schema: ContentSchema
) -> None:
    """An element more than there is room for refuses all of them."""
    settings = replace(writes.context.settings, limits=Limits(collection_items=1))
    writes.context = replace(writes.context, settings=settings)
    got = race(lambda _: writes.create(EntryKind.ITEM, {"key": "team", "fields": {}}))
    assert sum(isinstance(each, str) for each in got) == 1
    assert sum(isinstance(each, LimitReached) for each in got) == 7
    with pytest.raises(LimitReached):
        writes.create(EntryKind.ITEM, {"key": "team", "fields": [{}, {}]})
    assert kept(store) == (1, 1)


def test_a_slow_remote_host_delays_no_other_write(writes: Writes, store: Database) -> None:
    """Other writes are accepted during the probe, and a slug that they take is taken."""

    def slow(_url: str) -> str:
        writes.create(EntryKind.POST, {"title": "Quick", "slug": "ebb"})
        return ""

    slowly = Writes(replace(writes.context, probe=slow), writes.caller, writes.worker)
    with pytest.raises(InvalidFields, match="already exists"):
        slowly.create(EntryKind.POST, {"title": "Ebb", "slug": "ebb", "featured_image": URL})
    assert kept(store) == (1, 1)


def test_an_idempotency_key_has_one_effect(writes: Writes, store: Database) -> None:
    """Eight equal requests at once get one answer; another request under that key is refused."""
    caller = writes.caller
    writes.caller = replace(caller, key=IdempotencyKey("k", "digest"))
    assert set(race(lambda _: writes.create(EntryKind.POST, {"title": "Ebb"}))) == {"w1"}
    assert kept(store) == (1, 1)
    writes.caller = replace(caller, key=IdempotencyKey("k", "other"))
    with pytest.raises(KeyReused):
        writes.create(EntryKind.POST, {"title": "Flow"})


def test_if_match_is_checked_within_the_transaction(
    writes: Writes, store: Database, make_post: Callable[..., int]
) -> None:
    """One of eight updates of the same revision is accepted: the others see that it waits."""
    post_id = make_post("ebb")
    revisions = store.read(revisions_of, EntryKind.POST, post_id, "en")
    writes.caller = replace(writes.caller, if_match=revisions)
    got = race(lambda number: writes.update(EntryKind.POST, "ebb", {"summary": str(number)}))
    assert sum(isinstance(each, str) for each in got) == 1
    assert sum(isinstance(each, Stale) for each in got) == 7
    make_post("flow")
    writes.caller = replace(writes.caller, if_match=frozenset({"0"}))
    with pytest.raises(Stale):
        writes.update(EntryKind.POST, "flow", {})


def test_a_deletion_is_recorded_as_a_write(writes: Writes, store: Database) -> None:
    """It is an applied write; the waiting write that it cancels is rejected, and its slug is free at once."""
    writes.create(EntryKind.POST, {"title": "Ebb"})
    writes.delete(EntryKind.POST, "ebb")
    found = select(store, "SELECT operation, status FROM write ORDER BY sequence")
    assert found == [("create", "rejected"), ("delete", "applied")]
    writes.create(EntryKind.POST, {"title": "Ebb", "slug": "ebb"})


@pytest.mark.parametrize("locale", ["", "es"])
def test_a_post_deleted_during_the_probe_is_not_found(
    writes: Writes, store: Database, locale: str, make_post: Callable[..., int]
) -> None:
    """An update or a new variant is refused, instead of accepted and rejected later."""
    make_post("ebb")

    def delete_meanwhile(_url: str) -> str:
        writes.delete(EntryKind.POST, "ebb")
        return ""

    writes.context = replace(writes.context, probe=delete_meanwhile)
    with pytest.raises(NotFound):
        writes.update(EntryKind.POST, "ebb", {"featured_image": URL}, locale)
    assert select(store, "SELECT operation FROM write") == [("delete",)]
