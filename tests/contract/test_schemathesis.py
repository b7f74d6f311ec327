"""The API against its own document: schemathesis invents requests, and every answer must be one that is told."""

import copy
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
import requests
from hypothesis import strategies

from sitecms.api.app import ENDPOINTS
from sitecms.api.openapi.open_paths import OPEN_PATHS
from sitecms.api.openapi.operations import path_of
from sitecms.api.write_handler import WRITE_ENDPOINTS
from tests.support.commands import CommandServer
from tests.support.waiting import PATIENCE_SECONDS
from tests.support.web_server import web_server

if TYPE_CHECKING:
    from schemathesis import BaseSchema, Case, CheckFunction

EXAMPLES = 40 if os.environ.get("HYPOTHESIS_PROFILE") == "search" else 15
WRITES = [(endpoint.method, path_of(endpoint.path)) for endpoint in WRITE_ENDPOINTS]
PATHS = [*(path_of(endpoint.path) for endpoint in ENDPOINTS), *(each.path for each in OPEN_PATHS)]
PLAIN: tuple[dict[str, str], ...] = (
    {},
    {"levels": "1", "alt_media_text": "1", "include": "recent_posts", "keys": "team"},
    {"levels": "5", "page_size": "100", "preview": "1", "query": "a", "exclude_body": "1", "keys": "team,menu"},
    {"limit": "100", "offset": "1", "locale": "es", "query": "e"},
)
"""Sensible queries that together show all content at every depth; a path ignores what it does not take."""
NAMES: dict[str, dict[str, list[Any]]] = {
    "/v2/posts/{slug}/": {"slug": ["counting-meteors-honestly", "contar-meteoros-con-honradez"]},
    "/v2/authors/{slug}/": {"slug": ["mira-okafor"]},
    "/v2/categories/{slug}/": {"slug": ["weather"]},
    "/v2/tags/{slug}/": {"slug": ["moon"]},
    "/v2/feeds/{name}/": {"name": ["sitemap", "rss", "atom"]},
    "/docs/{name}": {"name": ["docs.css", "docs.js", "nothing.js"]},
    "/v2/pages/search/{page_type}/": {"page_type": ["guide", "*"]},
    "/v2/pages/{page_type}/": {"page_type": ["*", "guide", "landing-page"]},
    "/v2/pages/{page_type}/{page_slug}/": {
        "page_type": ["*"],
        "page_slug": ["home", "starting-a-nature-notebook", "about"],
    },
    "/v2/content/{keys}/": {"keys": ["team,menu,questions", "team", "menu", "questions"]},
    "/v2/content/{key}/{item_id}/": {"key": ["team"], "item_id": [1, 2, 3]},
}
"""Names that the sample site has: what is invented is rarely found."""
WRITTEN: dict[str, list[Any]] = {
    "slug": ["counting-meteors-honestly", "reading-fog", "nothing"],
    "page_type": ["*", "guide", "nothing"],
    "page_slug": ["about", "starting-a-nature-notebook", "nothing"],
    "key": ["team", "menu", "nothing"],
    "item_id": [1, 2, 99999],
}
"""Names that writes are sent to."""


@dataclass(frozen=True)
class Served:
    """A running `sitecms serve` of the sample site, a token that reads it, and one that writes."""

    url: str
    secret: str
    write_secret: str

    @property
    def headers(self) -> dict[str, str]:
        """What each read carries."""
        return {"Authorization": f"Token {self.secret}"}

    @property
    def write_headers(self) -> dict[str, str]:
        """What each write carries."""
        return {"Authorization": f"Token {self.write_secret}"}


