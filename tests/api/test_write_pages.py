"""Writes of pages: bodies as clients send them, drafts, locales, references, limited tokens."""

from collections.abc import Callable
from typing import Any

import pytest

Writer = Any
pytestmark = pytest.mark.usefixtures("team_schema")
GUIDE = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published"}
NO_PAGE = {"detail": "Page not found."}
NAMELESS = {"title": ["You must specify a page title."], "slug": ["You must specify a page slug."]}
NO_CHOICE = '"scheduled" is not a valid choice. Valid choices: draft, published.'
FIELDS = "summary, rank, hero, body, steps, category, team, next, see"
UNKNOWN = f'There is no field "sumary". Did you mean "summary"? Fields: {FIELDS}.'


def test_page_with_all_field_types_is_created(writer: Writer, remote: Any, make_item: Callable[..., str]) -> None:
    """Numbers as text, dates with a zone, media as URL or object, references by id and slug, pickers in both forms."""
    make_item(7, {"name": "Ann"})
    remote.files["https://pictures.example/a.pdf"] = b"%PDF-1.4\n"
    fields = {
        "summary": "Two are enough", "rank": "7",
        "hero": {"title": "Hi", "image": "https://pictures.example/a.pdf", "by": 7},
        "body": [{"type": "quote", "fields": {"text": "A", "stars": 5}}, {"quote": {"text": "B"}}],
        "steps": [{"title": "One", "who": "7"}], "team": [7],
    }  # fmt: skip
    accepted = writer.post("/v2/pages/", {**GUIDE, "fields": fields})
    assert (accepted.status_code, accepted.get_json()) == (202, {"status": "pending"})
    page = writer.data("/v2/pages/guide/knots/")
    assert (page["name"], page["slug"], page["page_type"]) == ("Knots", "knots", "guide")
    read = page["fields"]
    assert (read["summary"], read["rank"], read["hero"]["by"]["name"]) == ("Two are enough", 7, "Ann")
    assert read["hero"]["image"].startswith("http://127.0.0.1:8000/media/")
    assert [part["fields"]["text"] for part in read["body"]] == ["A", "B"]
    assert read["team"][0]["meta"] == {"id": 7}
    assert [hit["slug"] for hit in writer.data("/v2/pages/search/?query=knots")] == ["knots"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, NAMELESS),
        ({"title": "", "slug": ""}, NAMELESS),
        ({**GUIDE, "page_type": "nope"}, {"page_type": ['There is no page type "nope". Page types: guide, news.']}),
        ({**GUIDE, "page_type": 3}, {"page_type": ['There is no page type "3". Page types: guide, news.']}),
        ({**GUIDE, "status": "scheduled"}, {"status": [NO_CHOICE]}),
        ({**GUIDE, "fields": [1]}, {"fields": ["Expected an object of fields."]}),
        ({**GUIDE, "fields": {"sumary": "x"}}, {"sumary": [UNKNOWN]}),
        ({**GUIDE, "fields": {"rank": "x"}}, {"rank": ["A valid number is required."]}),
        ({**GUIDE, "fields": {"hero": 1}}, {"hero": ["Must be an object."]}),
        ({**GUIDE, "fields": {"hero": {"image": "x"}}}, {"hero.image": [
            "Must be an http or https URL, or media/ and the name of a file in the media library."]}),
        ({**GUIDE, "fields": {"team": [99]}}, {"team[0]": ["99 is not found among team."]}),
        ({**GUIDE, "fields": {"en": {"rank": "x"}, "es": 1}},
            {"es": ["Must be an object of fields, since every key is a locale."]}),
        ({**GUIDE, "fields": {"en": {"rank": "x"}, "es": {"rank": "y"}}},
            {"en.rank": ["A valid number is required."], "es.rank": ["A valid number is required."]}),
    ],
)  # fmt: skip
def test_invalid_pages_are_400(writer: Writer, body: dict[str, object], said: dict[str, list[str]]) -> None:
    """The error is under the wrong key."""
    assert writer.refused("POST", "/v2/pages/", body) == said


def test_page_type_has_two_spellings(writer: Writer) -> None:
    """`page_type` or `page-type`; missing, null, "" and "*" mean a Single Page; slugs are unique within a type."""
    spellings: tuple[dict[str, object], ...] = ({}, {"page_type": None}, {"page-type": ""}, {"page_type": "*"})
    for number, body in enumerate(spellings):
        assert writer.post("/v2/pages/", {"title": "A", "slug": f"a{number}", **body}).status_code == 202
    assert writer.post("/v2/pages/", {"title": "A", "slug": "a0", "page-type": "news"}).status_code == 202
    writer.apply()
    assert writer.data("/v2/pages/*/a1/?preview=1")["page_type"] is None
    assert writer.data("/v2/pages/news/a0/?preview=1")["page_type"] == "news"
    taken = {"slug": ['A page with the slug "a0" already exists.']}
    assert writer.refused("POST", "/v2/pages/", {"title": "B", "slug": "A0", "page_type": "news"}) == taken
    assert list(writer.refused("PATCH", "/v2/pages/*/a0/", {}, 403)) == ["detail"]
    assert writer.patch("/v2/pages/*/a1/", {"fields": {"description": "x"}}).status_code == 202


