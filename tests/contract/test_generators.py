"""Clients that further generators make of /v2/openapi.json: each lists, creates, updates and deletes.

openapi-generator is a Java program, which PyPI carries; hey-api and orval come from npm. What they make is compiled,
and used by a program of `generators` on posts, pages and items.
"""

import json
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).parent / "generators"
PACKAGE = "openapi-generator-cli==7.26.0"
TOOL_SECONDS = 300
JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # for a program that ends soon: half the processor time
COMPILER = [
    "--target", "es2022", "--module", "commonjs", "--strict", "--skipLibCheck",
    "--lib", "es2022,dom,dom.iterable", "--outDir", "out",
]  # fmt: skip
BY_NPM = {
    "hey": ["openapi-ts", "--input", "openapi.json", "--output", "hey/generated", "--client", "@hey-api/client-fetch"],
    "orval": ["orval", "--input", "openapi.json", "--output", "orval/generated/index.ts", "--client", "fetch"],
}

VALIDATOR = "package validator\n\nfunc Validate(v interface{}) error { return nil }\n"
"""The one function that Go clients call of another module, which needs no network so."""


def run(folder: Path, *command: str) -> str:
    """Run a tool that must succeed; gives all that it prints."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TOOL_SECONDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def document(written: Any) -> str:
    """What the running server answers."""
    return requests.get(f"{written.base}/openapi.json", timeout=TOOL_SECONDS).text


@pytest.fixture(scope="module")
def folder(document: str, npm_install: Callable[[Path], Path]) -> Path:
    """The programs with the packages that npm installs, and the document."""
    folder = npm_install(SCRIPTS)
    (folder / "openapi.json").write_text(document, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def openapi_generator(tmp_path_factory: pytest.TempPathFactory, lacking: Callable[[str], None]) -> list[str]:
    """The command of openapi-generator, installed in a folder of its own."""
    if shutil.which("java") is None:
        lacking("java is not installed: openapi-generator cannot be run")
    folder = tmp_path_factory.mktemp("openapi-generator")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), PACKAGE]
    ran = subprocess.run(install, capture_output=True, text=True, timeout=TOOL_SECONDS)
    if ran.returncode:
        lacking(f"pip cannot install openapi-generator, perhaps without network: {ran.stderr[-400:]}")
    return ["java", *JAVA, "-jar", str(next(folder.rglob("*.jar"))), "generate"]


def outcome(folder: Path, name: str, served: Any) -> dict[str, Any]:
    """What the program printed that uses the client in `<name>/generated`, once the compiler has accepted both."""
    for script in (f"{name}.ts", "scenario.ts"):
        shutil.copy(folder / script, folder / name)
    run(folder / name, str(folder / "node_modules/.bin/tsc"), *COMPILER, f"{name}.ts")
    base = served.base.removesuffix("/v2")
    found: dict[str, Any] = json.loads(run(folder / name, "node", f"out/{name}.js", base, served.write_token))
    return found


def check(found: dict[str, Any], name: str) -> None:
    """The page and the item have what was sent, with the values of all their types, and are gone at the end."""
    page: dict[str, Any] = {
        "headline": "Sent",
        "intro": "Patched",
        "day": None,
        "cover": "",
        "author": None,
        "related": [],
    }
    assert found["page"] == {**page, "cover": ""}
    assert (found["item"]["name"], found["item"]["casks"], found["item"]["photo"]) == (name, 7, "")
    assert found["lost"] == [None, None, None]


@pytest.mark.parametrize("name", BY_NPM)
def test_clients_by_generators_from_npm_work(folder: Path, written: Any, name: str) -> None:
    """hey-api and orval."""
    (folder / name).mkdir()
    tool, *options = BY_NPM[name]
    run(folder, f"node_modules/.bin/{tool}", *options)
    check(outcome(folder, name, written), name)


@pytest.mark.parametrize("name", ["axios", "fetch"])
def test_typescript_clients_by_openapi_generator_work(
    folder: Path, written: Any, openapi_generator: list[str], name: str
) -> None:
    """typescript-axios and typescript-fetch."""
    run(folder, *openapi_generator, "-i", "openapi.json", "-g", f"typescript-{name}", "-o", f"{name}/generated")
    check(outcome(folder, name, written), name)


def test_a_python_client_by_openapi_generator_works(
    document: str, written: Any, openapi_generator: list[str], tmp_path: Path, lacking: Callable[[str], None]
) -> None:
    """Its answers have the class of their page type and collection."""
    (tmp_path / "openapi.json").write_text(document, encoding="utf-8")
    run(tmp_path, *openapi_generator, "-i", "openapi.json", "-g", "python", "-o", "client")
    venv.create(tmp_path / "venv")
    python = str(tmp_path / "venv/bin/python")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    install += ["-r", "client/requirements.txt"]
    ran = subprocess.run(install, cwd=tmp_path, capture_output=True, text=True, timeout=TOOL_SECONDS)
    if ran.returncode:
        lacking(f"pip cannot install what the client needs, perhaps without network: {ran.stderr[-400:]}")
    base = written.base.removesuffix("/v2")
    shutil.copy(SCRIPTS / "openapi_python.py", tmp_path / "client")
    found = json.loads(run(tmp_path / "client", python, "openapi_python.py", base, written.write_token))
    assert found == {"type": "PageNews", "headline": "Sent", "item": "openapi-python", "lost": [True, True, True]}


def test_a_go_client_by_openapi_generator_compiles(
    document: str, openapi_generator: list[str], tmp_path: Path, lacking: Callable[[str], None]
) -> None:
    """A model and the constructor of another one share a package, and a name would end the compiler."""
    (tmp_path / "openapi.json").write_text(document, encoding="utf-8")
    run(tmp_path, *openapi_generator, "-i", "openapi.json", "-g", "go", "-o", "client")
    sources = "".join(each.read_text(encoding="utf-8") for each in (tmp_path / "client").glob("*.go"))
    names = re.findall(r"^(?:func|type) (\w+)", sources, re.MULTILINE)
    assert "NewPageNews" in names
    assert sorted(names) == sorted(set(names))
    if shutil.which("go") is None:
        lacking("go is not installed: the Go client cannot be compiled")
    client, other = tmp_path / "client", tmp_path / "validator"
    other.mkdir()
    (other / "go.mod").write_text("module gopkg.in/validator.v2\n\ngo 1.18\n", encoding="utf-8")
    (other / "validator.go").write_text(VALIDATOR, encoding="utf-8")
    run(client, "go", "mod", "edit", f"-replace=gopkg.in/validator.v2={other}")
    run(client, "go", "build", ".")
