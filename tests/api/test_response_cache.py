"""Cached responses: equal to uncached ones, invalid after any change of the store, and only of what may be cached."""

import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from werkzeug.test import EnvironBuilder, TestResponse

from sitecms.api.app import ENDPOINTS, Api, create_api
from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.writes.tokens import revoke_token
from tests.support.reading import execute

pytestmark = pytest.mark.both_engines

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
        transaction.sql("UPDATE version SET title = ?", line.strip())
    print("done", flush=True)
"""


class ApiClient:
    """A client of an API with a cache of this size, with a token."""

    def __init__(self, runtime: Runtime, secret: str, cache_bytes: int = 2**20) -> None:
        self.api: Api = create_api(runtime, "http://127.0.0.1:8000", cache_bytes=cache_bytes)
        self.cache = self.api.reads.handler.cache
        self.secret = secret

    def get(self, path: str, method: str = "GET", *, etag: str = "") -> TestResponse:
        """Send a request with the token, and with `If-None-Match` if an ETag is given."""
        headers = {"Authorization": f"Token {self.secret}"} | ({"If-None-Match": etag} if etag else {})
        return self.api.app.test_client().open(path, method=method, headers=headers)


@pytest.fixture
def app(runtime: Runtime, make_token: MakeToken) -> ApiClient:
    """A client of the site's API."""
    return ApiClient(runtime, make_token())


@pytest.fixture
def uncached(runtime: Runtime, make_token: MakeToken) -> ApiClient:
    """A client of the site's API without a cache."""
    return ApiClient(runtime, make_token("uncached"), 0)


@pytest.fixture
def posts(make_post: Make) -> None:
    """A few posts, one of them a draft."""
    make_post("one", body="<p>The sea.</p>", tags=("moon",))
    make_post("two", hours=1, categories=("Tides",))
    make_post("潮", hours=2)
    make_post("draft", status=Status.DRAFT)


def seen(response: TestResponse) -> tuple[str, dict[str, str], bytes]:
    """Return all that a client sees: status, headers without the date, body."""
    headers = {name: value for name, value in response.headers.items() if name != "Date"}
    assert len(headers) == len([name for name, _value in response.headers if name != "Date"])
    return response.status, headers, response.data


@pytest.mark.usefixtures("posts")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ASKED)
def test_cached_responses_equal_uncached_ones(app: ApiClient, uncached: ApiClient, path: str, method: str) -> None:
    """Status, headers and body are the same, also for requests with If-None-Match."""
    plain = seen(uncached.get(path, method))
    assert [seen(app.get(path, method)) for _ in range(3)] == [plain] * 3
    for etag in (plain[1].get("ETag", '"x"'), '"other"', "*"):
        conditional = seen(uncached.get(path, method, etag=etag))
        assert seen(app.get(path, method, etag=etag)) == conditional
        assert conditional[0][:3] == ("304" if "ETag" in plain[1] and etag != '"other"' else plain[0][:3])


@pytest.mark.usefixtures("posts")
def test_equivalent_queries_share_one_cache_entry(app: ApiClient) -> None:
    """Unknown parameters, their order and empty values make no difference."""
    for query in ("page=2&tag_slug=moon", "tag_slug=moon&page=2&_=1", "page=1&page=2&tag_slug=moon&locale="):
        app.get(f"/v2/posts/?{query}")
    app.get("/v2/posts/")
    assert app.cache.keys() == (("/v2/posts/", ("page", "2"), ("tag_slug", "moon")), "/v2/posts/")


@pytest.mark.usefixtures("posts")
@pytest.mark.parametrize("method", ["OPTIONS", "POST", "PUT", "DELETE"])
def test_other_methods_are_not_answered_from_the_cache(app: ApiClient, uncached: ApiClient, method: str) -> None:
    """Flask answers them."""
    app.get("/v2/posts/")
    assert seen(app.get("/v2/posts/", method)) == seen(uncached.get("/v2/posts/", method))


@pytest.mark.usefixtures("posts")
def test_previews_and_errors_are_not_cached(app: ApiClient) -> None:
    """Open paths and redirects are not cached either."""
    for path in ("/v2/posts/?preview=1", "/v2/posts/draft/?test=1", "/v2/posts/draft/", "/v2/posts/?levels=x&locale=xx",
                 "/v2/posts", "/v2/nothing/", "/health/live"):  # fmt: skip
        app.get(path)
    assert app.cache.keys() == ()
    assert app.cache.used_size == 0


@pytest.mark.usefixtures("posts")
def test_cache_keys_hold_no_token(app: ApiClient) -> None:
    """All tokens share the cache entries, however the parameter is spelled."""
    name = "%61uth_token"
    for query in (f"auth_token={app.secret}", f"{name}={app.secret}&page=1", f"page=1&auth_token={app.secret}&x=1"):
        assert app.api.app.test_client().get(f"/v2/posts/?{query}").status_code == 200
    assert app.cache.keys() == ("/v2/posts/", ("/v2/posts/", ("page", "1")))
    assert app.secret not in repr(app.cache.__dict__)


