"""Forms of pages and items: every type of field, rows, locales, conflicts, and nothing rewritten by itself."""

import re
from html import unescape
from typing import Any

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from tests.support.entries import MakeItem, MakePage, MakePost, give_team_pages
from tests.support.processor_time import best_seconds
from tests.support.reading import select

from .conftest import FIELDS, Browser, SignedIn, Versions, open_with
from .forms import carried, form_of, press


def test_open_and_save_changes_nothing(editor: Browser, page_id: int, versions: Versions, runtime: Runtime) -> None:
    """No write, whatever the fields hold."""
    before = versions(page_id)
    for button in ("save", "publish"):
        editor.get(f"/studio/pages/{page_id}/")
        press(editor, button)
        assert "Nothing was changed, so nothing was saved." in editor.text
    assert versions(page_id) == before
    assert select(runtime.database, "SELECT count(*) FROM write") == [(0,)]


def test_changes_wait_in_the_draft_until_they_are_published(editor: Browser, page_id: int, versions: Versions) -> None:
    """Only the changed field differs; the live version stays until then."""
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "save", fields__summary="New", fields__body__0__fields__stars="5")
    assert "Readers still see the published version." in editor.text
    found = versions(page_id)
    assert found["en", Version.LIVE].fields["summary"] == FIELDS["summary"]
    draft = found["en", Version.DRAFT].fields
    body = [{**FIELDS["body"][0], "fields": {"text": "line\n\nline ", "stars": 5}}, FIELDS["body"][1]]
    assert draft == {**FIELDS, "summary": "New", "body": body}
    press(editor, "publish")
    assert "Published." in editor.text
    assert {place: entry.fields["summary"] for place, entry in versions(page_id).items()} == {("en", "live"): "New"}


def test_rows_are_added_moved_doubled_and_removed(editor: Browser, page_id: int, versions: Versions) -> None:
    """Without JavaScript, and nothing is saved before the button for it is pressed."""
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "add:fields.steps", fields__summary="typed")
    press(editor, "up:fields.steps.1")
    press(editor, "down:fields.body.0")
    press(editor, "double:fields.body.0.fields.links.1")
    press(editor, "add:fields.body:quote")
    press(editor, "remove:fields.hero.links.0")
    assert versions(page_id)["en", Version.LIVE].fields == FIELDS
    assert len(versions(page_id)) == 1
    press(editor, "publish", fields__steps__2__title="third", fields__body__2__fields__text="q")
    fields = versions(page_id)["en", Version.LIVE].fields
    assert fields["summary"] == "typed"
    assert [row["title"] for row in fields["steps"]] == ["second", "first", "third"]  # type: ignore[index,call-overload,union-attr]
    body: Any = fields["body"]
    assert [row["type"] for row in body] == ["hero", "quote", "quote"]
    assert [row["label"] for row in body[0]["fields"]["links"]] == ["x", "y", "y"]
    hero: Any = fields["hero"]
    assert hero["links"] == []


@pytest.mark.parametrize(
    "button", ["up:fields.steps.9", "add:fields.body:nothing", "add:fields.summary", "remove:fields", "up:x", "explode"]
)
def test_buttons_of_rows_that_are_gone_change_nothing(
    editor: Browser, page_id: int, versions: Versions, button: str
) -> None:
    """The form comes back with what was typed."""
    editor.get(f"/studio/pages/{page_id}/")
    assert press(editor, button, fields__summary="typed").status_code == 400
    assert form_of(editor)["fields.summary"] == "typed"
    assert versions(page_id)["en", Version.LIVE].fields == FIELDS


def test_errors_stand_beside_the_fields(editor: Browser, page_id: int) -> None:
    """In nested fields too; what was typed stays."""
    editor.get(f"/studio/pages/{page_id}/")
    answered = press(editor, "save", fields__rank="many", fields__body__0__fields__stars="x", fields__summary="kept")
    assert answered.status_code == 400
    assert 'id="fields.rank-problem"' in editor.page
    assert 'id="fields.body.0.fields.stars-problem"' in editor.page
    assert 'href="#fields.body.0.fields.stars">Body 1, Quote: Stars</a>' in unescape(editor.page)
    assert (form_of(editor)["fields.rank"], form_of(editor)["fields.summary"]) == ("many", "kept")


