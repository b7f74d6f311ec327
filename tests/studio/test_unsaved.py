"""Text that is not saved yet, kept on the server for its user alone, and who has a form open."""

from datetime import timedelta

import orjson
import pytest

from sitecms.actions.editing import unsaved
from sitecms.actions.operations.housekeeping import remove_expired
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.store.accounts.open_forms import PRESENCE_LIFETIME, save_unsaved
from sitecms.store.accounts.users import find_users
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakePost
from tests.support.reading import select

from .conftest import Browser, SignedIn
from .forms import form_of, press

pytestmark = pytest.mark.both_engines

FORM_SESSION = "session-0001"


def keep(browser: Browser, address: str, form_session: str = FORM_SESSION, **typed: str) -> int:
    """Send the fields of the form that is open as its script does; return the status."""
    fields = [[name, typed.get(name, value)] for name, value in form_of(browser).items(multi=True)]
    fields = [pair if pair[0] != "form_session" else ["form_session", form_session] for pair in fields]
    page = browser.page
    sent = {"address": address, "form_session": form_session, "do": "keep", "fields": orjson.dumps(fields).decode()}
    status = browser.send("/studio/unsaved/", **sent).status_code
    browser.page = page
    return status


def rows(runtime: Runtime) -> int:
    """Return the number of forms that are kept."""
    return int(select(runtime.database, "SELECT count(*) FROM unsaved_form WHERE fields_json <> '[]'")[0][0])


def test_text_is_kept_offered_and_removed_when_saved(
    admin: Browser, editor: Browser, make_post: MakePost, runtime: Runtime
) -> None:
    """Not live, no version, not for others; brought back into the form by a click alone, on any device."""
    post_id = make_post("calm", status=Status.DRAFT)
    path = f"/studio/posts/{post_id}/"
    editor.get(path)
    number = runtime.database.change_number()
    assert keep(editor, path, title="Typed & not saved") == 200
    assert keep(editor, path, title="Typed <more>") == 200
    assert (runtime.database.change_number(), rows(runtime)) == (number, 1)
    phone = Browser(editor.client)
    phone.get(path)
    assert form_of(phone)["title"] == "Calm"
    assert "There is text of yours from" in phone.text
    assert "&lt;more&gt;" in phone.page
    admin.get(path)
    assert "There is text of yours" not in admin.text
    fields = {"title": "Typed <more>", "form_session": FORM_SESSION, "revision": form_of(phone)["revision"]}
    press(phone, "bring-back", **fields)
    assert (form_of(phone)["title"], form_of(phone)["form_session"], rows(runtime)) == ("Typed <more>", FORM_SESSION, 1)
    press(phone, "save")
    assert rows(runtime) == 0
    assert runtime.database.read(VERSIONS[EntryKind.POST].get, post_id).title == "Typed <more>"


def test_new_entry_is_kept_too_and_can_be_discarded(editor: Browser, runtime: Runtime) -> None:
    """Each opening of an empty form is a session of its own."""
    path = "/studio/posts/new/"
    for form_session in ("session-one", "session-two"):
        editor.get(path)
        assert keep(editor, path, form_session, title=f"Idea {form_session}") == 200
    editor.get(path)
    assert editor.text.count("There is text of yours") == 2
    sent = {"address": path, "form_session": "session-one", "do": "discard", "back": "1"}
    assert editor.send("/studio/unsaved/", **sent).request.path == path
    assert editor.text.count("There is text of yours") == 1
    press(editor, "save", title="Idea session-two", form_session="session-two")
    assert rows(runtime) == 0


def test_text_that_was_saved_elsewhere_is_offered_no_more(
    editor: Browser, make_post: MakePost, runtime: Runtime
) -> None:
    """As after an answer that came before the request that kept the text."""
    post_id = make_post("calm", status=Status.DRAFT)
    path = f"/studio/posts/{post_id}/"
    editor.get(path)
    keep(editor, path, title="Same")
    assert rows(runtime) == 1
    press(editor, "save", title="Same")  # without its session: the answer shows the form again
    assert "There is text of yours" not in editor.text
    assert rows(runtime) == 0


