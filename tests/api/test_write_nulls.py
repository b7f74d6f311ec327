"""null in an update unsets a key, counts as left out, or is refused."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema
from tests.support.reading import execute, select

Writer = Any
NOT_NULL = ["This field may not be null."]
REQUIRED = ["This field is required."]
LATER = datetime(2031, 1, 1, tzinfo=UTC)
SIMPLE = {
    "short_text": ("x", ""), "long_text": ("x", ""), "wysiwyg": ("<p>x</p>", ""), "html": ("<p>x</p>", ""),
    "number": (7, None), "date": ("2026-03-01T08:00:00", None), "dropdown": ("calm", ""), "checkbox": (True, False),
    "color": ("#0b6e99", ""), "media": ("https://pictures.example/a.pdf", ""), "reference": (1, None),
}  # fmt: skip
"""A value of each type that a collection can have, and the value of the field once it is unset."""


def spec(kind: str, slug: str, **more: object) -> dict[str, object]:
    """The declaration of a field."""
    of_kind: dict[str, dict[str, object]] = {
        "dropdown": {"options": [{"value": "calm"}]}, "reference": {"targets": ["notes"]}}  # fmt: skip
    return {"slug": slug, "type": kind, **of_kind.get(kind, {}), **more}


@pytest.fixture(autouse=True)
def schema(store: Database, remote: Any) -> None:
    """A collection, a component and a page type with fields of every type, optional and required."""
    remote.files["https://pictures.example/a.pdf"] = b"%PDF-1.4\n"
    fields = [spec(kind, kind) for kind in SIMPLE] + [spec("number", "lucky", default=7)]
    needed = [spec(kind, f"needed_{kind}", required=True) for kind in SIMPLE]
    lists = [
        {"slug": "many", "type": "reference", "targets": ["notes"], "many": True},
        {"slug": "rows", "type": "repeater", "fields": fields},
    ]
    made = {
        "collections": [
            {"key": "notes", "fields": [spec("short_text", "name")]}, {"key": "things", "fields": [*fields, *needed]},
        ],
        "components": [{"slug": "box", "fields": [*fields, *lists, *needed]}],
        "page_types": [{"slug": "guide", "fields": [
            {"slug": "box", "type": "component", "component": "box"},
            {"slug": "parts", "type": "component_picker", "components": ["box"]}, *lists,
        ]}],
    }  # fmt: skip
    store.write(save_content_schema, ContentSchema.from_json(made))


@pytest.fixture
def values(writer: Writer) -> dict[str, object]:
    """A value of each field, by its slug; the note that is referred to is there."""
    created = writer.post("/v2/content/", {"key": "notes", "status": "published", "fields": [{"name": "n"}]})
    assert writer.outcome(created)["status"] == "applied"
    sent = {kind: value for kind, (value, _) in SIMPLE.items()}
    return {**sent, **{f"needed_{kind}": value for kind, value in sent.items()}, "lucky": 3}


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_null_unsets_optional_fields_of_items(writer: Writer, values: dict[str, object], method: str) -> None:
    """Each field type, in PATCH and PUT, whatever its default; a required field is refused."""
    created = writer.post("/v2/content/", {"key": "things", "status": "published", "fields": [values]})
    path = f"/v2/content/things/{writer.outcome(created)['item_id']}/"
    unset = {**dict.fromkeys(SIMPLE), "lucky": None}
    assert writer.outcome(writer.send(method, path, {"fields": {**values, **unset}}))["status"] == "applied"
    (item,) = writer.data("/v2/content/things/")["things"]
    assert {slug: item[slug] for slug in unset} == {
        **{kind: after for kind, (_, after) in SIMPLE.items()},
        "lucky": None,
    }
    for kind in SIMPLE.keys() - {"checkbox"}:
        sent = {**values, f"needed_{kind}": None}
        assert writer.refused(method, path, {"fields": sent}) == {f"needed_{kind}": REQUIRED}


def test_null_unsets_fields_inside_components_and_lists(writer: Writer, values: dict[str, object]) -> None:
    """In a component it concerns one key, in a list the entries that are sent; both can be unset as a whole."""
    box = {**values, "many": [1], "rows": [{"short_text": "x"}]}
    fields = {"box": box, "parts": [{"box": box}], "many": [1], "rows": [{"short_text": "x"}]}
    page = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published", "fields": fields}
    assert writer.outcome(writer.post("/v2/pages/", page))["status"] == "applied"
    path = "/v2/pages/guide/knots/"
    unset = {**dict.fromkeys(SIMPLE), "many": None, "rows": None}
    after: dict[str, object] = {**{kind: value for kind, (_, value) in SIMPLE.items()}, "many": [], "rows": []}
    sent = {"box": unset, "parts": [{"box": {**box, **unset}}], "rows": [dict.fromkeys(SIMPLE)]}
    assert writer.outcome(writer.patch(path, {"fields": sent}))["status"] == "applied"
    found = writer.data(path)["fields"]
    for part in (found["box"], found["parts"][0]["fields"]):
        assert {slug: part[slug] for slug in after} == after
    assert {slug: found["rows"][0][slug] for slug in SIMPLE} == {kind: value for kind, (_, value) in SIMPLE.items()}
    assert found["box"]["needed_short_text"] == "x"
    assert writer.refused("PATCH", path, {"fields": {"box": {"needed_media": None}}}) == {"box.needed_media": REQUIRED}
    assert list(writer.refused("PATCH", path, {"fields": {"many": [None], "rows": [None]}})) == ["many[0]", "rows[0]"]
    nothing = dict.fromkeys(fields)
    assert writer.outcome(writer.patch(path, {"fields": nothing}))["status"] == "applied"
    read = writer.data(path)["fields"]
    assert read == {"box": {}, "parts": [], "many": [], "rows": []}
    assert writer.outcome(writer.send("PUT", path, {"fields": read}))["status"] == "applied"
    assert writer.data(path)["fields"] == read


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_null_in_keys_of_posts(writer: Writer, method: str) -> None:
    """A title is refused; slug, status, author and `scheduled` count as left out; the other keys are unset."""
    body = {
        "title": "Ebb", "status": "published", "featured_image": "https://pictures.example/a.pdf",
        "featured_image_alt": "Sea", "body": "<p>x</p>", "summary": "s", "seo_title": "o", "meta_description": "m",
        "categories": ["Tides"], "tags": ["moon"], "author": "bo-lind",
    }  # fmt: skip
    assert writer.outcome(writer.post("/v2/posts/", body))["status"] == "applied"
    texts = ("featured_image_alt", "body", "summary", "seo_title", "meta_description")
    unset = dict.fromkeys(
        (*texts, "featured_image", "categories", "tags", "upload_images_to_media_library", "scheduled")
    )
    answered = writer.send(method, "/v2/posts/ebb/", unset)
    ignored = "The field scheduled was ignored: it cannot be set here."
    assert answered.get_json() == {"status": "pending", "warning: scheduled field": ignored}
    post = writer.data("/v2/posts/ebb/")
    assert {name: post[name] for name in texts} == dict.fromkeys(texts, "")
    assert (post["featured_image"], post["categories"], post["tags"]) == (None, [], [])
    assert (post["title"], post["status"], post["author"]["slug"]) == ("Ebb", "published", "bo-lind")
    left_out = dict.fromkeys(("slug", "status", "author"))
    assert writer.outcome(writer.send(method, "/v2/posts/ebb/", left_out))["status"] == "applied"
    assert writer.data("/v2/posts/ebb/") == post
    assert writer.refused(method, "/v2/posts/ebb/", {"title": None, **left_out}) == {"title": NOT_NULL}
    assert writer.refused(method, "/v2/posts/ebb/?locale=es", {"title": None}) == {"title": NOT_NULL}


def test_null_in_keys_of_pages_and_items(writer: Writer) -> None:
    """Fields, and the title of a page, cannot be unset; status and slug count as left out."""
    writer.post("/v2/pages/", {"title": "Knots", "slug": "knots", "status": "published"})
    created = writer.post("/v2/content/", {"key": "notes", "status": "published", "fields": [{"name": "x"}]})
    item = f"/v2/content/notes/{writer.outcome(created)['item_id']}/"
    before = writer.data("/v2/pages/*/knots/"), writer.data("/v2/content/notes/")
    for method in ("PATCH", "PUT"):
        sent = dict.fromkeys(("title", "fields"))
        assert writer.refused(method, "/v2/pages/*/knots/", sent) == dict.fromkeys(sent, NOT_NULL)
        assert writer.refused(method, item, {"fields": None}) == {"fields": NOT_NULL}
        sent = dict.fromkeys(("status", "slug"))
        assert writer.outcome(writer.send(method, "/v2/pages/*/knots/", sent))["status"] == "applied"
        outcome = writer.outcome(writer.send(method, item, {"status": None, "fields": {"name": "x"}}))
        assert outcome["status"] == "applied"
        after = writer.data("/v2/pages/*/knots/"), writer.data("/v2/content/notes/")
        assert [page["published"] for page in (after[0], before[0])] == [after[0]["published"]] * 2
        assert after[1] == before[1]


@pytest.mark.parametrize("value", [None, "2031-01-01T00:00:00Z"])
def test_a_schedule_is_ignored_with_a_warning(
    writer: Writer, make_post: Callable[..., int], make_page: Callable[..., int], store: Database, value: str | None
) -> None:
    """Published clients send back what they read: a scheduled entry keeps its time, whatever `scheduled` says."""
    make_post("ebb", status=Status.SCHEDULED, scheduled_at=LATER)
    make_page("about", page_type="", status=Status.DRAFT)
    execute(store, "UPDATE version SET status = 'scheduled', scheduled_at = 1 WHERE kind = 'page'")
    for path in ("/v2/posts/ebb/", "/v2/pages/*/about/"):
        before = select(store, "SELECT kind, status, scheduled_at FROM version ORDER BY kind")
        answered = writer.patch(path, {"scheduled": value})
        assert answered.get_json()["warning: scheduled field"]
        assert writer.outcome(answered)["status"] == "applied"
        assert select(store, "SELECT kind, status, scheduled_at FROM version ORDER BY kind") == before


def test_null_in_a_creation_counts_as_missing(writer: Writer) -> None:
    """Typed clients send it for unset values."""
    body = dict.fromkeys(("slug", "status", "author", "summary", "featured_image", "tags", "scheduled"))
    assert writer.outcome(writer.post("/v2/posts/", {"title": "Ebb", **body}))["slug"] == "ebb"
