"""No write gives an entry the address of another one, as no file does: here posts stand at the root beside pages."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.content.schema import ContentSchema
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema
from tests.support.reading import execute, select

Writer = Any
pytestmark = [pytest.mark.both_engines, pytest.mark.usefixtures("team_schema")]
POST = {"title": "About", "slug": "about", "status": "published"}
PAGE = {"title": "About", "slug": "about", "status": "published"}
TYPED = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published"}
TWICE = '{"paths":{"en":"/Two/","es":"/two/"}}'


@pytest.fixture
def runtime(runtime: Runtime) -> Runtime:
    """The site with other permalinks."""
    links = replace(runtime.settings.permalinks, post="/{slug}/")
    return replace(runtime, settings=replace(runtime.settings, permalinks=links))


@pytest.fixture
def routed(store: Database, team_schema: ContentSchema) -> None:
    """Items of the team stand at the root, too."""
    team = replace(team_schema.collections["team"], route="/{slug}/")
    store.write(save_content_schema, replace(team_schema, collections={**team_schema.collections, "team": team}))


def refusal(kind: str, slug: str, other: str, path: str) -> object:
    """The answer that names the other entry and its address."""
    return {"slug": [f'A {kind} cannot have the slug "{slug}": {other} stands at that address, {path}.']}


def test_a_slug_that_gives_the_address_of_another_kind_is_refused(writer: Writer) -> None:
    """Whether the other one is applied or waits, and for a draft too, which would meet it later."""
    writer.outcome(writer.post("/v2/pages/", PAGE))
    about = refusal("post", "about", "the page */about", "/about/")
    assert writer.refused("POST", "/v2/posts/", POST) == about
    assert writer.refused("POST", "/v2/posts/", {**POST, "status": "draft"}) == about
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    ebb = refusal("page", "ebb", "the post ebb", "/ebb/")
    assert writer.refused("POST", "/v2/pages/", {**PAGE, "slug": "ebb"}) == ebb
    writer.apply()
    assert writer.refused("POST", "/v2/pages/", {**PAGE, "slug": "ebb"}) == ebb
    assert writer.refused("PATCH", "/v2/posts/ebb/", {"slug": "about"}) == about
    for kind, body in (("post", POST), ("page", PAGE)):
        taken = refusal(kind, "blog", "the list of all posts (en)", "/blog/")
        assert writer.refused("POST", f"/v2/{kind}s/", {**body, "slug": "blog"}) == taken


def test_a_slug_from_a_title_is_the_next_that_gives_a_free_address(writer: Writer) -> None:
    """A number is added, as where a post has the slug."""
    writer.outcome(writer.post("/v2/pages/", PAGE))
    made = writer.outcome(writer.post("/v2/posts/", {"title": "About", "status": "published"}))
    assert made["slug"] == "about-2"


def test_an_address_in_another_language_or_of_another_entry_is_free(writer: Writer) -> None:
    """A page of a type has its own folder, and a deleted or unpublished page no address."""
    writer.outcome(writer.post("/v2/pages/", TYPED))
    writer.outcome(writer.post("/v2/posts/", {**POST, "slug": "knots"}))
    writer.outcome(writer.post("/v2/pages/", {**PAGE, "status": "draft"}))
    writer.outcome(writer.post("/v2/posts/", POST))
    writer.outcome(writer.post("/v2/pages/", {**PAGE, "slug": "tide", "fields": {"en": {}}}))
    writer.outcome(writer.patch("/v2/posts/about/?locale=es", {"title": "Marea", "slug": "tide-es"}))
    writer.delete("/v2/pages/*/tide/")
    writer.apply()
    writer.outcome(writer.post("/v2/posts/", {**POST, "slug": "tide"}))


def test_a_draft_whose_address_was_taken_meanwhile_is_not_published(writer: Writer) -> None:
    """What is published already can be changed."""
    writer.outcome(writer.post("/v2/pages/", {**PAGE, "status": "draft"}))
    writer.outcome(writer.post("/v2/posts/", POST))
    taken = refusal("page", "about", "the post about", "/about/")
    assert writer.refused("PATCH", "/v2/pages/*/about/", {"status": "published"}) == taken
    assert writer.outcome(writer.patch("/v2/posts/about/", {"status": "published", "summary": "x"}))["errors"] == {}


@pytest.mark.parametrize("path", ["/knots/", "/Knots/", "/knots/index.html"])
def test_an_own_path_is_an_address(writer: Writer, make_post: Callable[..., int], store: Database, path: str) -> None:
    """In the form that a web server takes for the same; the one in the trash has none."""
    post_id = make_post("bend", path=path)
    answer = refusal("page", "knots", "the post bend", "/knots/")
    assert writer.refused("POST", "/v2/pages/", {**PAGE, "slug": "knots"}) == answer
    writer.delete("/v2/posts/bend/")
    writer.outcome(writer.post("/v2/pages/", {**PAGE, "slug": "knots"}))
    assert select(store, "SELECT path, kind, entry_id FROM own_path") == [(path.lower(), "post", post_id)]


def test_own_paths_follow_the_entry(store: Database, make_post: Callable[..., int]) -> None:
    """They are exchanged, shared by two languages, and end with the entry."""

    def paths() -> list[tuple[str, int]]:
        return [(path, entry_id) for path, entry_id in select(store, "SELECT path, entry_id FROM own_path")]

    first = make_post("a", path="/one/")
    assert paths() == [("/one/", first)]
    execute(store, "UPDATE entry SET addresses_json = ? WHERE id = ?", TWICE, first)
    assert paths() == [("/two/", first)]
    execute(store, "DELETE FROM entry WHERE id = ?", first)
    assert paths() == []


@pytest.mark.usefixtures("routed")
def test_an_item_with_a_page_has_its_address(writer: Writer, make_item: Callable[..., str]) -> None:
    """By the route of its collection."""
    make_item(7, {"name": "Ann"})
    answer = refusal("post", "ann", "the item 7 of team", "/ann/")
    assert writer.refused("POST", "/v2/posts/", {**POST, "slug": "ann"}) == answer
    writer.outcome(writer.post("/v2/posts/", {**POST, "slug": "bo"}))


@pytest.mark.usefixtures("routed")
@pytest.mark.parametrize("locale", ["en", "es"])
def test_the_own_path_of_an_item_is_an_address(
    writer: Writer, make_item: Callable[..., str], store: Database, locale: str
) -> None:
    """Also of one that has none in another locale in which it is published."""
    make_item(7, {"name": "Ann"}, es={"name": "Ana"})
    execute(store, "UPDATE entry SET addresses_json = ? WHERE id = 7", f'{{"paths":{{"{locale}":"/crew/"}}}}')
    answer = refusal("post", "crew", "the item 7 of team", "/crew/")
    assert writer.refused("POST", "/v2/posts/", {**POST, "slug": "crew"}) == answer


@pytest.mark.usefixtures("routed")
def test_an_item_is_not_published_at_the_address_of_another_entry(writer: Writer) -> None:
    """A new one, one that is changed, and a draft that is published; items of one name get a number instead."""
    occupant = "the page */about stands at that address, /about/"
    taken = {"fields": [f"This item cannot have the address that follows from its fields: {occupant}."]}
    writer.outcome(writer.post("/v2/pages/", PAGE))
    new = {"key": "team", "status": "published", "fields": [{"name": "Bo"}, {"name": "About"}]}
    assert writer.refused("POST", "/v2/content/", new) == taken
    writer.outcome(writer.post("/v2/content/", {**new, "fields": [{"name": "Bo"}, {"name": "Bo"}]}))
    writer.outcome(writer.post("/v2/content/", {**new, "status": "draft"}))
    assert writer.refused("PATCH", "/v2/content/team/1/", {"fields": {"name": "About"}}) == taken
    assert writer.refused("PATCH", "/v2/content/team/4/", {"status": "published"}) == taken
    assert writer.outcome(writer.patch("/v2/content/team/1/", {"fields": {"name": "Cy"}}))["errors"] == {}


@pytest.mark.usefixtures("routed")
@pytest.mark.parametrize(
    ("path", "body", "key"),
    [
        ("/v2/posts/", POST, "slug"),
        ("/v2/pages/", {**TYPED, "page_type": None, "slug": "about"}, "slug"),
        ("/v2/content/", {"key": "team", "status": "published", "fields": [{"name": "About"}]}, "fields"),
    ],
)
def test_a_write_whose_address_was_taken_before_it_is_applied_is_rejected(
    writer: Writer, store: Database, path: str, body: Any, key: str
) -> None:
    """By an entry that a file has meanwhile; the error says whose it is."""
    writer.outcome(writer.post("/v2/pages/", {**TYPED, "slug": "stone"}))
    accepted = writer.post(path, body)
    execute(store, "UPDATE entry SET addresses_json = ? WHERE slug = 'stone'", '{"paths":{"en":"/about/"}}')
    outcome = writer.outcome(accepted)
    assert outcome["status"] == "rejected"
    assert outcome["errors"] == {
        key: ["The page guide/stone stands at that address, /about/. Rename or delete that one first."]
    }