def test_unknown_names_are_refused(editor: Browser, page_id: int, versions: Versions) -> None:
    """Fields that the schema does not have are no writes."""
    editor.get(f"/studio/pages/{page_id}/")
    assert press(editor, "save", fields__secret="x").status_code == 400
    assert "There is no field" in editor.text
    assert len(versions(page_id)) == 1


def test_rows_and_texts_are_merged(signed_in: SignedIn, page_id: int, versions: Versions) -> None:
    """Rows of one, text of the other: both are in the form, and are stored when it is sent again."""
    mine, theirs = signed_in(Role.EDITOR), signed_in(Role.ADMIN)
    for browser in (mine, theirs):
        browser.get(f"/studio/pages/{page_id}/")
    press(theirs, "add:fields.steps")
    last = int(form_of(theirs)["fields.steps.count"]) - 1
    press(theirs, "save", **{f"fields__steps__{last}__title": "their row"})
    assert press(mine, "save", fields__summary="mine").status_code == 412
    assert "Taken from what is stored now: Steps" in mine.text
    assert versions(page_id)["en", Version.DRAFT].fields["summary"] != "mine"
    press(mine, "save")
    fields: Any = versions(page_id)["en", Version.DRAFT].fields
    assert (fields["summary"], fields["steps"][last]["title"]) == ("mine", "their row")


def test_page_and_item_are_created(editor: Browser, versions: Versions, make_item: MakeItem) -> None:
    """With rows, references and a checkbox; a taken slug stands beside its field."""
    make_item(1, {"name": "Ann"})
    editor.get("/studio/pages/new/guide/")
    press(editor, "add:fields.steps", title="Ropes", slug="ropes", fields__summary="s")
    press(editor, "publish", fields__steps__0__title="one", fields__steps__0__who="/v2/content/?keys=team[_id=1]")
    page = versions(int(re.findall(r"/studio/pages/(\d+)/", editor.page)[0]))["en", Version.LIVE]
    assert (page.fields["summary"], page.fields["steps"]) == (
        "s", [{"title": "one", "who": "/v2/content/?keys=team[_id=1]"}],
    )  # fmt: skip
    editor.get("/studio/pages/new/guide/")
    assert press(editor, "save", title="Ropes", slug="ropes").status_code == 400
    assert 'id="slug-problem"' in editor.page
    editor.get("/studio/collections/team/new/")
    answered = press(
        editor, "publish", fields__name="Bo", fields__active="1", fields__born="1990-02-03", fields__tint="#0b6e99",
        fields__friends=["/v2/content/?keys=team[_id=1]", ""], fields__bio="<p>Rows.</p>", fields__notebooks="3",
    )  # fmt: skip
    item_id = int(answered.request.path.split("/")[-2])
    item = versions(item_id, EntryKind.ITEM)["en", Version.LIVE].fields
    assert (item["name"], item["active"], item["notebooks"], item["bio"]) == ("Bo", True, 3, "<p>Rows.</p>")
    assert item["friends"] == ["/v2/content/?keys=team[_id=1]"]
    press(editor, "publish", fields__active=None)
    assert versions(item_id, EntryKind.ITEM)["en", Version.LIVE].fields["active"] is False


def test_an_address_of_another_entry_stands_beside_the_slug(
    editor: Browser, make_page: MakePage, make_post: MakePost
) -> None:
    """A page is not published at the own path of a post; a slug from the title is another one."""
    make_post("calm", path="/guide/ropes/")
    editor.get("/studio/pages/new/guide/")
    assert press(editor, "save", title="Ropes", slug="ropes").status_code == 400
    assert "the post calm stands at that address, /guide/ropes/" in editor.text
    assert 'id="slug-problem"' in editor.page
    press(editor, "save", title="Ropes", slug="")
    assert form_of(editor)["slug"] == "ropes-2"


def test_page_that_readers_see_is_linked(
    editor: Browser, make_page: MakePage, make_item: MakeItem, runtime: Runtime
) -> None:
    """A published page, and an item of a collection with a route; not one without, and none on a site without `url`."""
    page_id = make_page("hills", {"summary": "s"})
    make_item(7, {"name": "Dee"})
    make_item(8, {"name": "Dee"})
    editor.get(f"/studio/pages/{page_id}/?locale=en")
    assert '<a href="https://tide.example/guide/hills/" target' in editor.page
    item = "/studio/collections/team/8/"
    editor.get(item)
    assert "See the page" not in editor.text
    give_team_pages(runtime.database)
    editor.get(item)
    assert '<a href="https://tide.example/people/dee-2/" target' in editor.page
    elsewhere = open_with(runtime, "editor", url="")
    elsewhere.get(item)
    assert ("Dee" in elsewhere.text, "See the page" in elsewhere.text) == (True, False)


