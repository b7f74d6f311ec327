"""Forms of authors, categories and tags: create, change, rename, delete, and what files say of them."""

from typing import Any

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.term import TermKind
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.accounts.users import get_user
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.terms import find_terms
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.loaded_files import LoadedFile, save_loaded_file
from sitecms.store.site_state.site_builds import site_changes
from tests.support.entries import MakeAuthor, MakePost

from .conftest import Browser, SignedIn
from .forms import form_of
from .forms import press as press_post

pytestmark = pytest.mark.both_engines


def press(browser: Browser, button: str, **changes: object) -> Any:
    """Press a button of the form of an author or term."""
    page = browser.page
    browser.page = page[: page.index('id="entry"')] + 'class="editor" ' + page[page.index('id="entry"') :]
    fields = {**form_of(browser), **changes, "do": button}
    action = page[: page.index(' id="entry" autocomplete')].rpartition('action="')[2].partition('"')[0]
    browser.page = page
    return browser.send(action, **fields)


def test_author_is_created_changed_renamed_and_deleted(editor: Browser, runtime: Runtime) -> None:
    """A slug is made of the name; the old address of the archive leads on, in each locale."""
    editor.get("/studio/authors/-new/")
    empty = {"first_name": "", "last_name": "", "linkedin_url": "", "email": "", "profile_image": ""}
    refused: tuple[tuple[dict[str, str], str], ...] = (
        ({}, "Enter a first or a last name."),
        ({"first_name": "Ann", "last_name": "Ray"}, "An author with the slug &#34;ann-ray&#34; already exists."),
        ({"first_name": "Cy", "linkedin_url": "javascript:alert(1)"}, "Enter an address that begins with https://."),
        ({"first_name": "Cy", "email": "cy"}, "Enter an address such as ann@example.org."),
        ({"first_name": "Cy", "profile_image": "/media/none.png"}, "There is no media file /media/none.png."),
    )
    for typed, message in refused:
        assert press(editor, "save", **{**empty, **typed}).status_code == 400
        assert message in editor.page
    before = runtime.database.read(site_changes)
    names = {"first_name": "Cy", "last_name": "Holm"}
    press(editor, "save", **{**empty, **names}, bio="One\r\ntwo")
    assert "Created." in editor.text
    press(editor, "save", slug="cy", title="Pilot")
    assert "Saved." in editor.text
    with runtime.database.reading() as session:
        author = find_authors(session)[-1]
        assert site_changes(session) == before + 2
    assert (author.slug, author.name, author.title, author.bio) == ("cy", "Cy Holm", "Pilot", "One\ntwo")
    assert author.aliases == ("/authors/cy-holm/", "/es/authors/cy-holm/")
    press(editor, "save", slug="cy-holm")
    assert runtime.database.read(find_authors)[-1].aliases == ("/authors/cy/", "/es/authors/cy/")
    press(editor, "delete")
    assert "Deleted." in editor.text
    assert "cy-holm" not in {each.slug for each in runtime.database.read(find_authors)}


def test_saving_an_author_without_an_edit_changes_nothing(
    editor: Browser, make_author: MakeAuthor, runtime: Runtime
) -> None:
    """Nor the end of a text as YAML writes it, nor an author without a name."""
    make_author("house", bio="Line one\r\nline two\n", title=" Editors ")
    with runtime.database.reading() as session:
        before = find_authors(session), site_changes(session)
    editor.get("/studio/authors/house/")
    press(editor, "save")
    assert "Nothing was changed" in editor.text
    with runtime.database.reading() as session:
        assert (find_authors(session), site_changes(session)) == before


def test_author_in_use_is_kept_and_takes_users_and_drafts_along(
    signed_in: SignedIn, editor: Browser, make_post: MakePost, runtime: Runtime
) -> None:
    """Posts, users and working copies name the new slug after a rename."""
    own, other = make_post("tides", author="bo-lind"), make_post("fog")
    signed_in(Role.WRITER, "bo-lind")
    editor.get(f"/studio/posts/{other}/")
    press_post(editor, "save", author="bo-lind")
    editor.get("/studio/authors/bo-lind/")
    assert press(editor, "delete").status_code == 409
    assert "1 post names Bo Lind. Give them another author first." in editor.text
    press(editor, "save", slug="bo")
    editor.get(f"/studio/posts/{other}/")
    press_post(editor, "publish")
    with runtime.database.reading() as session:
        assert [VERSIONS[EntryKind.POST].get(session, each).author.slug for each in (own, other)] == ["bo", "bo"]
        assert get_user(session, "writer").author == "bo"
    for post_id in (own, other):
        editor.get(f"/studio/posts/{post_id}/")
        press_post(editor, "publish", author="ann-ray")
    editor.get("/studio/authors/bo/")
    assert press(editor, "delete").status_code == 409
    assert "writer writes as Bo Lind." in editor.text
    editor.get("/studio/authors/ann-ray/")
    press(editor, "save", slug="ann")
    assert "The setting owner in site.toml names this author" in editor.text


