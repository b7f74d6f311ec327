"""Rules of all writes: tokens, bodies, idempotency keys, If-Match, and the state of a write."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import hypothesis
import pytest
from flask.testing import FlaskClient
from hypothesis import strategies

from sitecms.content.token import Scope
from sitecms.store.database import Database
from tests.support.reading import select

Writer = Any
NO_CREDENTIALS = {"detail": "Authentication credentials were not provided."}
NO_WRITES = {"detail": "The token does not allow writes."}
NAMES = strategies.sampled_from([
    "title", "slug", "status", "author", "categories", "tags", "featured_image", "featured_image_alt", "body",
    "summary", "seo_title", "upload_images_to_media_library", "scheduled", "page_type", "page-type", "fields", "key",
    "en", "es", "name", "bio", "photo", "born", "notebooks", "active", "tint", "mentor", "friends", "page", "hero",
    "image", "by", "links", "label", "type", "url", "alt", "id", "meta", "email", "text", "stars",
])  # fmt: skip
KNOWN_PATHS = [
    ("POST", "/v2/posts/"), ("PATCH", "/v2/posts/ebb/"), ("PUT", "/v2/posts/ebb/?locale=es"), ("POST", "/v2/pages/"),
    ("PATCH", "/v2/pages/guide/knots/"), ("PUT", "/v2/pages/*/knots/?locale=es"), ("POST", "/v2/content/"),
    ("PATCH", "/v2/content/team/1/"), ("PUT", "/v2/content/team/1/?locale=es"),
]  # fmt: skip
PATHS = [("POST", "/v2/posts/"), ("PATCH", "/v2/posts/x/"), ("PUT", "/v2/posts/x/"), ("DELETE", "/v2/posts/x/")]


def writes_kept(store: Database) -> int:
    """How many there are, of any status."""
    return int(select(store, "SELECT count(*) FROM write")[0][0])


@pytest.fixture
def known(writer: Writer, team_schema: object) -> Writer:
    """A writer of a site with a post, a page and an item."""
    for path, body in (
        ("/v2/posts/", {"title": "Ebb"}),
        ("/v2/pages/", {"title": "Knots", "slug": "knots", "page_type": "guide"}),
        ("/v2/content/", {"key": "team", "fields": [{"name": "Ann"}]}),
    ):
        assert writer.outcome(writer.post(path, body))["status"] == "applied"
    return writer


@pytest.mark.parametrize(("method", "path"), [*PATHS, ("GET", "/v2/writes/x/")])
def test_writes_need_a_write_token(client: FlaskClient, make_token: Callable[..., str], method: str, path: str) -> None:
    """A missing or unknown token is 401 with the same message, a read token 403."""
    reader, secret = make_token(), make_token("w", Scope.WRITE)
    for headers, query in (({}, ""), ({"Authorization": "Token nope"}, ""), ({}, f"?auth_token={secret}")):
        answered = client.open(path + query, method=method, headers=headers, data=b"{")
        assert (answered.status_code, answered.get_json()) == (401, NO_CREDENTIALS)
        assert answered.headers["WWW-Authenticate"] == "Token"
    answered = client.open(path, method=method, headers={"Authorization": f"Token {reader}"}, data=b"{")
    assert (answered.status_code, answered.get_json()) == (403, NO_WRITES)


HOSTILE = {
    "list 100,000 deep": b"[" * 100_000,
    "object 100,000 deep": b'{"a":' * 100_000,
    "closed, 100,000 deep": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "NaN": b'{"title": NaN}',
    "-Infinity": b'{"title": -Infinity}',
    "64 levels": b'{"a": ' + b"[" * 64 + b"]" * 64 + b"}",
    "NUL in a key": b'{"a\\u0000": 1}',
    "no byte": b"",
    "10,000 digits": b'{"title": "x", "scheduled": ' + b"9" * 10_000 + b"}",
    "exponent": b'{"title": 1e10000}',
    "escaped NUL": b'{"title": "a\\u0000b"}',
    "raw NUL": b'{"title": "a\x00b"}',
    "NUL after": b'{"title": "a"}\x00',
    "escaped high surrogate": b'{"title": "\\ud83d"}',
    "escaped low surrogate": b'{"title": "\\ude00x"}',
    "surrogates in the wrong order": b'{"title": "\\ude00\\ud83d"}',
    "surrogate in a key": b'{"\\ud800": "a", "title": "a"}',
    "raw surrogate": b'{"title": "\xed\xa0\x80"}',
    "overlong": b'{"title": "\xc0\xaf"}',
    "Latin-1": '{"title": "caf\u00e9"}'.encode("latin-1"),
    "BOM": b'\xef\xbb\xbf{"title": "a"}',
    "UTF-16": '{"title": "a"}'.encode("utf-16"),
    "UTF-32": '{"title": "a"}'.encode("utf-32"),
    "two documents": b'{"title": "a"}{"title": "b"}',
    "trailing comma": b'{"title": "a",}',
    "single quotes": b"{'title': 'a'}",
    "comment": b'{"title": "a"} // x',
    "control character": b'{"title": "a\nb"}',
    "form": b"title=a",
    "cut off": b'{"title": "a',
    "white space": b" " * 1000,
    **{f"scalar {text.decode()}": text for text in (b"0", b"-1.5", b"true", b"null", b'"title"', b'[{"title": "a"}]')},
}
EVERYWHERE = [
    *PATHS[:3], ("POST", "/v2/pages/"), ("PATCH", "/v2/pages/*/x/"), ("PUT", "/v2/pages/guide/x/"),
    ("POST", "/v2/content/"), ("PATCH", "/v2/content/team/1/"), ("PUT", "/v2/content/team/1/"),
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bodies_are_400(writer: Writer, store: Database, body: bytes) -> None:
    """Every endpoint answers {detail} and stores nothing."""
    for method, path in EVERYWHERE:
        refusal = writer.refused(method, path, body)
        assert list(refusal) == ["detail"]
        assert len(refusal["detail"]) < 200
    assert writes_kept(store) == 0


def test_duplicate_keys_and_long_numbers(writer: Writer) -> None:
    """The last of two equal keys counts; numbers of many digits are read."""
    accepted = writer.post("/v2/posts/", b'{"title": "One", "title": "Two", "x": 0.' + b"3" * 10_000 + b"}")
    assert accepted.status_code == 202
    writer.apply()
    assert writer.data("/v2/posts/two/?preview=1")["title"] == "Two"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
        ({"Content_Type": "text/html; charset=utf-8"}, 415),
        ({"Content_Encoding": "gzip"}, 415),
        ({"Content_Encoding": "br, identity"}, 415),
        ({"Content_Type": "application/json; charset=utf-8"}, 202),
        ({"Content_Type": "APPLICATION/JSON"}, 202),
        ({"Content_Type": "application/vnd.api+json"}, 202),
        ({"Content_Encoding": "Identity"}, 202),
        ({"Content_Type": ""}, 202),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 202),
        ({"Content_Type": "text/plain"}, 202),
    ],
)
def test_other_content_types_are_415(writer: Writer, store: Database, headers: dict[str, str], status: int) -> None:
    """The message names the right type."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    type_ = named.pop("Content-Type", "application/json")
    answered = writer.client.post(
        "/v2/posts/",
        data=b'{"title": "a"}',
        headers={"Authorization": f"Token {writer.secret}", **named},
        content_type=type_,
    )
    assert answered.status_code == status, answered.text
    assert writes_kept(store) == (status == 202)
    if status == 415:
        assert answered.get_json()["detail"].startswith("Send the body as ")


