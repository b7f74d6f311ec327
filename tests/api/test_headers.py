"""Headers of responses: caching, cross-origin access, redirects, HEAD and OPTIONS."""

import gzip
from collections.abc import Callable

import brotli
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from sitecms.content.token import Scope

Get = Callable[..., TestResponse]


def test_responses_have_a_strong_etag_and_304(get: Get, make_post: Callable[..., int]) -> None:
    """Equal responses have equal ETags; a change gives another one at once."""
    make_post("one")
    first = get("/v2/posts/")
    tag = first.headers["ETag"]
    assert tag.startswith('"')
    assert (first.headers["Vary"], first.headers["Cache-Control"]) == (
        "Authorization, Accept-Encoding",
        "private, no-cache",
    )
    for known in (tag, f'"other", {tag}', "*", f"W/{tag}"):
        again = get("/v2/posts/", **{"If-None-Match": known})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert again.headers["Vary"] == "Authorization, Accept-Encoding"
        assert again.headers["Access-Control-Allow-Origin"] == "*"
    make_post("two", hours=1)
    changed = get("/v2/posts/", **{"If-None-Match": tag})
    assert (changed.status_code, len(changed.get_json()["data"])) == (200, 2)


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "br"), ("gzip", "gzip"), ("*", "br"), ("gzip;q=0.5, br;q=0", "gzip"),
        ("gzip;q=0", None), ("deflate", None), ("", None),
    ],
)  # fmt: skip
def test_answers_over_a_kilobyte_are_compressed(
    get: Get, make_post: Callable[..., int], accepted: str, coding: str | None
) -> None:
    """As the client takes it, GET and HEAD alike, and a tag of each form is known whatever the client takes then."""
    make_post("one", body=f"<p>{'Long. ' * 400}</p>")
    path, header = "/v2/posts/one/", {"Accept-Encoding": accepted}
    plain, packed = get(path), get(path, **header)
    assert packed.headers.get("Content-Encoding") == coding
    unpack = {None: bytes, "gzip": gzip.decompress, "br": brotli.decompress}[coding]
    assert unpack(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert (len(packed.data) < len(plain.data) / 3) is (coding is not None)
    assert (packed.headers["ETag"] == plain.headers["ETag"]) is (coding is None)
    for tag in (packed.headers["ETag"], plain.headers["ETag"], f"W/{plain.headers['ETag']}"):
        assert get(path, **{"If-None-Match": tag}).status_code == 304
        assert get(path, **header, **{"If-None-Match": tag}).status_code == 304
        assert get(path, **header, **{"If-Match": tag}).status_code == 200
    assert get(path, **header, **{"If-Match": '"other-gzip"'}).status_code == 412
    short = get("/v2/tags/", **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers


def test_a_tag_of_a_compressed_answer_is_a_condition_of_writes(
    client: FlaskClient, make_post: Callable[..., int], make_token: Callable[..., str]
) -> None:
    """The revision in it counts."""
    make_post("one", body=f"<p>{'Long. ' * 400}</p>")
    token = {"Authorization": f"Token {make_token('writer', Scope.WRITE)}"}
    tag = client.get("/v2/posts/one/", headers={**token, "Accept-Encoding": "gzip"}).headers["ETag"]
    assert tag.endswith('-gzip"')
    change = {"title": "Two"}
    assert client.patch("/v2/posts/one/", json=change, headers={**token, "If-Match": tag}).status_code == 202
    assert client.patch("/v2/posts/one/", json=change, headers={**token, "If-Match": '"x-gzip"'}).status_code == 412


@pytest.mark.parametrize("path", ["/v2/posts/", "/v2/posts", "/v2/authors/ann-ray/"])
def test_preflight_requests_need_no_token(client: FlaskClient, path: str) -> None:
    """A path without its slash is not redirected, which browsers would refuse."""
    answered = client.options(path, headers={"Origin": "https://shop.example", "Access-Control-Request-Method": "GET"})
    assert answered.status_code == 204
    assert answered.headers["Access-Control-Allow-Origin"] == "*"
    assert answered.headers["Access-Control-Allow-Headers"] == "authorization, content-type, x-butter-client"
    assert answered.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"


def test_options_lists_the_methods(client: FlaskClient) -> None:
    """A plain OPTIONS request is no preflight request."""
    answered = client.options("/v2/posts/")
    assert answered.status_code == 200
    assert {name.strip() for name in answered.headers["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS", "POST"}


def test_allow_names_only_methods_that_answer(client: FlaskClient) -> None:
    """`search` is no slug of a post."""
    for refused in (client.post("/v2/posts/search/"), client.delete("/v2/posts/search/")):
        assert refused.status_code == 405
        assert set(refused.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert set(client.options("/v2/posts/search/").headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert "PATCH" in client.options("/v2/posts/searching/").headers["Allow"]


@pytest.mark.parametrize(
    ("method", "status"), [("GET", 301), ("HEAD", 301), ("POST", 308), ("PATCH", 308), ("DELETE", 308)]
)
@pytest.mark.parametrize(
    ("asked", "target"),
    [
        ("/v2/posts", "/v2/posts/"),
        ("/v2/posts?page=2&tag_slug=a%26b", "/v2/posts/?page=2&tag_slug=a%26b"),
        ("/v2/posts/%E6%BD%AE?locale=es", "/v2/posts/%E6%BD%AE/?locale=es"),
        ("/v2/authors/ann-ray", "/v2/authors/ann-ray/"),
    ],
)
def test_path_without_slash_is_redirected(
    client: FlaskClient, method: str, status: int, asked: str, target: str
) -> None:
    """Reads get 301 and writes 308, with the query, without a token and without a host."""
    answered = client.open(asked, method=method)
    assert (answered.status_code, answered.headers["Location"]) == (status, target)


def test_head_equals_get_without_the_body(client: FlaskClient, get: Get, make_token: Callable[..., str]) -> None:
    """Status and headers are the same, the content length included."""
    secret = make_token("head")
    full = get("/v2/posts/")
    head = client.head("/v2/posts/", headers={"Authorization": f"Token {secret}"})
    assert (head.status_code, head.data) == (200, b"")
    for name in ("ETag", "Content-Length", "Content-Type", "Cache-Control", "Vary"):
        assert head.headers[name] == full.headers[name]
    assert client.head("/v2/posts/").status_code == 401


@pytest.mark.parametrize("path", ["/v2/posts/", "/v2/nothing/", "/v2/feeds/rss/", "/health/live", "/v2/posts", "/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_responses_cannot_be_framed_or_load_anything(get: Get, client: FlaskClient, path: str, method: str) -> None:
    """The policy is on every response, cached ones included; any origin may read, and errors show in browsers."""
    for answered in (get(path), get(path)) if method == "GET" else (client.post(path),):
        assert answered.headers.getlist("Content-Security-Policy") == ["default-src 'none'; frame-ancestors 'none'"]
        assert answered.headers.getlist("X-Content-Type-Options") == ["nosniff"]
        assert answered.headers.getlist("Referrer-Policy") == ["no-referrer"]
        assert answered.headers.getlist("Cross-Origin-Resource-Policy") == ["cross-origin"]
        assert answered.headers.get("Access-Control-Allow-Origin") == ("*" if method == "GET" else None)


@pytest.mark.parametrize("path", ["/docs", "/docs/docs.js", "/docs/docs.css"])
def test_documentation_has_its_own_policy(client: FlaskClient, path: str) -> None:
    """It loads its own files only, cannot be framed, and other sites cannot load it."""
    answered = client.get(path, buffered=True)
    policy = answered.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answered.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answered.headers["X-Content-Type-Options"] == "nosniff"
    assert answered.headers["Referrer-Policy"] == "no-referrer"
