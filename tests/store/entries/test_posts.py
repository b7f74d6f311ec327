"""Posts as they are found: in a total order, each in its locale, by what they carry."""

from collections.abc import Callable
from datetime import datetime, timedelta

import peewee
import pytest

from sitecms.actions.writing.trash import delete_entry
from sitecms.content.entry import Entry, PostLink
from sitecms.content.kinds import EntryKind
from sitecms.content.query import PostQuery, Window
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.database import Database
from sitecms.store.entries import posts, terms
from sitecms.store.entries.due_entries import find_due
from sitecms.store.entries.entry_rows import change_entry, find_variants
from sitecms.store.entries.posts import get_post_in_order
from sitecms.store.entries.versions import VERSIONS
from tests.support.reading import get_post

MakePost = Callable[..., int]


def found(store: Database, window: Window | None = None, **query: object) -> list[str]:
    """The slugs of the posts that a query of the default locale gives, in its order."""
    with store.reading() as session:
        asked = PostQuery(**{"locale": "en", **query})  # type: ignore[arg-type]
        return [post.slug for post in posts.find_posts(session, asked, window or Window(100)).entries]


def get(store: Database, slug: str, *, preview: bool = False) -> Entry:
    return store.read(get_post, slug, preview=preview)


def delete(store: Database, post_id: int, at: datetime) -> None:
    store.write(delete_entry, EntryKind.POST, post_id, at)


