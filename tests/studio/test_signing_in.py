"""Signing in and out: cookies, sessions, limits, and what other sites can do."""

import pytest
from msgspec.structs import force_setattr, replace

from sitecms.actions.accounts.sessions import SEEN_EVERY
from sitecms.content.user import Role
from sitecms.errors import StoreUnusable
from sitecms.runtime import Runtime
from sitecms.settings.operations import StudioSettings
from sitecms.studio.access import own_path
from sitecms.web.rate_limits import FORGOTTEN_AFTER_SECONDS, OF_ADDRESS, OF_NAME, Rate, RateTable, SignInLimits
from sitecms.web.service import FROM_STRANGER, create_app, create_service

from .conftest import PASSWORD, Browser, MakeBrowser, MakeUser, SignedIn

pytestmark = pytest.mark.both_engines


def test_user_signs_in_and_out(browser: MakeBrowser, make_user: MakeUser) -> None:
    """The form leads to the studio; after signing out the old cookie opens nothing (Payload CVE-2025-4643)."""
    make_user("mira")
    visitor = browser()
    assert visitor.get("/studio/account/").request.path == "/studio/sign-in/"
    assert "mira" in visitor.send("/studio/sign-in/", name="mira", password=PASSWORD, next="/studio/account/").text
    assert "You are mira , admin" in visitor.text
    cookie = visitor.client.get_cookie("sitecms-local")
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Lax"
    secret = cookie.value
    signed_out = visitor.send("/studio/sign-out/")
    assert signed_out.request.path == "/studio/sign-in/"
    assert [each.headers["Clear-Site-Data"] for each in signed_out.history] == ['"cache"']  # unsaved text stays
    visitor.client.set_cookie("sitecms-local", secret)
    assert visitor.get("/studio/account/").request.path == "/studio/sign-in/"


def test_cookie_needs_https_elsewhere(browser: MakeBrowser, make_user: MakeUser) -> None:
    """By any other name than the machine's own, the cookie is __Host- and Secure; a name of one's own counts alone."""
    make_user("mira")
    client = browser().client
    form = {"name": "mira", "password": PASSWORD}
    for base, scheme_cookie in (
        ("https://studio.example", "__Host-sitecms"), ("http://studio.example", "__Host-sitecms"),
        ("https://127.0.0.1", "__Host-sitecms"), ("http://localhost:8000", "sitecms-local"),
        ("http://[::1]:8000", "sitecms-local"), ("http://localhost.evil.example", "__Host-sitecms"),
    ):  # fmt: skip
        answered = client.post("/studio/sign-in/", base_url=base, data=form, headers={"Sec-Fetch-Site": "same-origin"})
        cookie = answered.headers["Set-Cookie"]
        assert cookie.startswith(f"{scheme_cookie}="), base
        assert ("Secure" in cookie) is (scheme_cookie == "__Host-sitecms")
        assert "Path=/" in cookie
        assert "HttpOnly" in cookie
        assert "Domain" not in cookie


def test_local_cookie_is_not_taken_from_other_machines(browser: MakeBrowser, make_user: MakeUser) -> None:
    """The cookie without Secure opens nothing for a request from elsewhere, or to another name."""
    make_user("mira")
    visitor = browser()
    visitor.sign_in("mira")
    assert visitor.get("/studio/account/").request.path == "/studio/account/"
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "203.0.113.7"}}
    assert visitor.client.get("/studio/account/", **elsewhere).status_code == 303


def test_lost_cookie_is_explained(browser: MakeBrowser, make_user: MakeUser) -> None:
    """Over plain http elsewhere the browser keeps no cookie: the form says what to do."""
    make_user("mira")
    visitor = browser()
    visitor.client._cookies = None  # a browser that keeps nothing
    visitor.sign_in("mira")
    assert "Your browser did not keep the cookie" in visitor.text


@pytest.mark.parametrize(("name", "password"), [("mira", "wrong"), ("nobody", PASSWORD), ("", ""), ("mira" * 900, "x")])
def test_wrong_name_and_password_get_the_same_answer(
    browser: MakeBrowser, make_user: MakeUser, name: str, password: str
) -> None:
    """401, the same words, no cookie, and the name stays in the form."""
    make_user("mira")
    visitor = browser()
    answered = visitor.sign_in(name, password)
    assert answered.status_code == 401
    assert "The name or the password is wrong." in visitor.text
    assert visitor.client.get_cookie("sitecms-local") is None


