"""Variants of posts in other locales: created from a post, and shown beside it."""

import re

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_rows import find_variants
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakePost

from .conftest import Browser
from .forms import form_of, press


def test_post_is_translated_beside_the_original(editor: Browser, runtime: Runtime) -> None:
    """The variant is a draft with the same text, in Markdown as it was; the tabs say which is older."""
    editor.get("/studio/posts/new/")
    answered = press(editor, "publish", title="Tides", body="# Low\n\n*water*", tags="moon")
    post_id = int(answered.request.path.split("/")[-2])
    assert "Translate into Spanish" in editor.text
    answered = editor.send(f"/studio/posts/{post_id}/translate/", locale="es")
    assert "Translate it here." in editor.text
    variant_id = int(answered.request.path.split("/")[-2])
    with runtime.database.reading() as session:
        variant, markdown = VERSIONS[EntryKind.POST].get(session, variant_id), find_markdown(session, variant_id)
        assert find_variants(session, variant.group_id).keys() == {"en", "es"}
    assert (variant.locale, variant.status, variant.title, markdown) == (
        "es",
        Status.DRAFT,
        "Tides",
        "# Low\n\n*water*",
    )
    assert [term.name for term in variant.tags] == ["moon"]
    assert 'class="beside" role="group" aria-label="Text in English"' in editor.page
    press(editor, "copy-from:en", title="Mareas", body="", tags="sol")
    form = form_of(editor)
    assert (form["title"], form["body"], form["tags"]) == ("Tides", "# Low\r\n\r\n*water*", "sol")
    press(editor, "save", title="Mareas")
    assert "Translate into" not in editor.text
    editor.get(f"/studio/posts/{post_id}/?beside=es")
    assert '<pre class="words">Mareas</pre>' in editor.page
    press(editor, "publish", title="Tides, again")
    assert "older than English" in editor.text
    assert editor.send(f"/studio/posts/{post_id}/translate/", locale="es").status_code == 400
    assert "has a text in this language already" in editor.text
    assert editor.send(f"/studio/posts/{post_id}/translate/", locale="xx").status_code == 400


def test_writer_translates_own_posts_alone(writer: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """The variant of somebody else's post is refused; a draft of somebody else is in no tab."""
    own, other = make_post("own"), make_post("other", author="bo-lind")
    hidden = make_post("otro", author="bo-lind", locale="es", translation_of="own", status=Status.DRAFT)
    writer.get(f"/studio/posts/{own}/")
    assert f"/studio/posts/{hidden}/" not in writer.page
    assert "Translate into Spanish" not in writer.text
    assert writer.send(f"/studio/posts/{other}/translate/", locale="es").status_code == 403
    with runtime.database.reading() as session:
        assert len(find_variants(session, VERSIONS[EntryKind.POST].get(session, other).group_id)) == 1


def test_html_posts_are_copied_as_they_are(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """A copy of a post in HTML has the same body and no Markdown."""
    post_id = make_post("tides", body="<p>Low <em>water</em></p>")
    editor.get(f"/studio/posts/{post_id}/")
    answered = press(editor, "copy")
    assert "A copy is created as a draft." in editor.text
    copy_id = int(answered.request.path.split("/")[-2])
    with runtime.database.reading() as session:
        assert VERSIONS[EntryKind.POST].get(session, copy_id).body == "<p>Low <em>water</em></p>"
        assert find_markdown(session, copy_id) is None


def _beside(browser: Browser, label: str, language: str = "English") -> str:
    """Return what stands beside a field in another language, without tags."""
    section = browser.page.split(f'aria-label="{label} in {language}"')[1].split("</div></div>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", section.partition(">")[2]).split())


def test_missing_and_outdated_fields_say_so(editor: Browser, page_id: int) -> None:
    """In components and rows too, with the words that changed since; folded lines count them."""
    page = f"/studio/pages/{page_id}/"
    editor.get(f"{page}?locale=es&beside=en")
    press(editor, "copy-from:en")
    press(editor, "publish", fields__summary="Dos", fields__hero__title="", fields__steps__0__title="primero")
    assert _beside(editor, "Title") == "Title in English Missing here T"
    assert "Changed" not in _beside(editor, "Summary")
    assert "1 missing or outdated" in editor.page.split('<summary id="fields.hero"')[1].split("</summary>")[0]
    assert "1 field is missing or outdated" in editor.text
    editor.get(page)
    press(editor, "publish", fields__summary="Two are enough, and three are more", fields__body__0__fields__text="new")
    editor.get(f"{page}?locale=es&beside=en")
    assert "Changed in English after this was saved" in _beside(editor, "Summary")
    assert "<ins>" in editor.page.split('aria-label="Summary in English"')[1].split("</div></div>")[0]
    assert "Changed in English" in _beside(editor, "Text")
    assert "1 missing or outdated" in editor.page.split('<summary id="fields.body.0"')[1].split("</summary>")[0]
    assert "missing or outdated" not in editor.page.split('<summary id="fields.steps.0"')[1].split("</summary>")[0]
    editor.get(f"{page}?beside=es")
    assert "Changed here after Spanish was saved" in _beside(editor, "Summary", "Spanish")
    assert "Missing in Spanish" in _beside(editor, "Title", "Spanish")
    editor.get("/studio/pages/")
    assert "Spanish published older than English" in editor.text
    editor.get(f"{page}?locale=es&beside=en")
    press(editor, "publish", fields__summary="Dos, y tres")
    assert "Changed" not in _beside(editor, "Summary")
    editor.get("/studio/pages/")
    assert "older than English" not in editor.text


def test_lists_with_other_rows_say_so(editor: Browser, page_id: int) -> None:
    """Rows of the same component stand beside each other, and all rows of the other language at the list."""
    page = f"/studio/pages/{page_id}/"
    editor.get(f"{page}?locale=es&beside=en")
    assert "Missing here: Body in English" in editor.text
    press(editor, "copy-from:en")
    press(editor, "remove:fields.body.0")
    press(editor, "publish")
    assert "The rows are not the same: Body in English" in editor.text
    assert "Body 1, Quote: Text" in editor.text


def test_lists_of_entries_name_missing_languages(editor: Browser, page_id: int, make_post: MakePost) -> None:
    """Of pages and of posts; a translation is older than what was changed after it."""
    make_post("tides")
    make_post("mareas", locale="es", translation_of="tides")
    make_post("calm")
    editor.get("/studio/posts/")
    assert editor.text.count("Missing: Spanish") == 1
    editor.get("/studio/pages/")
    assert editor.text.count("Missing: Spanish") == 1
