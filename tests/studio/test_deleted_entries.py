"""Forms of entries that somebody deletes while they are open: nothing that was typed is lost."""

from collections.abc import Callable

import pytest

from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.posts import get_post_by_id
from sitecms.store.entries.trash import move_to_trash

from .conftest import Browser
from .test_posts import form_of, press

pytestmark = pytest.mark.both_engines

SignedIn = Callable[..., Browser]


@pytest.fixture
def deleted(runtime: Runtime) -> Callable[..., None]:
    """Move an entry to the trash, as the API does."""

    def delete(kind: EntryKind, entry_id: int) -> None:
        with runtime.database.writing() as transaction:
            move_to_trash(transaction, kind, entry_id, runtime.clock())

    return delete


def send(browser: Browser, button: str, address: str) -> int:
    """Press a button of the page for a deleted entry, by the address of its form; return the status."""
    start = browser.page.index(f'action="{address}"')
    part = browser.page[start : browser.page.index("</form>", start)]
    assert button in part
    whole = browser.page
    browser.page = f'class="editor"{part}'
    form = form_of(browser)
    browser.page = whole
    headers = {"Sec-Fetch-Site": "same-origin"}
    data = {**form, "do": "bring-back"}
    response = browser.client.post(address, data=data, headers=headers, follow_redirects=True)
    browser.page = response.get_data(as_text=True)
    return response.status_code


@pytest.mark.parametrize("button", ["save", "publish", "unpublish", "discard", "copy"])
def test_text_of_a_deleted_post_is_restored_with_it(
    signed_in: SignedIn, make_post: Callable[..., int], deleted: Callable[..., None], runtime: Runtime, button: str
) -> None:
    """Whatever button was pressed: the form comes back with the text, and saving stores it."""
    post_id = make_post("calm")
    editor = signed_in(Role.EDITOR, "ann-ray")
    address = f"/studio/posts/{post_id}/"
    editor.get(address)
    deleted(EntryKind.POST, post_id)
    assert press(editor, button, title="Typed & more").status_code == 404
    assert "The post was deleted" in editor.text
    assert "It is in the trash." in editor.text
    assert "Typed &amp; more" in editor.page
    assert send(editor, "Restore it", address) == 200
    assert form_of(editor)["title"] == "Typed & more"
    press(editor, "publish")
    with runtime.database.reading() as session:
        assert get_post_by_id(session, post_id).title == "Typed & more"


def test_text_of_a_deleted_post_is_used_in_a_new_one(
    signed_in: SignedIn, make_post: Callable[..., int], deleted: Callable[..., None]
) -> None:
    """The form of a new post has it; the deleted one stays in the trash."""
    editor = signed_in(Role.EDITOR, "ann-ray")
    post_id = make_post("calm")
    editor.get(f"/studio/posts/{post_id}/")
    deleted(EntryKind.POST, post_id)
    press(editor, "publish", title="Typed")
    assert send(editor, "Use my text in a new post", "/studio/posts/new/") == 200
    assert form_of(editor)["title"] == "Typed"
    assert "The draft is created." in press(editor, "save", slug="another").get_data(as_text=True)


def test_who_may_restore_a_deleted_post(
    signed_in: SignedIn, make_post: Callable[..., int], deleted: Callable[..., None]
) -> None:
    """Writers their own drafts; of what was published an editor; of others they learn nothing."""
    writer = signed_in(Role.WRITER, "ann-ray")
    own, public = make_post("own", status=Status.DRAFT), make_post("public")
    hidden = make_post("hidden", status=Status.DRAFT, author="bo-lind")
    for post_id, shown in ((own, "Restore it"), (public, "An editor can restore it.")):
        writer.get(f"/studio/posts/{post_id}/")
        form = form_of(writer)
        deleted(EntryKind.POST, post_id)
        writer.send(f"/studio/posts/{post_id}/", **{**form, "title": "Typed", "do": "save"})
        assert shown in writer.text
        assert ("Restore it" in writer.text) is (post_id == own)
    deleted(EntryKind.POST, hidden)
    writer.send(f"/studio/posts/{hidden}/", **{**form, "title": "Typed", "do": "save"})
    assert "It is in the trash." not in writer.text
    assert "Typed" in writer.page
    writer.get(f"/studio/posts/{hidden}/")
    assert "There is no such page" in writer.text


def test_text_of_deleted_pages_and_items_is_restored_too(
    signed_in: SignedIn, page_id: int, deleted: Callable[..., None]
) -> None:
    """With the fields that the schema declares; opening the address again says where the entry is."""
    editor = signed_in(Role.EDITOR)
    for address, kind, entry_id, name, new in (
        (f"/studio/pages/{page_id}/", EntryKind.PAGE, page_id, "fields.summary", "/studio/pages/new/guide/"),
        ("/studio/collections/team/1/", EntryKind.ITEM, 1, "fields.name", "/studio/collections/team/new/"),
    ):
        editor.get(address)
        form = form_of(editor)
        deleted(kind, entry_id)
        editor.send(address, **{**form, name: "Typed here", "do": "publish"})
        assert "It is in the trash." in editor.text
        refused = editor.page
        assert send(editor, "Use my text in a new", new) == 200
        assert form_of(editor)[name] == "Typed here"
        editor.page = refused
        assert send(editor, "Restore it", address) == 200
        assert form_of(editor)[name] == "Typed here"
        deleted(kind, entry_id)
        assert editor.get(address).status_code == 404
        assert "It is in the trash." in editor.text
        assert send(editor, "Restore it", address) == 200
        assert "Restored from the trash." in editor.text
