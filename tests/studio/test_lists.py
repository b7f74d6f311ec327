"""Lists: what they show to whom, filters, search, paging; what is restored and tried again."""

import re
from datetime import datetime, timedelta

import pytest

from sitecms.actions.writing.accept import Caller, EntryName, WriteContext, create, update
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaFile
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.user import Role, User
from sitecms.content.writes import Write, WriteStatus
from sitecms.runtime import Runtime
from sitecms.store.entries.media_files import save_media
from sitecms.store.entries.trash import move_to_trash
from sitecms.store.writes.writes import finish, get_write
from tests.support.entries import MakeAuthor, MakeItem, MakePage, MakePost

from .conftest import Browser, MakeBrowser, MakeUser

pytestmark = pytest.mark.both_engines

MARKUP = "<script>alert('&')</script>"


def write_context(runtime: Runtime, write_id: str) -> WriteContext:
    """The context of a write with this id."""
    return WriteContext(
        runtime.database, runtime.settings, runtime.locales, lambda _url: "", runtime.clock, lambda: write_id
    )


def titles(browser: Browser) -> list[str]:
    """The titles of the list that is shown."""
    return re.findall(r'<span class="titled"><a href="[^"]+"[^>]*>([^<]*)</a>', browser.page)


@pytest.fixture
def posts(make_post: MakePost, make_author: MakeAuthor) -> dict[str, int]:
    """Published and other posts of two authors."""
    make_author("bo-lind", first_name="Bo", last_name="Lind")
    return {
        "calm": make_post("calm", hours=1, categories=("Tides",), tags=("moon",), body="<p>Nothing moves.</p>"),
        "drift": make_post("drift", hours=2, author="bo-lind", categories=("Boats",)),
        "ebbe-ø": make_post("ebbe", hours=3, title="Ebbe på Åsen", locale="es"),
        "secret": make_post("secret", hours=4, status=Status.DRAFT, author="bo-lind"),
        "mine": make_post("mine", hours=5, status=Status.DRAFT),
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["Mine", "Secret", "Ebbe på Åsen", "Drift", "Calm"]),
        ("?status=draft", ["Mine", "Secret"]),
        ("?status=published&author=bo-lind", ["Drift"]),
        ("?locale=es", ["Ebbe på Åsen"]),
        ("?category=tides", ["Calm"]),
        ("?tag=moon&locale=en", ["Calm"]),
        ("?text=åSEN+ebbe", ["Ebbe på Åsen"]),
        ("?text=asen", ["Ebbe på Åsen"]),
        ("?text=ebbé+pa", ["Ebbe på Åsen"]),
        ("?text=secr", ["Secret"]),
        ("?text=moves", ["Calm"]),
        ("?text=%22)+OR+%25_'", []),
        ("?status=nonsense", []),
        ("?page=99999999999999", ["Mine", "Secret", "Ebbe på Åsen", "Drift", "Calm"]),
    ],
)
def test_posts_are_found(editor: Browser, posts: dict[str, int], query: str, found: list[str]) -> None:
    """By status, author, locale, term, and by words of title, slug and published body; the last changed first."""
    assert editor.get(f"/studio/posts/{query}").status_code == 200
    assert titles(editor) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?sort=title", ["Calm", "Drift", "Ebbe på Åsen", "Mine", "Secret"]),
        ("?sort=-title", ["Secret", "Mine", "Ebbe på Åsen", "Drift", "Calm"]),
        ("?sort=changed", ["Calm", "Drift", "Ebbe på Åsen", "Secret", "Mine"]),
        ("?sort=published", ["Calm", "Drift", "Ebbe på Åsen", "Mine", "Secret"]),
        ("?sort=-published", ["Ebbe på Åsen", "Drift", "Calm", "Mine", "Secret"]),
        ("?sort=author", ["Mine", "Ebbe på Åsen", "Calm", "Secret", "Drift"]),
        ("?sort=-status", ["Ebbe på Åsen", "Drift", "Calm", "Mine", "Secret"]),
        ("?sort=-title&status=draft", ["Secret", "Mine"]),
        ("?sort=title&text=e", ["Ebbe på Åsen", "Mine", "Secret"]),
        ("?sort=position", ["Mine", "Secret", "Ebbe på Åsen", "Drift", "Calm"]),
    ],
)
def test_posts_are_sorted(editor: Browser, posts: dict[str, int], query: str, found: list[str]) -> None:
    """By a column, up and down; equal ones by their last change, and what has no value last."""
    editor.get(f"/studio/posts/{query}")
    assert titles(editor) == found