def test_terms_are_created_renamed_and_deleted(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """Names differ by more than case; a working copy names the new one; a term of posts is kept."""
    post_id = make_post("tides", categories=("Sea",))
    editor.get("/studio/terms/new/category/")
    for name, message in (("sEA ", "There is a category &#34;Sea&#34; already."), ("!?", "letters or digits")):
        assert press(editor, "save", name=name).status_code == 400
        assert message in editor.page
    press(editor, "save", name="Moon")
    assert "Created." in editor.text
    press(editor, "save", slug="sea")
    assert "Another category has the slug" in editor.text
    editor.get(f"/studio/posts/{post_id}/")
    press_post(editor, "save", categories=["Sea", "Moon"])
    for old, name in (("sea", "Ocean"), ("moon", "Luna")):
        editor.get(f"/studio/terms/category/{old}/")
        press(editor, "save", name=name, slug=name)
    found = {each.name: (each.slug, each.aliases) for each in runtime.database.read(find_terms, TermKind.CATEGORY)}
    assert found["Ocean"] == ("ocean", ("/categories/sea/", "/es/categories/sea/"))
    editor.get(f"/studio/posts/{post_id}/")
    press_post(editor, "publish")
    with runtime.database.reading() as session:
        assert [term.name for term in VERSIONS[EntryKind.POST].get(session, post_id).categories] == ["Ocean", "Luna"]
        assert len(find_terms(session, TermKind.CATEGORY)) == len(found)
    editor.get("/studio/terms/category/luna/")
    assert press(editor, "delete").status_code == 409
    editor.get("/studio/terms/new/tag/")
    press(editor, "save", name="Foam")
    press(editor, "delete")
    assert "Deleted." in editor.text


def test_counts_of_a_name_leave_the_trash_out(editor: Browser, make_post: MakePost) -> None:
    """The pages of an author and of a term count the posts that the lists behind their links show."""
    post_ids = [make_post(slug, author="bo-lind", categories=("Sea",)) for slug in ("tides", "fog")]
    editor.get(f"/studio/posts/{post_ids[0]}/")
    press_post(editor, "delete")
    for path in ("/studio/authors/bo-lind/", "/studio/terms/category/sea/"):
        editor.get(path)
        assert "1 post" in editor.text
        assert "2 posts" not in editor.text


def test_two_people_and_files_are_told(signed_in: SignedIn, runtime: Runtime) -> None:
    """What somebody else stored is named, and what was typed stays; so is the file that declares the term."""
    mine, theirs = signed_in(Role.EDITOR), signed_in(Role.ADMIN)
    theirs.get("/studio/terms/new/tag/")
    press(theirs, "save", name="Foam")
    path = runtime.settings.folder / "content/tags.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("- name: Foam\n", encoding="utf-8")
    runtime.database.write(save_loaded_file, LoadedFile("content/tags.yaml", "", "", "[]", "{}", 0, ""))
    mine.get("/studio/terms/tag/foam/")
    assert "Also declared in content/tags.yaml" in mine.text
    theirs.get("/studio/terms/tag/foam/")
    press(theirs, "save", name="Spray")
    assert "content/tags.yaml" not in theirs.text
    assert press(mine, "save", name="Mist").status_code == 412
    assert "Stored now: Name: Spray." in mine.text
    press(mine, "save")
    assert [each.name for each in runtime.database.read(find_terms, TermKind.TAG)] == ["Mist"]


@pytest.mark.parametrize("path", ["authors/-new/", "authors/ann-ray/", "terms/new/tag/"])
def test_writers_change_no_names(writer: Browser, path: str, runtime: Runtime) -> None:
    """By request, since no list leads them there."""
    writer.get("/studio/authors/")
    assert "New author" not in writer.text
    assert writer.get(f"/studio/{path}").status_code == 403
    writer.get("/studio/account/")
    assert writer.send(f"/studio/{path}", do="save", first_name="X", name="X", complete="1").status_code == 403
    assert not runtime.database.read(find_terms, TermKind.TAG)
