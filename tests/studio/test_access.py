"""Which requests are let in: every route with every credential and method, from here and from other sites."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.content.second_factor import step_at, totp_code
from sitecms.content.token import Scope
from sitecms.content.user import Action, Role
from sitecms.runtime import Runtime
from sitecms.settings.operations import StudioSettings
from sitecms.studio import app as studio
from sitecms.studio.access import form_token_of
from sitecms.studio.visit import Route
from sitecms.web.service import create_app
from tests.support.entries import MakeToken
from tests.support.reading import execute

from .conftest import PASSWORD, Browser, MakeBrowser, MakeUser

HERE = {"Sec-Fetch-Site": "same-origin"}
FOREIGN: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"}, {},
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:9"}, {"Origin": "http://["},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"},
)  # fmt: skip
NOT_FROM_HERE = "another site"
LINKS = (  # without a code, or a mail server, they open nothing
    "/studio/invitation/", "/studio/reset/", "/studio/first/", "/studio/forgotten/"
)  # fmt: skip
CREDENTIALS = ("nobody", "token", *Role)


def path_of(route: Route) -> str:
    """A path of the route."""
    path = route.path.replace("<name>", "editor").replace("<kind>", "post").replace("<key>", "team")
    return re.sub(r"<[^>]+>", "1", path)


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_every_route_is_open_to_whom_it_says(
    runtime: Runtime, browser: MakeBrowser, make_user: MakeUser, make_token: MakeToken, credential: str
) -> None:
    """Nobody and tokens reach only the forms to sign in; others what their role may do; both spellings of a path.

    From another site, no form is taken from anybody; a link leads to the same page as from here.
    """
    users = {role.value: make_user(role.value, role) for role in Role}
    for route in studio.ROUTES:
        visitor = browser()
        headers = dict(HERE)
        form = {}
        if credential == "token":
            headers["Authorization"] = f"Token {make_token(route.method + route.path, Scope.WRITE)}"
        elif credential in users:
            form["form_token"] = form_token_of(visitor.open_session(runtime, credential))
        path = path_of(route)
        foreign = {**headers, "Sec-Fetch-Site": "cross-site"}
        elsewhere = visitor.client.open(path, method=route.method, headers=foreign, data=form or None)
        if route.method != "GET":
            assert (elsewhere.status_code, NOT_FROM_HERE in elsewhere.get_data(as_text=True)) == (403, True), route
        assert visitor.client.open(path, method="PUT", headers=headers, data=form or None).status_code == 405, route
        may = credential in users and (route.action is None or users[credential].may(route.action))
        for spelling in (path, path.rstrip("/")):
            answered = visitor.client.open(spelling, method=route.method, headers=headers, data=form or None)
            if spelling != path and spelling + "/" == path:
                assert answered.status_code in (308, 404), (spelling, answered.status)
                continue
            if route.method == "GET":
                assert answered.status_code == elsewhere.status_code, route
            if route.action is None:
                expected_here = (200, 303, 401) if route.path not in LINKS else (404, 410)
                assert answered.status_code in expected_here, (route, answered.status)
            elif credential in ("nobody", "token"):
                expected = 303 if route.method == "GET" else 401
                assert answered.status_code == expected, (route, answered.status)
            elif may:
                assert answered.status_code != 403 or "Your role" not in answered.get_data(as_text=True), route
                assert answered.status_code < 500, route
            else:
                assert answered.status_code == 403, (route, answered.status)


@pytest.mark.parametrize("headers", FOREIGN)
def test_forms_of_other_sites_are_refused(admin: Browser, headers: dict[str, str]) -> None:
    """Every unsafe route, with a session and even with the right form token."""
    cookie = admin.client.get_cookie("sitecms-local")
    assert cookie is not None
    form = {"form_token": form_token_of(cookie.value)}
    for route in studio.ROUTES:
        if route.method != "GET":
            answered = admin.client.open(path_of(route), method=route.method, headers=headers, data=form)
            assert (answered.status_code, "another site" in answered.get_data(as_text=True)) == (403, True), route
    assert admin.get("/studio/account/").request.path == "/studio/account/"  # and still signed in


def test_people_and_second_factors_ask_for_the_password_again(runtime: Runtime, admin: Browser) -> None:
    """Sixteen minutes after it was typed, on every such page and form and no other; what was typed is kept."""
    cookie = admin.client.get_cookie("sitecms-local")
    assert cookie is not None
    form = {"form_token": form_token_of(cookie.value), "label": "typed", "password": "a secret", "code": "123456"}
    execute(runtime.database, "UPDATE studio_session SET confirmed_at = confirmed_at - ?", 16 * 60 * 1_000_000)
    asked = set()
    for route in studio.ROUTES:
        path = path_of(route)
        if route.path in ("/studio/sign-in/", "/studio/sign-out/", "/studio/confirm/", "/studio/account/sessions/"):
            continue  # these change the session itself
        answered = admin.client.open(
            path, method=route.method, headers=HERE, data=form if route.method != "GET" else None
        )
        if route.method == "GET" and answered.headers.get("Location", "").startswith("/studio/confirm/?next="):
            asked.add(route)
        text = answered.get_data(as_text=True)
        if "more than 15 minutes ago" in text:
            asked.add(route)
            assert answered.status_code == 403
            assert "typed" in text
            assert "a secret" not in text
            assert "123456" not in text
    managed = {each for each in studio.ROUTES if each.action in (Action.MANAGE_PEOPLE, Action.MANAGE_ACCESS)}
    factor = {route for route in studio.ROUTES if "second-factor" in route.path}
    assert managed
    assert factor
    assert asked == managed | factor
    assert "Your password, please" in admin.get("/studio/people/?page=2").get_data(as_text=True)
    assert admin.send("/studio/confirm/", current="wrong", next="/studio/people/").status_code == 400
    assert admin.send("/studio/confirm/", current=PASSWORD, next="/studio/people/").request.path == "/studio/people/"
    assert "Invite somebody" in admin.text
    assert admin.send("/studio/confirm/", current=PASSWORD, next="//evil.example").request.path == "/studio/posts/"


def test_required_second_factor_comes_before_everything(runtime: Runtime, make_user: MakeUser) -> None:
    """With the setting, a user without one reaches its pages and signing out alone; with one, all."""
    settings = replace(runtime.settings, studio=StudioSettings(require_second_factor=True))
    app = create_app(replace(runtime, settings=settings))
    admin = Browser(app.test_client())
    make_user("admin")
    form_token = form_token_of(admin.open_session(runtime, "admin"))
    open_paths = ("/studio/account/second-factor/", "/studio/confirm/", "/studio/sign-out/")
    for route in studio.ROUTES:
        if route.action is None or route.path.startswith(open_paths):
            continue
        data = {"form_token": form_token} if route.method != "GET" else None
        answered = admin.client.open(path_of(route), method=route.method, headers=HERE, data=data)
        if route.method == "GET":
            assert answered.headers["Location"] == "/studio/account/second-factor/", route
        else:
            assert (answered.status_code, "second factor" in answered.get_data(as_text=True)) == (403, True), route
    assert "asks every user" in admin.get("/studio/posts/").get_data(as_text=True)
    admin.send("/studio/account/second-factor/", do="begin")
    key = re.search(r'class="key">([A-Z2-7 ]+)<', admin.page)
    assert key is not None
    code = totp_code(key[1].replace(" ", ""), step_at(runtime.clock()))
    assert "Recovery codes" in admin.send("/studio/account/second-factor/", do="turn-on", code=code).text
    assert admin.get("/studio/people/").request.path == "/studio/people/"


def test_own_origin_counts_where_the_browser_says_nothing_else(admin: Browser) -> None:
    """Older browsers send `Origin` alone."""
    cookie = admin.client.get_cookie("sitecms-local")
    assert cookie is not None
    form = {"form_token": form_token_of(cookie.value)}
    answered = admin.client.post("/studio/account/sessions/", data=form, headers={"Origin": "http://localhost"})
    assert answered.status_code == 303


@pytest.mark.parametrize("sent", ["", "0" * 64, "é", form_token_of("another session")])
def test_form_needs_the_token_of_the_session(admin: Browser, sent: str) -> None:
    """A token of another session does not count; what was typed is kept."""
    answered = admin.client.post("/studio/account/sessions/", data={"form_token": sent, "x": "typed"}, headers=HERE)
    assert answered.status_code == 403
    assert "typed" in answered.get_data(as_text=True)


def test_cookie_opens_nothing_of_the_api(admin: Browser, runtime: Runtime) -> None:
    """Ghost CVE-2026-22595: a session of the studio is no token, at either spelling."""
    for path in ("/v2/posts/", "/v2/posts", "/v2/search/", "/v2/content/", "/v2/writes/x/"):
        assert admin.client.get(path, follow_redirects=True).status_code == 401, path
    assert admin.client.post("/v2/posts/", json={"title": "x"}, headers=HERE).status_code == 401


def test_every_answer_has_the_strict_policy(admin: Browser) -> None:
    """No script or style but the studio's own files, nothing cached, nowhere framed; also on errors."""
    for path in ("/studio/account/", "/studio/nowhere/", "/studio/people/nobody/", "/studio/assets/x/y"):
        answered = admin.client.get(path)
        policy = answered.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), path
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answered.headers["Cache-Control"] == "no-store"
        assert answered.headers["X-Content-Type-Options"] == "nosniff"