def test_heads_of_columns_sort(editor: Browser, posts: dict[str, int]) -> None:
    """They are links that keep the filter; the one in use says its direction and turns it."""
    editor.get("/studio/posts/?status=published&page=2")
    assert (
        '<th scope="col" aria-sort="descending"><a class="sorts" href="?status=published&amp;sort=changed">'
        in editor.page
    )
    assert '<th scope="col"><a class="sorts" href="?status=published&amp;sort=title">Title</a></th>' in editor.page
    assert '<th scope="col" class="spare"><a class="sorts" href="?status=published&amp;sort=-published">' in editor.page
    assert '<th scope="col">Language</th>' in editor.page
    editor.get("/studio/posts/?sort=title")
    assert '<th scope="col" aria-sort="ascending"><a class="sorts" href="?sort=-title">Title</a></th>' in editor.page


def test_pages_and_items_are_sorted(editor: Browser, make_page: MakePage, make_item: MakeItem) -> None:
    """Items stand in the order of their collection until a column is chosen, in which nothing can be moved."""
    make_page("knots", {}, hours=2)
    make_page("arcs", {}, hours=1)
    make_page("plans", {}, status=Status.DRAFT, hours=3)
    for number, name in enumerate(("Zoë", "ärmel", "Bo"), 1):
        make_item(number, {"name": name})
    for query, found in (
        ("", ["Plans", "Knots", "Arcs"]),
        ("?sort=title", ["Arcs", "Knots", "Plans"]),
        ("?sort=-status", ["Knots", "Arcs", "Plans"]),
        ("?sort=published", ["Arcs", "Knots", "Plans"]),
        ("?sort=type", ["Plans", "Knots", "Arcs"]),
    ):
        editor.get(f"/studio/pages/{query}")
        assert titles(editor) == found, query
    editor.get("/studio/collections/team/")
    assert titles(editor) == ["Zoë", "ärmel", "Bo"]
    assert ">Up<" in editor.page
    editor.get("/studio/collections/team/?sort=title")
    assert titles(editor) == ["ärmel", "Bo", "Zoë"]
    assert ">Up<" not in editor.page


def test_lists_show_pictures(
    editor: Browser, writer: Browser, make_post: MakePost, make_page: MakePage, runtime: Runtime, noon: datetime
) -> None:
    """The featured picture, else the first of the text or the fields; for writers none of a draft of others."""
    names = [
        f"{digit * 32}.{ending}" for digit, ending in zip("abcde", ("jpg", "png", "mp4", "webp", "jpg"), strict=True)
    ]
    with runtime.database.writing() as transaction:
        for name in names:
            save_media(transaction, MediaFile(name, name, f"{'video' if 'mp4' in name else 'image'}/x", 9, noon, 8, 6))
    film, first, second = (f'<p><img src="/media/{names[each]}" alt=""></p>' for each in (2, 1, 3))
    make_post("featured", featured_image=f"/media/{names[0]}", body=first, hours=3)
    make_post("shown", body=film + first + second, hours=2)
    make_post("bare", hours=1)
    make_page("knots", {"hero": {"title": "T", "image": {"url": f"/media/{names[3]}", "alt": ""}}})
    make_page("plans", {}, draft={"hero": {"title": "T", "image": {"url": f"/media/{names[4]}", "alt": ""}}})
    thumbs = re.compile(r'<span class="thumb">(?:<img src="/studio/media/(\w)\w+\.\w+/thumbnail/")?')
    editor.get("/studio/posts/")
    assert thumbs.findall(editor.page) == ["a", "b", ""]
    editor.get("/studio/pages/?sort=title")
    assert thumbs.findall(editor.page) == ["d", "e"]
    writer.get("/studio/pages/?sort=title")
    assert thumbs.findall(writer.page) == ["d", ""]


def test_writers_see_their_own_drafts_alone(writer: Browser, posts: dict[str, int]) -> None:
    """Kirby CVE-2026-44176: drafts of others are in no list, no count and no search."""
    writer.get("/studio/posts/")
    assert titles(writer) == ["Mine", "Ebbe på Åsen", "Drift", "Calm"]
    assert "All 4" in writer.text
    assert "Draft 1" in writer.text
    writer.get("/studio/posts/?status=draft&author=bo-lind")
    assert titles(writer) == []
    writer.get("/studio/posts/?text=secret")
    assert titles(writer) == []


