"""Components and rows of forms: folded to lines, added between others, and moved with what they hold."""

import re
from typing import Any

import pytest

from sitecms.content.media import MediaDetails, MediaFile
from sitecms.content.status import Version
from sitecms.runtime import Runtime
from sitecms.store.entries.media_files import save_media
from tests.support.entries import MakePage, declare_fields

from .conftest import Browser, Versions
from .forms import form_in, form_of, press

pytestmark = pytest.mark.both_engines


def _fold(browser: Browser, name: str) -> str:
    """Return the tag of a component, list or row that folds."""
    tag = re.search(rf'<details [^>]*data-fold="{re.escape(name)}"[^>]*>', browser.page)
    assert tag is not None, f"Nothing with the name {name} folds."
    return tag[0]


def _line(browser: Browser, name: str) -> str:
    """Return the line to which a component, list or row folds, without tags."""
    line = re.search(rf'<summary id="{re.escape(name)}".*?</summary>', browser.page, re.S)
    assert line is not None, f"Nothing with the name {name} folds."
    return " ".join(re.sub(r"<[^>]+>", " ", line[0]).split())


def test_components_and_rows_fold_to_lines(editor: Browser, page_id: int) -> None:
    """The line has the first text of what it folds, or else the name of what it refers to, and its picture."""
    editor.get(f"/studio/pages/{page_id}/")
    assert _line(editor, "fields.hero") == "Hero T"
    assert 'src="/media/x.png"' in editor.page.split('<summary id="fields.hero"')[1].split("</summary>")[0]
    assert _line(editor, "fields.body") == "Body 2 Quote · Hero"
    assert [_line(editor, f"fields.body.{row}") for row in (0, 1)] == ["Quote line line", "Hero H"]
    assert [_line(editor, f"fields.steps.{row}") for row in (0, 1)] == ["Steps first", "Steps second"]
    assert [" open" in _fold(editor, name) for name in ("fields.hero", "fields.body.0", "fields.body")] == [
        False, False, True,
    ]  # fmt: skip
    outline = editor.page.split('class="outline card"')[1].split("</nav>")[0]
    assert '<a href="#fields.body.1">Hero · H</a>' in outline
    assert '<a href="#fields.steps.1">2 · second</a>' in outline
    editor.get("/studio/pages/new/guide/")
    assert " open" in _fold(editor, "fields.hero")


def test_errors_open_what_they_are_in(editor: Browser, page_id: int) -> None:
    """The row, its list and its component say so, and those without errors stay folded."""
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "save", fields__body__0__fields__stars="many")
    assert all(" open data-needed" in _fold(editor, name) for name in ("fields.body", "fields.body.0"))
    assert _line(editor, "fields.body.0") == "Quote line line To correct"
    assert _line(editor, "fields.body") == "Body 2 Quote · Hero To correct"
    assert " open" not in _fold(editor, "fields.body.1")


def test_rows_are_added_between_others(editor: Browser, page_id: int, versions: Versions) -> None:
    """Where one of several components may be added, the form asks which; the new row is open and has the focus."""
    editor.get(f"/studio/pages/{page_id}/")
    press(editor, "insert:fields.body.1")
    choices = re.findall(r'value="(add:fields\.body:[^"]*:\d)"', editor.page)
    assert choices == ["add:fields.body:hero:1", "add:fields.body:quote:1"]
    press(editor, "add:fields.body:quote:1")
    assert " open data-needed" in _fold(editor, "fields.body.1")
    assert " autofocus" in editor.page.split('<summary id="fields.body.1"')[1].split(">")[0]
    press(editor, "add:fields.steps::0", fields__body__1__fields__text="between")
    press(editor, "publish", fields__steps__0__title="before")
    fields: Any = versions(page_id)["en", Version.LIVE].fields
    assert [row["type"] for row in fields["body"]] == ["quote", "quote", "hero"]
    assert fields["body"][1]["fields"]["text"] == "between"
    assert [row["title"] for row in fields["steps"]] == ["before", "first", "second"]


@pytest.fixture
def odd_page(page_id: int, runtime: Runtime, make_page: MakePage) -> int:
    """A page whose rows have fields of every name, and values that no control of a browser can show."""
    rows = [
        {"slug": "from", "type": "short_text"}, {"slug": "text", "type": "long_text"}, {"slug": "at", "type": "date"},
        {"slug": "kind", "type": "short_text", "default": "plain"},
    ]  # fmt: skip
    declare_fields(runtime.database, {"slug": "trips", "type": "repeater", "fields": rows})
    trips = [
        {"from": "Quay\n4", "text": "a\r\nb", "at": "2026-03-01T08:00:00", "kind": "a"},
        {"from": "Hill", "text": "c", "at": None, "kind": "b"},
    ]
    return make_page("odd", {"trips": trips})


def test_rows_keep_what_they_hold_wherever_they_are_moved(editor: Browser, odd_page: int, versions: Versions) -> None:
    """Line breaks in a field of one line, ends of lines and seconds come back as they are stored."""
    before: Any = versions(odd_page)["en", Version.LIVE].fields
    quay, hill = before["trips"]
    editor.get(f"/studio/pages/{odd_page}/")
    press(editor, "down:fields.trips.0")
    press(editor, "double:fields.trips.1")
    press(editor, "add:fields.trips::1")
    assert form_of(editor)["fields.trips.1.kind"] == "plain"
    press(editor, "publish", fields__trips__1__from="Wood")
    after: Any = versions(odd_page)["en", Version.LIVE].fields
    new = {"from": "Wood", "text": "", "at": None, "kind": "plain"}
    assert after["trips"] == [hill, new, quay, quay]


