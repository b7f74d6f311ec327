"""Error responses: JSON that says what is wrong, and that no cache may store."""

from collections.abc import Callable

import pytest
import structlog
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from sitecms.content.token import Scope
from sitecms.store.database import Database
from sitecms.store.engines.sqlite.database import SqliteDatabase
from tests.support.reading import execute

Get = Callable[..., TestResponse]
NOT_FOUND = {"detail": "Not found."}
LOCALE = {"detail": "Invalid locale parameter: 'xx'. Configured locales: en, es."}
ASKED = (
    "posts/", "posts/one/", "posts/nothing/", "posts/search/", "search/", "pages/search/", "authors/",
    "authors/ann-ray/", "categories/", "tags/", "tags/nothing/", "feeds/rss/",
)  # fmt: skip
FEEDS = ("nothing", "RSS", "rss.xml", "%2A", "..", "feeds")  # that there are not


@pytest.mark.parametrize("path", ASKED)
def test_unknown_locale_is_400(get: Get, make_post: Callable[..., int], path: str) -> None:
    """Every endpoint that takes a locale refuses it before it reads anything."""
    make_post("one")
    answered = get(f"/v2/{path}?locale=xx&query=a")
    assert (answered.status_code, answered.get_json()) == (400, LOCALE)
    assert answered.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/v2/posts/nothing/", 404, NOT_FOUND),
        ("GET", "/v2/posts/" + "x" * 500 + "/", 404, NOT_FOUND),
        ("GET", "/v2/posts/%00%ff'%22--/", 404, NOT_FOUND),
        ("GET", "/v2/nothing/", 404, NOT_FOUND),
        ("GET", "/v2/nothing", 404, NOT_FOUND),
        ("GET", "/nothing", 404, NOT_FOUND),
        ("GET", "/v2/posts/a/b/", 404, NOT_FOUND),
        ("GET", "/v2/authors/nobody/?include=recent_posts", 404, NOT_FOUND),
        *(("GET", f"/v2/feeds/{name}/", 404, NOT_FOUND) for name in FEEDS),
        ("POST", "/v2/nothing/", 404, NOT_FOUND),
        ("DELETE", "/v2/authors/", 405, {"detail": 'Method "DELETE" not allowed.'}),
        ("PUT", "/v2/categories/", 405, {"detail": 'Method "PUT" not allowed.'}),
        ("POST", "/health/live", 405, {"detail": 'Method "POST" not allowed.'}),
    ],
)
def test_unknown_paths_are_404_and_wrong_methods_405(
    client: FlaskClient, get: Get, method: str, path: str, status: int, body: dict[str, str]
) -> None:
    """A 405 has `Allow`; a token makes no difference."""
    answered = get(path) if method == "GET" else client.open(path, method=method)
    assert (answered.status_code, answered.get_json()) == (status, body)
    assert answered.content_type == "application/json"
    assert answered.headers["Cache-Control"] == "no-store"
    if status == 405:
        assert {name.strip() for name in answered.headers["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_response_over_10_mb_is_refused(get: Get, make_post: Callable[..., int]) -> None:
    """The 400 says what to do; the same list without bodies is small."""
    for number in range(3):
        make_post(f"long-{number}", body="x" * 4_000_000)
    answered = get("/v2/posts/")
    assert answered.status_code == 400
    assert answered.get_json() == {
        "detail": "The response would be larger than 10 MB; ask for fewer items or fewer levels."
    }
    assert get("/v2/posts/?page_size=2").status_code == 200
    assert get("/v2/posts/?exclude_body=true").status_code == 200


def test_unexpected_error_has_an_id_and_is_logged_without_the_token(
    get: Get, client: FlaskClient, store: Database, make_token: Callable[..., str]
) -> None:
    """The 500 and the log have the same id; the log has the path, but neither query nor token."""
    secret = make_token("other")
    execute(store, "ALTER TABLE version RENAME COLUMN slug TO other")  # lists of posts read it
    with structlog.testing.capture_logs() as lines:
        answered = client.get(f"/v2/posts/?auth_token={secret}")
    assert answered.status_code == 500
    request_id = answered.headers["X-Request-Id"]
    assert answered.get_json() == {"detail": "Internal server error.", "request_id": request_id}
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    assert [(line["event"], line["request_id"], line["path"]) for line in lines] == [
        ("request_failed", request_id, "/v2/posts/")
    ]
    assert secret not in repr(lines)
    assert "auth_token" not in repr(lines)
    assert get("/v2/pages/").status_code == 200


def test_a_full_disk_is_503_with_a_time_to_wait(
    client: FlaskClient, store: Database, make_token: Callable[..., str], make_author: Callable[..., str]
) -> None:
    """The message says that nothing can be written; reads go on."""
    make_author()
    headers = {"Authorization": f"Token {make_token('w', Scope.WRITE)}"}
    assert isinstance(store, SqliteDatabase)
    store._writer.execute_sql("PRAGMA max_page_count = 1")
    answered = client.post("/v2/posts/", json={"title": "Ebb", "body": "x" * 100_000}, headers=headers)
    assert (answered.status_code, answered.get_json()) == (
        503,
        {"detail": "The store cannot be written at the moment."},
    )
    assert int(answered.headers["Retry-After"]) > 0
    assert client.get("/v2/posts/", headers=headers).status_code == 200