def test_lists_have_pages(editor: Browser, make_post: MakePost) -> None:
    """Fifty entries each; the filter stays in the addresses of other pages."""
    for number in range(52):
        make_post(f"post-{number}", hours=number)
    editor.get("/studio/posts/?text=post")
    assert (len(titles(editor)), titles(editor)[0]) == (50, "Post-51")
    assert 'href="?text=post&amp;page=2"' in editor.page
    editor.get("/studio/posts/?text=post&page=2")
    assert titles(editor) == ["Post-1", "Post-0"]


def test_pages_and_items_are_listed(editor: Browser, writer: Browser, make_page: MakePage, make_item: MakeItem) -> None:
    """Pages by type, items by collection, with the state of each locale; writers see what is published."""
    make_page("knots", {}, draft={}, es={})
    make_page("plans", {}, status=Status.DRAFT)
    make_page("about", {}, page_type="")
    make_item(1, {"name": "Ann"})
    make_item(2, {"name": "Bo"}, status=Status.DRAFT)
    editor.get("/studio/pages/")
    assert "All 3 Single Pages 1 Guide 2 News 0" in editor.text
    assert "English published changed Spanish published" in editor.text
    editor.get("/studio/pages/?type=guide&status=draft")
    assert ("Plans" in editor.text, "Knots" in editor.text) == (True, False)
    editor.get("/studio/pages/?type=single&text=abo")
    assert ("About" in editor.text, "Knots" in editor.text) == (True, False)
    editor.get("/studio/collections/")
    assert "Team 2 items" in editor.text
    editor.get("/studio/collections/team/?text=bo")
    assert ("Bo" in editor.text, "Ann" in editor.text) == (True, False)
    assert editor.get("/studio/collections/nothing/").status_code == 404
    writer.get("/studio/pages/")
    assert ("Plans" in writer.text, "Knots" in writer.text) == (False, True)
    writer.get("/studio/collections/team/")
    assert ("Bo" in writer.text, "Ann" in writer.text) == (False, True)


def test_pages_of_an_unknown_type_have_no_form_of_a_new_one(editor: Browser) -> None:
    """As from an old bookmark: the form would need the type."""
    assert editor.get("/studio/pages/?type=gone").status_code == 200
    assert "/studio/pages/new/" not in editor.page


def test_authors_terms_and_media_are_listed(
    editor: Browser, posts: dict[str, int], runtime: Runtime, noon: datetime
) -> None:
    """With numbers of posts, search, and names as text whatever they hold."""
    files = (
        MediaFile("0" * 32 + ".png", MARKUP, "image/png", 1200, noon, 3, 2),
        MediaFile("1" * 32 + ".pdf", "report.pdf", "application/pdf", 1, noon + timedelta(hours=1)),
    )
    with runtime.database.writing() as transaction:
        for file in files:
            save_media(transaction, file)
    editor.get("/studio/authors/")
    assert "Ann Ray ann-ray · 3 posts" in editor.text
    editor.get("/studio/authors/?text=ĺind")
    assert "Ann Ray" not in editor.text
    editor.get("/studio/terms/")
    assert "Boats 1" in editor.text
    assert TermKind.TAG in editor.page
    editor.get("/studio/media/")
    assert "2 files" in editor.text
    assert MARKUP not in editor.page
    assert "&lt;script&gt;" in editor.page
    editor.get("/studio/media/?kind=application")
    assert "1 file," in editor.text
    editor.get("/studio/media/?text=report")
    assert "1 file," in editor.text


def test_trash_is_restored_by_those_who_may(
    editor: Browser, writer: Browser, posts: dict[str, int], runtime: Runtime, noon: datetime
) -> None:
    """Writers see and restore their own drafts; what was published comes back through an editor alone."""
    with runtime.database.writing() as transaction:
        for name in ("calm", "secret", "mine"):
            move_to_trash(transaction, EntryKind.POST, posts[name], noon)
    writer.get("/studio/trash/")
    assert ("mine" in writer.text, "secret" in writer.text) == (True, False)
    assert writer.send("/studio/trash/", entry=f"post-{posts['secret']}").status_code == 404
    assert writer.send("/studio/trash/", entry=f"post-{posts['calm']}").status_code == 403
    writer.get("/studio/trash/")
    assert "Restored" in writer.send("/studio/trash/", entry=f"post-{posts['mine']}").get_data(as_text=True)
    editor.get("/studio/trash/")
    for kind, number in (("post", "x"), ("nothing", "1"), ("post", "9" * 40), ("page", 77), ("item", 77)):
        assert editor.send("/studio/trash/", entry=f"{kind}-{number}").status_code == 404
        editor.get("/studio/trash/")
    editor.send("/studio/trash/", entry=f"post-{posts['calm']}")
    editor.get("/studio/posts/?status=published")
    assert "Calm" in titles(editor)


