"""A Python client that openapi-python-client generates from /v2/openapi.json, used on every operation.

Answers must become typed models without a remainder: whatever a model does not declare, and every plain dictionary,
would be lost to a program with types.
"""

import builtins
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import time
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.contract.calls import CALLS, NONE, READ, READS, WRITE, WRITE_OUTCOME, Call
from tests.support.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.slow
PACKAGE = "cellar_client"
GENERATE_SECONDS = 300
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?(Z|\+00:00)")


@dataclass(frozen=True, slots=True)
class Generated:
    """The generated package: the function of each operation, and a client for each kind of token."""

    functions: dict[str, Callable[..., Any]]
    clients: dict[str, Any]
    log: str
    document: dict[str, Any]
    media: str

    def send(self, call: Call, **header: str) -> Any:
        """The answer to a call, whose arguments have the types that the function declares."""
        function = self.functions[call.operation]
        parameters = inspect.signature(function).parameters
        given = {**call.path, **call.query, **call.header, **header}
        arguments = {python_name(name): self.media if value == "{media}" else value for name, value in given.items()}
        typed_arguments = {name: typed(parameters[name].annotation, value) for name, value in arguments.items()}
        if call.body is not None:
            typed_arguments["body"] = self.body(parameters["body"].annotation, call)
        return function(client=self.clients[call.token], **typed_arguments)

    def body(self, annotation: Any, call: Call) -> Any:
        """The body of a write as a model, which holds all of it."""
        made = typed(annotation, call.body)
        if call.fields_of and "fields" in call.body:
            kind = getattr(importlib.import_module(f"{PACKAGE}.models"), class_name(call.fields_of))
            made.fields = kind.from_dict(call.body["fields"])
        assert in_one_spelling(made.to_dict()) == in_one_spelling(call.body)
        return made

    def await_write(self, location: str) -> Any:
        """The outcome of an accepted write."""
        call = Call(WRITE_OUTCOME, {"write_id": location.split("/")[-2]}, token=WRITE)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (outcome := self.send(call).parsed).status == "accepted":
            assert time.monotonic() < deadline, "the worker does not apply the write"
            time.sleep(0.05)
        return outcome


def python_name(name: str) -> str:
    """The name of an argument, as the generator derives it: names of Python itself get an underscore."""
    word = name.replace("-", "_").lower()
    return f"{word}_" if hasattr(builtins, word) else word


def class_name(schema: str) -> str:
    """The class of a schema: `PageFieldsNews` of `PageFields.news`."""
    return "".join(word[:1].upper() + word[1:] for word in schema.split("."))


def typed(annotation: Any, value: Any) -> Any:
    """The value as the first enumeration or model of the annotation that accepts it, else as it is."""
    for kind in typing.get_args(annotation) or (annotation,):
        try:
            if isinstance(kind, type) and issubclass(kind, Enum):
                return kind(value)
            if hasattr(kind, "from_dict") and isinstance(value, dict):
                return kind.from_dict(value)
        except (KeyError, TypeError, ValueError):
            continue
    return value


@pytest.fixture(scope="module")
def generated(written: Any, tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> Iterator[Any]:
    """The client, generated from the document of the running server; a warning is a failure."""
    if importlib.util.find_spec("openapi_python_client") is None:
        lacking("openapi-python-client is not installed: install the test extra")
    folder = tmp_path_factory.mktemp("generated")
    base = written.base.removesuffix("/v2")
    document = requests.get(f"{base}/v2/openapi.json", timeout=PATIENCE_SECONDS).json()
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "config.yaml").write_text("post_hooks: []\n", encoding="utf-8")
    tool = "from openapi_python_client.cli import app; app(prog_name='openapi-python-client')"
    words = ["generate", "--path", "openapi.json", "--config", "config.yaml", "--meta", "none"]
    command = [sys.executable, "-c", tool, *words, "--output-path", PACKAGE, "--fail-on-warning"]
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": search},
        capture_output=True,
        text=True,
        timeout=GENERATE_SECONDS,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    sys.path.insert(0, str(folder))
    loaded = _loaded(folder / PACKAGE, written, base, document, ran.stdout + ran.stderr)
    try:
        yield loaded
    finally:
        for client in loaded.clients.values():
            client.get_httpx_client().close()
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            del sys.modules[name]


