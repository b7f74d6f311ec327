"""Links for the first user, invitations and new passwords, until the new user's first page."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from sitecms.actions.accounts.links import invite, make_first_link
from sitecms.content.token import secret_digest
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS
from tests.support.web_server import WebServer

from .conftest import PASSWORD, Browser, MakeBrowser, MakeUser

pytestmark = pytest.mark.both_engines

NEW = "another horse battery staple"


def link_in(page: str) -> str:
    """Return path and query of the link that an admin is shown."""
    found = re.search(r'id="link"[^>]*>([^<]+)<', page)
    assert found is not None
    parts = urlsplit(unescape(found[1]))
    assert parts.scheme.startswith("http")
    return f"{parts.path}?{parts.query}"


def test_person_is_invited_and_enters(admin: Browser, browser: MakeBrowser) -> None:
    """Name and password are chosen by the person; the link is shown once and opens once, and says so afterwards."""
    guest = browser()
    admin.get("/studio/people/")
    admin.send("/studio/people/", do="invite", label="Wren <b>", role="writer", author="ann-ray")
    link = link_in(admin.page)
    code = link.partition("code=")[2]
    admin.get("/studio/people/")
    assert code not in admin.page
    assert "Wren &lt;b&gt;" in admin.page
    guest.get(link)
    assert "You are invited to the studio as writer . Posts by Ann Ray are yours." in guest.text
    wrong = guest.send("/studio/invitation/", code=code, name="wren", password=NEW, repeated=PASSWORD)
    assert (wrong.status_code, "differ" in guest.text, 'value="wren"' in guest.page) == (400, True, True)
    assert NEW not in guest.page
    assert guest.send("/studio/invitation/", code=code, name="admin", password=NEW, repeated=NEW).status_code == 400
    entered = guest.send("/studio/invitation/", code=code, name="wren", password=NEW, repeated=NEW)
    assert entered.request.path == "/studio/posts/"
    assert code not in str([each.headers for each in entered.history])
    assert "wren writer" in guest.text
    again = browser()
    assert again.get(link).status_code == 410
    assert "This link was used already" in again.text
    assert again.send("/studio/invitation/", code=code, name="x", password=NEW, repeated=NEW).status_code == 410
    admin.get("/studio/people/")
    assert "Open invitations" not in admin.text
    admin.get("/studio/log/?person=wren")
    assert "accept invitation user wren writer" in admin.text


def test_invitation_is_withdrawn(admin: Browser, browser: MakeBrowser) -> None:
    """Its link is unknown then; a link that never was is answered alike."""
    guest = browser()
    admin.get("/studio/people/")
    admin.send("/studio/people/", do="invite", label="Ed", role="editor", author="")
    link = link_in(admin.page)
    admin.get("/studio/people/")
    admin.send("/studio/people/", do="withdraw", link=admin.value_of("link"))
    assert "The invitation is withdrawn" in admin.text
    for path in (link, "/studio/invitation/?code=x", "/studio/invitation/"):
        assert (guest.get(path).status_code, "not known here" in guest.text) == (404, True)


def test_forgotten_password_is_replaced_by_a_link(admin: Browser, browser: MakeBrowser, make_user: MakeUser) -> None:
    """All sessions end; the link leads to the form for signing in, and works once."""
    ed = browser()
    make_user("ed", Role.EDITOR)
    ed.sign_in("ed")
    admin.get("/studio/people/ed/")
    admin.send("/studio/people/ed/", do="reset")
    link = link_in(admin.page)
    code = link.partition("code=")[2]
    guest = browser()
    guest.get(link)
    assert "For ed" in guest.text
    assert guest.send("/studio/reset/", code=code, password="short", repeated="short").status_code == 400
    done = guest.send("/studio/reset/", code=code, password=NEW, repeated=NEW)
    assert done.request.path == "/studio/sign-in/"
    assert "Your new password is stored" in guest.text
    assert ed.get("/studio/account/").request.path == "/studio/sign-in/"
    assert ed.sign_in("ed", NEW).status_code == 200
    assert guest.get(link).status_code == 410
    assert "make reset link user ed" in admin.get("/studio/log/").get_data(as_text=True).replace("</td><td>", " ")


def test_first_user_enters_by_the_printed_link(runtime: Runtime, browser: MakeBrowser) -> None:
    """Without a user on the server: an admin, by the rules for passwords. The link opens for nobody afterwards."""
    code = make_first_link(runtime.database, runtime.clock())
    assert code
    owner, other = browser(), browser()
    link = f"/studio/first/?code={code}"
    assert owner.get(link).headers["Referrer-Policy"] == "strict-origin"
    assert "choose the name and the password of the first one" in owner.text
    for password, said in (("short", "at least 12 characters"), (NEW + "x", "differ")):
        refused = owner.send("/studio/first/", code=code, name="mira", password=password, repeated="short")
        assert (refused.status_code, said in owner.text, 'value="mira"' in owner.page) == (400, True, True)
    assert owner.get("/studio/").status_code == 404
    entered = owner.send("/studio/first/", code=code, name="mira", password=NEW, repeated=NEW)
    assert entered.request.path == "/studio/posts/"
    assert "mira admin" in owner.text
    for path in (link, "/studio/first/", "/studio/first/?code=x"):
        assert (other.get(path).status_code, "has its first user" in other.text) == (410, True)
    again = other.send("/studio/first/", code=code, name="wren", password=NEW, repeated=NEW)
    assert again.status_code == 410
    owner.get("/studio/log/")
    assert "add first user user mira admin" in owner.text


def test_invitation_of_the_server_makes_the_first_user_too(runtime: Runtime, browser: MakeBrowser) -> None:
    """`sitecms user invite --role admin` on a server whose terminal nobody reads."""
    code = invite(runtime.database, None, "", Role.ADMIN, "", runtime.clock())
    owner = browser()
    assert owner.get(f"/studio/invitation/?code={code}").status_code == 200
    entered = owner.send("/studio/invitation/", code=code, name="mira", password=NEW, repeated=NEW)
    assert entered.request.path == "/studio/posts/"


@pytest.mark.parametrize("path", ["/studio/first/", "/studio/invitation/", "/studio/reset/"])
def test_codes_that_open_nothing_are_limited(
    runtime: Runtime, make_user: MakeUser, browser: MakeBrowser, path: str
) -> None:
    """As wrong passwords; a weak password is no attempt, and neither is a right code."""
    guest = browser()
    right = make_first_link(runtime.database, runtime.clock())
    if path != "/studio/first/":
        make_user("mira")
        right = invite(runtime.database, None, "", Role.EDITOR, "", runtime.clock())
    opened = "/studio/first/" if path == "/studio/first/" else "/studio/invitation/"
    for _ in range(7):
        assert guest.send(opened, code=right, name="wren", password="x", repeated="x").status_code == 400
    form = {"code": "x", "name": "x", "password": NEW, "repeated": NEW}
    assert [guest.send(path, **form).status_code for _ in range(6)] == [404] * 5 + [429]
    assert "Too many attempts. Try again in" in guest.text


@pytest.mark.slow
def test_no_secret_stands_in_a_log(runtime: Runtime, make_user: MakeUser, tmp_path: Path) -> None:
    """Neither password nor code nor cookie, with a line for each request; the code becomes no referrer."""
    make_user("mira")
    settings = runtime.settings
    with (settings.folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write("\n[logs]\naccess = true\n")
    code = invite(runtime.database, None, "", Role.EDITOR, "", runtime.clock())
    log, port = tmp_path / "log", free_port()
    command = [sys.executable, "-m", "sitecms", "serve", str(settings.folder), "--port", str(port), "--no-worker"]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=output, text=True)
        try:
            assert process.stdout is not None
            assert "serves" in process.stdout.readline()
            server = WebServer(port)
            page = server.get(f"/studio/invitation/?code={code}")
            assert page.headers["referrer-policy"] == "strict-origin"
            wrong, right = (
                urlencode({"name": "mira", "password": word}).encode() for word in ("a wrong one", PASSWORD)
            )
            kind = {"Content_Type": "application/x-www-form-urlencoded", "Sec_Fetch_Site": "same-origin"}
            assert server.get("/studio/sign-in/", "POST", wrong, **kind).status == 401
            signed_in = server.get("/studio/sign-in/", "POST", right, **kind)
            assert signed_in.status == 303
            form = urlencode({"code": code, "name": "wren", "password": NEW, "repeated": NEW}).encode()
            assert server.get("/studio/invitation/", "POST", form, **kind).status == 303
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_SECONDS)
    lines = log.read_text(encoding="utf-8")
    assert lines.count("/studio/invitation/") >= 2
    cookie = signed_in.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert cookie
    for secret in (code, "wrong", PASSWORD, PASSWORD.split()[0], NEW, cookie, secret_digest(code)):
        assert secret not in lines
