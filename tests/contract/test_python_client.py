"""PyPI `buttercms-python`, unmodified, against a served site: every method, and the tests that ship in its wheel."""

import unittest
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from butter_cms import ButterCMS, unit_tests
from butter_cms.client import Client
from requests.exceptions import HTTPError

RESOURCES = ("authors", "categories", "content_fields", "feeds", "pages", "posts", "tags")
SHIPPED = {
    test.id().partition("unit_tests.")[2]: test
    for group in unittest.defaultTestLoader.loadTestsFromModule(unit_tests)
    if isinstance(group, unittest.TestSuite)
    for test in group
    if isinstance(test, unittest.TestCase)
}
PAGE_KEYS = {"slug", "name", "page_type", "published", "updated", "fields"}
Make = Callable[..., Any]


@pytest.fixture
def make(service: Any) -> Make:
    """Make a client of the service; its base is the attribute `url` of every resource."""

    def connect(token: str = service.token) -> Any:
        client = ButterCMS(token)
        for name in RESOURCES:
            getattr(client, name).url = f"{service.base}/"
        return client

    return connect


@pytest.fixture
def butter(make: Make) -> Any:
    """A client with a read token."""
    return make()


@pytest.fixture
def to_service(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients made from here on ask the service, as the shipped tests make theirs with a token of their own."""
    original = Client.__init__

    def start(self: Any, _token: str) -> None:
        original(self, service.token)
        self.url = f"{service.base}/"

    monkeypatch.setattr(Client, "__init__", start)


def slugs(answer: Mapping[str, Any]) -> list[str]:
    """The slugs in a list, in order."""
    return [entry["slug"] for entry in answer["data"]]


def failure(call: Callable[[], Any]) -> int:
    """The status that a call fails with, as the client tells it."""
    with pytest.raises(HTTPError) as caught:
        call()
    return int(caught.value.args[0])


def test_the_shipped_tests_are_found() -> None:
    """All of them, so that none is lost silently when the client moves them."""
    assert len(SHIPPED) == 21
    assert {name.partition(".")[0] for name in SHIPPED} == {
        "TestAuthor", "TestCategory", "TestTag", "TestContentField", "TestFeed", "TestPage", "TestPost",
    }  # fmt: skip


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_test(to_service: None, name: str) -> None:
    """A test out of the client's wheel passes."""
    result = unittest.TestResult()
    SHIPPED[name].run(result)
    assert [text for _, text in (*result.errors, *result.failures, *result.skipped)] == []
    assert result.testsRun == 1


def test_every_resource_is_known(butter: Any) -> None:
    """The client has no resource that these tests do not point at the service."""
    assert {name for name, value in vars(butter).items() if hasattr(value, "url")} == set(RESOURCES)


def test_one_post(butter: Any) -> None:
    """With its neighbours, newer and older, and every field of the specification."""
    answer = butter.posts.get("cold-hops")
    assert (answer["meta"]["next_post"]["slug"], answer["meta"]["previous_post"]["slug"]) == (
        "test-post",
        "pressed-apples",
    )
    assert set(answer["meta"]["next_post"]) == {"slug", "title", "featured_image"}
    post = butter.posts.get("test-post")["data"]
    assert list(post) == [
        "url", "created", "updated", "published", "author", "categories", "tags", "featured_image",
        "featured_image_alt", "slug", "title", "body", "summary", "seo_title", "meta_description", "status",
    ]  # fmt: skip
    assert (post["author"]["slug"], post["categories"]) == ("adam-yala", [{"name": "Beer", "slug": "beer"}])
    assert post["featured_image"].startswith("http://127.0.0.1:")
    assert butter.posts.get("plain")["data"]["featured_image"] is None


@pytest.mark.parametrize(
    ("resource", "slug", "others"), [("authors", "adam-yala", "eva-lund"), ("categories", "beer", "cider"),
                                     ("tags", "beer", "oak")],
)  # fmt: skip
def test_authors_and_terms(butter: Any, resource: str, slug: str, others: str) -> None:
    """All and one, bare and with their newest posts, by locale too; the slug needs no slash at its end."""
    asked = getattr(butter, resource)
    assert slugs(asked.all()) == [slug, others]
    one = asked.get(slug)["data"]
    assert one == asked.get(f"{slug}/")["data"] == asked.all()["data"][0]
    assert "recent_posts" not in one
    newest = asked.get(slug, {"include": "recent_posts"})["data"]
    assert [post["slug"] for post in newest["recent_posts"]][:2] == ["test-post", "cold-hops"]
    spanish = asked.all({"include": "recent_posts", "locale": "es"})["data"][0]
    assert [post["slug"] for post in spanish["recent_posts"]] == ["lupulo-frio"]


@pytest.mark.parametrize(("name", "root"), [("rss", "rss"), ("atom", "feed"), ("sitemap", "urlset")])
def test_feeds(butter: Any, name: str, root: str) -> None:
    """Well-formed XML inside JSON, narrowed by category and tag where it is a feed."""
    text = butter.feeds.get(name)["data"]
    assert text.startswith("<?xml")
    assert Xml.fromstring(text).tag.rpartition("}")[2] == root
    assert "/test-post/" in text
    if name != "sitemap":
        assert "/test-post/" not in butter.feeds.get(name, {"category_slug": "cider"})["data"]
        assert "/pressed-apples/" in butter.feeds.get(name, {"tag_slug": "oak"})["data"]
    assert "/lupulo-frio/" in butter.feeds.get(name, {"locale": "es"})["data"]


def test_one_page(butter: Any) -> None:
    """By its type or `*`; drafts with `preview`; another locale; media with their text."""
    page = butter.pages.get("news", "hello-world")["data"]
    assert (set(page), page["name"]) == (PAGE_KEYS, "Hello, world")
    assert page["fields"]["day"] == "2026-02-03T10:30:00"
    assert butter.pages.get("*", "hello-world")["data"] == page
    assert butter.pages.get("*", "about")["data"]["page_type"] is None
    assert butter.pages.get("news", "second-cask", {"preview": 1})["data"]["fields"]["headline"].endswith("empty")
    assert butter.pages.get("news", "hello-world", {"locale": "es"})["data"]["fields"]["headline"].startswith("La tr")
    media = butter.pages.get("news", "hello-world", {"alt_media_text": 1})["data"]["fields"]["cover"]
    assert (media["url"], media["alt"]) == (page["fields"]["cover"], "A full glass")


def test_search_of_pages(butter: Any) -> None:
    """Over all types, one type, or Single Pages; by locale; referenced content is shown and not searched."""
    assert set(slugs(butter.pages.search("test"))) == {"hello-world", "about"}
    assert slugs(butter.pages.search("test", {"page_type": "news", "levels": 1})) == ["hello-world"]
    assert slugs(butter.pages.search("test", {"page_type": "*"})) == ["about"]
    assert slugs(butter.pages.search("prueba", {"locale": "es"})) == ["hello-world"]
    assert butter.pages.search("test", {"limit": 1, "offset": 1})["meta"]["count"] == 2
    assert slugs(butter.pages.search("Hale")) == []
    assert slugs(butter.pages.search("secret")) == []


def test_content_fields(butter: Any) -> None:
    """One key is paged and has meta, several have all items and none; filters in brackets; no key, no content."""
    one = butter.content_fields.get(["team"], {"page_size": 2})
    assert one["meta"] == {"count": 3, "next_page": 2, "previous_page": None}
    assert [item["meta"]["id"] for item in one["data"]["team"]] == [10, 11]
    several = butter.content_fields.get(["homepage_headline", "homepage_title", "team"])
    assert set(several) == {"data"}
    assert [len(several["data"][key]) for key in ("homepage_headline", "homepage_title", "team")] == [2, 1, 3]
    assert butter.content_fields.get(["empty_shelf"])["data"] == {"empty_shelf": []}
    assert butter.content_fields.get([]) == {}
    filtered = butter.content_fields.get(["team[name=Per Moss]", "homepage_headline[_id=2]"])["data"]
    assert [[item["meta"]["id"] for item in items] for items in filtered.values()] == [[11], [2]]


def test_content_fields_by_parameter(butter: Any) -> None:
    """Locale, order, levels, filters, drafts and media texts hold for content, too."""

    def ids(**params: object) -> list[int]:
        found = butter.content_fields.get(["team"], {name.replace("__", "."): value for name, value in params.items()})
        return [item["meta"]["id"] for item in found["data"]["team"]]

    assert ids(locale="es") == [10]
    assert ids(order="-name") == [10, 11, 12]
    assert ids(order="name") == [12, 11, 10]
    assert ids(fields__active="true") == [10]
    assert ids(fields__mentor__name="Rut Hale") == [11]
    assert ids(preview=1) == [10, 11, 12, 13]
    bare = butter.content_fields.get(["team"], {"levels": 1})["data"]["team"][1]
    assert bare["mentor"] == "/v2/content/?keys=team[_id=10]"
    rich = butter.content_fields.get(["team"], {"alt_media_text": 1})["data"]["team"][0]
    assert rich["photo"]["alt"] == "Rut behind a glass"


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"page": 2, "page_size": 3}, ["plain"]),
        ({"limit": 2, "offset": 1}, ["cold-hops", "pressed-apples"]),
        ({"tag_slug": "beer", "category_slug": "beer", "author_slug": "adam-yala"}, ["test-post", "cold-hops"]),
        ({"locale": "es"}, ["lupulo-frio"]),
        ({"preview": 1, "page_size": 1}, ["next-season"]),
        ({"exclude_body": True, "page_size": 1}, ["test-post"]),
    ],
)
def test_parameters_arrive(butter: Any, params: dict[str, Any], expected: list[str]) -> None:
    """Numbers, texts and truth values as this client sends them; what each means is a test of the API."""
    answer = butter.posts.all(params)
    assert slugs(answer) == expected
    assert all(("body" in post) != bool(params.get("exclude_body")) for post in answer["data"])
    assert slugs(butter.posts.search("test lam")) == ["test-post"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"limit": 1, "offset": 1}, ["hello-world"]),
        ({"order": "-headline"}, ["hello-world", "bare", "second-cask"]),
        ({"fields.author.name": "Per Moss"}, ["second-cask"]),
    ],
)
def test_parameters_of_pages_arrive(butter: Any, params: dict[str, Any], expected: list[str]) -> None:
    """Names with dots among them."""
    assert slugs(butter.pages.all("news", params)) == expected


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (lambda butter: butter.posts.get("nothing"), 404),
        (lambda butter: butter.posts.all({"page": 1, "limit": 1}), 400),
        (lambda butter: butter.pages.all("news", {"fields.nothing": "x"}), 403),
        (lambda butter: butter.content_fields.get(["team", "nothing"]), 404),
    ],
)
def test_errors(butter: Any, call: Callable[[Any], Any], status: int) -> None:
    """The client raises HTTPError with the status."""
    assert failure(lambda: call(butter)) == status


@pytest.mark.parametrize("resource", RESOURCES)
def test_tokens(make: Make, service: Any, resource: str) -> None:
    """A write token reads as well; an unknown token and none at all are 401, whatever is asked."""

    def ask(client: Any) -> Any:
        asked = getattr(client, resource)
        match resource:
            case "content_fields":
                return asked.get(["team"])
            case "feeds":
                return asked.get("rss")
            case "pages":
                return asked.all("news")
        return asked.all()

    assert ask(make(service.write_token)) == ask(make(service.token))
    assert failure(lambda: ask(make("f" * 40))) == failure(lambda: ask(make(""))) == 401