def test_posts_are_ordered_by_publication_then_slug(store: Database, make_post: MakePost) -> None:
    """The order is total, whatever order they were created in."""
    for slug, hours in (("b", 2), ("same-1", 1), ("c", 3), ("same-2", 1), ("a", 0), ("same-3", 1)):
        make_post(slug, hours=hours)
    assert found(store) == ["c", "b", "same-1", "same-2", "same-3", "a"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_windows_cover_the_list_without_gaps(store: Database, make_post: MakePost, size: int) -> None:
    """Windows of any size, one after the other, return each post once; the count is of all posts."""
    for number in range(7):
        make_post(f"p-{number}", hours=number // 3)
    tiled = [slug for offset in range(0, 7, size) for slug in found(store, Window(size, offset))]
    assert tiled == found(store)
    assert len(set(tiled)) == 7
    with store.reading() as session:
        beyond = posts.find_posts(session, PostQuery("en"), Window(3, 50))
        assert (beyond.count, beyond.entries) == (7, ())


def test_lists_contain_published_posts_of_the_locale(store: Database, make_post: MakePost, noon: datetime) -> None:
    """Drafts and scheduled posts are listed in previews only, by their creation; other locales never."""
    make_post("live", hours=2)
    make_post("draft", hours=3, status=Status.DRAFT)
    make_post("later", hours=1, status=Status.SCHEDULED, scheduled_at=noon + timedelta(days=9))
    make_post("vivo", locale="es", hours=5)
    assert found(store) == ["live"]
    assert found(store, preview=True) == ["draft", "live", "later"]
    assert found(store, locale="es", preview=True) == ["vivo"]


def test_filters_are_combined_with_and(store: Database, make_post: MakePost, make_author: Callable[..., str]) -> None:
    """Author, category and tag, each by slug; an unknown slug matches nothing, and a tag is not a category."""
    make_author("bo")
    make_post("a", categories=("Tides",), tags=("Moon", "Sun"))
    make_post("b", categories=("Tides",), author="bo", hours=1)
    make_post("c", categories=("Moon",), author="bo", hours=2)
    assert found(store, category_slug="tides") == ["b", "a"]
    assert found(store, author_slug="bo") == ["c", "b"]
    assert found(store, author_slug="bo", category_slug="tides") == ["b"]
    assert found(store, tag_slug="moon") == ["a"]
    assert found(store, tag_slug="moon", category_slug="tides") == ["a"]
    assert found(store, tag_slug="tides") == found(store, author_slug="nobody") == []
    assert found(store, author_slug="bo", category_slug="tides", tag_slug="moon") == []


def test_a_post_keeps_the_order_of_its_terms(store: Database, make_post: MakePost) -> None:
    """Categories and tags apart, each term once."""
    make_post("a", categories=("Zulu", "Alpha"), tags=("z", "a", "Z"))
    post = get(store, "a")
    assert [term.slug for term in post.categories] == ["zulu", "alpha"]
    assert [term.slug for term in post.tags] == ["z", "a"]


def test_a_list_can_leave_out_bodies(store: Database, make_post: MakePost) -> None:
    """All other values are the same."""
    make_post("a", body="<p>Sea</p>", summary="s")
    with store.reading() as session:
        (whole,) = posts.find_posts(session, PostQuery("en"), Window()).entries
        (light,) = posts.find_posts(session, PostQuery("en", with_body=False), Window()).entries
    assert (whole.body, light.body) == ("<p>Sea</p>", "")
    assert (whole.slug, whole.summary, whole.author) == (light.slug, light.summary, light.author)


def test_neighbours_lead_through_all_posts_of_the_locale(store: Database, make_post: MakePost) -> None:
    """From the newest to the oldest and back, equal times included; drafts and other locales are skipped."""
    for slug, hours in (("b", 2), ("same-1", 1), ("same-2", 1), ("c", 3), ("a", 0)):
        make_post(slug, hours=hours)
    make_post("draft", hours=2, status=Status.DRAFT)
    make_post("otro", hours=2, locale="es")
    order = found(store)
    for place, slug in enumerate(order):
        shown = store.read(get_post_in_order, slug)
        assert shown.post.slug == slug
        assert (shown.newer.slug if shown.newer else None) == (order[place - 1] if place else None)
        assert (shown.older.slug if shown.older else None) == (order[place + 1] if place + 1 < len(order) else None)
    shown = store.read(get_post_in_order, "draft", preview=True)
    assert (shown.newer, shown.older) == (None, None)


def test_a_neighbour_keeps_its_texts(store: Database, make_post: MakePost) -> None:
    """Quotes, line ends and other scripts pass through the statement; the change number comes along."""
    title = 'Ebb "und" Flut\n\\ 潮 \u2028'
    make_post("first", title=title)
    make_post("second", hours=1)
    with store.reading() as session:
        assert get_post_in_order(session, "second").older == PostLink("first", title)
        number = session.change_number()
    assert number == store.change_number() > 0


def test_a_post_is_found_by_slug_if_visible(store: Database, make_post: MakePost) -> None:
    """A draft in previews only, a deleted post never."""
    make_post("live")
    post_id = make_post("draft", status=Status.DRAFT)
    assert get(store, "live").slug == "live"
    assert get(store, "draft", preview=True).id == post_id
    for slug in ("draft", "none", ""):
        with pytest.raises(NotFound):
            get(store, slug)
    with store.reading() as session, pytest.raises(NotFound):
        VERSIONS[EntryKind.POST].get(session, 999)


def test_a_slug_is_free_after_its_post_is_deleted(store: Database, make_post: MakePost, noon: datetime) -> None:
    """Across locales; a deleted post is out of every read, and a new one of its slug has another id."""
    first = make_post("one")
    with pytest.raises(InvalidFields, match="belongs to another post"):
        make_post("one", locale="es")
    delete(store, first, noon)
    assert found(store, preview=True) == []
    second = make_post("one", locale="es")
    assert second != first
    assert get(store, "one").id == second


def test_the_store_refuses_a_second_live_slug(store: Database, make_post: MakePost) -> None:
    """The unique index holds whatever the callers check."""
    make_post("one")
    other = make_post("two")
    with pytest.raises(peewee.IntegrityError), store.writing() as transaction:
        change_entry(transaction, EntryKind.POST, other, {"slug": "one"})
    assert get(store, "two").id == other


def test_a_locale_group_has_one_post_in_each_locale(store: Database, make_post: MakePost, noon: datetime) -> None:
    """A second variant is refused by `save_post` and by the store; deleting the first makes room."""
    first = make_post("one")
    spanish = make_post("uno", locale="es", translation_of="one")
    assert get(store, "uno").group_id == get(store, "one").group_id == first
    with pytest.raises(InvalidFields, match="'uno' is its variant in 'es' already"):
        make_post("un", locale="es", translation_of="one")
    loose = make_post("otro", locale="es")
    with pytest.raises(peewee.IntegrityError), store.writing() as transaction:
        change_entry(transaction, EntryKind.POST, loose, {"group_id": first})
    delete(store, spanish, noon)
    assert store.read(find_variants, first) == {"en": first}
    again = make_post("un", locale="es", translation_of="one")
    assert store.read(find_variants, first) == {"en": first, "es": again}


def test_recent_posts_are_ten_of_each_author_and_term(
    store: Database, make_post: MakePost, make_author: Callable[..., str]
) -> None:
    """Published ones of the locale, newest first, equal times by slug; those of other terms do not push them out."""
    make_author("bo")
    for number in range(12):
        make_post(f"a-{number:02}", hours=number // 2, categories=("Sea", "Land") if number < 2 else ("Sea",))
    make_post("b", author="bo", hours=99, tags=("Sea",))
    make_post("draft", hours=100, status=Status.DRAFT, categories=("Sea",))
    make_post("mar", hours=100, locale="es", categories=("Sea",))
    newest = [f"a-{number:02}" for hour in range(5, 0, -1) for number in (2 * hour, 2 * hour + 1)]
    with store.reading() as session:
        authors = posts.recent_by_author(session, "en", ["ann-ray", "bo", "none"])
        by_term = posts.recent_by_term(session, "en", terms.find_terms(session, TermKind.CATEGORY))
    assert {slug: [post.slug for post in mine] for slug, mine in authors.items()} == {"ann-ray": newest, "bo": ["b"]}
    assert {term.slug: [post.slug for post in mine] for term, mine in by_term.items()} == {
        "sea": newest, "land": ["a-00", "a-01"],
    }  # fmt: skip


def test_due_posts_were_scheduled_for_the_time_or_before(store: Database, make_post: MakePost, noon: datetime) -> None:
    """To the moment; drafts, published and deleted posts never are."""
    ids = {
        hours: make_post(f"p-{hours}", status=Status.SCHEDULED, scheduled_at=noon + timedelta(hours=hours))
        for hours in (1, 2, 3)
    }
    make_post("live")
    gone = make_post("gone", status=Status.SCHEDULED, scheduled_at=noon)
    delete(store, gone, noon)
    with store.reading() as session:
        due = [find_due(session, noon + timedelta(hours=2) - timedelta(microseconds=early)) for early in (0, 1)]
    assert [[each.entry_id for each in found] for found in due] == [[ids[1], ids[2]], [ids[1]]]


def test_too_long_slugs_are_not_cached(store: Database, make_post: MakePost) -> None:
    """No post has them, and queries for many of them leave nothing in memory."""
    make_post("a", tags=("Sea",))
    with store.reading() as session:
        before = store.cache.used_size
        for number in range(50):
            found = posts.find_posts(session, PostQuery("en", tag_slug=f"{number}" + "x" * 60_000), Window())
            assert (found.count, found.entries) == (0, ())
        assert store.cache.used_size == before