@pytest.fixture(scope="module")
def served(repo: Path, tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[Served]:
    """The sample site, loaded into a store of its own and served on loopback."""
    folder = tmp_path_factory.mktemp("contract") / "site"
    copytree(repo / "sample_site", folder, ignore=ignore_patterns(".sitecms", "public"))
    with (folder / "site.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[metrics]\nenabled = true\n")
    sitecms = partial(command_server.run, folder=folder, variables={})
    assert sitecms("load").returncode == 0
    secret, write_secret = (
        sitecms("token", "create", "--scope", scope, "--name", scope).stdout.strip() for scope in ("read", "write")
    )
    with web_server(command_server, folder, "--workers", "2") as server:
        yield Served(server.url, secret, write_secret)


@pytest.fixture(scope="module")
def document(served: Served) -> dict[str, Any]:
    """What the server says of itself, made strict: objects have no other keys than those that are told."""
    found: dict[str, Any] = requests.get(f"{served.url}/v2/openapi.json", timeout=PATIENCE_SECONDS).json()
    posts = requests.get(f"{served.url}/v2/posts/", headers=served.headers, timeout=PATIENCE_SECONDS).json()["data"]
    media = [post["featured_image"].rpartition("/")[2] for post in posts if post["featured_image"]]
    for path, names in {**NAMES, "/media/{name}": {"name": media}}.items():
        for parameter in found["paths"][path]["get"]["parameters"]:
            if parameter.get("name") in names:
                parameter["schema"] = {"enum": names[parameter["name"]]}
    for method, path in WRITES:
        for parameter in found["paths"][path][method.lower()]["parameters"]:
            if parameter.get("name") in WRITTEN:
                parameter["schema"] = {"enum": WRITTEN[parameter["name"]]}
    close(found["components"]["schemas"])
    close([operation["responses"] for item in found["paths"].values() for operation in item.values()])
    return found


def close(schema: Any) -> None:
    """Forbid keys that are not declared, at any depth; objects of unknown keys stay open."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            schema["additionalProperties"] = False
        for part in schema.values():
            close(part)
    elif isinstance(schema, list):
        for part in schema:
            close(part)


def told_checks() -> "list[CheckFunction]":
    """The status, the type, the headers and the body are among those that are told; the server never fails."""
    from schemathesis import checks
    from schemathesis.specs.openapi import checks as told

    return [
        checks.not_a_server_error,
        told.status_code_conformance,
        told.content_type_conformance,
        told.response_headers_conformance,
        told.response_schema_conformance,
    ]


def is_http(case: "Case[Any]") -> bool:
    """Whether its headers can be sent at all: the web server itself refuses control characters in them."""
    return all(ord(letter) > 31 and ord(letter) != 127 for value in case.headers.values() for letter in str(value))


@pytest.fixture(scope="module")
def schema(document: dict[str, Any]) -> "BaseSchema":
    """The strict document, as schemathesis reads it."""
    import schemathesis

    return schemathesis.openapi.from_dict(document)


@pytest.mark.parametrize("path", [path for path in PATHS if "{write_id}" not in path])
def test_content_matches_the_description(
    served: Served, schema: "BaseSchema", document: dict[str, Any], path: str
) -> None:
    """Everything the sample site holds, at every depth of references, with and without drafts, fits the schemas.

    Writes are no content: the tests of writing read them back.
    """
    operation = schema[path]["GET"]
    parameters = document["paths"][path]["get"].get("parameters", ())
    names = {each["name"]: each["schema"]["enum"][0] for each in parameters if each.get("in") == "path"}
    for query in PLAIN:
        case = operation.Case(path_parameters=names, query=query)
        answer = case.call_and_validate(base_url=served.url, headers=served.headers, checks=told_checks())
        assert answer.status_code == 200 or query.get("locale"), query


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_described(served: Served, schema: "BaseSchema", path: str) -> None:
    """No server error, no undocumented status, type, header or body, for sensible and for senseless requests."""
    from schemathesis import GenerationMode

    operation = schema[path]["GET"]
    modes = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE] if any(operation.iter_parameters()) else []
    requests_ = strategies.one_of([operation.as_strategy(mode) for mode in modes or [GenerationMode.POSITIVE]])

    @hypothesis.given(requests_)
    @hypothesis.settings(max_examples=EXAMPLES, suppress_health_check=list(hypothesis.HealthCheck))
    def ask(case: "Case[Any]") -> None:
        hypothesis.assume(is_http(case))
        case.call_and_validate(base_url=served.url, session=session, headers=served.headers, checks=told_checks())

    with requests.Session() as session:
        ask()


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_every_answer_to_a_write_is_described(served: Served, schema: "BaseSchema", method: str, path: str) -> None:
    """No server error and nothing that is not told, for bodies and names that fit and for those that do not."""
    from schemathesis import GenerationMode

    operation = schema[path][method]
    requests_ = strategies.one_of([operation.as_strategy(mode) for mode in GenerationMode])
    seen: set[int] = set()

    @hypothesis.given(requests_)
    @hypothesis.settings(max_examples=EXAMPLES, suppress_health_check=list(hypothesis.HealthCheck))
    def ask(case: "Case[Any]") -> None:
        hypothesis.assume(is_http(case))
        answer = case.call_and_validate(
            base_url=served.url, session=session, headers=served.write_headers, checks=told_checks()
        )
        seen.add(answer.status_code)

    with requests.Session() as session:
        ask()
    assert seen - {401}, "the token was never let in"


def test_wrong_answer_fails_the_check(served: Served, document: dict[str, Any]) -> None:
    """The check itself works: a document that promises a key too many is caught."""
    import schemathesis
    from schemathesis.core.failures import FailureGroup
    from schemathesis.specs.openapi import checks as told

    lying = copy.deepcopy(document)
    lying["components"]["schemas"]["Tag"]["required"].append("colour")
    case = schemathesis.openapi.from_dict(lying)["/v2/tags/"]["GET"].Case()
    with pytest.raises(FailureGroup):
        case.call_and_validate(base_url=served.url, headers=served.headers, checks=[told.response_schema_conformance])