def test_trash_names_entries_by_their_titles(
    editor: Browser, make_post: MakePost, make_page: MakePage, make_item: MakeItem, runtime: Runtime, noon: datetime
) -> None:
    """A person knows titles, not slugs; of two items of a collection each has its own."""
    post, page = make_post("tide", title="High water"), make_page("seven-knots")
    for number, name in enumerate(("Ann", "Bo"), 1):
        make_item(number, {"name": name})
    with runtime.database.writing() as transaction:
        move_to_trash(transaction, EntryKind.POST, post, noon)
        move_to_trash(transaction, EntryKind.PAGE, page, noon)
        for number in (1, 2):
            move_to_trash(transaction, EntryKind.ITEM, number, noon)
    editor.get("/studio/trash/")
    for title, under in (
        ("High water", "post · tide"),
        ("Seven-Knots", "page · guide/seven-knots"),
        ("Ann", "item · team"),
    ):
        assert f"{title} {under}" in editor.text
        assert f"Restore {title}" in editor.text
    assert "Restore Bo" in editor.text


def test_failed_changes_are_seen_and_tried_again(
    writer: Browser, editor: Browser, make_user: MakeUser, runtime: Runtime, browser: MakeBrowser
) -> None:
    """What was sent is shown; writers see their own changes, and editors try them again."""
    other = make_user("other", Role.WRITER, "bo-lind")

    def failed(user: User, title: str) -> Write:
        accepted = create(
            write_context(runtime, title),
            Caller(user),
            EntryKind.POST,
            {"title": title, "body": f"<p>{title} kept</p>"},
        )
        with runtime.database.writing() as transaction:
            write = get_write(transaction, accepted.write_id)
            return finish(transaction, write, None, WriteStatus.FAILED, runtime.clock(), {"slug": ["It is taken."]})

    failed(other, "theirs")
    editor.get("/studio/writes/")
    assert "Create: post" in editor.text
    assert "slug: It is taken." in editor.text
    editor.get("/studio/writes/theirs/")
    assert "theirs kept" in editor.text
    assert writer.get("/studio/writes/theirs/").status_code == 404
    writer.get("/studio/writes/")
    assert "All changes are applied." in writer.text
    assert writer.send("/studio/writes/theirs/").status_code == 403
    editor.get("/studio/writes/theirs/")
    assert "accepted again" in editor.send("/studio/writes/theirs/").get_data(as_text=True)
    assert "All changes are applied." in editor.text
    editor.get("/studio/posts/")
    assert titles(editor) == ["theirs"]


def test_change_of_any_kind_leads_to_its_entry(
    editor: Browser, make_user: MakeUser, make_page: MakePage, runtime: Runtime
) -> None:
    """Whoever looks at a change of a page wants to see the page, as with a post."""
    context = write_context(runtime, "one")
    page = make_page("seven-knots")
    name = EntryName(EntryKind.PAGE, "seven-knots", "guide")
    accepted = update(context, Caller(make_user("other")), name, {"fields": {"summary": "Loose"}}, "")
    editor.get(f"/studio/writes/{accepted.write_id}/")
    assert f'<a href="/studio/pages/{page}/">' in editor.page


def test_no_filter_or_title_becomes_markup(admin: Browser, make_post: MakePost) -> None:
    """Wagtail CVE-2026-28223: on every list, as text of a search and as title."""
    make_post("x", title=MARKUP)
    for path in ("posts", "pages", "authors", "terms", "media", "trash", "writes", "log", "people", "collections"):
        for query in ("", "?text=" + MARKUP, "?type=" + MARKUP, "?page=" + MARKUP, "?said=" + MARKUP):
            assert admin.get(f"/studio/{path}/{query}").status_code == 200
            assert "<script>" not in admin.page
