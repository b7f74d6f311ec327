"""Nothing that is not published shows to readers: on no route, with no kind of token, in no count, order or ETag."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from sitecms.content.status import Status
from sitecms.content.token import Scope
from tests.api.conftest import paths_of_reads

Writer = Any
Answers = dict[str, tuple[int, bytes, str]]
pytestmark = pytest.mark.usefixtures("team_schema")
HIDDEN = b"quixotic"
WORD = HIDDEN.decode()
PARTS: dict[str, tuple[str, ...]] = {
    "slug": ("one", "two", "ann-ray", "moon", f"{WORD}-post", f"{WORD}-later", f"{WORD}-term"),
    "name": ("rss", "atom", "sitemap"),
    "page_type": ("guide", "*", "news"),
    "page_slug": ("knots", "about", f"{WORD}-page", f"{WORD}-single"),
    "keys": ("team", "team,menu"),
    "key": ("team",),
    "item_id": ("1", "2", "3"),
}
QUERIES = (
    "",
    "levels=5&include=recent_posts&limit=1",
    f"query={WORD}&category_slug=moon&tag_slug=moon",
    f"query=one&fields.summary={WORD}&order=-updated",
    "query=one&tag_slug=moon&author_slug=ann-ray&exclude_body=1",
    "keys=team&locale=es&query=o",
)


def answers(client: FlaskClient, tokens: Mapping[str, str]) -> Answers:
    """Status, body and ETag of every path with every token."""
    found, paths = {}, [f"{path}?{query}" for path in paths_of_reads(PARTS) for query in QUERIES]
    for name, secret in tokens.items():
        for path in paths:
            answered = client.get(path, headers={"Authorization": f"Token {secret}"} if secret else {})
            found[f"{name} {path}"] = answered.status_code, answered.data, answered.headers.get("ETag", "")
    return found


def publish(writer: Writer) -> None:
    """What readers may see."""
    for slug in ("one", "two"):
        terms = {"categories": ["Moon"], "tags": ["Moon"]}
        writer.post("/v2/posts/", {"title": slug, "slug": slug, "status": "published", "author": "ann-ray", **terms})
    for name in ("Ann", "Bo"):
        writer.post("/v2/content/", {"key": "team", "status": "published", "fields": {"name": name}})
    writer.apply()
    knots = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published"}
    writer.post("/v2/pages/", {**knots, "fields": {"summary": "one", "team": [1, 2]}})
    writer.post(
        "/v2/pages/", {"title": "About", "slug": "about", "page_type": "*", "status": "published", "fields": {}}
    )
    writer.apply()


def hide(writer: Writer, make_post: Callable[..., int], at: datetime) -> None:
    """Drafts of every kind, over what is published too, a scheduled post, and a published one in the trash."""
    terms = {"categories": ["Moon", f"{WORD} term"], "tags": ["Moon", f"{WORD} term"]}
    post = {"title": f"{WORD} post", "slug": f"{WORD}-post", "body": WORD, "author": "ann-ray", **terms}
    assert writer.post("/v2/posts/", {**post, "status": "draft"}).status_code == 202
    later = {"status": Status.SCHEDULED, "scheduled_at": at + timedelta(days=9000), "title": WORD, "body": WORD}
    make_post(f"{WORD}-later", author="ann-ray", **later)
    make_post(f"{WORD}-gone", hours=1, author="ann-ray", title=f"{WORD} one", body=WORD)
    writer.apply()
    writer.delete(f"/v2/posts/{WORD}-gone/")
    page = {"title": f"{WORD} one", "status": "draft", "fields": {"summary": WORD}}
    assert writer.post("/v2/pages/", {**page, "slug": f"{WORD}-page", "page_type": "guide"}).status_code == 202
    writer.post("/v2/pages/", {**page, "slug": f"{WORD}-single", "page_type": "*", "fields": {}})
    writer.patch("/v2/pages/guide/knots/", {"status": "draft", "fields": {"summary": WORD, "rank": 7}})
    writer.post("/v2/content/", {"key": "team", "status": "draft", "fields": {"name": WORD}})
    writer.patch("/v2/content/team/1/", {"status": "draft", "fields": {"name": WORD}})
    writer.apply()


def test_hidden_entries_change_no_response(
    writer: Writer, make_post: Callable[..., int], make_token: Callable[..., str], noon: datetime
) -> None:
    """Every response, its ETag included, equals that of a site without drafts."""
    publish(writer)
    tokens = {
        "reader": make_token("reader-2"),
        "writer": writer.secret,
        "limited": make_token("limited", Scope.WRITE),
        "wrong": "0" * 40,
        "none": "",
    }
    before = answers(writer.client, tokens)
    assert sum(status == 200 for status, _data, _etag in before.values()) > 300
    hide(writer, make_post, noon)
    previewed = writer.client.get("/v2/posts/?preview=1", headers={"Authorization": f"Token {writer.secret}"})
    assert HIDDEN in previewed.data
    after = answers(writer.client, tokens)
    assert [path for path in before if after[path] != before[path]] == []
    told = {path for path, (_status, data, _etag) in after.items() if HIDDEN in data}
    assert {path for path in told if f"query={WORD}" not in path and f"fields.summary={WORD}" not in path} == set()