def test_attempts_are_limited_by_name_and_address(browser: MakeBrowser, make_user: MakeUser) -> None:
    """After five failures whoever uses the name from the address waits, known or unknown, with the same words."""
    make_user("mira")
    visitor = browser()
    for name in ("mira", "nobody"):
        for _ in range(OF_NAME.free):
            assert visitor.sign_in(name, "wrong").status_code == 401
        limited = visitor.sign_in(name)
        assert limited.status_code == 429
        assert 0 < int(limited.headers["Retry-After"]) <= OF_NAME.first_seconds
        assert "Too many attempts. Try again in" in visitor.text


def test_strangers_cannot_lock_a_user_out(browser: MakeBrowser, make_user: MakeUser) -> None:
    """Failures from elsewhere count for there alone; a browser she has used waits for nobody else's anywhere."""
    make_user("mira")
    hers, new, stranger = browser(), browser(), browser()
    assert hers.sign_in("mira").status_code == 200
    hers.get("/studio/account/")
    hers.send("/studio/sign-out/")
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "203.0.113.7"}, "headers": {"Sec-Fetch-Site": "same-origin"}}
    wrong = {"name": "mira", "password": "wrong"}
    statuses = {stranger.client.post("/studio/sign-in/", data=wrong, **elsewhere).status_code for _ in range(9)}
    assert statuses == {401, 429}
    assert new.sign_in("mira").status_code == 200  # a browser she never used, at another address
    for _ in range(9):
        stranger.sign_in("mira", "wrong")
    assert browser().sign_in("mira").status_code == 429  # at the stranger's address, in a browser never used
    assert hers.sign_in("mira").status_code == 200
    assert hers.sign_in("nobody").status_code == 401  # known for mira alone


def test_limits_count_apart_grow_and_end(runtime: Runtime) -> None:
    """The delay doubles up to a cap, and ends; another name, address or known browser is free; processes share it."""
    at = [10**15]
    limits = SignInLimits(runtime.settings, lambda: at[0])
    waits = []
    for _ in range(OF_NAME.free + 9):
        while wait := limits.wait_seconds("mira", "203.0.113.1"):
            waits.append(wait)
            at[0] += wait * 10**9
    assert waits == [10, 20, 40, 80, 160, 320, 640, 900, 900]
    shared = SignInLimits(runtime.settings, lambda: at[0])
    assert shared.wait_seconds("Mira ", "203.0.113.1") == 900  # another process of this host
    assert limits.wait_seconds("mira", "203.0.113.2") == 0
    assert limits.wait_seconds("mira", "203.0.113.1", "a" * 64) == 0
    at[0] += (OF_NAME.longest_seconds + FORGOTTEN_AFTER_SECONDS + 1) * 10**9
    assert [limits.wait_seconds("mira", "203.0.113.1") for _ in range(OF_NAME.free + 1)] == [0] * 5 + [10]
    limits.succeeded("mira", "203.0.113.1")
    assert limits.wait_seconds("mira", "203.0.113.1") == 0


def test_tokens_do_not_displace_attempts_to_sign_in(runtime: Runtime) -> None:
    """However many are tried: the table of requests forgets whom it has not seen for longest."""
    now_ns = 10**15
    limits = SignInLimits(runtime.settings, lambda: now_ns)
    while not limits.wait_seconds("mira", "203.0.113.1"):
        pass
    table, rate = RateTable(runtime.settings.rate_limits_path), Rate(60, 1)
    for number in range(150_000):
        requester = table.requester(f"token {number}")
        table.put(requester, table.due_ns(requester, rate, now_ns) + rate.interval_ns)
    assert SignInLimits(runtime.settings, lambda: now_ns).wait_seconds("mira", "203.0.113.1") > 0


def test_one_address_cannot_try_many_names(runtime: Runtime) -> None:
    """Twenty names at once, then ever more slowly; signing in oneself between them changes nothing."""
    at = [10**15]
    limits = SignInLimits(runtime.settings, lambda: at[0])
    for number in range(OF_ADDRESS.free):
        assert limits.wait_seconds(f"user{number}", "2001:db8::1") == 0
        if number < OF_ADDRESS.free - 1:
            assert limits.wait_seconds("own", "2001:db8::1") == 0
            limits.succeeded("own", "2001:db8::1")
    assert limits.wait_seconds("another", "2001:db8::2") == OF_ADDRESS.first_seconds  # the same subscriber


