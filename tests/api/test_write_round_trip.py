"""Entries sent back as they were read, with values of every field type, do not change."""

import io
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck
from hypothesis import strategies as st
from PIL import Image

from sitecms.content.schema import ContentSchema
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema

Writer = Any
URLS = [f"https://pictures.example/{number}.png" for number in range(3)]
NOTES = 3
FIELDS: list[dict[str, Any]] = [
    {"slug": "name", "type": "short_text"},
    {"slug": "notes", "type": "long_text"},
    {"slug": "bio", "type": "wysiwyg"},
    {"slug": "embed", "type": "html"},
    {"slug": "age", "type": "number"},
    {"slug": "born", "type": "date"},
    {"slug": "mood", "type": "dropdown", "options": [{"value": "calm"}, {"value": "frost"}]},
    {"slug": "active", "type": "checkbox", "default": True},
    {"slug": "tint", "type": "color"},
    {"slug": "photo", "type": "media"},
    {"slug": "one", "type": "reference", "targets": ["items", "page:guide"]},
    {"slug": "many", "type": "reference", "targets": ["items", "page:guide"], "many": True},
]
ROWS = {"slug": "rows", "type": "repeater", "fields": FIELDS}
SCHEMA = {
    "collections": [{"key": "items", "fields": FIELDS}],
    "components": [{"slug": "box", "fields": [*FIELDS, ROWS]}],
    "page_types": [{"slug": "guide", "fields": [
        *FIELDS, ROWS, {"slug": "box", "type": "component", "component": "box"},
        {"slug": "parts", "type": "component_picker", "components": ["box"]},
    ]}],
}  # fmt: skip
LARGEST = 2**53 - 1  # of the numbers that a field holds
TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn")) | st.just("\n"), max_size=12)
HTML = st.sampled_from([
    "", "<p>x</p>", "<p>a &amp; b <b>c</b></p>", '<p style="text-align: center">x</p>', "<h2 id=\"a\">x</h2>\n<hr>",
    '<p><a href="https://example.org/?a=1&amp;b=2">x</a></p>', '<p><img src="https://example.org/a.png" alt="a"></p>',
])  # fmt: skip
URL = st.sampled_from(URLS)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": TEXT, "notes": TEXT, "bio": HTML, "embed": HTML,
    "age": st.one_of(st.none(), st.integers(-LARGEST, LARGEST), st.floats(-LARGEST, LARGEST)),
    "born": st.one_of(st.none(), st.datetimes().map(lambda at: f"{at.isoformat()}Z")),
    "mood": st.sampled_from(["", "calm", "frost"]), "active": st.booleans(), "tint": st.sampled_from(["", "#0b6e99"]),
    "photo": st.one_of(st.just(""), URL, st.fixed_dictionaries({"url": URL, "alt": TEXT})),
    "one": st.one_of(st.none(), st.integers(1, NOTES)), "many": st.lists(st.integers(1, NOTES), max_size=3),
}  # fmt: skip
GROUP = st.fixed_dictionaries({}, optional=VALUES)
BOX = st.fixed_dictionaries({}, optional={**VALUES, "rows": st.lists(GROUP, max_size=2)})
PAGE = st.fixed_dictionaries({}, optional={
    **VALUES, "rows": st.lists(GROUP, max_size=2), "box": BOX,
    "parts": st.lists(BOX.map(lambda box: {"type": "box", "fields": box}), max_size=2),
})  # fmt: skip
POST = st.fixed_dictionaries({}, optional={
    "featured_image": URL, "featured_image_alt": TEXT, "body": HTML, "summary": TEXT, "seo_title": TEXT,
    "meta_description": TEXT, "categories": st.lists(st.sampled_from(["C", "C++", "Tides"]), unique=True),
    "tags": st.lists(st.sampled_from(["moon", "C#"]), unique=True), "author": st.sampled_from(["ann-ray", "bo-lind"]),
})  # fmt: skip
READS = st.tuples(st.booleans(), st.integers(1, 3))
WITHIN = hypothesis.settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(autouse=True)
def site(store: Database, remote: Any, writer: Writer) -> None:
    """Collections and page types of every field type, pictures, and items that can be referred to."""
    store.write(save_content_schema, ContentSchema.from_json(SCHEMA))
    for number, url in enumerate(URLS):
        picture = io.BytesIO()
        Image.new("RGB", (number + 1, 1)).save(picture, "PNG")
        remote.files[url] = picture.getvalue()
    elements = [{"name": f"Note {number}"} for number in range(NOTES)]
    body = {"key": "items", "status": "published", "fields": elements}
    assert writer.outcome(writer.post("/v2/content/", body))["ids"] == [1, 2, 3]