def test_updates_merge(writer: Writer) -> None:
    """PATCH and PUT keep missing keys, components merge theirs; title and slug stay, with a warning."""
    fields = {"summary": "s", "hero": {"title": "Hi", "links": [{"label": "x"}]}}
    writer.post("/v2/pages/", {**GUIDE, "fields": fields})
    body = {"title": "New", "slug": "new", "fields": {"rank": 2, "hero": {"title": "Ho"}}}
    answered = writer.patch("/v2/pages/guide/knots/", body)
    assert sorted(answered.get_json()) == ["status", "warning: slug field", "warning: title field"]
    assert writer.send("PUT", "/v2/pages/guide/knots/", {"fields": {"steps": [{"title": "1"}]}}).status_code == 202
    page = writer.data("/v2/pages/guide/knots/")
    assert (page["name"], page["fields"]["summary"], page["fields"]["rank"]) == ("Knots", "s", 2)
    assert page["fields"]["hero"] == {"title": "Ho", "image": "", "by": None, "links": [{"label": "x"}]}
    assert page["fields"]["steps"] == [{"title": "1", "who": None}]


def test_localized_fields_create_versions(writer: Writer) -> None:
    """?locale= names the locale of plain fields."""
    writer.post("/v2/pages/", {**GUIDE, "fields": {"en": {"summary": "one"}, "es": {"summary": "uno"}}})
    assert writer.data("/v2/pages/guide/knots/?locale=es")["fields"]["summary"] == "uno"
    writer.patch("/v2/pages/guide/knots/?locale=es", {"fields": {"summary": "dos"}})
    assert writer.data("/v2/pages/guide/knots/")["fields"]["summary"] == "one"
    assert writer.data("/v2/pages/guide/knots/?locale=es")["fields"]["summary"] == "dos"
    writer.post("/v2/pages/?locale=es", {**GUIDE, "slug": "nudos"})
    writer.apply()
    assert writer.get("/v2/pages/guide/nudos/").get_json() == NO_PAGE
    writer.patch("/v2/pages/guide/nudos/", {"status": "published", "fields": {"summary": "x"}})
    assert writer.data("/v2/pages/guide/nudos/")["fields"]["summary"] == "x"
    assert list(writer.refused("PATCH", "/v2/pages/guide/knots/?locale=xx", {})) == ["locale"]


def test_waiting_page_can_be_updated_and_referred_to(writer: Writer) -> None:
    """Its slug names it before it exists, and its writes are applied in order."""
    writer.post("/v2/pages/", GUIDE)
    writer.patch("/v2/pages/guide/knots/", {"fields": {"summary": "two"}})
    writer.post("/v2/pages/", {**GUIDE, "slug": "ropes", "fields": {"next": "knots"}})
    assert writer.data("/v2/pages/guide/ropes/")["fields"]["next"]["fields"]["summary"] == "two"
    assert writer.refused("PATCH", "/v2/pages/guide/knots/", {"fields": {"rank": "x"}}) == {
        "rank": ["A valid number is required."]
    }


def test_unavailable_media_are_400(writer: Writer, remote: Any) -> None:
    """The message stands at the field."""
    url = "https://pictures.example/sea.png"
    remote.missing.add(url)
    hero = {"image": {"url": url, "alt": "x" * 256}}
    said = writer.refused("POST", "/v2/pages/", {**GUIDE, "fields": {"hero": hero}})
    assert said == {
        "hero.image": ["The remote file could not be found (HTTP 404)."],
        "hero.image.alt": ["Ensure this field has no more than 255 characters."],
    }


def test_token_limited_to_page_types(writer: Writer, writing: Callable[..., Writer]) -> None:
    """It writes pages of these types only; `*` stands for Single Pages."""
    news, single = writing("news", page_types=("news",)), writing("single", page_types=("*",))
    said = {"detail": "The token does not allow writes to pages of this type."}
    single_page: dict[str, object] = {"title": "About", "slug": "about"}
    assert news.post("/v2/pages/", {**GUIDE, "page_type": "news"}).status_code == 202
    assert single.post("/v2/pages/", single_page).status_code == 202
    assert news.refused("POST", "/v2/pages/", single_page | {"slug": "b"}, 403) == said
    assert single.refused("POST", "/v2/pages/", GUIDE, 403) == said
    assert news.refused("PATCH", "/v2/pages/*/about/", {}, 403) == said
    assert single.refused("DELETE", "/v2/pages/news/knots/", None, 403) == said
    assert writing("bo", author="bo-lind").refused("POST", "/v2/pages/", GUIDE, 403) == said
    for closed, body in ((single, {"page_type": "guide"}), (news, {})):
        assert closed.refused("POST", "/v2/pages/", body, 403) == said, "before anything else is said of the body"


def test_an_empty_list_of_fields_changes_nothing(writer: Writer, make_item: Callable[..., str]) -> None:
    """It is what an empty object of PHP arrives as."""
    make_item(7, {"name": "Ann"})
    writer.post("/v2/pages/", {**GUIDE, "fields": {"summary": "s"}})
    before = writer.data("/v2/pages/guide/knots/")["fields"], writer.data("/v2/content/team/7/")
    for path in ("/v2/pages/guide/knots/", "/v2/content/team/7/"):
        assert writer.patch(path, {"fields": []}).status_code == 202
    assert (writer.data("/v2/pages/guide/knots/")["fields"], writer.data("/v2/content/team/7/")) == before