def _loaded(package: Path, written: Any, base: str, document: dict[str, Any], log: str) -> Generated:
    functions = {}
    for path in sorted((package / "api").glob("*/*.py")):
        if path.stem != "__init__":
            module = importlib.import_module(f"{PACKAGE}.api.{path.parent.name}.{path.stem}")
            functions[path.stem] = module.sync_detailed
    client = importlib.import_module(f"{PACKAGE}.client")

    def with_token(token: str) -> Any:
        return client.AuthenticatedClient(
            base_url=base, token=token, prefix="Token", raise_on_unexpected_status=True, timeout=PATIENCE_SECONDS
        )

    anyone = client.Client(base_url=base, raise_on_unexpected_status=True, timeout=PATIENCE_SECONDS)
    clients = {READ: with_token(written.token), WRITE: with_token(written.write_token), NONE: anyone}
    picture = written.json("content/team/10/")["data"]["photo"]
    return Generated(functions, clients, log, document, picture.rpartition("/")[2])


def untyped(value: Any, where: str) -> Iterator[str]:
    """Where a parsed answer holds what its models do not declare."""
    if isinstance(value, dict):
        yield where
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from untyped(each, f"{where}[{place}]")
    elif hasattr(value, "to_dict"):
        names = [name for name in value.__attrs_attrs__ if name.name != "additional_properties"]
        further = getattr(value, "additional_properties", {})
        if names and [name for name in further if not name.startswith("warning: ")]:
            yield f"{where}: {sorted(further)}"
        for name in names:
            yield from untyped(getattr(value, name.name), f"{where}.{name.name}")


def in_one_spelling(value: Any) -> Any:
    """An answer with its times in one spelling, so that two can be compared."""
    if isinstance(value, dict):
        return {name: in_one_spelling(each) for name, each in value.items()}
    if isinstance(value, list):
        return [in_one_spelling(each) for each in value]
    return datetime.fromisoformat(value) if isinstance(value, str) and TIME.fullmatch(value) else value


def check(answer: Any, call: Call) -> None:
    """The status is the expected one, and the body is a model that holds all of it."""
    assert int(answer.status_code) == call.status, (call, answer.content)
    if call.status == 204:
        assert (answer.content, answer.parsed) == (b"", None)
    elif answer.headers["content-type"] == "application/json":
        body = json.loads(answer.content)
        assert in_one_spelling(answer.parsed.to_dict()) == in_one_spelling(body)
        assert list(untyped(answer.parsed, call.operation)) == []
    elif hasattr(answer.parsed, "payload"):
        assert answer.parsed.payload.read() == answer.content
    else:
        assert answer.parsed == answer.content.decode()


def test_no_operation_is_dropped(generated: Generated) -> None:
    """Every operation of the document has a function, every function is called here, and nothing is warned of."""
    declared = {each["operationId"] for item in generated.document["paths"].values() for each in item.values()}
    assert len(declared) >= 38
    assert set(generated.functions) == declared
    assert {*(call.operation for call in CALLS), WRITE_OUTCOME} == declared
    assert "warning" not in generated.log.lower()


def test_every_operation_is_answered_in_types(generated: Generated) -> None:
    """Reads, writes, deletions and errors: each becomes a typed model, and each accepted write is applied."""
    for call in CALLS:
        answer = generated.send(call)
        check(answer, call)
        if call.status == 202:
            outcome = generated.await_write(answer.headers["location"])
            assert outcome.status == "applied", (call, outcome)
            assert list(untyped(outcome, WRITE_OUTCOME)) == []


def test_fields_by_locale_are_typed(generated: Generated) -> None:
    """A new item with its fields in each locale has a model of its own."""
    models = importlib.import_module(f"{PACKAGE}.models")
    fields = models.CreateItemsTeamFieldsItemType1.from_dict({"en": {"name": "Ann"}, "es": {"name": "Ana"}})
    body = models.CreateItemsTeam(
        key=models.CreateItemsTeamKey.TEAM, fields=[fields], status=models.CreateItemsTeamStatus.PUBLISHED
    )
    answer = generated.functions["post_content"](client=generated.clients[WRITE], body=body)
    made = generated.await_write(answer.headers["location"]).item_id
    spanish = Call("get_content_key_item_id", {"key": "team", "item_id": made}, {"locale": "es"})
    assert generated.send(spanish).parsed.data.name == "Ana"


def test_every_operation_without_a_token_is_an_error_in_types(generated: Generated) -> None:
    """Where a token is needed, its absence is 401 with a typed body."""
    for call in CALLS:
        if call.token != NONE:
            refused = replace(call, token=NONE, status=401)
            check(generated.send(refused), refused)


def test_unchanged_answers_are_304(generated: Generated) -> None:
    """An ETag that a read answered is a typed header of the next one."""
    for call in READS:
        if call.status == 200 and call.operation:
            etag = generated.send(call).headers["etag"]
            assert int(generated.send(call, **{"If-None-Match": etag}).status_code) == 304, call
