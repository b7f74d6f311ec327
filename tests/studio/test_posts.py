"""The form of a post: what browsers change of texts, buttons, errors, conflicts, pictures."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from sitecms.actions.editing.values import differing
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MediaFile
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.media_files import save_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.writes import find_writes
from sitecms.studio.entry_form import read_form, shown_values
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.sent_form import with_picture
from tests.support.entries import MakePost

from .conftest import Browser, MakeBrowser, MakeUser
from .forms import carried, form_of, press

pytestmark = pytest.mark.both_engines


@pytest.fixture
def stored(runtime: Runtime) -> Callable[[int], Entry]:
    """Read a post."""

    def read(post_id: int) -> Entry:
        return runtime.database.read(VERSIONS[EntryKind.POST].get, post_id)

    return read


def test_post_is_written_published_and_corrected(
    editor: Browser, stored: Callable[[int], Entry], runtime: Runtime
) -> None:
    """A draft, its publication, a correction that waits, and the trash; each page says what happened."""
    editor.get("/studio/posts/new/")
    answered = press(
        editor, "save", title="Ebbe & flo", body="# Hei\n\nÅ *nei*", new_categories="Tides", tags="moon\n sea \nmoon"
    )
    assert "The draft is created." in editor.text
    post_id = int(answered.request.path.split("/")[-2])
    post = stored(post_id)
    assert (post.title, post.slug, post.status, post.author.slug) == ("Ebbe & flo", "ebbe-flo", "draft", "ann-ray")
    assert [term.name for term in (*post.categories, *post.tags)] == ["Tides", "moon", "sea"]
    assert runtime.database.read(find_markdown, post_id) == "# Hei\n\nÅ *nei*"
    press(editor, "publish")
    assert "Published. The site shows it after the next build. See the page" in editor.text
    link = '<a href="https://tide.example/blog/ebbe-flo/" target="_blank" rel="noopener">'
    assert editor.page.count(link) == 2
    press(editor, "save", title="Ebbe og flo")
    assert editor.page.count(link) == 1
    assert "Draft saved. Readers still see the published version." in editor.text
    assert "You see the draft that you saved" in editor.text
    assert stored(post_id).title == "Ebbe & flo"
    press(editor, "publish")
    assert stored(post_id).title == "Ebbe og flo"
    press(editor, "unpublish")
    assert stored(post_id).status == "draft"
    assert "See the page" not in editor.text
    assert "Moved to the trash." in press(editor, "delete").get_data(as_text=True)


LEFT_OUT = "Empty headings, and empty paragraphs at the end, were left out."


def test_empty_blocks_are_not_published(editor: Browser, make_post: MakePost, stored: Callable[[int], Entry]) -> None:
    """The page says so; a text that was stored with some and did not change keeps its bytes."""
    old = "<p>old</p>\n<h2></h2>\n<p>text</p>"
    post_id = make_post("calm", body=old)
    editor.get(f"/studio/posts/{post_id}/")
    press(editor, "publish", title="Calm")
    assert (stored(post_id).body, LEFT_OUT in editor.text) == (old, False)
    press(editor, "publish", body="<p>new</p>\n<h2></h2>\n<p>text</p>\n<p> </p>")
    assert (stored(post_id).body, LEFT_OUT in editor.text) == ("<p>new</p>\n<p>text</p>", True)
    press(editor, "publish", body="<p>new</p>\n<p>text</p>\n<h3><br></h3>")
    assert "Nothing was changed, so nothing was saved." in editor.text
    editor.get("/studio/posts/new/?format=html")
    press(editor, "publish", title="Flow", body="<h2></h2><p>one</p>")
    assert LEFT_OUT in editor.text
    assert stored(int(re.findall(r"/studio/posts/(\d+)/", editor.page)[0])).body == "<p>one</p>"


def test_markdown_keeps_empty_headings(editor: Browser, runtime: Runtime) -> None:
    """Its bytes are those that were typed."""
    editor.get("/studio/posts/new/?format=markdown")
    source = "## \n\none\n\n<h2></h2>"
    answered = press(editor, "publish", title="Ebb", body=source.replace("\n", "\r\n"))
    assert runtime.database.read(find_markdown, int(answered.request.path.split("/")[-2])) == source
    assert LEFT_OUT not in editor.text


def test_form_that_names_a_rejected_change_is_shown_and_makes_no_second_one(
    editor: Browser, runtime: Runtime, make_user: MakeUser, browser: MakeBrowser
) -> None:
    """The answer that a script got is shown as a page; the form in it, and those of others, are sent as ever."""

    def count() -> int:
        return len(runtime.database.read(find_writes, None, 100))

    editor.get("/studio/posts/new/")
    picture = "https://pictures.example/none.png"
    answer = press(editor, "save", title="Ebb", featured_image=picture)
    write_id = answer.headers["Sitecms-Write"]
    assert (answer.status_code, count()) == (400, 1)
    problem = "The remote file could not be found (HTTP 404)."
    assert problem in editor.text
    again = press(editor, "save", write=write_id)
    assert (again.status_code, count(), "Sitecms-Write" in again.headers) == (400, 1, False)
    assert problem in editor.text
    assert form_of(editor)["title"] == "Ebb"
    assert write_id not in editor.page
    press(editor, "save", featured_image="")
    assert "The draft is created." in editor.text
    assert count() == 2
    press(editor, "publish", write="no such change")
    assert "Published." in editor.text
    make_user("other", Role.EDITOR)
    other = browser()
    other.open_session(runtime, "other")
    other.get("/studio/posts/new/")
    press(other, "save", title="Flow", write=write_id)
    assert "The draft is created." in other.text


def test_new_address_of_a_published_post_is_not_scheduled(
    editor: Browser, make_post: MakePost, stored: Callable[[int], Entry]
) -> None:
    """The other changes are."""
    post_id = make_post("calm")
    editor.get(f"/studio/posts/{post_id}/")
    assert press(editor, "schedule", title="New", slug="other", scheduled_at="2099-07-01T10:30").status_code == 400
    assert "The address changes when you publish" in editor.text
    press(editor, "schedule", slug="calm")
    assert (stored(post_id).title, form_of(editor)["scheduled_at"]) == ("Calm", "2099-07-01T10:30")


def test_errors_stand_beside_the_field_and_nothing_typed_is_lost(editor: Browser, make_post: MakePost) -> None:
    """A taken slug, a missing title, a title that is too long."""
    make_post("calm")
    editor.get("/studio/posts/new/")
    for changes, problem in (
        ({"title": "T", "slug": "calm"}, "already exists"),
        ({"title": "  ", "slug": "x"}, "may not be blank"),
        ({"title": "T" * 201, "slug": "x"}, "no more than 200 characters"),
        ({"title": "T", "slug": "?!"}, "letters or digits"),
    ):
        answered = press(editor, "publish", body="typed & <kept>", tags="a\nb", **changes)
        assert (answered.status_code, problem in editor.text) == (400, True), changes
        assert 'aria-invalid="true"' in editor.page
        assert form_of(editor)["body"] == "typed & <kept>"
        assert form_of(editor)["tags"] == "a\r\nb"
        assert form_of(editor)["title"] == changes["title"]


def test_writer_is_told_who_publishes(writer: Browser, make_post: MakePost, stored: Callable[[int], Entry]) -> None:
    """No button to publish, and a request for it changes nothing and keeps the text."""
    writer.get("/studio/posts/new/")
    assert 'value="publish"' not in writer.page
    assert "An editor publishes it." in writer.text
    assert not {"published_at", "scheduled_at"} & form_of(writer).keys()
    answered = press(writer, "publish", title="Mine", body="typed")
    assert answered.status_code == 403
    assert "does not allow this: publish" in writer.text
    assert form_of(writer)["body"] == "typed"
    answered = press(writer, "save")
    post_id = int(answered.request.path.split("/")[-2])
    assert (stored(post_id).status, stored(post_id).author.slug) == ("draft", "ann-ray")
    for button in ("publish", "unpublish"):
        assert press(writer, button).status_code == 403
    other = make_post("other", author="bo-lind", body="<p>public</p>")
    writer.get(f"/studio/posts/{other}/")
    assert "You may read this." in writer.text
    assert '<button name="do" value="delete"' not in writer.page
    assert press(writer, "save", title="Mine").status_code == 403
    assert stored(other).title == "Other"


def test_picture_is_chosen_without_losing_what_was_typed(
    editor: Browser, make_post: MakePost, stored: Callable[[int], Entry], runtime: Runtime
) -> None:
    """The page of pictures carries all fields; the chosen one is saved with the post."""
    files = [MediaFile(f"{n:032}.png", f"sea-{n}.png", "image/png", 9, runtime.clock(), 3, 2) for n in range(30)]
    with runtime.database.writing() as transaction:
        for file in files:
            save_media(transaction, file)
    post_id = make_post("calm", status=Status.DRAFT, body="<p>old</p>")
    editor.get(f"/studio/posts/{post_id}/")
    press(editor, "choose-picture", body="<p>typed</p>", picture_text="sea-2", tags="a\nb")
    assert len(re.findall(r'type="radio"', editor.page)) == 11
    choice = {"do": "use-picture", "picture": files[20].url}
    editor.send(f"/studio/posts/{post_id}/", **{**carried(editor.page), **choice})
    assert (form_of(editor)["featured_image"], form_of(editor)["body"]) == (files[20].url, "<p>typed</p>")
    press(editor, "save", featured_image_alt="The sea")
    post = stored(post_id)
    assert (post.featured_image, post.featured_image_alt) == (files[20].url, "The sea")
    assert (post.body, [term.name for term in post.tags]) == ("<p>typed</p>", ["a", "b"])
    press(editor, "no-picture")
    press(editor, "save")
    assert stored(post_id).featured_image == ""


@pytest.mark.parametrize(
    ("text", "is_markdown", "result"),
    [
        ("", True, '![a \\[b\\] "c"](/media/x.png)\n'),
        ("one", True, 'one\n\n![a \\[b\\] "c"](/media/x.png)\n'),
        ("one\r\n", True, 'one\r\n\r\n![a \\[b\\] "c"](/media/x.png)\r\n'),
        ("<p>x</p>", False, '<p>x</p>\n\n<figure><img src="/media/x.png" alt="a [b] &quot;c&quot;"></figure>\n'),
    ],
)
def test_picture_is_added_behind_the_text(text: str, is_markdown: bool, result: str) -> None:
    """As a block of its own, with its description; the text before it stays as it is."""
    assert (
        with_picture(text, "/media/x.png", 'a [b]  "c"' if is_markdown else 'a [b] "c"', is_markdown=is_markdown)
        == result
    )


def test_picture_is_added_to_the_text_of_a_post(editor: Browser, make_post: MakePost) -> None:
    """From the form and back, without saving."""
    post_id = make_post("calm", markdown="Text", body="<p>Text</p>")
    editor.get(f"/studio/posts/{post_id}/")
    press(editor, "choose-picture:body", body="Typed")
    choice = {"do": "use-picture", "picture": "/media/x.png", "picture_for": "body", "picture_alt": "The sea"}
    editor.send(f"/studio/posts/{post_id}/", **{**carried(editor.page), **choice})
    assert form_of(editor)["body"] == "Typed\r\n\r\n![The sea](/media/x.png)\r\n"
    assert form_of(editor)["featured_image"] == ""


def test_incomplete_form_changes_nothing(editor: Browser, make_post: MakePost, stored: Callable[[int], Entry]) -> None:
    """PocketBase#4857: a form that was cut off, and one without most fields, leave the rest as it is."""
    post_id = make_post("calm", status=Status.DRAFT, body="<p>a</p>", tags=("moon",), summary="s")
    editor.get(f"/studio/posts/{post_id}/")
    form = form_of(editor)
    cut = {"form_token": form["form_token"], "revision": form["revision"], "title": "x", "do": "save"}
    assert editor.send(f"/studio/posts/{post_id}/", **cut).status_code == 400
    editor.get(f"/studio/posts/{post_id}/")
    assert stored(post_id).title == "Calm"
    editor.send(f"/studio/posts/{post_id}/", **cut, complete="1")
    post = stored(post_id)
    assert (post.title, post.body, post.summary, post.tags[0].name) == ("x", "<p>a</p>", "s", "moon")


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=60) | st.text(
    "a\r\n \t&<", max_size=12
)