def sent_back(writer: Writer, method: str, path: str, read: Callable[[], Any], body: Callable[[Any], Any]) -> None:
    """Read, send what was read, read again: nothing has changed."""
    before = read()
    outcome = writer.outcome(writer.send(method, path, body(before)))
    assert outcome["status"] == "applied", outcome
    assert read() == before


def query(way: tuple[bool, int]) -> str:
    """The query of a read: with alt texts as objects or without, and levels of references."""
    return f"?alt_media_text={int(way[0])}&levels={way[1]}"


def alt_texts(writer: Writer, path: str) -> Any:
    """The read with alt texts, which the other reads do not show."""
    return writer.data(f"{path}?alt_media_text=1&levels=1")


def without_alt_texts(value: Any) -> Any:
    """The same fields, of which media have no alt texts."""
    if isinstance(value, list):
        return [without_alt_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"url", "alt"}:
        return {"url": value["url"]}
    return {name: without_alt_texts(each) for name, each in value.items()}


@WITHIN
@hypothesis.given(GROUP, READS, st.sampled_from(["PATCH", "PUT"]))
def test_items_sent_back_do_not_change(
    writer: Writer, fields: dict[str, Any], way: tuple[bool, int], method: str
) -> None:
    """PATCH and PUT are the same here; alt texts that were not read go, since plain addresses are sent back."""
    created = writer.post("/v2/content/", {"key": "items", "status": "published", "fields": [fields]})
    number = writer.outcome(created)["item_id"]

    def read() -> Any:
        found = writer.data(f"/v2/content/items/{query(way)}&limit=100&order=-published")["items"]
        return next(item for item in found if item["meta"]["id"] == number)

    path = f"/v2/content/items/{number}/"
    before = alt_texts(writer, path)
    sent_back(writer, method, path, read, lambda item: {"fields": item})
    assert alt_texts(writer, path) == (before if way[0] else without_alt_texts(before))
    assert writer.delete(path).status_code == 204


@WITHIN
@hypothesis.given(PAGE, READS, st.sampled_from(["PATCH", "PUT"]))
def test_pages_sent_back_do_not_change(
    writer: Writer, fields: dict[str, Any], way: tuple[bool, int], method: str
) -> None:
    """They have components, pickers and repeaters."""
    page = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published", "fields": fields}
    assert writer.outcome(writer.post("/v2/pages/", page))["status"] == "applied"
    path = "/v2/pages/guide/knots/"
    before = alt_texts(writer, path)["fields"]

    def read() -> Any:
        found = writer.data(f"{path}{query(way)}")
        return {name: found[name] for name in found if name != "updated"}

    sent_back(writer, method, path, read, lambda found: found)
    assert alt_texts(writer, path)["fields"] == (before if way[0] else without_alt_texts(before))
    assert writer.delete(path).status_code == 204


@WITHIN
@hypothesis.given(POST, st.sampled_from(["PATCH", "PUT"]))
def test_posts_sent_back_do_not_change(writer: Writer, fields: dict[str, Any], method: str) -> None:
    """They have read-only keys, and terms and author as objects."""
    assert writer.outcome(writer.post("/v2/posts/", {"title": "Ebb", "status": "published", **fields}))["slug"] == "ebb"
    path = "/v2/posts/ebb/"

    def read() -> Any:
        return writer.data(path)

    sent_back(writer, method, path, read, lambda found: found)
    assert writer.delete(path).status_code == 204


def test_media_sent_back_are_not_fetched_again(writer: Writer, remote: Any) -> None:
    """Stored media are recognised without a request, as they are read with alt texts or without."""
    element = {"name": "Ann", "photo": {"url": URLS[0], "alt": "Ann"}}
    body = {"key": "items", "status": "published", "fields": [element]}
    path = f"/v2/content/items/{writer.outcome(writer.post('/v2/content/', body))['item_id']}/"
    remote.fetched.clear()
    remote.missing.update(URLS)
    for sent in (alt_texts(writer, path), writer.data(path), element):
        before = alt_texts(writer, path)
        assert writer.outcome(writer.send("PUT", path, {"fields": sent}))["status"] == "applied"
        assert alt_texts(writer, path)["photo"]["url"] == before["photo"]["url"]
    assert remote.fetched == []
