"""Answers kept in memory: the same as those made anew, gone with the first change, and nothing that may not be kept."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import Client, EnvironBuilder, TestResponse, run_wsgi_app

from sitecms.api.app import ENDPOINTS, create_app
from sitecms.api.auth import CACHED_SECONDS
from sitecms.api.routes import Routes
from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.cache import Memory
from sitecms.store.database import Database
from sitecms.store.entries.posts import update_post
from sitecms.store.writes.tokens import revoke_token

Make = Callable[..., int]
MakeToken = Callable[..., str]
ASKED = (
    "/v2/posts/",
    "/v2/posts/?page=1&page_size=2",
    "/v2/posts/?limit=2&offset=1",
    "/v2/posts/?exclude_body=1&tag_slug=moon",
    "/v2/posts/?preview=1",
    "/v2/posts/one/",
    "/v2/posts/one/?locale=en&ignored=1",
    "/v2/posts/%E6%BD%AE/",
    "/v2/posts/draft/?test=1",
    "/v2/search/?query=sea",
    "/v2/posts/search/?query=%FF%00sea",
    "/v2/categories/?include=recent_posts",
    "/v2/authors/ann-ray/",
    "/v2/posts/nothing/",
    "/v2/posts/draft/",
    "/v2/posts/?locale=xx",
    "/v2/posts",
    "/v2/nothing/",
    "/health/live",
)
WRITER = """
import sys
from pathlib import Path
from sitecms.settings.site import load_settings
from sitecms.store.opening import open_database
database = open_database(load_settings(Path(sys.argv[1])).store)
for line in sys.stdin:
    with database.writing() as transaction:
        transaction.sql("UPDATE post SET title = ?", line.strip())
    print("done", flush=True)
"""


class App:
    """An app with its layers: as it is served, and Flask alone."""

    def __init__(self, runtime: Runtime, secret: str, kept_bytes: int = 2**20) -> None:
        self.flask: Flask = create_app(runtime, "http://127.0.0.1:8000", kept_bytes=kept_bytes)
        self.kept: Memory = self.flask.wsgi_app._behind._behind._reader._kept  # type: ignore[attr-defined]
        self.secret = secret

    def get(self, path: str, method: str = "GET", *, behind: bool = False, tag: str = "") -> TestResponse:
        """Ask, with the token; `behind`: past the layer that keeps answers; `tag`: the one that is known."""
        previews: Any = self.flask.wsgi_app
        front = previews._behind._behind
        headers = {"Authorization": f"Token {self.secret}"} | ({"If-None-Match": tag} if tag else {})
        return Client(front._behind if behind else front).open(path, method=method, headers=headers)


@pytest.fixture
def app(runtime: Runtime, make_token: MakeToken) -> App:
    """The app of the site."""
    return App(runtime, make_token())


@pytest.fixture
def posts(make_post: Make) -> None:
    """A few posts, one of them a draft."""
    make_post("one", body="<p>The sea.</p>", tags=("moon",))
    make_post("two", hours=1, categories=("Tides",))
    make_post("潮", hours=2)
    make_post("draft", status=Status.DRAFT)


def seen(response: TestResponse) -> tuple[str, dict[str, str], bytes]:
    """All that a client sees."""
    headers = {name: value for name, value in response.headers.items() if name != "Date"}
    assert len(headers) == len([name for name, _value in response.headers if name != "Date"])
    return response.status, headers, response.data


@pytest.mark.usefixtures("posts")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ASKED)
def test_a_kept_answer_is_the_one_that_flask_would_make(app: App, path: str, method: str) -> None:
    """Byte for byte, headers included: made, kept, and by Flask alone; with and without a tag that is known."""
    plain = seen(app.get(path, method, behind=True))
    assert [seen(app.get(path, method)) for _ in range(3)] == [plain] * 3
    for tag in (plain[1].get("ETag", '"x"'), '"other"', "*"):
        known = seen(app.get(path, method, behind=True, tag=tag))
        assert seen(app.get(path, method, tag=tag)) == known
        assert known[0][:3] == ("304" if "ETag" in plain[1] and tag != '"other"' else plain[0][:3])


@pytest.mark.usefixtures("posts")
def test_what_is_kept(app: App) -> None:
    """One answer for all ways to ask the same: other parameters, their order and empty ones make no difference."""
    for query in ("page=2&tag_slug=moon", "tag_slug=moon&page=2&_=1", "page=1&page=2&tag_slug=moon&locale="):
        app.get(f"/v2/posts/?{query}")
    app.get("/v2/posts/")
    assert app.kept.kept_keys() == (("/v2/posts/", ("page", "2"), ("tag_slug", "moon")), "/v2/posts/")


@pytest.mark.usefixtures("posts")
@pytest.mark.parametrize("method", ["OPTIONS", "POST", "PUT", "DELETE"])
def test_other_methods_never_see_what_is_kept(app: App, method: str) -> None:
    """They are Flask's matter."""
    app.get("/v2/posts/")
    assert seen(app.get("/v2/posts/", method)) == seen(app.get("/v2/posts/", method, behind=True))