@given(body=TEXT, summary=TEXT, title=TEXT)
def test_open_and_save_changes_no_byte(body: str, summary: str, title: str) -> None:
    """Whatever is stored, and whatever browsers make of line ends: what comes back is what was there."""
    place = EntryPlace(EntryKind.POST, "", "en", (), ContentSchema(), "")
    shown = {**shown_values(place), "body": body, "summary": summary, "title": title}
    sent: MultiDict[str, str] = MultiDict()
    for spec in KINDS[EntryKind.POST].built_in:
        line_end = "" if spec.type == "short_text" else "\r\n"
        if not spec.targets:
            sent[spec.slug] = re.sub(r"\r\n|\r|\n", line_end, str(shown[spec.slug]))
    assert differing(shown, read_form(sent, place, shown)) == {}


@pytest.mark.parametrize("text", ["\n\nfirst", "a\rb", "a\r\nb\n", " lead\ntrail \n", "</textarea><b>&amp;", "\ttab"])
def test_page_shows_the_text_as_it_is_stored(editor: Browser, make_post: MakePost, runtime: Runtime, text: str) -> None:
    """Through the real page: opened and saved, nothing is written, not even an empty first line is lost."""
    post_id = make_post("calm", markdown=text, body="<p>x</p>", summary=text)
    editor.get(f"/studio/posts/{post_id}/")
    press(editor, "save")
    assert "Nothing was changed, so nothing was saved." in editor.text
    with runtime.database.reading() as session:
        assert find_markdown(session, post_id) == text
        assert session.sql("SELECT count(*) FROM write") == [(0,)]