@pytest.mark.parametrize(
    ("role", "path", "status"),
    [
        (Role.WRITER, "/studio/posts/{other}/", 404),
        (Role.WRITER, "/studio/posts/{own}/", 200),
        (Role.WRITER, "/studio/pages/new/guide/", 404),
        (Role.EDITOR, "/studio/pages/new/guide/?locale=es", 200),
        (Role.EDITOR, "/studio/pages/new/guide/?locale=xx", 404),
        (Role.EDITOR, "/studio/pages/99/", 404),
        (Role.EDITOR, "/studio/collections/team/1/", 404),
        (Role.EDITOR, "/studio/posts/99/", 404),
        (Role.EDITOR, "/studio/account/", 404),
        (Role.EDITOR, "https://evil.example/", 404),
        (Role.EDITOR, "", 404),
        (Role.EDITOR, "//[", 404),
        (Role.EDITOR, "http://[x/studio/posts/new/", 404),
    ],
)
def test_only_forms_that_the_user_may_send_are_kept(
    signed_in: SignedIn, make_post: MakePost, role: Role, path: str, status: int
) -> None:
    """Both to keep text and to be present; an entry that is not there is not told from one of others."""
    own, other = make_post("own", status=Status.DRAFT), make_post("other", author="bo-lind")
    browser = signed_in(role)
    browser.get("/studio/account/")
    address = path.format(own=own, other=other)
    sent = {"address": address, "form_session": FORM_SESSION, "do": "keep", "fields": "[]"}
    for route in ("/studio/unsaved/", "/studio/presence/"):
        page = browser.page
        assert browser.send(route, **sent).status_code == status, route
        browser.page = page


@pytest.mark.parametrize(
    "wrong", [{"fields": "{"}, {"fields": '[["a"]]'}, {"fields": '[["a", 1]]'}, {"fields": '[["a", "\\u0000"]]'},
              {"form_session": ""}, {"form_session": "a b"}, {"fields": f'[["a", "{"x" * (4 * 1024 * 1024)}"]]'}],
)  # fmt: skip
def test_what_is_no_form_is_refused(editor: Browser, runtime: Runtime, wrong: dict[str, str]) -> None:
    """Nothing of it is kept."""
    editor.get("/studio/account/")
    sent = {"address": "/studio/posts/new/", "form_session": FORM_SESSION, "do": "keep", "fields": "[]", **wrong}
    assert editor.send("/studio/unsaved/", **sent).status_code == 400
    assert rows(runtime) == 0


def test_number_of_forms_has_a_limit(editor: Browser, runtime: Runtime) -> None:
    """A script that goes wild fills no disk; old ones go by themselves."""
    editor.get("/studio/posts/new/")
    (user,) = runtime.database.read(find_users)
    with runtime.database.writing() as transaction:
        fields = (("title", "Typed"),)
        for number in range(unsaved.MAX_FORMS - 1):
            save_unsaved(transaction, user.id, "/studio/posts/new/", f"earlier-{number}", fields, runtime.clock())
    assert [keep(editor, "/studio/posts/new/", f"session-{n}", title=str(n)) for n in range(2)] == [200, 400]
    assert rows(runtime) == unsaved.MAX_FORMS
    at = runtime.clock() + timedelta(days=runtime.settings.housekeeping.keep_unsaved_days + 1)
    removed = remove_expired(runtime.database, open_library(runtime.settings), runtime.settings.housekeeping, at)
    assert (removed.unsaved, rows(runtime)) == (unsaved.MAX_FORMS, 0)


def test_presence_says_who_has_the_entry_open(signed_in: SignedIn, make_post: MakePost, runtime: Runtime) -> None:
    """Others, and the same user in another window; it ends when the page is left, or is heard of no more."""
    post_id = make_post("calm")
    path = f"/studio/posts/{post_id}/"
    first, second = signed_in(Role.EDITOR), signed_in(Role.ADMIN)
    for browser in (first, second):
        browser.get(path)

    def ping(browser: Browser, form_session: str, **more: str) -> list[object]:
        page = browser.page
        answered = browser.send("/studio/presence/", address=path, form_session=form_session, **more)
        browser.page = page
        return list(answered.get_json()["others"]) if answered.status_code == 200 else []

    assert ping(first, "session-1", changed="1") == []
    assert ping(second, "session-2") == [{"name": "editor", "changed": True, "own": False}]
    assert ping(first, "session-3") == [
        {"name": "admin", "changed": False, "own": False}, {"name": "editor", "changed": True, "own": True},
    ]  # fmt: skip
    ping(first, "session-3", leaves="1")
    ping(second, "session-2", leaves="1")
    assert ping(first, "session-1") == []
    with runtime.database.writing() as transaction:
        seconds = int(PRESENCE_LIFETIME.total_seconds() * 1_000_000)
        transaction.sql("UPDATE presence SET seen_at = seen_at - ?", seconds)
    assert ping(second, "session-2") == []


def test_presence_keeps_no_session_alive(editor: Browser, runtime: Runtime, make_post: MakePost) -> None:
    """A page that is left open for a night ends with its session."""
    path = f"/studio/posts/{make_post('calm')}/"
    editor.get(path)
    with runtime.database.writing() as transaction:
        transaction.sql("UPDATE studio_session SET seen_at = seen_at - ?", 3_600_000_000)
        before = transaction.sql("SELECT seen_at FROM studio_session")
    editor.send("/studio/presence/", address=path, form_session=FORM_SESSION)
    assert select(runtime.database, "SELECT seen_at FROM studio_session") == before