@pytest.fixture
def album(page_id: int, runtime: Runtime, make_page: MakePage) -> int:
    """A page with a list of pictures, which has one."""
    rows = [{"slug": "image", "type": "media"}, {"slug": "caption", "type": "short_text", "default": "At sea"}]
    declare_fields(runtime.database, {"slug": "album", "type": "repeater", "fields": rows})
    return make_page("album", {"album": [{"image": {"url": "/media/x.png", "alt": "X"}, "caption": "First"}]})


@pytest.fixture
def pictures(runtime: Runtime) -> list[MediaFile]:
    """Three pictures in the library, each with a description."""
    files = [
        MediaFile(f"{n:032}.png", f"sea-{n}.png", "image/png", 9, runtime.clock(), 3, 2, MediaDetails(alt=f"Sea {n}"))
        for n in range(3)
    ]
    with runtime.database.writing() as transaction:
        for file in files:
            save_media(transaction, file)
    return files


def test_several_pictures_become_rows_of_a_list_at_once(
    editor: Browser, album: int, versions: Versions, pictures: list[MediaFile]
) -> None:
    """What is chosen stays so while others are looked for; rows come in the order of choosing, with descriptions."""
    address = f"/studio/pages/{album}/"
    name = "fields.album.*.image"
    editor.get(address)
    assert f'value="choose-picture:{name}"' in editor.page
    assert 'value="choose-picture:fields.steps.*' not in editor.page
    press(editor, f"choose-picture:{name}", fields__album__0__caption="typed")
    chosen = [pictures[2].url, pictures[0].url]
    search: dict[str, Any] = {"do": "choose-picture", "picture_text": "sea-1"}
    editor.send(address, **{**_carried(editor), **search, "picture": chosen})
    shown = re.findall(r'type="checkbox" name="picture" value="([^"]+)"[^>]*?( checked)?>', editor.page)
    assert shown == [(chosen[0], " checked"), (chosen[1], " checked"), (pictures[1].url, "")]
    editor.send(address, **{**_carried(editor), "do": "use-picture", "picture": [*chosen, pictures[1].url]})
    assert form_of(editor)["fields.album.count"] == "4"
    press(editor, "publish", fields__album__1__image__alt="Mine")
    fields: Any = versions(album)["en", Version.LIVE].fields
    images = [(row["image"]["url"], row["image"]["alt"], row["caption"]) for row in fields["album"]]
    assert images == [
        ("/media/x.png", "X", "typed"), (pictures[2].url, "Mine", "At sea"), (pictures[0].url, "Sea 0", "At sea"),
        (pictures[1].url, "Sea 1", "At sea"),
    ]  # fmt: skip


def test_a_choice_of_several_pictures_is_left(editor: Browser, album: int) -> None:
    """Without a new row, with what was typed; a list that is gone is refused."""
    address = f"/studio/pages/{album}/"
    editor.get(address)
    press(editor, "choose-picture:fields.album.*.image", fields__album__0__caption="typed")
    carried = _carried(editor)
    editor.send(address, **{**carried, "do": "keep-picture", "picture": "/media/x.png"})
    assert (form_of(editor)["fields.album.count"], form_of(editor)["fields.album.0.caption"]) == ("1", "typed")
    gone = {"do": "use-picture", "picture": "/media/x.png", "picture_for": "fields.gone.*.image"}
    assert editor.send(address, **{**carried, **gone}).status_code == 400


def _carried(browser: Browser) -> dict[str, Any]:
    """Return what the page of a choice carries, as a browser sends it."""
    form = form_in(browser.page[browser.page.index('class="choose"') :].split("<fieldset>")[0])
    return {name: values for name, values in form.lists() if name not in ("form_token", "upload", "picture_text")}


def test_empty_blocks_of_formatted_texts_are_left_out_wherever_they_are(
    editor: Browser, page_id: int, runtime: Runtime, make_page: MakePage, versions: Versions
) -> None:
    """In rows, too; texts that did not change, and those in Markdown, keep their bytes."""
    rows = [{"slug": "text", "type": "wysiwyg"}, {"slug": "source", "type": "long_text"}]
    declare_fields(runtime.database, {"slug": "parts", "type": "repeater", "fields": rows})
    empty, source = "<h2></h2><p>a</p>", "## \n\n<h2></h2>"
    parts = make_page("parts", {"parts": [{"text": empty, "source": source}, {"text": "<p>b</p>", "source": source}]})
    editor.get(f"/studio/pages/{parts}/")
    press(editor, "publish", fields__parts__1__text="<h3> </h3><p>c</p>", fields__parts__1__source=f"{source} d")
    assert "Empty headings, and empty paragraphs at the end, were left out." in editor.text
    fields: Any = versions(parts)["en", Version.LIVE].fields
    assert [(row["text"], row["source"]) for row in fields["parts"]] == [(empty, source), ("<p>c</p>", f"{source} d")]


def test_lists_have_no_more_rows_than_forms_send(editor: Browser, make_page: MakePage) -> None:
    """A copy beyond the limit is not made, and nothing is lost by it."""
    rows = [{"title": f"Step {number}", "who": None} for number in range(500)]
    editor.get(f"/studio/pages/{make_page('long', {'steps': rows})}/")
    for button in ("double:fields.steps.0", "add:fields.steps"):
        press(editor, button)
        assert form_of(editor)["fields.steps.count"] == "500"


def test_number_of_a_row_that_cannot_be_is_refused(editor: Browser, page_id: int) -> None:
    """As any field that the form does not have."""
    editor.get(f"/studio/pages/{page_id}/")
    assert press(editor, "up:fields.steps.1", **{f"fields.steps.{'9' * 5_000}.text": "x"}).status_code == 400
