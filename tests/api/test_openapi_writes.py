"""Writes as /v2/openapi.json tells of them: each example is accepted, each answer that is told occurs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
from werkzeug.test import TestResponse

from sitecms.actions.loading import load_site
from sitecms.api.write_handler import WRITE_ENDPOINTS
from sitecms.content.schema import ContentSchema
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.site import load_settings
from sitecms.store.site_state.documents import save_content_schema
from sitecms.store.writes.tokens import insert_token
from sitecms.web.service import create_app
from tests.api.described import Document, check_answer, check_schema, resolved
from tests.support.engines import stores
from tests.support.reading import execute
from tests.support.writes import apply_open, worker_of, write_context

pytestmark = pytest.mark.both_engines

Remote = Any
Call = tuple[str, str, Document]
ORDER = ("post", "patch", "put", "delete")
LENGTHS = [
    {"slug": "long", "type": "short_text", "required": True, "min_length": 30},
    {"slug": "short", "type": "wysiwyg", "required": True, "max_length": 3},
    {
        "slug": "rows",
        "type": "repeater",
        "min_length": 2,
        "fields": [{"slug": "a", "type": "number", "required": True}],
    },
    {"slug": "photo", "type": "media"},
]
SCHEMA = {
    "collections": [
        {"key": "odd", "fields": LENGTHS[:2]},
        {"key": "tied", "fields": [{"slug": "to", "type": "reference", "targets": ["odd"], "required": True}]},
    ],
    "components": [
        {"slug": "still", "fields": [{"slug": "photo", "type": "media", "required": True}]},
        {"slug": "word", "fields": [{"slug": "tint", "type": "color", "required": True}]},
    ],
    "page_types": [
        {"slug": "odd", "fields": [*LENGTHS, {"slug": "body", "type": "component_picker", "required": True,
                                              "components": ["still", "word"]}]},
        {"slug": "empty", "fields": []},
    ],
}  # fmt: skip


class Told:
    """A site's app with a client that may write, and its document."""

    def __init__(self, runtime: Runtime, secret: str) -> None:
        app = create_app(runtime, probe=lambda _url: "", hint=lambda _id: None)
        self.client = app.test_client()
        self.headers = {"Authorization": f"Token {secret}"}
        self.document: Document = self.client.get("/v2/openapi.json").get_json()

    def writes(self) -> list[Call]:
        """Methods, paths and what is told of them: those that make first, those that delete last."""
        paths = self.document["paths"].items()
        found = [(method, path, item[method]) for path, item in paths for method in ORDER if method in item]
        return sorted(found, key=lambda each: ORDER.index(each[0]))

    def address(self, path: str, operation: Document) -> str:
        """The path with the examples of its names."""
        for parameter in (resolved(each, self.document) for each in operation["parameters"]):
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
        return path

    def examples(self, operation: Document) -> dict[str, Any]:
        """Bodies by a word for each."""
        media = operation["requestBody"]["content"]["application/json"]
        return {word: example["value"] for word, example in media.get("examples", {}).items()}

    def send(self, method: str, address: str, body: Any = None, **more: Any) -> TestResponse:
        """A request with the token, or with other headers or other bytes."""
        return self.client.open(address, method=method.upper(), **{"headers": self.headers, "json": body, **more})

    def answers(self, call: Call, answer: TestResponse, status: int) -> None:
        """The answer is what is told for the status."""
        check_answer(self.document, call[0], call[1], status, answer)


@pytest.fixture
def sample(repo: Path, tmp_path: Path) -> Iterator[Runtime]:
    """The sample site, loaded into a store of its own."""
    folder = copytree(repo / "sample_site", tmp_path / "sample", ignore=ignore_patterns(".sitecms", "public"))
    runtime = open_runtime(load_settings(Path(folder)), create=True)
    load_site(runtime.database, runtime.settings, runtime.clock())
    yield runtime
    runtime.database.close()


def write_token(runtime: Runtime) -> str:
    """The secret of a token that may write everything."""
    secret = new_secret()
    runtime.database.write(insert_token, "w", Scope.WRITE, secret_digest(secret), runtime.clock(), None)
    return secret


def test_every_write_is_told(sample: Runtime) -> None:
    """Each with a security of its own, a summary, a sentence, and a body with examples that its schema allows."""
    told = Told(sample, write_token(sample))
    calls = told.writes()
    assert len(calls) == len(WRITE_ENDPOINTS)
    for method, path, operation in calls:
        assert operation["security"] == [{"header": []}]
        assert operation["summary"], path
        assert operation["description"], path
        assert ("requestBody" in operation) == (method != "delete")
        if method != "delete":
            examples = told.examples(operation)
            assert examples, (method, path)
            for example in examples.values():
                check_schema(told.document, operation["requestBody"]["content"]["application/json"]["schema"], example)


