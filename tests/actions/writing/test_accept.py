"""Accepting writes: one of many at once, the network outside the transaction, one durable transaction for all of it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from sitecms.actions.writing.accept import Accepted, Caller, EntryName, WriteContext, create, delete, update
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.writes import IdempotencyKey
from sitecms.errors import InvalidFields, KeyReused, LimitReached, NotFound, SitecmsError, Stale
from sitecms.settings.operations import Limits
from sitecms.store.database import Database
from sitecms.store.entries.entry_state import revisions_of
from tests.support.reading import select

URL = "https://pictures.example/a.png"
EIGHT = 8


def kept(store: Database) -> tuple[int, int]:
    """How many writes and reservations there are."""
    with store.reading() as session:
        return (
            int(session.sql("SELECT count(*) FROM write")[0][0]),
            int(session.sql("SELECT count(*) FROM reservation")[0][0]),
        )


def race(accept: Callable[[int], Accepted]) -> list[Accepted | SitecmsError]:
    """Eight threads at once: what each got."""
    barrier = threading.Barrier(EIGHT)

    def one(number: int) -> Accepted | SitecmsError:
        barrier.wait()
        try:
            return accept(number)
        except SitecmsError as error:
            return error

    with ThreadPoolExecutor(EIGHT) as pool:
        return list(pool.map(one, range(EIGHT)))


def test_one_of_eight_equal_slugs_is_accepted(context: WriteContext, caller: Caller, store: Database) -> None:
    """The other requests get an error under `slug`; generated slugs are numbered instead."""
    got = race(lambda _: create(context, caller, EntryKind.POST, {"title": "Ebb", "slug": "ebb"}))
    assert sum(isinstance(each, Accepted) for each in got) == 1
    assert [list(each.messages) for each in got if isinstance(each, InvalidFields)] == [["slug"]] * 7
    assert kept(store) == (1, 1)
    assert all(
        isinstance(each, Accepted)
        for each in race(lambda _: create(context, caller, EntryKind.POST, {"title": "Flow"}))
    )
    assert kept(store) == (9, 9)


def test_one_of_eight_equal_variants_is_created(context: WriteContext, caller: Caller, store: Database) -> None:
    """The other requests update the variant that was accepted first."""
    create(context, caller, EntryKind.POST, {"title": "Ebb"})
    race(lambda number: update(context, caller, EntryName(EntryKind.POST, "ebb"), {"summary": str(number)}, "es"))
    found = select(store, "SELECT operation, count(*), count(DISTINCT entry_id) FROM write GROUP BY operation")
    assert found == [("create", 2, 2), ("update", 7, 1)]


def test_the_item_limit_holds_for_concurrent_writes(
    context: WriteContext, caller: Caller, store: Database, team_schema: ContentSchema
) -> None:
    """An element more than there is room for refuses all of them."""
    small = replace(context, settings=replace(context.settings, limits=Limits(collection_items=1)))
    got = race(lambda _: create(small, caller, EntryKind.ITEM, {"key": "team", "fields": {}}))
    assert sum(isinstance(each, Accepted) for each in got) == 1
    assert sum(isinstance(each, LimitReached) for each in got) == 7
    with pytest.raises(LimitReached):
        create(small, caller, EntryKind.ITEM, {"key": "team", "fields": [{}, {}]})
    assert kept(store) == (1, 1)


def test_a_slow_remote_host_delays_no_other_write(context: WriteContext, caller: Caller, store: Database) -> None:
    """Other writes are accepted during the probe, and a slug that they take is taken."""

    def slow(_url: str) -> str:
        create(context, caller, EntryKind.POST, {"title": "Quick", "slug": "ebb"})
        return ""

    with pytest.raises(InvalidFields, match="already exists"):
        create(
            replace(context, probe=slow), caller, EntryKind.POST, {"title": "Ebb", "slug": "ebb", "featured_image": URL}
        )
    assert kept(store) == (1, 1)


def test_an_idempotency_key_has_one_effect(context: WriteContext, caller: Caller, store: Database) -> None:
    """Eight equal requests at once get one answer; another request under that key is refused."""
    keyed = replace(caller, key=IdempotencyKey("k", "digest"))
    got = race(lambda _: create(context, keyed, EntryKind.POST, {"title": "Ebb"}))
    assert {each.write_id for each in got if isinstance(each, Accepted)} == {"w1"}
    assert kept(store) == (1, 1)
    with pytest.raises(KeyReused):
        create(context, replace(caller, key=IdempotencyKey("k", "other")), EntryKind.POST, {"title": "Flow"})


def test_if_match_is_checked_within_the_transaction(
    context: WriteContext, caller: Caller, store: Database, make_post: Callable[..., int]
) -> None:
    """One of eight updates of the same revision is accepted: the others see that it waits."""
    post_id = make_post("ebb")
    revisions = store.read(revisions_of, EntryKind.POST, post_id, "en")
    fresh = replace(caller, if_match=revisions)
    got = race(lambda number: update(context, fresh, EntryName(EntryKind.POST, "ebb"), {"summary": str(number)}))
    assert sum(isinstance(each, Accepted) for each in got) == 1
    assert sum(isinstance(each, Stale) for each in got) == 7
    make_post("flow")
    with pytest.raises(Stale):
        update(context, replace(caller, if_match=frozenset({"0"})), EntryName(EntryKind.POST, "flow"), {})


def test_a_deletion_is_recorded_as_a_write(context: WriteContext, caller: Caller, store: Database) -> None:
    """It is an applied write; the waiting write that it cancels is rejected, and its slug is free at once."""
    create(context, caller, EntryKind.POST, {"title": "Ebb"})
    delete(context, caller, EntryName(EntryKind.POST, "ebb"))
    found = select(store, "SELECT operation, status FROM write ORDER BY sequence")
    assert found == [("create", "rejected"), ("delete", "applied")]
    create(context, caller, EntryKind.POST, {"title": "Ebb", "slug": "ebb"})


@pytest.mark.parametrize("locale", ["", "es"])
def test_a_post_deleted_during_the_probe_is_not_found(
    context: WriteContext, caller: Caller, store: Database, locale: str, make_post: Callable[..., int]
) -> None:
    """An update or a new variant is refused, instead of accepted and rejected later."""
    make_post("ebb")

    def delete_meanwhile(_url: str) -> str:
        delete(context, caller, EntryName(EntryKind.POST, "ebb"))
        return ""

    probed, ebb = replace(context, probe=delete_meanwhile), EntryName(EntryKind.POST, "ebb")
    with pytest.raises(NotFound):
        update(probed, caller, ebb, {"featured_image": URL}, locale)
    assert select(store, "SELECT operation FROM write") == [("delete",)]
