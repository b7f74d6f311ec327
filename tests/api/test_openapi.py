"""/v2/openapi.json: valid, complete, as it was yesterday unless someone meant to change it, and true."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from werkzeug.test import TestResponse

from sitecms.api.app import ENDPOINTS
from sitecms.api.openapi.document import SiteApi, build_document
from sitecms.api.openapi.operations import path_of
from sitecms.api.params import PAGINATION, PARAMETERS
from sitecms.api.write_handler import WRITE_ENDPOINTS
from sitecms.content.locale import Locales
from sitecms.content.schema import ContentSchema
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema
from sitecms.web.service import create_app
from tests.api.described import Document, check_answer, resolved
from tests.support.engines import stores

pytestmark = pytest.mark.both_engines

SNAPSHOT = Path(__file__).with_name("openapi.snapshot.json")
UPDATE = "SITECMS_UPDATE_SNAPSHOTS"
HOW = (
    f"/v2/openapi.json has changed. If it was meant to: {UPDATE}=1 pytest tests/api/test_openapi.py, and read the diff"
)
TEXT = {"slug": "name", "type": "short_text", "min_length": 2, "max_length": 80, "help": "As people say it."}
FIELDS: list[dict[str, Any]] = [
    TEXT,
    {"slug": "notes", "type": "long_text"},
    {"slug": "bio", "type": "wysiwyg"},
    {"slug": "embed", "type": "html"},
    {"slug": "age", "type": "number"},
    {"slug": "born", "type": "date"},
    {"slug": "mood", "type": "dropdown", "options": [{"value": "calm"}, {"value": "frost"}]},
    {"slug": "active", "type": "checkbox"},
    {"slug": "tint", "type": "color"},
    {"slug": "photo", "type": "media"},
    {"slug": "mentor", "type": "reference", "targets": ["team"]},
    {"slug": "pages", "type": "reference", "targets": ["page:guide", "page:*"], "many": True},
]
SCHEMA: dict[str, Any] = {
    "collections": [{"key": "team", "fields": FIELDS}],
    "components": [{"slug": "hero", "fields": [TEXT, {"slug": "image", "type": "media"}]}],
    "page_types": [
        {
            "slug": "guide",
            "fields": [
                {"slug": "hero", "type": "component", "component": "hero"},
                {"slug": "body", "type": "component_picker", "components": ["hero"]},
                {"slug": "rows", "type": "repeater", "fields": [TEXT]},
                {"slug": "team", "type": "reference", "targets": ["team"], "many": True},
            ],
        }
    ],
}


@pytest.fixture(scope="module")
def document() -> Document:
    """The document of a site with every type of field."""
    locales = Locales(("en", "es"), "en")
    schema = ContentSchema.from_json(SCHEMA)
    made = build_document(SiteApi(ENDPOINTS, WRITE_ENDPOINTS, schema, locales, "Tide", "https://api.tide.example"))
    plain: Document = json.loads(json.dumps(made))
    return plain


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    """Methods with their paths, and what they do there."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield f"{method.upper()} {path}", operation


def reads(document: Document) -> Iterator[tuple[str, Document]]:
    """Paths, and what GET does there."""
    yield from ((path, item["get"]) for path, item in document["paths"].items() if "get" in item)


def test_it_is_openapi(document: Document) -> None:
    """As the specification's own schema has it, with and without content types."""
    validate(document)
    bare = SiteApi(ENDPOINTS, WRITE_ENDPOINTS, ContentSchema(), Locales(("en",), "en"), "", "")
    validate(json.loads(json.dumps(build_document(bare))))


def test_it_is_as_it_was(document: Document) -> None:
    """Clients are made of it: no change by accident."""
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get(UPDATE):
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert SNAPSHOT.is_file(), HOW
    assert text == SNAPSHOT.read_text(encoding="utf-8"), HOW


def test_every_route_is_in_it(runtime: Runtime, document: Document) -> None:
    """With every method, and it names none that there is not. What only leads to /docs needs no telling."""
    rules = {
        f"{method} {path_of(rule.rule)}"
        for rule in create_app(runtime).url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule not in ("/", "/docs/")
    }
    assert {name for name, _ in operations(document)} == rules
    assert len(rules) > 35


def test_every_parameter_is_in_it(document: Document) -> None:
    """Each that the API reads is described, leniency included, and used by some path."""
    described = document["components"]["parameters"]
    assert set(described) == {*PARAMETERS, "If-None-Match", "If-Match", "Idempotency-Key"}
    assert [name for name, parameter in PARAMETERS.items() if not parameter.leniency] == []
    used = {
        each["$ref"].rpartition("/")[2]
        for _, get in operations(document)
        for each in get.get("parameters", ())
        if "$ref" in each
    }
    assert used == set(described)
    assert described["locale"]["schema"]["enum"] == ["en", "es"]