def test_every_example_is_accepted(sample: Runtime, remote: Remote) -> None:
    """Sent as it stands, it is 202 with what is told, and applied; a deletion of what the examples name is 204."""
    told = Told(sample, write_token(sample))
    places = []
    for call in told.writes():
        method, path, operation = call
        for example in told.examples(operation).values() if method != "delete" else ():
            answer = told.send(method, told.address(path, operation), example)
            told.answers(call, answer, 202)
            places.append(answer.headers["Location"])
    apply_open(worker_of(write_context(sample.database, sample.settings, sample.clock), remote.fetch))
    outcomes = [told.client.get(place, headers=told.headers).get_json() for place in places]
    assert [outcome for outcome in outcomes if outcome["status"] != "applied"] == []
    assert len(outcomes) >= 18
    for call in told.writes():
        if call[0] == "delete":
            told.answers(call, told.send("delete", told.address(call[1], call[2])), 204)


def test_examples_of_other_sites_are_accepted(runtime: Runtime, make_author: Callable[..., str]) -> None:
    """Lengths that are declared are kept to; what must name an entry or a file has no example."""
    make_author()
    runtime.database.write(save_content_schema, ContentSchema.from_json(SCHEMA))
    told = Told(runtime, write_token(runtime))
    paths = told.document["paths"]
    pages, items = (told.examples(paths[path]["post"]) for path in ("/v2/pages/", "/v2/content/"))
    assert set(pages) == {"Single Page", "odd", "empty"}
    assert set(items) == {"odd", "by locale"}
    assert pages["odd"]["fields"]["body"][0]["type"] == "word"
    for path, bodies in (("/v2/pages/", pages), ("/v2/content/", items)):
        for body in bodies.values():
            answer = told.send("post", path, body)
            assert answer.status_code == 202, answer.text


def test_told_refusals_occur(sample: Runtime) -> None:
    """Each of 400 to 422 on each write that tells of it, with the body that is told; 408 and 429 have other tests."""
    told = Told(sample, write_token(sample))
    reader = new_secret()
    sample.database.write(insert_token, "r", Scope.READ, secret_digest(reader), sample.clock(), None)
    for call in told.writes():
        method, path, operation = call
        here = told.address(path, operation)
        nowhere = here.replace("about", "nothing").replace("counting-meteors-honestly", "x").replace("/1/", "/99999/")
        used = f"{method} {path}" if method != "delete" else "post /v2/posts/"
        key = {**told.headers, "Idempotency-Key": used}
        asked: dict[int, tuple[str, dict[str, Any]]] = {
            400: (f"{here}?locale=xx", {}),
            401: (here, {"headers": {}}),
            403: (here, {"headers": {"Authorization": f"Token {reader}"}}),
            404: (nowhere, {}),
            412: (here, {"headers": {**told.headers, "If-Match": '"old"'}}),
            413: (here, {"data": b" " * 10_485_761, "content_type": "application/json"}),
            415: (here, {"data": b"a=1", "content_type": "application/x-www-form-urlencoded"}),
            422: (here, {"headers": key}),
        }
        body: Any = next(iter(told.examples(operation).values())) if method != "delete" else None
        if method != "delete":
            assert told.send(method, here, {**body, "status": "draft"}, headers=key).status_code == 202
        statuses = {int(status) for status in operation["responses"]} - {202, 204, 408, 429, 500, 503}
        assert statuses <= asked.keys()
        for status in sorted(statuses):
            address, more = asked[status]
            sent = None if "data" in more or body is None else {**body, "status": "published"}
            told.answers(call, told.send(method, address, sent, **more), status)


def test_told_failures_occur(sample: Runtime) -> None:
    """500 once the table of writes is gone, 503 once the store is no longer one."""
    told = Told(sample, write_token(sample))
    calls = [(call, told.address(call[1], call[2])) for call in told.writes()]
    bodies = [next(iter(told.examples(call[2]).values())) if call[0] != "delete" else None for call, _ in calls]
    execute(sample.database, "ALTER TABLE write RENAME TO gone")
    for (call, address), body in zip(calls, bodies, strict=True):
        told.answers(call, told.send(call[0], address, body), 500)
    stores().ruin(sample.database)
    for (call, address), body in zip(calls, bodies, strict=True):
        told.answers(call, told.send(call[0], address, body), 503)