@pytest.mark.parametrize("body", [b"title=a&status=draft", b"title", b"", b"[1]"])
def test_forms_are_415(writer: Writer, store: Database, body: bytes) -> None:
    """An object that curl's `-d` sends as a form is accepted."""
    told = {"Authorization": f"Token {writer.secret}"}
    answered = writer.client.post(
        "/v2/posts/", data=body, headers=told, content_type="application/x-www-form-urlencoded"
    )
    assert (answered.status_code, writes_kept(store)) == (415, 0)
    assert answered.get_json()["detail"].startswith("Send the body as JSON")


@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT"])
def test_incomplete_body_is_400(writer: Writer, store: Database, method: str) -> None:
    """So it is even if the received part is valid JSON."""
    path = "/v2/posts/" if method == "POST" else "/v2/posts/x/"
    answered = writer.client.open(
        path,
        method=method,
        input_stream=BytesIO(b'{"title": "a"}'),
        headers={"Authorization": f"Token {writer.secret}"},
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": "100", "wsgi.input_terminated": True},
    )
    assert answered.status_code == 400
    assert answered.get_json() == {"detail": "The body is shorter than its Content-Length says."}
    assert writes_kept(store) == 0


LEAF = (
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats(allow_nan=False, allow_infinity=False)
    | strategies.text(max_size=20)
    | strategies.sampled_from(["draft", "published", "http://127.0.0.1:1/x.png", "[", "<b>", "-1", "1e999", "guide"])
)
KEY = NAMES | strategies.text()
SHALLOW = LEAF | strategies.lists(LEAF, max_size=4) | strategies.dictionaries(KEY, LEAF, max_size=4)
DEEP = LEAF | strategies.lists(SHALLOW, max_size=3) | strategies.dictionaries(KEY, SHALLOW, max_size=3)
JSON = DEEP | strategies.lists(DEEP, max_size=2) | strategies.dictionaries(KEY, DEEP, max_size=2)


