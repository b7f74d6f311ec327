"""Actions on several entries: each is checked by itself, and a refusal is told by name (Wagtail CVE-2026-44200)."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Status, Version
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.accounts.audit import find_actions
from sitecms.store.entries.items import places_of
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.entries import MakeItem, MakePost
from tests.support.reading import select

from .conftest import FIELDS, Browser, SignedIn, Versions
from .forms import press

pytestmark = pytest.mark.both_engines


def states(runtime: Runtime, ids: list[int]) -> list[str]:
    """Return the status of each post that is there."""
    with runtime.database.reading() as session:
        there = {row[0] for row in session.sql("SELECT id FROM entry WHERE kind = 'post' AND deleted_at IS NULL")}
        return [
            VERSIONS[EntryKind.POST].get(session, each).status.value if each in there else "deleted" for each in ids
        ]


def test_posts_are_published_unpublished_and_deleted_but_for_one(
    editor: Browser, make_post: MakePost, runtime: Runtime
) -> None:
    """A post that is gone is named by its number, the others change."""
    ids = [make_post(name, status=Status.DRAFT) for name in ("one", "two", "three")]
    editor.get("/studio/posts/")
    assert editor.page.count('class="pick"') == 3
    editor.send("/studio/posts/bulk/", do="publish", id=[*ids, 99])
    assert "3 of 4 published" in editor.text
    assert "1 was refused Post 99 : It does not exist any more" in editor.text
    assert states(runtime, ids) == ["published"] * 3
    editor.send("/studio/posts/bulk/", do="publish", id=ids)
    assert "0 of 3 published" in editor.text
    assert "Nothing to do: One, Two, Three." in editor.text
    editor.send("/studio/posts/bulk/?status=published&page=2", do="unpublish", id=ids[:2])
    assert 'href="/studio/posts/?status=published&amp;page=2"' in editor.page
    editor.send("/studio/posts/bulk/", do="delete", id=ids[1:])
    assert states(runtime, ids) == ["draft", "deleted", "deleted"]


def test_writer_changes_own_drafts_alone(writer: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """Whatever is sent with them: of others' drafts not even the title is told."""
    own, public = make_post("own", status=Status.DRAFT), make_post("public")
    other = make_post("secret-plan", author="bo-lind", status=Status.DRAFT)
    writer.get("/studio/posts/")
    assert "Unpublish" not in writer.text
    writer.send("/studio/posts/bulk/", do="publish", id=[own, public, other])
    assert states(runtime, [own, public, other]) == ["draft", "published", "draft"]
    writer.send("/studio/posts/bulk/", do="delete", id=[own, public, other])
    assert "1 of 3 moved to the trash" in writer.text
    assert "Your role" in writer.text
    assert "Secret" not in writer.text
    writer.get("/studio/posts/")
    assert "With those selected" not in writer.text
    assert states(runtime, [own, public, other]) == ["deleted", "published", "draft"]


def terms_of(runtime: Runtime, post_id: int) -> tuple[list[str], list[str]]:
    """Return the names of the categories and tags that readers see of a post."""
    post = runtime.database.read(VERSIONS[EntryKind.POST].get, post_id)
    return [each.name for each in post.categories], [each.name for each in post.tags]


