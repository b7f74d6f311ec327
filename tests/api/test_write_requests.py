"""What holds for every write: tokens, bodies, idempotency keys, conditions, and what became of it."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from sitecms.content.token import Scope

Writer = Any
NO_CREDENTIALS = {"detail": "Authentication credentials were not provided."}
NO_WRITES = {"detail": "The token does not allow writes."}
PATHS = [("POST", "/v2/posts/"), ("PATCH", "/v2/posts/x/"), ("PUT", "/v2/posts/x/"), ("DELETE", "/v2/posts/x/")]


@pytest.mark.parametrize(("method", "path"), [*PATHS, ("GET", "/v2/writes/x/")])
def test_tokens(client: FlaskClient, make_token: Callable[..., str], method: str, path: str) -> None:
    """No token or an unknown one: 401 in the same words; a read token: 403; in the query it does not count."""
    reader, secret = make_token(), make_token("w", Scope.WRITE)
    for headers, query in (({}, ""), ({"Authorization": "Token nope"}, ""), ({}, f"?auth_token={secret}")):
        answered = client.open(path + query, method=method, headers=headers, data=b"{")
        assert (answered.status_code, answered.get_json()) == (401, NO_CREDENTIALS)
        assert answered.headers["WWW-Authenticate"] == "Token"
    answered = client.open(path, method=method, headers={"Authorization": f"Token {reader}"}, data=b"{")
    assert (answered.status_code, answered.get_json()) == (403, NO_WRITES)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"1", b'"x"', b"null", b'{"title": NaN}', b'{"title": Infinity}', b'{"title": 1e999}',
        b'{"title": "\\u0000"}', b'{"a\\u0000": 1}', b'{"title": "\\ud800"}', b'{"title": "\xff"}',
        b'{"a": ' + b"[" * 64 + b"]" * 64 + b"}", b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)  # fmt: skip
def test_bodies_that_are_refused(writer: Writer, body: bytes) -> None:
    """400 {detail} on create and update, never a crash."""
    for method, path in PATHS[:3]:
        assert list(writer.refused(method, path, body)) == ["detail"]


def test_bodies_that_are_taken(writer: Writer) -> None:
    """63 levels below the object, doubled keys (the last counts), huge numbers, an escaped backslash before u0000."""
    for number, more in enumerate((b"[" * 63 + b"]" * 63, b'1, "a": 2', b"9" * 400 + b"e-200", b'"\\\\u0000"')):
        body = b'{"title": "Deep %d", "a": %b}' % (number, more)
        assert writer.post("/v2/posts/", body).status_code == 202, more[:30]


def test_a_body_over_10_mb(writer: Writer) -> None:
    """413 {detail}; a little below it is taken."""
    assert writer.refused("POST", "/v2/posts/", {"title": "x", "body": "x" * 10_485_760}, 413) == {
        "detail": "Request Entity Too Large."
    }
    assert writer.post("/v2/posts/", {"title": "x", "body": "x" * 10_000_000}).status_code == 202


def test_an_idempotency_key(writer: Writer, writing: Callable[..., Writer]) -> None:
    """The same request once more: the same answer and no second effect; another body: 422; another token: its own."""
    body = {"title": "Ebb", "status": "published"}
    first = writer.post("/v2/posts/", body, Idempotency_Key="k1")
    again = writer.post("/v2/posts/", body, Idempotency_Key="k1")
    writer.apply()
    late = writer.post("/v2/posts/", body, Idempotency_Key="k1")
    for answered in (again, late):
        assert (answered.status_code, answered.get_json()) == (202, first.get_json())
        assert answered.headers["Location"] == first.headers["Location"]
    other = writer.post("/v2/posts/", {**body, "title": "Flow"}, Idempotency_Key="k1")
    assert other.status_code == 422
    assert list(other.get_json()) == ["detail"]
    assert writing("second").post("/v2/posts/", body, Idempotency_Key="k1").status_code == 202
    warned = writer.patch("/v2/posts/ebb/", {"url": "x"}, Idempotency_Key="k2").get_json()
    assert "warning: url field" in warned
    assert writer.patch("/v2/posts/ebb/", {"url": "x"}, Idempotency_Key="k2").get_json() == warned
    assert [post["slug"] for post in writer.data("/v2/posts/?preview=1")] == ["ebb-2", "ebb"]
    assert writer.post("/v2/posts/", body, Idempotency_Key="k" * 256).status_code == 400


def test_if_match(writer: Writer) -> None:
    """An update of what was read is taken; of something stale, or with a write waiting, it is 412."""
    writer.post("/v2/posts/", {"title": "Ebb"})
    writer.apply()
    etag = writer.get("/v2/posts/ebb/?preview=1").headers["ETag"]
    assert writer.patch("/v2/posts/ebb/", {"title": "One"}, If_Match=etag).status_code == 202
    for condition in (etag, "*"):
        stale = writer.patch("/v2/posts/ebb/", {"title": "Two"}, If_Match=condition)
        assert (stale.status_code, list(stale.get_json())) == (412, ["detail"])
    writer.apply()
    assert writer.patch("/v2/posts/ebb/", {"title": "Two"}, If_Match=etag).status_code == 412
    assert writer.patch("/v2/posts/ebb/", {"title": "Two"}, If_Match="*").status_code == 202
    assert writer.data("/v2/posts/ebb/?preview=1")["title"] == "Two"


def test_what_became_of_a_write(writer: Writer, writing: Callable[..., Writer]) -> None:
    """Accepted, then applied; unknown ids are 404, and another's write for a limited token."""
    accepted = writer.post("/v2/posts/", {"title": "Ebb"})
    told = writer.get(accepted.headers["Location"])
    assert told.headers["Cache-Control"] == "no-store"
    assert (told.get_json()["status"], told.get_json()["finished_at"]) == ("accepted", None)
    assert writer.outcome(accepted)["status"] == "applied"
    assert writer.get("/v2/writes/nothing/").get_json() == {"detail": "Not found."}
    assert writing("bo", author="bo-lind").get(accepted.headers["Location"]).status_code == 404


def test_methods_and_slashes(writer: Writer) -> None:
    """405 names all methods there are; without the slash a write is redirected with its method."""
    answered = writer.send("PATCH", "/v2/posts/", {})
    assert {name.strip() for name in answered.headers["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS", "POST"}
    answered = writer.send("POST", "/v2/posts/ebb/", {})
    assert {"PATCH", "PUT", "DELETE"} <= {name.strip() for name in answered.headers["Allow"].split(",")}
    answered = writer.post("/v2/posts?locale=es", {"title": "x"})
    assert (answered.status_code, answered.headers["Location"]) == (308, "/v2/posts/?locale=es")