@pytest.mark.usefixtures("posts")
def test_previews_and_errors_are_not_kept(app: App) -> None:
    """Nor what needs no token, nor redirects."""
    for path in ("/v2/posts/?preview=1", "/v2/posts/draft/?test=1", "/v2/posts/draft/", "/v2/posts/?levels=x&locale=xx",
                 "/v2/posts", "/v2/nothing/", "/health/live"):  # fmt: skip
        app.get(path)
    assert app.kept.kept_keys() == ()
    assert app.kept.used_bytes == 0


@pytest.mark.usefixtures("posts")
def test_no_token_is_in_a_key(app: App) -> None:
    """However it is spelled; an answer to one token is the answer to any other."""
    name = "%61uth_token"
    for query in (f"auth_token={app.secret}", f"{name}={app.secret}&page=1", f"page=1&auth_token={app.secret}&x=1"):
        assert Client(app.flask).get(f"/v2/posts/?{query}").status_code == 200
    assert app.kept.kept_keys() == ("/v2/posts/", ("/v2/posts/", ("page", "1")))
    assert app.secret not in repr(app.kept.__dict__)


@pytest.mark.usefixtures("posts")
def test_a_kept_answer_needs_a_token(app: App, runtime: Runtime, make_token: MakeToken) -> None:
    """Without one, with an unknown one, and with one that has expired it is 401 as before."""
    app.get("/v2/posts/")
    client = Client(app.flask)
    assert client.get("/v2/posts/").status_code == 401
    assert client.get("/v2/posts/?auth_token=nope").status_code == 401
    ends_at = now() + timedelta(seconds=0.4)
    short = make_token("short", expires_at=ends_at)
    assert client.get(f"/v2/posts/?auth_token={short}").status_code == 200
    while now() < ends_at:
        threading.Event().wait(0.05)
    assert client.get(f"/v2/posts/?auth_token={short}").status_code == 401


@pytest.mark.usefixtures("posts")
def test_a_revoked_token_stops_within_a_second(app: App, store: Database) -> None:
    """Also for what is kept."""
    assert app.get("/v2/posts/").status_code == 200
    with store.writing() as transaction:
        revoke_token(transaction, "reader", now())
    ends_at = now() + timedelta(seconds=1.1)
    while now() < ends_at:
        threading.Event().wait(0.05)
    assert app.get("/v2/posts/").status_code == 401