def test_titles_and_texts_with_markup_are_shown_as_text(editor: Browser, make_post: MakePost) -> None:
    """In every field of the form, also with errors."""
    mark = "<script>alert(1)</script>\"'&"
    post_id = make_post("x", title=mark, summary=mark, seo_title=mark, tags=(mark,), categories=(mark,), body="<p></p>")
    editor.get(f"/studio/posts/{post_id}/")
    assert "<script>alert" not in editor.page
    press(editor, "save", title=mark, slug=mark * 9, new_categories=mark)
    assert "<script>alert" not in editor.page


def test_post_is_back_dated(editor: Browser, stored: Callable[[int], Entry]) -> None:
    """Another date of publication counts when the post is published; one to come, or with a draft, is refused."""
    editor.get("/studio/posts/new/")
    assert press(editor, "publish", title="Old", published_at="2999-01-01T00:00").status_code == 400
    assert "Choose a time that has passed. To publish it later, schedule it." in editor.text
    assert form_of(editor)["published_at"] == "2999-01-01T00:00"
    answered = press(editor, "save", published_at="2019-05-01T08:30")
    post_id = int(answered.request.path.split("/")[-2])
    assert (stored(post_id).status, str(stored(post_id).published_at)) == ("draft", "2019-05-01 08:30:00+00:00")
    press(editor, "publish")
    assert (stored(post_id).status, str(stored(post_id).published_at)) == ("published", "2019-05-01 08:30:00+00:00")
    assert press(editor, "save", body="changed", published_at="2018-05-01T08:30").status_code == 400
    assert "The date changes when you publish" in editor.text
    press(editor, "publish", body="")
    assert str(stored(post_id).published_at) == "2018-05-01 08:30:00+00:00"
    press(editor, "publish")
    assert "Nothing was changed" in editor.text


def test_writer_dates_nothing(writer: Browser) -> None:
    """The form has no field for it, and a request that names a date is refused."""
    writer.get("/studio/posts/new/")
    assert "published_at" not in form_of(writer)
    assert press(writer, "save", title="Old", published_at="2019-05-01T08:30").status_code == 403
