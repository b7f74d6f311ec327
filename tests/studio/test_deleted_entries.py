"""Forms of entries that somebody deletes while they are open: nothing that was typed is lost."""

from collections.abc import Callable
from html import unescape

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.entries.trash import move_to_trash
from tests.support.entries import MakePost

from .conftest import Browser, EntryForm
from .forms import form_of, press

pytestmark = pytest.mark.both_engines


@pytest.fixture
def deleted(runtime: Runtime) -> Callable[..., None]:
    """Move an entry to the trash, as the API does."""

    def delete(kind: EntryKind, entry_id: int) -> None:
        runtime.database.write(move_to_trash, kind, entry_id, runtime.clock())

    return delete


def send(browser: Browser, button: str, address: str) -> int:
    """Press a button of the page for a deleted entry, by the address of its form; return the status."""
    start = browser.page.index(f'action="{address}')
    part = browser.page[start : browser.page.index("</form>", start)]
    assert button in part
    whole = browser.page
    browser.page = f'class="editor"{part}'
    form = form_of(browser)
    browser.page = whole
    headers = {"Sec-Fetch-Site": "same-origin"}
    data = {**form, "do": "bring-back"}
    action = unescape(part.partition('action="')[2].partition('"')[0])
    response = browser.client.post(action, data=data, headers=headers, follow_redirects=True)
    browser.page = response.get_data(as_text=True)
    return response.status_code


@pytest.mark.parametrize("button", ["save", "publish", "unpublish", "discard", "copy"])
def test_text_of_a_deleted_entry_is_restored_with_it(
    editor: Browser, entry: EntryForm, deleted: Callable[..., None], button: str
) -> None:
    """Whatever button was pressed: the form comes back with the text, and saving stores it."""
    editor.get(entry.address)
    deleted(entry.kind, entry.id)
    assert press(editor, button, **{entry.text: "Typed & more"}).status_code == 404
    assert f"The {entry.kind} was deleted" in editor.text
    assert "It is in the trash." in editor.text
    assert "Typed &amp; more" in editor.page
    assert send(editor, "Restore it", entry.address) == 200
    assert form_of(editor)[entry.text] == "Typed & more"
    press(editor, "publish")
    assert entry.stored()["text"] == "Typed & more"


def test_deleted_entry_is_restored_from_its_address(
    editor: Browser, entry: EntryForm, deleted: Callable[..., None]
) -> None:
    """Opening the address says where the entry is."""
    deleted(entry.kind, entry.id)
    assert editor.get(entry.address).status_code == 404
    assert "It is in the trash." in editor.text
    assert send(editor, "Restore it", entry.address) == 200
    assert "Restored from the trash." in editor.text


def test_text_of_a_deleted_entry_is_used_in_a_new_one(
    editor: Browser, entry: EntryForm, deleted: Callable[..., None]
) -> None:
    """The form of a new entry has it; the deleted one stays in the trash."""
    editor.get(entry.address)
    deleted(entry.kind, entry.id)
    press(editor, "publish", **{entry.text: "Typed"})
    assert send(editor, f"Use my text in a new {entry.kind}", entry.new) == 200
    assert form_of(editor)[entry.text] == "Typed"
    names = {"title": "Another", "slug": "another"} if entry.kind is not EntryKind.ITEM else {}
    missing = {"fields.hero.image.url": ""} if entry.kind is EntryKind.PAGE else {}
    assert "The draft is created." in press(editor, "save", **names, **missing).get_data(as_text=True)


def test_who_may_restore_a_deleted_post(writer: Browser, make_post: MakePost, deleted: Callable[..., None]) -> None:
    """Writers their own drafts; of what was published an editor; of others they learn nothing."""
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
