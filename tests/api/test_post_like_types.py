"""Pages and items whose type declares categories, tags and a featured picture, in answers and writes."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.content.schema import ContentSchema, post_like_fields
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema

Writer = Any
pytestmark = [pytest.mark.both_engines, pytest.mark.usefixtures("declared")]
TERMS = ("categories", "tags")
PATHS = {"page": "/v2/pages/guide/knots/", "item": "/v2/content/team/1/"}
BODIES = {
    "page": ("/v2/pages/", {"page_type": "guide", "title": "Knots", "slug": "knots"}),
    "item": ("/v2/content/", {"key": "team"}),
}


@pytest.fixture
def declared(store: Database, team_schema: ContentSchema) -> None:
    """The type `guide` and the collection `team` have terms and a picture."""
    own: dict[str, Any] = {"terms": TERMS, "featured_image": True}
    more = post_like_fields(TERMS, has_image=True)
    guide, team = team_schema.page_types["guide"], team_schema.collections["team"]
    schema = replace(
        team_schema,
        page_types={**team_schema.page_types, "guide": replace(guide, fields=(*guide.fields, *more), **own)},
        collections={**team_schema.collections, "team": replace(team, fields=(*team.fields, *more), **own)},
    )
    store.write(save_content_schema, schema)


@pytest.fixture(params=PATHS)
def kind(request: pytest.FixtureRequest) -> str:
    """A page, and an item."""
    return str(request.param)


def create(writer: Writer, kind: str, fields: dict[str, Any]) -> None:
    """Create the published entry."""
    path, body = BODIES[kind]
    outcome = writer.outcome(writer.post(path, {**body, "status": "published", "fields": {"name": "Ann", **fields}
                                               if kind == "item" else fields}))  # fmt: skip
    assert outcome["errors"] == {}


def read(writer: Writer, kind: str) -> Any:
    """Return the fields of the entry as reads answer them."""
    data = writer.data(PATHS[kind])
    return data["fields"] if kind == "page" else data


def test_reads_answer_terms_as_those_of_posts(writer: Writer, kind: str) -> None:
    """With name and slug; what was read can be sent again."""
    create(writer, kind, {"tags": ["Full moon", {"name": "C++"}], "categories": ["Tides"]})
    fields = read(writer, kind)
    assert fields["tags"] == [{"name": "Full moon", "slug": "full-moon"}, {"name": "C++", "slug": "c-plus-plus"}]
    assert (fields["categories"], fields["featured_image"]) == ([{"name": "Tides", "slug": "tides"}], "")
    writer.outcome(writer.patch(PATHS[kind], {"fields": {"tags": fields["tags"]}}))
    assert read(writer, kind) == fields
    assert [term["name"] for term in writer.data("/v2/tags/")] == ["Full moon", "C++"]
    writer.outcome(writer.patch(PATHS[kind], {"fields": {"tags": None}}))
    assert (read(writer, kind)["tags"], read(writer, kind)["categories"]) == ([], fields["categories"])


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("moon", "Must be a list of names."),
        (["!"], '"!" is a name from which no address can be made: name it with letters or digits.'),
        ([7], "Must be text."),
    ],
)
def test_other_values_are_refused(writer: Writer, kind: str, sent: object, message: str) -> None:
    """Under the field, with the place in the list."""
    create(writer, kind, {})
    place = "tags" if sent == "moon" else "tags[0]"
    assert writer.refused("PATCH", PATHS[kind], {"fields": {"tags": sent}}) == {place: [message]}


def test_lists_are_filtered_by_a_name(writer: Writer, kind: str, make_page: Callable[..., int]) -> None:
    """And by no term at all; the field does not sort."""
    create(writer, kind, {"tags": ["Moon", "Sea"]})
    make_page("other")
    path = "/v2/pages/guide/" if kind == "page" else "/v2/content/team/"

    def count(query: str) -> int:
        return int(writer.get(f"{path}?{query}").json["meta"]["count"])

    assert (count("fields.tags=Moon"), count("fields.tags=Sea"), count("fields.tags=Sun")) == (1, 1, 0)
    assert writer.get(f"{path}?order=tags").status_code == 403


def test_a_type_that_declares_nothing_answers_as_before(writer: Writer) -> None:
    """And refuses the keys as those of fields that do not exist."""
    writer.outcome(writer.post("/v2/pages/", {"title": "News", "slug": "news", "page_type": "news"}))
    assert not {"tags", "categories", "featured_image"} & writer.data("/v2/pages/news/news/?preview=1")["fields"].keys()
    refused = writer.refused("PATCH", "/v2/pages/news/news/", {"fields": {"tags": ["Moon"]}})
    assert refused["tags"][0].startswith('There is no field "tags".')


def test_the_description_of_the_api_has_them(writer: Writer) -> None:
    """As lists of terms in reads, of names or terms in writes."""
    schemas = writer.get("/v2/openapi.json").json["components"]["schemas"]
    assert schemas["Page.guide.fields"]["properties"]["tags"]["items"] == {"$ref": "#/components/schemas/Term"}
    assert "featured_image" in schemas["Page.guide.fields"]["properties"]
    assert "categories" in schemas["Item.team"]["properties"]
    assert len(schemas["PageFields.guide"]["properties"]["tags"]["items"]["anyOf"]) == 2
    assert "tags" not in schemas["Page.news.fields"]["properties"]