def test_paging_parameters_carry_no_default(document: Document) -> None:
    """Generated clients send defaults, and page with limit is 400: the description names the default."""
    for name in PAGINATION:
        assert "default" not in document["components"]["parameters"][name]["schema"], name
        assert "Missing" in document["components"]["parameters"][name]["description"], name


def test_schemas_stay_apart_in_generated_clients() -> None:
    """Slugs that make the same class names as other schemas get a number; the API's own names stay."""
    text = [{"slug": "name", "type": "short_text"}]
    types = [
        {"slug": slug, "fields": text} for slug in ("change", "meta", "fields", "a-b", "a_b", "news", "news-fields")
    ]
    collections = [{"key": key, "fields": text} for key in ("meta", "change", "fields", "a-b", "a_b")]
    schema = ContentSchema.from_json({"page_types": types, "collections": collections, "components": []})
    site = SiteApi(ENDPOINTS, WRITE_ENDPOINTS, schema, Locales(("en",), "en"), "Tide", "")
    document = json.loads(json.dumps(build_document(site)))
    validate(document)
    schemas = document["components"]["schemas"]
    classes = ["".join(filter(str.isalnum, name)).lower() for name in schemas]
    assert sorted(classes) == sorted(set(classes))
    assert {"PageChange", "PageMeta", "PageFields", "ItemMeta", "ItemChange"} <= schemas.keys()
    assert {"Page.change2", "Page.meta2", "Item.meta2", "Item.change2"} <= schemas.keys()
    assert not [name for name, each in schemas.items() if "title" in each]


def test_items_of_any_collection_start_with_the_one_of_most_fields() -> None:
    """Generated clients take the first schema whose keys are all there, and an item does not name its collection."""
    few, many = [{"slug": "name", "type": "short_text"}], FIELDS[:6]
    collections = [{"key": "few", "fields": few}, {"key": "many", "fields": many}]
    linked = {"slug": "links", "fields": [{"slug": "to", "type": "reference", "targets": ["few", "many"]}]}
    schema = ContentSchema.from_json({"collections": collections, "page_types": [linked], "components": []})
    site = SiteApi(ENDPOINTS, WRITE_ENDPOINTS, schema, Locales(("en",), "en"), "Tide", "")
    schemas = json.loads(json.dumps(build_document(site)))["components"]["schemas"]
    order = ["#/components/schemas/Item.many", "#/components/schemas/Item.few"]
    assert [each["$ref"] for each in schemas["Item"]["anyOf"]] == order
    target = schemas["Page.links.fields"]["properties"]["to"]["anyOf"][0]["anyOf"]
    assert [each["$ref"] for each in target[1:]] == order


def test_everything_is_told(document: Document) -> None:
    """Each operation has a name of its own, a declared tag, a summary, a description; each answer an example."""
    tags = {tag["name"] for tag in document["tags"]}
    ids = [get["operationId"] for _, get in operations(document)]
    assert len(ids) == len(set(ids))
    for path, get in operations(document):
        assert tags.issuperset(get["tags"]), path
        assert get["summary"], path
        assert get["description"], path
        assert all(resolved(each, document)["description"] for each in get.get("parameters", ())), path
        assert all(resolved(each, document)["description"] for each in get["responses"].values()), path


def test_examples_fit_their_schemas(document: Document) -> None:
    """Every example of an answer is one that the schema beside it allows."""
    seen = 0
    for path, get in operations(document):
        for status, answer in get["responses"].items():
            media = resolved(answer, document).get("content", {}).get("application/json", {})
            examples = [each["value"] for each in media.get("examples", {}).values()]
            examples += [media["example"]] if "example" in media else []
            for example in examples:
                checked = {**media["schema"], "components": document["components"]}
                assert [error.message for error in Draft202012Validator(checked).iter_errors(example)] == [], (
                    path,
                    status,
                )
                seen += 1
    assert seen > 100


def test_it_is_served_to_everyone(client: FlaskClient, store: Database) -> None:
    """Without a token, with an ETag; a schema that is loaded shows in the very next answer."""
    first = client.get("/v2/openapi.json")
    assert (first.status_code, first.content_type) == (200, "application/json")
    assert first.headers["Access-Control-Allow-Origin"] == "*"
    assert first.get_json()["servers"] == [{"url": "http://127.0.0.1:8000"}]
    assert "Item.team" not in first.get_json()["components"]["schemas"]
    known = {"If-None-Match": first.headers["ETag"]}
    assert client.get("/v2/openapi.json", headers=known).status_code == 304
    store.write(save_content_schema, ContentSchema.from_json(SCHEMA))
    changed = client.get("/v2/openapi.json", headers=known)
    assert changed.status_code == 200
    assert {"Item.team", "Page.guide", "Component.hero"} <= set(changed.get_json()["components"]["schemas"])


