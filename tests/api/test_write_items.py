"""Writes of collection items: several at once, quotas, drafts, untranslatable fields, limited tokens."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import force_setattr, replace

from sitecms.content.schema import ContentSchema
from sitecms.runtime import Runtime
from sitecms.settings.operations import Limits
from sitecms.store.database import Database
from sitecms.store.site_state.documents import load_content_schema, save_content_schema

Writer = Any
pytestmark = pytest.mark.usefixtures("boats")
TEAM = {"key": "team", "status": "published"}


def items(writer: Writer, key: str, query: str = "") -> list[dict[str, Any]]:
    """The items of a collection after everything was applied."""
    found: list[dict[str, Any]] = writer.data(f"/v2/content/{key}/{query}")[key]
    return found


def test_each_element_creates_an_item(writer: Writer) -> None:
    """An object counts as an array of one; ids are new; items are drafts by default."""
    accepted = writer.post("/v2/content/", {**TEAM, "fields": [{"name": "Ann"}, {"name": "Bo"}]})
    assert (accepted.status_code, accepted.get_json()) == (202, {"status": "pending"})
    writer.post("/v2/content/", {**TEAM, "fields": {"name": "Cy"}})
    writer.post("/v2/content/", {"key": "team", "fields": [{"name": "Di"}]})
    assert [item["name"] for item in items(writer, "team")] == ["Ann", "Bo", "Cy"]
    preview = items(writer, "team", "?preview=1")
    assert [item["name"] for item in preview] == ["Ann", "Bo", "Cy", "Di"]
    assert len({item["meta"]["id"] for item in preview}) == 4
    outcome = writer.get(accepted.headers["Location"]).get_json()
    assert (outcome["status"], outcome["kind"], outcome["item_id"]) == ("applied", "item", preview[0]["meta"]["id"])
    assert outcome["ids"] == [item["meta"]["id"] for item in preview[:2]]


def test_items_of_one_waiting_write_are_independent(writer: Writer) -> None:
    """Each can be updated and referred to before the others exist; its writes keep their order."""
    accepted = writer.post("/v2/content/", {**TEAM, "fields": [{"name": "Ann"}, {"name": "Bo"}, {"name": "Cy"}]})
    ids = writer.get(accepted.headers["Location"]).get_json()["ids"]
    for tint in ("#111111", "#222222"):
        assert writer.patch(f"/v2/content/team/{ids[2]}/", {"fields": {"tint": tint}}).status_code == 202
    assert writer.post("/v2/content/", {**TEAM, "fields": {"name": "Di", "mentor": ids[1]}}).status_code == 202
    found = {item["name"]: item for item in items(writer, "team")}
    assert (found["Cy"]["tint"], found["Di"]["mentor"]["name"]) == ("#222222", "Bo")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, {"key": ["This field is required."], "fields": ["This field is required."]}),
        ({"key": "nope", "fields": [{}]}, {"key": ['There is no collection "nope".']}),
        ({"key": 1, "fields": [{}]}, {"key": ["Not a valid string."]}),
        ({**TEAM, "fields": []}, {"fields": ["This list may not be empty."]}),
        ({**TEAM, "fields": "x"}, {"fields": ["Expected an object of fields."]}),
        ({**TEAM, "fields": [1]}, {"fields": ["Expected an object of fields."]}),
        ({**TEAM, "status": "scheduled", "fields": [{}]},
            {"status": ['"scheduled" is not a valid choice. Valid choices: draft, published.']}),
        ({**TEAM, "fields": [{"notebooks": "x"}]}, {"notebooks": ["A valid number is required."]}),
        ({**TEAM, "fields": [{}, {"active": "x"}]}, {"fields[1].active": ["Must be true or false."]}),
        ({"key": "boats", "fields": [{}]}, {"name": ["This field is required."]}),
        ({"key": "boats", "fields": [{"name": "   "}]}, {"name": ["This field is required."]}),
        ({**TEAM, "fields": [{"photo": {"url": 1, "alt": []}}]},
            {"photo": ["Must be text."], "photo.alt": ["Must be text."]}),
    ],
)  # fmt: skip
def test_invalid_items_are_400(writer: Writer, body: dict[str, object], said: dict[str, list[str]]) -> None:
    """The response is a field map; of several elements all or none are accepted."""
    assert writer.refused("POST", "/v2/content/", body) == said
    assert items(writer, "team", "?preview=1") == []


def test_patch_merges_and_put_replaces(writer: Writer) -> None:
    """PATCH keeps what was not sent; PUT gives it its default, and wants what is required."""
    fields = {"name": "Tern", "metres": 7, "note": "x"}
    writer.post("/v2/content/", {"key": "boats", "status": "published", "fields": fields})
    (item,) = items(writer, "boats")
    path = f"/v2/content/boats/{item['meta']['id']}/"
    assert writer.patch(path, {"fields": {"note": "y"}}).get_json() == {"status": "pending"}
    assert items(writer, "boats")[0] == {**item, "note": "y"}
    assert writer.refused("PUT", path, {"fields": {"note": "z"}}) == {"name": ["This field is required."]}
    assert writer.send("PUT", path, {"fields": {"name": "Gull"}}).status_code == 202
    assert items(writer, "boats")[0] == {**item, "name": "Gull", "metres": None, "note": "none"}


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_values_of_removed_fields_are_kept(writer: Writer, store: Database, method: str) -> None:
    """A write keeps them, and they are shown again once the field is back."""
    writer.post("/v2/content/", {"key": "boats", "status": "published", "fields": {"name": "Tern", "note": "x"}})
    (item,) = items(writer, "boats")
    schema = store.read(load_content_schema)
    changed: Any = schema.as_json()
    (boats,) = (each for each in changed["collections"] if each["key"] == "boats")
    boats["fields"] = [each for each in boats["fields"] if each["slug"] != "note"]
    store.write(save_content_schema, ContentSchema.from_json(changed))
    path = f"/v2/content/boats/{item['meta']['id']}/"
    assert writer.send(method, path, {"fields": {"name": "Gull"}}).status_code == 202
    assert "note" not in items(writer, "boats")[0]
    store.write(save_content_schema, schema)
    assert items(writer, "boats")[0] == {**item, "name": "Gull"}


def test_untranslatable_fields_have_one_value(writer: Writer) -> None:
    """It is the same in all locales, new ones included; a draft changes it once it is published."""
    fields = {"en": {"name": "Tern", "metres": 7}, "es": {"name": "Charrán"}}
    writer.post("/v2/content/", {"key": "boats", "status": "published", "fields": fields})
    (item,) = items(writer, "boats", "?locale=es")
    assert item["metres"] == 7
    path = f"/v2/content/boats/{item['meta']['id']}/"
    writer.patch(f"{path}?locale=es", {"fields": {"metres": 8}})
    assert items(writer, "boats")[0]["metres"] == 8
    writer.patch(path, {"status": "draft", "fields": {"metres": 9}})
    assert items(writer, "boats")[0]["metres"] == items(writer, "boats", "?locale=es")[0]["metres"] == 8
    writer.patch(path, {"status": "published"})
    assert items(writer, "boats", "?locale=es")[0]["metres"] == 9
    writer.post("/v2/content/", {"key": "boats", "status": "published", "fields": {"name": "Gull", "metres": 3}})
    path = f"/v2/content/boats/{items(writer, 'boats')[1]['meta']['id']}/"
    writer.patch(f"{path}?locale=es", {"status": "published", "fields": {"name": "Gaviota"}})
    assert items(writer, "boats", "?locale=es")[1]["metres"] == 3


def test_item_quota(writer: Writer, writing: Callable[..., Writer], runtime: Runtime, monkeypatch: Any) -> None:
    """The error is 400 {error}; accepted items count, deleted ones do not; elements are accepted all or none."""
    force_setattr(runtime, "settings", replace(runtime.settings, limits=Limits(collection_items=2)))
    small = writing("small")
    full = {"error": "Cannot create a new Collection Item. Collection Item Limit Reached."}
    assert small.refused("POST", "/v2/content/", {**TEAM, "fields": [{}, {}, {}]}) == full
    assert small.post("/v2/content/", {**TEAM, "fields": [{"name": "Ann"}]}).status_code == 202
    assert small.post("/v2/content/", {**TEAM, "fields": [{"name": "Bo"}]}).status_code == 202
    assert small.refused("POST", "/v2/content/", {**TEAM, "fields": [{}]}) == full
    first = items(small, "team")[0]["meta"]["id"]
    assert small.refused("POST", "/v2/content/", {**TEAM, "fields": [{}]}) == full
    assert small.delete(f"/v2/content/team/{first}/").status_code == 204
    assert small.post("/v2/content/", {**TEAM, "fields": [{}]}).status_code == 202


def test_unknown_collections_and_items_are_404(writer: Writer) -> None:
    """An item of another collection is 404 too."""
    writer.post("/v2/content/", {**TEAM, "fields": {"name": "Ann"}})
    number = items(writer, "team")[0]["meta"]["id"]
    for path in (f"boats/{number}", "team/99", "team/x", "team/9999999999999999999", "nope/1"):
        for method in ("PATCH", "PUT", "DELETE"):
            assert list(writer.refused(method, f"/v2/content/{path}/", {}, 404)) == ["detail"]


def test_token_limited_to_collections(writing: Callable[..., Writer]) -> None:
    """It writes items of these collections only."""
    boats = writing("boats", collections=("boats",))
    said = {"detail": "The token does not allow writes to this collection."}
    assert boats.post("/v2/content/", {"key": "boats", "fields": {"name": "Tern"}}).status_code == 202
    assert boats.refused("POST", "/v2/content/", {**TEAM, "fields": {"name": "Ann"}}, 403) == said
    team = writing("team", collections=("team",))
    assert team.post("/v2/content/", {**TEAM, "fields": {"name": "Ann"}}).status_code == 202
    number = items(team, "team")[0]["meta"]["id"]
    for method in ("PATCH", "PUT", "DELETE"):
        assert boats.refused(method, f"/v2/content/team/{number}/", {}, 403) == said


def test_incomplete_replacement_of_a_waiting_item_is_400(writer: Writer) -> None:
    """A missing required field is an error at once, as for an item that is stored."""
    accepted = writer.post("/v2/content/", {"key": "boats", "fields": {"name": "Ebb"}, "status": "published"})
    item_id = writer.get(accepted.headers["Location"]).get_json()["item_id"]
    path = f"/v2/content/boats/{item_id}/"
    assert writer.refused("PUT", path, {"fields": {"note": "z"}}) == {"name": ["This field is required."]}
    assert writer.outcome(writer.send("PUT", path, {"fields": {"name": "Flow"}}))["status"] == "applied"
