"""Signing in with a second factor, and its pages."""

import re
from datetime import timedelta

from msgspec.structs import force_setattr

from sitecms.content.second_factor import step_at, totp_code
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.web.rate_limits import OF_NAME

from .conftest import Browser, MakeBrowser, MakeUser, SignedIn

PAGE = "/studio/account/second-factor/"


def set_up(visitor: Browser, runtime: Runtime) -> str:
    """Turn the second factor on; return its secret."""
    visitor.get(PAGE)
    visitor.send(PAGE, do="begin")
    key = re.search(r'class="key">([A-Z2-7 ]+)<', visitor.page)
    assert key is not None
    secret = key[1].replace(" ", "")
    visitor.send(PAGE, do="turn-on", code=totp_code(secret, step_at(runtime.clock())))
    return secret


def next_code(secret: str, runtime: Runtime) -> str:
    """Return the code after the current one, which is accepted already and was not used."""
    return totp_code(secret, step_at(runtime.clock()) + 1)


def test_second_factor_is_set_up_and_asked_for(signed_in: SignedIn, browser: MakeBrowser, runtime: Runtime) -> None:
    """With a picture for the app, codes for the day it is lost, and the place that the user wanted to go to."""
    mira = signed_in(Role.ADMIN, name="mira")
    mira.get(PAGE)
    mira.send(PAGE, do="begin")
    picture = mira.client.get(f"{PAGE}code.svg")
    assert picture.content_type == "image/svg+xml"
    assert picture.headers["Cache-Control"] == "no-store"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert re.search(rb"<(style|script)|style=|href", picture.data) is None
    wrong = mira.send(PAGE, do="turn-on", code="123")
    assert (wrong.status_code, "This is not the current code" in mira.text) == (400, True)
    secret = set_up(mira, runtime)
    recovery = re.findall(r"<li><code>([^<]+)</code>", mira.page)
    assert len(recovery) == 10
    assert mira.client.get(f"{PAGE}code.svg").status_code == 404
    assert secret not in mira.get(PAGE).get_data(as_text=True)
    other = browser()
    other.get("/studio/trash/")
    other.sign_in("mira")
    other.send("/studio/sign-in/", name="mira", password="correct horse battery staple", next="/studio/trash/")
    assert "Code of six digits" in other.text
    assert other.client.get_cookie("sitecms-local") is None
    assert other.get("/studio/account/").request.path == "/studio/sign-in/"
    other.get("/studio/sign-in/code/?next=/studio/trash/")
    assert other.send("/studio/sign-in/code/", code="000", next="/studio/trash/").status_code == 401
    code = next_code(secret, runtime)
    assert other.send("/studio/sign-in/code/", code=code, next="/studio/trash/").request.path == "/studio/trash/"
    third = browser()
    third.sign_in("mira")
    third.get("/studio/sign-in/code/?with=recovery")
    assert "recovery" in third.page
    third.send("/studio/sign-in/code/", code=recovery[3], **{"with": "recovery"})
    assert "mira admin" in third.text
    third.get(PAGE)
    assert "9 of 10 recovery codes are left" in third.text


def test_code_opens_nothing_in_another_browser(
    signed_in: SignedIn, browser: MakeBrowser, runtime: Runtime, make_user: MakeUser
) -> None:
    """Ghost GHSA-9m84-wc28-w895: neither without the first step, nor after that of another user."""
    mira, ed = signed_in(Role.ADMIN, name="mira"), browser()
    make_user("ed", Role.EDITOR)
    ed.open_session(runtime, "ed")
    set_up(ed, runtime)
    secret = set_up(mira, runtime)
    first, attacker, eds = browser(), browser(), browser()
    first.sign_in("mira")
    eds.sign_in("ed")
    code = next_code(secret, runtime)
    assert attacker.send("/studio/sign-in/code/", code=code).request.path == "/studio/sign-in/"
    assert eds.send("/studio/sign-in/code/", code=code).status_code == 401
    assert first.send("/studio/sign-in/code/", code=code).request.path == "/studio/posts/"


def test_codes_are_limited_by_user_but_for_known_browsers(
    signed_in: SignedIn, browser: MakeBrowser, runtime: Runtime
) -> None:
    """Who knows the password cannot try codes from many places; her own browser does not wait for that."""
    mira = signed_in(Role.ADMIN, name="mira")
    secret = set_up(mira, runtime)
    mira.send("/studio/sign-out/")
    mira.sign_in("mira")
    mira.send("/studio/sign-in/code/", code=next_code(secret, runtime))
    assert "mira admin" in mira.text
    statuses = []
    for number in range(OF_NAME.free + 1):
        stranger = browser()
        elsewhere = {"REMOTE_ADDR": f"127.0.0.{number + 1}"}
        headers = {"Sec-Fetch-Site": "same-origin"}
        form = {"name": "mira", "password": "correct horse battery staple"}
        stranger.client.post("/studio/sign-in/", data=form, headers=headers, environ_overrides=elsewhere)
        answered = stranger.client.post(
            "/studio/sign-in/code/", data={"code": "1"}, headers=headers, environ_overrides=elsewhere
        )
        statuses.append(answered.status_code)
    assert statuses == [401] * OF_NAME.free + [429]
    later = runtime.clock() + timedelta(seconds=90)
    force_setattr(runtime, "clock", lambda: later)
    mira.get("/studio/account/")
    mira.send("/studio/sign-out/")
    mira.sign_in("mira")
    assert mira.send("/studio/sign-in/code/", code=totp_code(secret, step_at(later))).status_code == 200
    assert "mira admin" in mira.text


def test_second_factor_is_turned_off_by_the_user_and_by_an_admin(
    admin: Browser, browser: MakeBrowser, runtime: Runtime, make_user: MakeUser
) -> None:
    """The own session goes on; an admin ends those of the person, and the log names both."""
    ed = browser()
    make_user("ed", Role.EDITOR)
    ed.open_session(runtime, "ed")
    set_up(ed, runtime)
    ed.get(PAGE)
    assert "Your second factor is off" in ed.send(PAGE, do="turn-off").get_data(as_text=True)
    set_up(ed, runtime)
    admin.get("/studio/people/ed/")
    admin.send("/studio/people/ed/", do="second-factor-off")
    assert ed.get("/studio/account/").request.path == "/studio/sign-in/"
    assert ed.sign_in("ed").request.path == "/studio/posts/"
    admin.get("/studio/log/")
    assert "admin turn off second factor user ed" in admin.text