@pytest.mark.parametrize("path", ["/", "/docs/"])
def test_guessed_addresses_lead_to_the_page(client: FlaskClient, path: str) -> None:
    """The root, and the page's address with a slash."""
    answered = client.get(path, follow_redirects=True, buffered=True)
    assert (answered.status_code, answered.request.path, answered.mimetype) == (200, "/docs", "text/html")


def test_the_page_takes_nothing_from_elsewhere(client: FlaskClient) -> None:
    """Nothing in it asks for it; the token is put into no address and no storage."""
    page = client.get("/docs", buffered=True)
    assert (page.status_code, page.content_type) == (200, "text/html; charset=utf-8")
    script = client.get("/docs/docs.js", buffered=True)
    style = client.get("/docs/docs.css", buffered=True)
    assert (script.mimetype, style.mimetype) == ("text/javascript", "text/css")
    for text in (page.text, script.text, style.text):
        assert "http://" not in text
        assert "https://" not in text
    assert not any(word in script.text for word in ("innerHTML", "Storage", "cookie", "auth_token", "eval("))
    assert all(word not in page.text for word in (" style=", "<style", "onload="))


Ask = Callable[..., TestResponse]
OPEN = {
    ("/health/live", "200"): "/health/live",
    ("/health/ready", "200"): "/health/ready",
    ("/media/{name}", "404"): "/media/nothing.jpg",
    ("/v2/openapi.json", "200"): "/v2/openapi.json",
    ("/docs", "200"): "/docs",
    ("/docs/{name}", "200"): "/docs/docs.css",
    ("/docs/{name}", "404"): "/docs/nothing.css",
}
UNKNOWN_FIELD = {
    "/v2/content/": "/v2/content/?keys=team&fields.nothing=1",
    "/v2/content/{keys}/": "/v2/content/team/?order=nothing",
    "/v2/pages/{page_type}/": "/v2/pages/guide/?fields.nothing=1",
    "/v2/pages/{page_type}/{page_slug}/": "/v2/pages/guide/knots/?fields.nothing=1",
}
TABLES = (
    "post_search", "page_search", "version_term", "version_body", "version", "entry", "term", "author", "document",
)  # fmt: skip


def address(path: str) -> str:
    """An address that the path means, of something there is not."""
    for name in ("slug", "page_type", "page_slug", "keys", "key", "item_id", "name"):
        path = path.replace(f"{{{name}}}", "nothing")
    return path


@pytest.fixture
def ask(client: FlaskClient, make_token: Callable[..., str]) -> Ask:
    """Read with a token, or without."""
    secret = make_token("documented")

    def read(path: str, *, token: bool = True) -> TestResponse:
        return client.get(path, headers={"Authorization": f"Token {secret}"} if token else {}, buffered=True)

    return read


def told(document: Document, status: str) -> list[str]:
    """The paths of the reads that tell of this status."""
    return [path for path, get in reads(document) if status in get["responses"] and "security" not in get]


def test_told_client_errors_occur(ask: Ask, document: Document, make_page: Callable[..., int]) -> None:
    """400, 401, 403 and 404 on each path that tells of them."""
    make_page("knots")
    for path in told(document, "400"):
        check_answer(document, "get", path, 400, ask(address(path) + "?locale=xx"))
    for path in told(document, "401"):
        check_answer(document, "get", path, 401, ask(address(path), token=False))
    for path in told(document, "403"):
        check_answer(document, "get", path, 403, ask(UNKNOWN_FIELD[path]))
    for path in told(document, "404"):
        query = "?keys=nothing" if path == "/v2/content/" else ""
        check_answer(document, "get", path, 404, ask(address(path) + query))


def test_told_crashes_occur(ask: Ask, document: Document, store: Database) -> None:
    """500 on each path, once its tables are gone."""
    cascade = " CASCADE" if store.engine.startswith("PostgreSQL") else ""  # SQLite has no such words
    with store.writing() as transaction:
        for table in TABLES:
            transaction.sql(f"DROP TABLE {table}{cascade}")
    for path in told(document, "500"):
        asked = address(path).replace("feeds/nothing", "feeds/rss")
        check_answer(document, "get", path, 500, ask(f"{asked}?query=x&keys=team"))
    check_answer(document, "get", "/v2/openapi.json", 500, ask("/v2/openapi.json"))


def test_told_outages_occur(ask: Ask, document: Document, store: Database) -> None:
    """503 on each path, once the store is no longer one."""
    stores().ruin(store)
    for path in told(document, "503"):
        check_answer(document, "get", path, 503, ask(address(path)))
    check_answer(document, "get", "/health/ready", 503, ask("/health/ready"))


@pytest.mark.parametrize(("path", "status"), OPEN)
def test_told_open_answers_occur(ask: Ask, path: str, status: str) -> None:
    """What needs no token answers as told; media in full: test_media."""
    assert ask(OPEN[path, status], token=False).status_code == int(status)