def test_new_password_signs_out_everywhere_else(browser: MakeBrowser, signed_in: SignedIn) -> None:
    """The own session goes on with a new cookie; the others end. Errors stand beside their fields."""
    here = signed_in(Role.EDITOR)
    there = browser()
    there.sign_in("editor")
    here.get("/studio/account/")
    new = "another horse battery staple"
    assert here.send("/studio/account/password/", current="wrong", password=new, repeated=new).status_code == 400
    assert "This is not your password." in here.text
    assert "differ" in here.send("/studio/account/password/", current=PASSWORD, password=new, repeated="x").text
    short = here.send("/studio/account/password/", current=PASSWORD, password="short", repeated="short")
    assert "Use at least 12 characters" in short.text
    assert "Your password is changed" in here.send(
        "/studio/account/password/", current=PASSWORD, password=new, repeated=new
    ).get_data(as_text=True)
    assert here.get("/studio/account/").request.path == "/studio/account/"
    assert there.get("/studio/account/").request.path == "/studio/sign-in/"


def test_without_users_there_is_no_studio(browser: MakeBrowser) -> None:
    """Every path answers 404 and says how to add the first user; a link without its code opens nothing."""
    visitor = browser()
    for path in ("/studio/", "/studio/sign-in/", "/studio/account/", "/studio/reset/"):
        answered = visitor.get(path)
        assert (answered.status_code, "sitecms user add" in visitor.text) == (404, True)


def test_switched_off_there_is_no_route(runtime: Runtime, make_user: MakeUser) -> None:
    """With `enabled = false` the paths are unknown, as any other."""
    make_user("mira")
    settings = replace(runtime.settings, studio=StudioSettings(enabled=False))
    client = create_app(replace(runtime, settings=settings)).test_client()
    answered = client.get("/studio/sign-in/")
    assert (answered.status_code, answered.get_json()) == (404, {"detail": "Not found."})


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "https://evil.example", "/studio/\\evil", "/studio//evil", "/v2/", "studio", "/studio/\nx", ""],
)
def test_signing_in_leads_to_own_paths_only(path: str) -> None:
    """Directus CVE-2026-22032: other addresses are ignored."""
    assert own_path(path) == ""
    assert own_path("/studio/posts/?page=2") == "/studio/posts/?page=2"


def test_form_of_an_ended_session_is_kept(browser: MakeBrowser, admin: Browser) -> None:
    """What was typed comes back with a button to send it again; passwords do not."""
    admin.get("/studio/people/")
    stale = admin.page
    admin.send("/studio/sign-out/")
    admin.page = stale
    fields = {"name": "zoë <b>", "role": "editor", "author": "", "password": "secret words that are long"}
    answered = admin.send("/studio/people/", **fields)
    assert answered.status_code == 401
    assert "Your session has ended" in admin.text
    assert "zoë &lt;b&gt;" in admin.page
    assert "secret words" not in admin.page
    admin.sign_in("admin")
    admin.page = stale
    again = admin.send("/studio/people/", **fields)
    assert again.status_code == 403
    assert "zoë &lt;b&gt;" in admin.page


def test_store_without_writes_is_still_read(admin: Browser, runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a store moves, or its disk is full: recording the use of a session does not keep pages from their user."""
    later = runtime.clock() + 2 * SEEN_EVERY
    force_setattr(runtime, "clock", lambda: later)

    def refuse(**_options: bool) -> None:
        raise StoreUnusable("The store takes no writes.")

    monkeypatch.setattr(runtime.database, "writing", refuse)
    assert admin.get("/studio/account/").request.path == "/studio/account/"


def test_waiting_for_a_form_never_waits_for_the_store(
    signed_in: SignedIn, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop that receives bodies writes nothing. If the store cannot be read, the form is received to come back."""
    secret = signed_in(Role.ADMIN).open_session(runtime, "admin")
    service = create_service(runtime, "http://127.0.0.1:8000")
    form = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/studio/posts/new/", "CONTENT_LENGTH": "400000",
        "HTTP_HOST": "localhost", "HTTP_COOKIE": f"sitecms-local={secret}", "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "http",
    }  # fmt: skip
    later = runtime.clock() + 2 * SEEN_EVERY
    force_setattr(runtime, "clock", lambda: later)

    def refuse(**_options: bool) -> None:
        raise StoreUnusable("The store cannot be used.")

    monkeypatch.setattr(runtime.database, "writing", refuse)
    assert service.may_write(dict(form))
    monkeypatch.setattr(runtime.database, "reading", refuse)
    environ: dict[str, object] = dict(form)
    assert service.may_write(environ)
    assert environ[FROM_STRANGER] is True