@pytest.mark.usefixtures("posts")
def test_what_another_process_commits_shows_in_the_next_answer(app: App, runtime: Runtime) -> None:
    """Three hundred times, in lists and single posts, each answered from memory before the change."""
    command = [sys.executable, "-c", WRITER, str(runtime.settings.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for number in range(300):
            title = f"Title {number}"
            writer.stdin.write(f"{title}\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == "done\n"
            for _again in range(2):
                assert {post["title"] for post in app.get("/v2/posts/").json["data"]} == {title}  # type: ignore[index]
                assert app.get("/v2/posts/one/").json["data"]["title"] == title  # type: ignore[index]
        writer.stdin.close()


@pytest.mark.usefixtures("posts")
def test_no_answer_is_older_than_the_request(app: App, store: Database) -> None:
    """Four threads read while one writes: nobody sees a title that was replaced before they asked."""
    committed = 0
    faults: list[tuple[int, str]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            least = committed
            title = app.get("/v2/posts/one/").json["data"]["title"]  # type: ignore[index]
            if int(title) < least:
                faults.append((least, title))
        store.close()

    with store.writing() as transaction:
        transaction.sql("UPDATE post SET title = '0'")
    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(1, 200):
        with store.writing() as transaction:
            transaction.sql("UPDATE post SET title = ?", str(number))
        committed = number
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []


def test_the_bound_in_bytes_holds(runtime: Runtime, make_post: Make, make_token: MakeToken) -> None:
    """What was asked for longest ago goes first; an answer larger than all the room is not kept."""
    for number in range(30):
        make_post(f"p{number}", body="x" * 5_000)
    app = App(runtime, make_token(), 50_000)
    for _round in range(3):
        for number in range(30):
            assert app.get(f"/v2/posts/p{number}/").status_code == 200
            app.get("/v2/posts/p0/")
            assert 0 < app.kept.used_bytes <= 50_000
    assert "/v2/posts/p0/" in app.kept.kept_keys()
    assert "/v2/posts/p1/" not in app.kept.kept_keys()
    before = app.kept.kept_keys()
    assert app.get("/v2/posts/").status_code == 200
    assert app.kept.kept_keys() == before


def test_memory_stays_flat_under_a_flood_of_different_questions(
    runtime: Runtime, make_post: Make, make_token: MakeToken
) -> None:
    """Thousands of filters that nobody asked before leave no trace beyond the bounds."""
    make_post("one")
    app = App(runtime, make_token(), 100_000)
    for number in range(3_000):
        assert app.get(f"/v2/posts/?tag_slug={number}{'y' * 500}&page={number}").status_code == 200
    assert app.kept.used_bytes <= 100_000
    assert runtime.database.memory.used_bytes <= runtime.database.memory.max_bytes
    assert len(app.kept.kept_keys()) < 200


@pytest.mark.parametrize(
    "path",
    [
        *(endpoint.path.replace("<", "").replace(">", "") for endpoint in ENDPOINTS),
        "/v2/posts/search/", "/v2/posts/search", "/v2/posts//", "/v2/posts/a/b/", "/v2/pages/*/search/", "/v2//posts/",
        "/v2/posts/%E6%BD%AE/", "/v2/posts/%FF/", "/v2/posts/a%2Fb/", "/v2/posts/<slug>/", "/v2/pages/search/", "/",
        "//", "", "/v2/content/a,b/", "/v2/content/a[_id=1]/", "/v2/Posts/", "/v2/posts/ /",
    ],
)  # fmt: skip
def test_routes_are_those_of_flask(app: App, path: str) -> None:
    """The same endpoint and the same parts of the path, or none for what Flask redirects or does not know."""
    environ = EnvironBuilder(path=path).get_environ()
    found = Routes(ENDPOINTS).find(environ["PATH_INFO"])
    asked: list[tuple[str, dict[str, str]]] = []
    for rule in app.flask.url_map.iter_rules():
        name = rule.endpoint

        def view(_name: str = name, **parts: str) -> str:
            asked.append((_name, parts))
            return ""

        app.flask.view_functions[name] = view
    previews: Any = app.flask.wsgi_app
    run_wsgi_app(previews._behind._behind._behind, environ)
    expected = [each for each in asked if each[0].startswith("/v2/")]
    assert ([(found[0].path, found[1])] if found else []) == expected


def test_memory_forgets_with_the_number() -> None:
    """Another number empties it; what was made from an older one is not taken in."""
    memory = Memory(10_000)
    assert memory.find(1, "a") is None
    memory.keep(1, "a", "one", 3)
    assert memory.find(1, "a") == "one"
    assert memory.find(2, "a") is None
    memory.keep(1, "a", "one", 3)
    assert memory.find(2, "a") is None
    assert memory.used_bytes == 0


def test_a_request_repeated_to_the_letter_is_checked_like_the_first(
    client: FlaskClient, store: Database, make_post: Callable[..., int], make_token: Callable[..., str]
) -> None:
    """However often it was answered: another token, a revoked one and a change of the store count at once."""
    make_post("ebb")
    secret = make_token("site")
    headers = {"Authorization": f"Token {secret}"}
    titles = [client.get("/v2/posts/ebb/", headers=headers).get_json()["data"]["title"] for _ in range(4)]
    assert titles == ["Ebb"] * 4
    assert client.get("/v2/posts/ebb/", headers={"Authorization": "Token other"}).status_code == 401
    assert client.get("/v2/posts/ebb/").status_code == 401
    assert client.head("/v2/posts/ebb/", headers=headers).data == b""
    assert client.post("/v2/posts/ebb/", headers=headers).status_code == 405
    with store.writing() as transaction:
        update_post(transaction, 1, {"title": "Flow"})
    assert client.get("/v2/posts/ebb/", headers=headers).get_json()["data"]["title"] == "Flow"
    with store.writing() as transaction:
        revoke_token(transaction, "site", now())
    time.sleep(CACHED_SECONDS)
    assert client.get("/v2/posts/ebb/", headers=headers).status_code == 401