def test_terms_of_posts_change(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """A term is added, taken away, or put in place of all others; posts that have it already stay as they are."""
    one = make_post("one", categories=("Tides", "Boats"), tags=("moon",))
    two = make_post("two", status=Status.DRAFT, categories=("boats",))
    editor.get("/studio/posts/")
    editor.send("/studio/posts/bulk/?sort=title", do="terms", change="add", term="tag:moon", id=[one, two])
    assert "1 of 2 changed" in editor.text
    assert "Nothing to do: One." in editor.text
    assert 'href="/studio/posts/?sort=title"' in editor.page
    editor.send("/studio/posts/bulk/", do="terms", change="remove", term="category:boats", id=[one, two, 99])
    assert "2 of 3 changed" in editor.text
    assert "Post 99 : It does not exist any more" in editor.text
    assert (terms_of(runtime, one), terms_of(runtime, two)) == ((["Tides"], ["moon"]), ([], ["moon"]))
    editor.send("/studio/posts/bulk/", do="terms", change="replace", term="category:boats", id=[one, two])
    assert (terms_of(runtime, one)[0], terms_of(runtime, two)[0]) == (["Boats"], ["Boats"])
    assert states(runtime, [one, two]) == ["published", "draft"]


def test_draft_over_a_published_post_takes_the_change(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """What waits for publication is not published with it; the page of the results says so."""
    post_id, make_it = make_post("one", tags=("moon",)), make_post("two", tags=("sun",))
    editor.get(f"/studio/posts/{post_id}/")
    press(editor, "save", title="One more")
    editor.send("/studio/posts/bulk/", do="terms", change="add", term="tag:sun", id=[post_id, make_it])
    assert "1 of 2 changed" in editor.text
    assert "Readers see the change once the draft is published: One more." in editor.text
    assert terms_of(runtime, post_id)[1] == ["moon"]
    editor.send("/studio/posts/bulk/", do="publish", id=post_id)
    assert terms_of(runtime, post_id)[1] == ["moon", "sun"]


def test_author_of_posts_changes(writer: Browser, editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """Writers give their posts to nobody, and take nobody's."""
    own, other = make_post("own", status=Status.DRAFT), make_post("other", author="bo-lind")
    writer.get("/studio/posts/")
    assert "Set the author" not in writer.text
    writer.send("/studio/posts/bulk/", do="author", author="bo-lind", id=[own, other])
    assert "0 of 2 changed" in writer.text
    editor.get("/studio/posts/")
    editor.send("/studio/posts/bulk/", do="author", author="bo-lind", id=[own, other])
    assert "1 of 2 changed" in editor.text
    with runtime.database.reading() as session:
        assert [VERSIONS[EntryKind.POST].get(session, each).author.slug for each in (own, other)] == ["bo-lind"] * 2


def test_writers_change_terms_of_their_own_posts(writer: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """Of a published one in its draft; a scheduled one keeps its time."""
    own, public = make_post("own", status=Status.DRAFT, tags=("moon",)), make_post("public")
    later = make_post("later", status=Status.SCHEDULED, scheduled_at=datetime(2099, 1, 1, tzinfo=UTC))
    other = make_post("other", author="bo-lind", tags=("sun",))
    writer.get("/studio/posts/")
    writer.send("/studio/posts/bulk/", do="terms", change="add", term="tag:sun", id=[own, public, later, other])
    assert "1 was refused Other : Your role" in writer.text
    assert terms_of(runtime, own)[1] == ["moon", "sun"]
    assert terms_of(runtime, public)[1] == terms_of(runtime, later)[1] == []
    assert states(runtime, [own, public, later]) == ["draft", "published", "scheduled"]


def test_deletions_are_undone(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """All at once, from the page that says what was deleted, or one from the message above the list."""
    ids = [make_post(name, status=Status.DRAFT) for name in ("one", "two", "three")]
    editor.get("/studio/posts/")
    editor.send("/studio/posts/bulk/?sort=title", do="delete", id=[*ids, 99])
    assert states(runtime, ids) == ["deleted"] * 3
    named = re.findall(r'name="entry" value="([^"]+)"', editor.page)
    assert named == [f"post-{each}" for each in ids]
    back = unescape(editor.value_of("back"))
    answer = editor.send("/studio/trash/", entry=named, back=back)
    assert (answer.request.path, "Restored from the trash." in editor.text) == ("/studio/posts/", True)
    assert states(runtime, ids) == ["draft"] * 3
    editor.get(f"/studio/posts/{ids[0]}/")
    press(editor, "delete")
    assert "Moved to the trash." in editor.text
    editor.send("/studio/trash/", entry=editor.value_of("entry"), back=editor.value_of("back"))
    assert states(runtime, ids) == ["draft"] * 3


def test_undo_restores_what_it_can(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """A post whose address was taken meanwhile is named, and stays in the trash."""
    ids = [make_post(name, status=Status.DRAFT) for name in ("one", "two")]
    editor.get("/studio/posts/")
    editor.send("/studio/posts/bulk/", do="delete", id=ids)
    make_post("one")
    editor.send("/studio/trash/", entry=[f"post-{each}" for each in ids], back="https://evil.example/")
    assert "1 of 2 restored" in editor.text
    assert "evil" not in editor.page
    assert states(runtime, ids) == ["deleted", "draft"]


def test_page_to_go_on_with_may_have_any_query(editor: Browser, make_post: MakePost) -> None:
    """Its names are no arguments of ours."""
    post_id = make_post("one", status=Status.DRAFT)
    editor.get("/studio/posts/")
    editor.send("/studio/posts/bulk/", do="delete", id=[post_id])
    assert editor.send("/studio/trash/", entry=[f"post-{post_id}"], back="/studio/posts/?path=x").status_code == 200


def test_language_of_a_page_comes_back(editor: Browser, page_id: int, versions: Versions) -> None:
    """The message of its deletion has Undo, too."""
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    press(editor, "save", fields__summary="Nudos")
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    press(editor, "delete-locale")
    assert ("es", Version.DRAFT) not in versions(page_id)
    editor.send("/studio/trash/", entry=editor.value_of("entry"), back=editor.value_of("back"))
    assert ("es", Version.DRAFT) in versions(page_id)


def test_pages_change_in_all_locales(editor: Browser, page_id: int, versions: Versions) -> None:
    """Each with the checks of its form; another collection's items are none of a list."""
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    press(editor, "save", fields__summary="Nudos")
    editor.send("/studio/pages/bulk/", do="publish", id=[page_id, 77])
    assert "1 of 2 published" in editor.text
    assert set(versions(page_id)) == {("en", Version.LIVE), ("es", Version.LIVE)}
    editor.send("/studio/pages/bulk/", do="unpublish", id=page_id)
    assert set(versions(page_id)) == {("en", Version.DRAFT), ("es", Version.DRAFT)}
    assert versions(page_id)["en", Version.DRAFT].fields == FIELDS
    editor.send("/studio/pages/bulk/", do="unpublish", id=page_id)
    assert "Nothing to do: Knots." in editor.text
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "schedule", scheduled_at="2099-07-01T10:30")
    editor.send("/studio/pages/bulk/", do="unpublish", id=page_id)
    assert versions(page_id)["en", Version.DRAFT].status is Status.DRAFT
    editor.send("/studio/pages/bulk/", do="delete", id=page_id)
    assert versions(page_id) == {}
    editor.send("/studio/collections/menu/bulk/", do="delete", id=1)
    assert "0 of 1 moved to the trash" in editor.text
    editor.send("/studio/collections/team/bulk/", do="delete", id=1)
    assert versions(1, EntryKind.ITEM) == {}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"do": "publish"}, "Nothing is selected."),
        ({"do": "explode", "id": "1"}, "Press one of the buttons"),
        ({"do": "delete", "id": "x"}, "no number"),
        ({"do": "terms", "id": "1", "change": "add", "term": "tag:none"}, "Choose a category or tag"),
        ({"do": "terms", "id": "1", "change": "explode", "term": "tag:moon"}, "Choose a category or tag"),
        ({"do": "author", "id": "1", "author": "nobody"}, "Choose an author"),
        ({"do": "delete", "id": [str(n) for n in range(201)]}, "Select fewer"),
    ],
)
def test_senseless_forms_change_nothing(editor: Browser, form: dict[str, object], message: str) -> None:
    """The reason is told."""
    editor.get("/studio/posts/")
    assert editor.send("/studio/posts/bulk/", **form).status_code == 400
    assert message in editor.text


def in_order(runtime: Runtime) -> list[int]:
    """Return the ids of the items of the team in their order."""
    return list(runtime.database.read(places_of, "team"))


def test_items_are_moved(editor: Browser, make_item: MakeItem, runtime: Runtime) -> None:
    """Up, down and to the top; at an end nothing changes, and the button that was pressed has the focus again."""
    for number in range(1, 61):
        make_item(number, {"name": f"N{number}"})
    editor.get("/studio/collections/team/?page=2")
    editor.send("/studio/collections/team/order/", up=51)
    assert in_order(runtime)[49:51] == [51, 50]
    assert "Page 1 of 2" in editor.text
    assert re.search(r'name="up" value="51" autofocus', editor.page)
    assert "Moved." in editor.text
    editor.send("/studio/collections/team/order/", down=60)
    assert in_order(runtime)[-1] == 60
    assert re.search(r'name="down" value="60" aria-disabled="true" autofocus', editor.page)
    editor.send("/studio/collections/team/order/", top=1, id=[60, 3])
    editor.send("/studio/collections/team/order/", down=3)
    assert in_order(runtime)[:5] == [60, 3, 1, 2, 4]
    log = [(each.action, each.subject, each.detail) for each in runtime.database.read(find_actions, Window(9)).entries]
    assert log[:3] == [
        ("order", "team 3", "moved down"), ("order", "team 3, 60", "moved top"), ("order", "team 51", "moved up"),
    ]  # fmt: skip
    editor.get("/studio/collections/team/?text=N1")
    assert 'name="up"' not in editor.page
    assert "Move to the top" not in editor.text


@pytest.mark.parametrize(("role", "form", "status"), [
    (Role.EDITOR, {"up": "77"}, 404), (Role.EDITOR, {"up": "x"}, 400), (Role.EDITOR, {"top": "1"}, 400),
    (Role.WRITER, {"up": "2"}, 403),
])  # fmt: skip
def test_order_changes_for_editors_and_known_items_alone(
    signed_in: SignedIn, make_item: MakeItem, runtime: Runtime, role: Role, form: dict[str, str], status: int
) -> None:
    """Anything else changes nothing."""
    for number in (1, 2):
        make_item(number, {"name": f"N{number}"})
    browser = signed_in(role)
    browser.get("/studio/collections/team/")
    assert browser.send("/studio/collections/team/order/", **form).status_code == status
    assert in_order(runtime) == [1, 2]


def test_order_in_the_studio_is_an_event(
    editor: Browser, make_item: MakeItem, runtime: Runtime, noon: datetime
) -> None:
    """It names the item that was moved."""
    for number in (1, 2, 3):
        make_item(number, {"name": f"N{number}"})
    runtime.database.write(insert_webhook, "https://hooks.example/", ["*"], "whsec_", {}, noon)
    editor.get("/studio/collections/team/")
    editor.send("/studio/collections/team/order/", down=2)
    sent = select(runtime.database, "SELECT payload_json FROM delivery ORDER BY id")
    assert ['"N2"' in text for (text,) in sent] == [True]