def test_assets_are_kept_forever(admin: Browser) -> None:
    """Their address changes with their content."""
    admin.get("/studio/account/")
    (address,) = re.findall(r'rel="stylesheet" href="([^"]+)"', admin.page)
    answered = admin.client.get(address)
    assert (answered.status_code, answered.content_type) == (200, "text/css; charset=utf-8")
    assert "immutable" in answered.headers["Cache-Control"]


def test_templates_hold_no_inline_code_and_escape_everything() -> None:
    """Wagtail CVE-2026-28223: no `|safe`, no style or script between tags, no handlers in attributes."""
    folder = Path(studio.__file__).parent / "templates"
    paths = sorted(folder.rglob("*.html"))
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup", text), path
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?! type=\"module\" src=)", text), path


def test_names_with_markup_are_shown_as_text(admin: Browser, make_user: MakeUser) -> None:
    """A name with tags appears escaped on every page that shows it."""
    make_user('<img src=x onerror="alert(1)">', Role.EDITOR)
    for path in ("/studio/people/", "/studio/log/"):
        admin.get(path)
        assert "&lt;img src=x" in admin.page
        assert "<img src=x" not in admin.page


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/studio/posts/new/", {"title": "a", "body": "a\0b", "do": "save", "complete": "1"}),
        ("/studio/people/admin/", {"do": "role", "role": "writer", "author": "\0"}),
    ],
)
def test_text_with_a_nul_is_refused(admin: Browser, path: str, form: dict[str, str]) -> None:
    """As by the API: PostgreSQL cannot hold it, and a store with it could not move there."""
    admin.get("/studio/account/")
    assert admin.send(path, **form).status_code == 400
    assert "NUL" in admin.text


def test_nul_is_refused_in_addresses_and_from_guests(admin: Browser, browser: MakeBrowser) -> None:
    """PostgreSQL would answer with an error wherever the text is looked up."""
    guest = browser()
    for path in ("/studio/posts/?author=%00", "/studio/people/a%00/", "/studio/invitation/?code=%00"):
        assert admin.get(path).status_code == 400
    guest.get("/studio/sign-in/")
    for path in ("/studio/sign-in/", "/studio/forgotten/"):
        assert guest.send(path, name="ed\0", password=PASSWORD).status_code == 400


def test_forms_with_very_many_fields_are_refused_unread(admin: Browser) -> None:
    """Reading 10 MB of them takes seconds and 600 MB of memory."""
    for count, status in ((studio.MAX_FORM_FIELDS + 1, 413), (studio.MAX_FORM_FIELDS, 403)):
        form = "&".join(["a"] * count)
        answered = admin.client.post(
            "/studio/posts/new/", data=form, headers=HERE, content_type="application/x-www-form-urlencoded"
        )
        assert answered.status_code == status