@hypothesis.settings(max_examples=50, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(strategies.data())
def test_no_json_causes_a_server_error(known: Writer, data: strategies.DataObject) -> None:
    """Any values under known keys get a response below 500, and writes are applied."""
    method, path = data.draw(strategies.sampled_from(KNOWN_PATHS))
    body = data.draw(strategies.dictionaries(NAMES, JSON, max_size=6))
    answered = known.send(method, path, json.dumps(body).encode())
    assert answered.status_code in (202, 400, 403, 404), (method, path, body, answered.text)
    if answered.status_code == 202:
        assert known.outcome(answered)["status"] in ("applied", "rejected"), (method, path, body)


def test_unusual_bodies_are_accepted(writer: Writer) -> None:
    """63 levels, duplicate keys, huge numbers, an escaped backslash before u0000."""
    for number, more in enumerate((b"[" * 63 + b"]" * 63, b'1, "a": 2', b"9" * 400 + b"e-200", b'"\\\\u0000"')):
        body = b'{"title": "Deep %d", "a": %b}' % (number, more)
        assert writer.post("/v2/posts/", body).status_code == 202, more[:30]


def test_body_over_10_mb_is_413(writer: Writer) -> None:
    """A body just below the limit is accepted."""
    assert writer.refused("POST", "/v2/posts/", {"title": "x", "body": "x" * 10_485_760}, 413) == {
        "detail": "The body is larger than 10 MB, the most that a write may hold."
    }
    assert writer.post("/v2/posts/", {"title": "x", "body": "x" * 10_000_000}).status_code == 202


def test_idempotency_key_repeats_the_response(writer: Writer, writing: Callable[..., Writer]) -> None:
    """There is no second effect; another body is 422; each token has its own keys."""
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


def test_if_match_refuses_stale_updates(writer: Writer) -> None:
    """A stale revision, or a waiting write, is 412."""
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


@pytest.mark.parametrize("form", ['W/"{}"', '"{}-gzip"', 'W/"{}-br"', '"{};gzip"', "{}", '"x-y", W/"{}"'])
def test_if_match_passes_proxies_that_compress(writer: Writer, form: str) -> None:
    """They weaken the tag or add a suffix; clients forget the quotes. A stale revision is 412 in each form."""
    writer.post("/v2/posts/", {"title": "Ebb"})
    writer.apply()
    sent = form.format(writer.get("/v2/posts/ebb/?preview=1").headers["ETag"].strip('"'))
    assert writer.patch("/v2/posts/ebb/", {"title": "One"}, If_Match=sent).status_code == 202
    writer.apply()
    assert writer.patch("/v2/posts/ebb/", {"title": "Two"}, If_Match=sent).status_code == 412


def test_deletions_refuse_an_empty_locale(writer: Writer, team_schema: object) -> None:
    """A script whose variable is empty deletes nothing; a write other than a deletion takes the default locale."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    writer.post("/v2/pages/", {"title": "Knots", "slug": "knots", "page_type": "guide"})
    created = writer.post("/v2/content/", {"key": "team", "fields": [{"name": "Ann"}]})
    item = f"/v2/content/team/{writer.outcome(created)['item_id']}/"
    for path in ("/v2/posts/ebb/", "/v2/pages/guide/knots/", item):
        assert list(writer.refused("DELETE", f"{path}?locale=", None)) == ["locale"]
        assert writer.patch(f"{path}?locale=", {}).status_code == 202
        writer.apply()
        assert writer.send("DELETE", path).status_code == 204


def test_if_match_is_about_the_entry_alone(writer: Writer, team_schema: object) -> None:
    """A newer post, which the read shows as the next one, does not count; an answer's own digest is no revision."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    writer.apply()
    etag = writer.get("/v2/posts/ebb/").headers["ETag"]
    writer.post("/v2/posts/", {"title": "Flow", "status": "published"})
    writer.apply()
    assert writer.get("/v2/posts/ebb/").headers["ETag"] != etag
    assert writer.patch("/v2/posts/ebb/", {"title": "One"}, If_Match=f'"{etag.partition("-")[2]}').status_code == 412
    assert writer.patch("/v2/posts/ebb/", {"title": "One"}, If_Match='""').status_code == 412
    assert writer.patch("/v2/posts/ebb/", {"title": "One"}, If_Match=etag).status_code == 202


def test_if_match_heeds_the_body_and_not_the_author(writer: Writer, make_author: Callable[..., str]) -> None:
    """Another body makes a copy stale; another biography of the author, which the answer shows too, does not."""
    writer.post("/v2/posts/", {"title": "Ebb", "body": "<p>One</p>", "status": "published", "author": "ann-ray"})
    writer.apply()
    first = writer.get("/v2/posts/ebb/").headers["ETag"]
    make_author("ann-ray", bio="Writes at night.")
    assert writer.get("/v2/posts/ebb/").headers["ETag"] != first
    assert writer.patch("/v2/posts/ebb/", {"body": "<p>Two</p>"}, If_Match=first).status_code == 202
    writer.apply()
    assert writer.patch("/v2/posts/ebb/", {"body": "<p>Three</p>"}, If_Match=first).status_code == 412


def test_if_match_of_items_and_pages(writer: Writer, team_schema: object) -> None:
    """The revision is that of one locale, live or draft; other locales do not count. A deletion heeds it, too."""
    fields = [{"en": {"name": "Ann"}, "es": {"name": "Ana"}}]
    writer.post("/v2/content/", {"key": "team", "fields": fields, "status": "published"})
    writer.apply()
    address = "/v2/content/team/1/"
    spanish = writer.get(f"{address}?locale=es").headers["ETag"]
    writer.patch(address, {"fields": {"name": "Anna"}, "status": "draft"})
    writer.apply()
    live, draft = (writer.get(f"{address}{query}").headers["ETag"] for query in ("", "?preview=1"))
    assert len({live.partition("-")[0], draft.partition("-")[0]}) == 2
    assert writer.patch(address, {"fields": {"name": "x"}}, If_Match=spanish).status_code == 412
    assert writer.patch(f"{address}?locale=es", {"fields": {"name": "Ana B."}}, If_Match=spanish).status_code == 202
    assert writer.delete(address, If_Match=draft).status_code == 412
    writer.apply()
    assert writer.delete(f"{address}?locale=es", If_Match=spanish).status_code == 412
    assert writer.patch(address, {"fields": {"name": "y"}}, If_Match=live).status_code == 202
    writer.apply()
    assert writer.delete(address, If_Match=live).status_code == 204


def test_state_of_a_write(writer: Writer, writing: Callable[..., Writer]) -> None:
    """It is accepted, then applied; unknown ids, and writes of others for a limited token, are 404."""
    accepted = writer.post("/v2/posts/", {"title": "Ebb"})
    told = writer.get(accepted.headers["Location"])
    assert told.headers["Cache-Control"] == "no-store"
    assert (told.get_json()["status"], told.get_json()["finished_at"]) == ("accepted", None)
    assert writer.outcome(accepted)["status"] == "applied"
    assert writer.get("/v2/writes/nothing/").get_json() == {"detail": "Not found."}
    assert writing("bo", author="bo-lind").get(accepted.headers["Location"]).status_code == 404


FONT = "The tag <font> was removed: it is not allowed. Its text was kept."


def test_removed_markup_is_reported(writer: Writer, team_schema: object) -> None:
    """The write names field, text and count; a clean write has no warnings."""
    body = "<p style='text-align:center'>a</p><font size=1>b</font><font>c</font>"
    assert writer.outcome(writer.post("/v2/posts/", {"title": "Clean", "body": "<p>a&rsquo;</p>"}))["warnings"] == []
    outcome = writer.outcome(writer.post("/v2/posts/", {"title": "Ebb", "body": body}))
    assert (outcome["status"], outcome["warnings_left_out"]) == ("applied", 0)
    assert outcome["warnings"] == [{"field": "body", "message": FONT, "snippet": "<font size=1>", "count": 2}]
    items = {"key": "team", "fields": [{"en": {"bio": "<font>a</font>"}, "es": {"bio": "<b>b</b>"}}]}
    assert [each["field"] for each in writer.outcome(writer.post("/v2/content/", items))["warnings"]] == ["en.bio"]


def test_at_most_twenty_kinds_of_removed_markup_are_reported(writer: Writer) -> None:
    """The others are counted."""
    outcome = writer.outcome(writer.post("/v2/posts/", {"title": "Ebb", "body": "".join(f"<a{n}>" for n in range(23))}))
    assert (len(outcome["warnings"]), outcome["warnings_left_out"]) == (20, 3)
