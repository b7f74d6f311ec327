"""Forms that were refused: what was typed comes back, whatever the reason. And redirects, which name no host."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from urllib.parse import urlencode

import pytest

from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.engines.sqlite.database import SqliteDatabase
from sitecms.web.server.application import RsgiApplication
from sitecms.web.service import CurrentService, service_maker
from tests.support.engines import stores
from tests.web.server.test_application import FakeExchange, RequestHeaders, ask

from .conftest import Browser, MakeBrowser, MakeUser
from .forms import press

pytestmark = pytest.mark.both_engines

HERE = {"Sec-Fetch-Site": "same-origin"}
TEXT = "What I typed & <b>more</b>, in many words that nobody wants to type again."


@contextmanager
def full(database: Database) -> Iterator[None]:
    """Let SQLite refuse to make the file larger, as it does where the disk is full."""
    assert isinstance(database, SqliteDatabase)
    for writer in (database._writer, database._unsynced_writer):
        writer.execute_sql("PRAGMA max_page_count = 1")
    yield
    for writer in (database._writer, database._unsynced_writer):
        writer.execute_sql("PRAGMA max_page_count = 1000000")


@pytest.mark.sqlite_only("the disk of a server is not that of sitecms")
def test_a_full_disk_gives_the_text_back(editor: Browser, runtime: Runtime) -> None:
    """The page can be sent again from there, and then it is saved."""
    editor.get("/studio/posts/new/")
    with full(runtime.database):
        refused = press(editor, "save", title="Ebb", body=TEXT * 2000)
    assert refused.status_code == 503
    assert "The store cannot be written at the moment." in editor.text
    assert TEXT in unescape(editor.page)
    assert "Traceback" not in editor.page


def test_a_store_that_is_away_gives_the_text_back(editor: Browser, runtime: Runtime) -> None:
    """Nobody can say then whether there is a session."""
    editor.get("/studio/posts/new/")
    stores().ruin(runtime.database)
    refused = editor.send("/studio/posts/new/", action="save", title="Ebb", body=TEXT)
    assert refused.status_code == 503
    assert TEXT in unescape(editor.page)


def test_a_password_does_not_come_back(admin: Browser, runtime: Runtime) -> None:
    """A form with one is an error page as before."""
    admin.get("/studio/account/")
    stores().ruin(runtime.database)
    admin.send("/studio/account/password/", current="a secret that I typed", password="another secret", repeated="x")
    assert "secret" not in admin.page


@pytest.mark.parametrize("is_away", [False, True])
@pytest.mark.sqlite_only("the engine does not matter")
def test_a_large_form_of_an_ended_session_comes_back(runtime: Runtime, make_user: MakeUser, is_away: bool) -> None:
    """Whatever its size, up to the limit of forms; also while the store is away. Files are not received."""
    body = urlencode({"title": "Ebb", "body": TEXT * 40_000}).encode()
    assert len(body) > 2_000_000
    make_user("mira")
    application = RsgiApplication(CurrentService(runtime.settings, service_maker(runtime, hint=lambda _id: None)))
    if is_away:
        stores().ruin(runtime.database)

    def send(content_type: str) -> FakeExchange:
        headers = {"content-type": content_type, "content-length": str(len(body)), "cookie": "sitecms-local=ended"}
        headers |= {"host": "127.0.0.1", "sec-fetch-site": "same-origin"}
        request = FakeExchange("POST", "/studio/posts/new/", RequestHeaders(*headers.items()), (body,))
        request.client = "127.0.0.1:4711"
        return ask(application, request, is_last=False)

    answered = send("application/x-www-form-urlencoded")
    assert answered.status == (503 if is_away else 401)
    assert TEXT * 40_000 in unescape(answered.body.decode())
    assert TEXT not in send("multipart/form-data; boundary=x").body.decode()
    application.close()


@pytest.mark.parametrize("path", ["/studio", "/studio/posts", "/studio/invitation?code=abc", "/studio//posts/"])
def test_redirects_name_no_host(browser: MakeBrowser, path: str) -> None:
    """The Host header is what anybody has sent."""
    answered = browser().client.get(path, headers={"Host": "evil.example", **HERE})
    location = answered.headers.get("Location", "/")
    assert location.startswith("/")
    assert not location.startswith("//")
    assert "evil" not in location