def test_another_locale_is_written_beside_the_first(editor: Browser, page_id: int, versions: Versions) -> None:
    """What is missing is marked; the other locale stays as it is."""
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    assert "There is nothing in Spanish yet." in editor.text
    press(editor, "publish", fields__summary="Dos bastan")
    found = versions(page_id)
    assert found["es", Version.LIVE].fields["summary"] == "Dos bastan"
    assert found["en", Version.LIVE].fields == FIELDS
    assert editor.get(f"/studio/pages/{page_id}/?locale=xx").status_code == 404


def test_missing_reference_is_shown_and_kept(editor: Browser, make_page: MakePage, versions: Versions) -> None:
    """An entry that is gone stays in the field until somebody chooses another."""
    gone = "/v2/content/?keys=team[_id=77]"
    page = make_page("knots", {**FIELDS, "steps": [], "team": [gone], "category": "/v2/content/?keys=topics[_id=9]"})
    editor.get(f"/studio/pages/{page}/")
    assert f"missing: {gone}" in editor.text
    press(editor, "save", fields__summary="new")
    assert versions(page)["en", Version.DRAFT].fields["team"] == [gone]


def test_writers_change_neither_pages_nor_items(writer: Browser, page_id: int, versions: Versions) -> None:
    """By form or by request."""
    for path in (f"pages/{page_id}/", "pages/new/guide/", "collections/team/1/", "collections/team/new/"):
        assert writer.get(f"/studio/{path}").status_code == 403
        writer.get("/studio/account/")
        fields = {"complete": "1", "do": "publish", "fields.summary": "x", "title": "x", "slug": "x"}
        assert writer.send(f"/studio/{path}", **fields).status_code == 403
    assert versions(page_id)["en", Version.LIVE].fields == FIELDS


def test_entry_is_deleted_and_restored(editor: Browser, page_id: int, versions: Versions, make_page: MakePage) -> None:
    """A page that is gone, and one of another collection, are not found."""
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "delete")
    assert "Moved to the trash." in editor.text
    assert editor.get(f"/studio/pages/{page_id}/").status_code == 404
    editor.get("/studio/trash/")
    editor.send("/studio/trash/", entry=f"page-{page_id}")
    assert versions(page_id)["en", Version.LIVE].status is Status.PUBLISHED
    assert editor.get("/studio/collections/topics/1/").status_code == 404
    assert editor.get("/studio/pages/new/nothing/").status_code == 404


def test_picture_of_a_field_is_chosen_or_kept(editor: Browser, page_id: int, versions: Versions) -> None:
    """In a component of a list too; what was typed stays, and a button for a field that is gone changes nothing."""
    name = "fields.body.1.fields.image"
    address = f"/studio/pages/{page_id}/"

    def choose(**last: str) -> None:
        editor.get(address)
        press(editor, f"choose-picture:{name}", fields__summary="typed")
        assert "Choose a picture" in editor.text
        editor.send(address, **{**carried(editor.page), "picture_for": name, **last})

    url = "/media/" + "0" * 32 + ".png"
    choose(do="use-picture", picture=url)
    assert (form_of(editor)[f"{name}.url"], form_of(editor)["fields.summary"]) == (url, "typed")
    choose(do="keep-picture")
    assert (form_of(editor)[f"{name}.url"], form_of(editor)["fields.summary"]) == ("", "typed")
    choose(do="use-picture", picture=url, picture_for="fields.summary")
    assert "There is no such field any more." in editor.text
    assert len(versions(page_id)) == 1


def test_form_with_200_fields_is_made_quickly(editor: Browser, make_page: MakePage, make_item: MakeItem) -> None:
    """In rows with references to 50 items each, it takes less than forty times as long as a form with two fields."""
    for number in range(1, 51):
        make_item(number, {"name": f"Name {number}"})
    rows = [{"title": f"Step {number}", "who": None} for number in range(100)]
    short, long = make_page("short", {"steps": rows[:1]}), make_page("long", {"steps": rows})
    bound = 40 * best_seconds(lambda: editor.get(f"/studio/pages/{short}/"))
    assert best_seconds(lambda: editor.get(f"/studio/pages/{long}/")) < bound
    assert len(re.findall(r'name="fields\.steps\.\d+\.[a-z]', editor.page)) == 200