@pytest.mark.usefixtures("posts")
def test_cached_responses_need_a_token(app: ApiClient, runtime: Runtime, make_token: MakeToken) -> None:
    """A missing, an unknown and an expired token get 401."""
    app.get("/v2/posts/")
    client = app.api.app.test_client()
    assert client.get("/v2/posts/").status_code == 401
    assert client.get("/v2/posts/?auth_token=nope").status_code == 401
    ends_at = now() + timedelta(seconds=0.4)
    short = make_token("short", expires_at=ends_at)
    assert client.get(f"/v2/posts/?auth_token={short}").status_code == 200
    while now() < ends_at:
        threading.Event().wait(0.05)
    assert client.get(f"/v2/posts/?auth_token={short}").status_code == 401


@pytest.mark.usefixtures("posts")
def test_revoked_token_is_refused_within_a_second(app: ApiClient, store: Database) -> None:
    """Cached responses are refused too."""
    assert app.get("/v2/posts/").status_code == 200
    store.write(revoke_token, "reader", now())
    ends_at = now() + timedelta(seconds=1.1)
    while now() < ends_at:
        threading.Event().wait(0.05)
    assert app.get("/v2/posts/").status_code == 401


@pytest.mark.usefixtures("posts")
def test_next_response_shows_commits_of_other_processes(app: ApiClient, runtime: Runtime) -> None:
    """Lists and single posts, each cached before the change, a hundred times."""
    command = [sys.executable, "-c", WRITER, str(runtime.settings.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for number in range(100):
            title = f"Title {number}"
            writer.stdin.write(f"{title}\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == "done\n"
            for _again in range(2):
                assert {post["title"] for post in app.get("/v2/posts/").json["data"]} == {title}  # type: ignore[index]
                assert app.get("/v2/posts/one/").json["data"]["title"] == title  # type: ignore[index]
        writer.stdin.close()


@pytest.mark.slow
@pytest.mark.usefixtures("posts")
def test_no_response_is_older_than_its_request(app: ApiClient, store: Database) -> None:
    """Four threads read while one writes: no response has a title that was replaced before the request."""
    committed = 0
    problems: list[tuple[int, str]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            least = committed
            title = app.get("/v2/posts/one/").json["data"]["title"]  # type: ignore[index]
            if int(title) < least:
                problems.append((least, title))
        store.close()

    execute(store, "UPDATE version SET title = '0'")
    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(1, 200):
        execute(store, "UPDATE version SET title = ?", str(number))
        committed = number
    done.set()
    for reader in readers:
        reader.join()
    assert problems == []


def test_cache_stays_below_its_size(runtime: Runtime, make_post: Make, make_token: MakeToken) -> None:
    """The least recently used entry goes first; a response larger than the cache is not cached."""
    for number in range(30):
        make_post(f"p{number}", body="x" * 5_000)
    app = ApiClient(runtime, make_token(), 50_000)
    for _round in range(3):
        for number in range(30):
            assert app.get(f"/v2/posts/p{number}/").status_code == 200
            app.get("/v2/posts/p0/")
            assert 0 < app.cache.used_size <= 50_000
    assert "/v2/posts/p0/" in app.cache
    assert "/v2/posts/p1/" not in app.cache
    before = app.cache.keys()
    assert app.get("/v2/posts/").status_code == 200
    assert app.cache.keys() == before


def test_memory_is_bounded_under_a_flood_of_different_requests(
    runtime: Runtime, make_post: Make, make_token: MakeToken
) -> None:
    """Thousands of distinct queries use no memory beyond the limits."""
    make_post("one")
    app = ApiClient(runtime, make_token(), 100_000)
    for number in range(3_000):
        assert app.get(f"/v2/posts/?tag_slug={number}{'y' * 500}&page={number}").status_code == 200
    assert app.cache.used_size <= 100_000
    assert runtime.database.cache.used_size <= runtime.database.cache.max_size
    assert len(app.cache.keys()) < 200


@pytest.mark.parametrize(
    "path",
    [
        *(endpoint.path.replace("<", "").replace(">", "") for endpoint in ENDPOINTS),
        "/v2/posts/search/", "/v2/posts/search", "/v2/posts//", "/v2/posts/a/b/", "/v2/pages/*/search/", "/v2//posts/",
        "/v2/posts/%E6%BD%AE/", "/v2/posts/%FF/", "/v2/posts/a%2Fb/", "/v2/posts/<slug>/", "/v2/pages/search/", "/",
        "/v2/content/a,b/", "/v2/content/a[_id=1]/", "/v2/Posts/", "/v2/posts/ /",
    ],
)  # fmt: skip
def test_reads_of_all_paths_are_answered_before_flask(app: ApiClient, path: str) -> None:
    """Flask has no views for the read endpoints: a path is either answered by their handler or is no such path."""
    environ = EnvironBuilder(path=path).get_environ()
    found = app.api.router.find(environ["PATH_INFO"])
    answered = app.get(path)
    assert answered.status_code in ({200, 403, 404} if found else {301, 302, 404})
    assert ("ETag" in answered.headers) == (answered.status_code == 200)
