"""Names that entries gave up: kept while the entry lives, and only those that readers have seen."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.trash import delete_entry
from sitecms.clock import now
from sitecms.content.change import Origin, Times, change_of_entry, change_of_version, change_of_versions
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.store.database import Database
from sitecms.store.entries import trash
from sitecms.store.entries.entry_rows import change_entry, find_named
from sitecms.store.entries.entry_state import find_former_addresses
from sitecms.store.entries.versions import VERSIONS

MakePost = Callable[..., int]


def former(store: Database) -> set[tuple[str, str, str, str, int]]:
    return {
        (each.kind.value, each.type, each.locale, each.slug, each.entry_id)
        for each in store.read(find_former_addresses)
    }


def change(store: Database, post_id: int, slug: str, **values: Any) -> None:
    """Save a post with another slug, and other values."""
    with store.writing() as transaction:
        post = change_of_entry([VERSIONS[EntryKind.POST].get(transaction, post_id)])
        saved = replace(post.with_values(**values), slug=slug)
        save_entry(SaveContext(transaction, Origin.API, saved.only.times.created_at or now()), saved)


def rename(store: Database, post_id: int, *slugs: str) -> None:
    for slug in slugs:
        change(store, post_id, slug)


def test_every_former_slug_of_a_post_is_kept(store: Database, make_post: MakePost) -> None:
    """In its locale, also a slug that it has taken back."""
    post_id = make_post("one")
    rename(store, post_id, "two", "three", "two")
    assert former(store) == {("post", "", "en", slug, post_id) for slug in ("one", "two", "three")}
    change(store, post_id, "two", locale="es")
    assert ("post", "", "en", "two", post_id) in former(store)


def test_a_slug_and_a_day_that_change_together_leave_one_address(
    store: Database, make_post: MakePost, noon: datetime
) -> None:
    """The new slug never had the former day, and the former slug not the new one."""
    post_id = make_post("one")
    published_at = store.write(VERSIONS[EntryKind.POST].get, post_id).published_at
    change(store, post_id, "two", times=Times(published_at=noon - timedelta(days=9)))
    with store.reading() as session:
        addresses = find_former_addresses(session)
        assert [(each.slug, each.published_at) for each in addresses] == [("one", published_at)]
        assert find_named(session, EntryKind.POST, "", "two") == post_id


def test_a_slug_and_a_time_of_a_page_that_change_together_leave_one_address(
    store: Database, make_page: Callable[..., int], noon: datetime
) -> None:
    """As those of a post."""
    page_id = make_page("one")
    with store.writing() as transaction:
        (page,) = VERSIONS[EntryKind.PAGE].of(transaction, (page_id,))
        version = change_of_version(page)
        moved = replace(version, times=Times(published_at=noon - timedelta(days=9)))
        saved = replace(change_of_versions(page, (moved,)), slug="two")
        save_entry(SaveContext(transaction, Origin.API, noon), saved)
        addresses = find_former_addresses(transaction)
        assert [(each.slug, each.published_at) for each in addresses] == [("one", noon)]
        assert find_named(transaction, EntryKind.PAGE, "guide", "two") == page_id


def test_a_former_slug_belongs_to_its_last_holder(store: Database, make_post: MakePost) -> None:
    """Of two posts that had it one after the other."""
    first = make_post("sea")
    rename(store, first, "old-sea")
    second = make_post("sea")
    rename(store, second, "new-sea")
    assert next(each.entry_id for each in store.read(find_former_addresses) if each.slug == "sea") == second


@pytest.mark.parametrize("status", [Status.DRAFT, Status.SCHEDULED])
def test_a_former_slug_that_was_never_published_is_not_listed(
    store: Database, make_post: MakePost, make_page: Callable[..., int], noon: datetime, status: Status
) -> None:
    """A draft may be renamed freely; so may an entry that only passes through another's name."""
    later = noon + timedelta(days=1) if status is Status.SCHEDULED else None
    rename(store, make_post("one", status=status, scheduled_at=later), "two")
    page_id = make_page("unseen", status=Status.DRAFT)
    store.write(change_entry, EntryKind.PAGE, page_id, {"slug": "seen"})
    shown = make_post("three")
    rename(store, shown, f"~{shown}", "four")
    assert former(store) == {("post", "", "en", "three", shown)}


def test_former_slugs_of_pages_have_a_type(store: Database, make_page: Callable[..., int]) -> None:
    """Single Pages have none."""
    guide, single = make_page("knots"), make_page("about", page_type="")
    with store.writing() as transaction:
        change_entry(transaction, EntryKind.PAGE, guide, {"slug": "ropes"})
        change_entry(transaction, EntryKind.PAGE, single, {"slug": "us"})
    assert former(store) == {("page", "guide", "en", "knots", guide), ("page", "", "en", "about", single)}


def test_former_slugs_of_deleted_entries_are_not_listed(store: Database, make_post: MakePost, noon: datetime) -> None:
    """Until they are restored; removing an entry for good removes its former slugs."""
    post_id = make_post("one")
    rename(store, post_id, "two")
    store.write(delete_entry, EntryKind.POST, post_id, noon)
    assert former(store) == set()
    store.write(trash.take_out, EntryKind.POST, post_id)
    assert former(store) == {("post", "", "en", "one", post_id)}
    with store.writing() as transaction:
        delete_entry(transaction, EntryKind.POST, post_id, noon)
        trash.remove_for_good(transaction, noon)
        assert transaction.sql("SELECT count(*) FROM former_address") == [(0,)]
