"""A TypeScript client of /v2/openapi.json, by openapi-typescript and openapi-fetch, used on every operation.

The program that makes the calls is written out of the same calls as those of the Python client, each in one statement
with its arguments as literals: the compiler holds every argument and every answer against the document's types.
"""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.contract.calls import CALLS, NONE, READ, WRITE, WRITE_OUTCOME, Call

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).parent / "typescript"
TOOL_SECONDS = 300
Outcome = dict[str, Any]


@pytest.fixture(scope="module")
def document(written: Any) -> dict[str, Any]:
    """What the running server answers."""
    found: dict[str, Any] = requests.get(f"{written.base}/openapi.json", timeout=TOOL_SECONDS).json()
    return found


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Method, path and declaration of each operation."""
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


@pytest.fixture(scope="module")
def folder(document: dict[str, Any], npm_install: Callable[[Path], Path]) -> Path:
    """The tools as npm installs them, and the types that they make of the document."""
    folder = npm_install(SCRIPTS)
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    log = run(folder, "node_modules/.bin/openapi-typescript", "openapi.json", "-o", "api.d.ts")
    assert "warn" not in log.replace("npm warn", "").lower(), log
    return folder


def run(folder: Path, *command: str) -> str:
    """Run a tool that must succeed; gives all that it prints."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TOOL_SECONDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def statement(call: Call, operation: tuple[str, str, dict[str, Any]]) -> str:
    """One call as a block of TypeScript."""
    method, path, declared = operation
    groups = {"path": call.path, "query": call.query, "header": call.header}
    arguments: dict[str, Any] = {"params": {name: group for name, group in groups.items() if group}}
    if call.body is not None:
        arguments["body"] = call.body
    answer = declared["responses"].get("200", declared["responses"].get("202", {}))
    is_json = "application/json" in answer.get("content", {})
    if not is_json and call.status < 300:
        arguments["parseAs"] = "text"
    checks = "typed(answer.data), typed(answer.error)"
    if not is_json:
        checks = "answer.data !== undefined, answer.error !== undefined"
    return f"""{{
  const answer = await {call.token}.{method}({json.dumps(path)}, {json.dumps(arguments, ensure_ascii=False)});
  outcomes.push(await outcome({json.dumps(call.operation)}, {call.token}, answer.response, {checks}));
}}
"""


@pytest.fixture(scope="module")
def outcomes(folder: Path, written: Any, operations: dict[str, tuple[str, str, dict[str, Any]]]) -> list[Outcome]:
    """What came of each call, once the compiler has accepted the program."""
    media = written.json("content/team/10/")["data"]["photo"].rpartition("/")[2]
    tokens = {READ: written.token, WRITE: written.write_token, NONE: ""}
    base = json.dumps(written.base.removesuffix("/v2"))
    clients = "".join(f"const {name} = clientOf({base}, {json.dumps(token)});\n" for name, token in tokens.items())
    calls = "".join(statement(call, operations[call.operation]) for call in CALLS).replace("{media}", media)
    head = 'import { clientOf, outcome, typed } from "./clients.js";\n'
    start = "const outcomes: Awaited<ReturnType<typeof outcome>>[] = [];\n"
    program = f"{head}{clients}{start}{calls}console.log(JSON.stringify(outcomes));\n"
    (folder / "program.ts").write_text(program, encoding="utf-8")
    run(folder, "node_modules/.bin/tsc", "--project", "tsconfig.json")
    found: list[Outcome] = json.loads(run(folder, "node", "out/program.js"))
    return found


def test_no_operation_is_dropped(folder: Path, operations: dict[str, Any], outcomes: list[Outcome]) -> None:
    """Every operation of the document has types, and is called here."""
    types = (folder / "api.d.ts").read_text(encoding="utf-8")
    assert len(operations) >= 38
    assert [name for name in operations if f"    {name}: {{" not in types] == []
    assert {*(each["operation"] for each in outcomes), WRITE_OUTCOME} == set(operations)


def test_every_operation_answers(outcomes: list[Outcome]) -> None:
    """Reads, writes, deletions and errors have their status and their body; each accepted write is applied."""
    assert [(each["operation"], each["status"]) for each in outcomes] == [
        (call.operation, call.status) for call in CALLS
    ]
    for each in outcomes:
        assert each["hasError"] is (each["status"] >= 400), each
        assert each["hasData"] is (each["status"] < 400 and each["status"] != 204), each
        assert each["write"] == ("applied" if each["status"] == 202 else ""), each


def test_the_compiler_refuses_what_the_api_refuses(folder: Path, outcomes: list[Outcome]) -> None:
    """Types are not loose: an unknown path, a wrong type and a missing key are errors of the compiler."""
    wrong = """import { clientOf } from "./clients.js";
const read = clientOf("", "");
await read.GET("/v2/nothing/", {});
await read.GET("/v2/posts/", { params: { query: { page: "2" } } });
await read.POST("/v2/posts/", { body: {} });
await read.POST("/v2/pages/", { body: { title: "x", slug: "x", page_type: "nothing" } });
"""
    (folder / "wrong.ts").write_text(wrong, encoding="utf-8")
    settings = {"extends": "./tsconfig.json", "files": ["wrong.ts"]}
    (folder / "wrong.json").write_text(json.dumps(settings), encoding="utf-8")
    command = ["node_modules/.bin/tsc", "--project", "wrong.json", "--noEmit"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TOOL_SECONDS)
    assert sorted(set(re.findall(r"^wrong\.ts\((\d+),", ran.stdout, re.MULTILINE))) == ["3", "4", "5", "6"]
