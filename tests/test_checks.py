"""The checks that are not about behaviour: style, types, floors, sizes, start-up, schemas, help texts."""

import ast
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from pytest_socket import SocketConnectBlockedError

from sitecms.cli.main import cli
from sitecms.resources import resource_dir
from sitecms.site.theme.stylesheets import minified_css

MAX_MODULE_LINES = 450
MAX_FUNCTION_LINES = 55
MAX_PARAMETERS = 6
VERBS = {("sitecms", "actions", room) for room in ("writing", "editing", "loading")}
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
FUNCTION_OR_CLASS = ast.FunctionDef | ast.ClassDef
MAX_STYLE_BYTES = 32 * 1024
FORBIDDEN_IMPORTS = {
    "content/entry.py": "import sitecms.store.entries.posts",
    "site/routes.py": "def f() -> None:\n    import sitecms.tasks",
    "store/entries/posts.py": "if __debug__:\n    import sitecms.media.library",
    "actions/writing/save_entry.py": "import peewee",
    "site/snapshot.py": "import flask",
    "api/auth.py": "import huey",
}


def run(*command: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "NO_COLOR": "1", **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def tool(name: str) -> str:
    """The path of a tool that was installed beside this Python."""
    return str(Path(sys.executable).with_name(name))


@pytest.fixture(scope="module")
def checkout(repo: Path) -> Path:
    """The repository's folder, if this is the repository."""
    settings = repo / "pyproject.toml"
    if not settings.is_file() or tomllib.loads(settings.read_text(encoding="utf-8"))["project"]["name"] != "sitecms":
        pytest.skip("the tests do not stand in a checkout of sitecms")
    return repo


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("ruff", "check", "."), id="ruff-check"),
        pytest.param(("ruff", "format", "--check", "."), id="ruff-format"),
        pytest.param(("mypy",), id="mypy"),
        pytest.param(("lint-imports",), id="import-linter"),
    ],
)
def test_check_passes(command: tuple[str, ...], checkout: Path) -> None:
    """The tool finds nothing to say about the package and its tests."""
    result = run(tool(command[0]), *command[1:], folder=checkout)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}{result.stderr}"


def test_linter_keeps_the_layers(checkout: Path, tmp_path: Path) -> None:
    """Each contract of import-linter finds an import against it: upwards, in a function, past the store, and so on."""
    shutil.copytree(checkout / "sitecms", tmp_path / "sitecms", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(checkout / "pyproject.toml", tmp_path)
    for module, statement in FORBIDDEN_IMPORTS.items():
        with (tmp_path / "sitecms" / module).open("a", encoding="utf-8") as file:
            file.write(f"\n{statement}\n")
    result = run(tool("lint-imports"), "--no-cache", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    contracts = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    kept = [each["name"] for each in contracts if f"{each['name']} BROKEN" not in result.stdout]
    assert kept == []


def sources(checkout: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted((checkout / "sitecms").rglob("*.py")):
        yield path.relative_to(checkout), path.read_text(encoding="utf-8")


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def test_no_module_is_long(checkout: Path) -> None:
    """No module of the package has more lines than a reader holds in mind."""
    lengths = {str(path): len(text.splitlines()) for path, text in sources(checkout)}
    assert len(lengths) > 50
    assert {path: lines for path, lines in lengths.items() if lines > MAX_MODULE_LINES} == {}


def test_no_function_is_long(checkout: Path) -> None:
    """No function of the package is longer than a screen."""
    lengths = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, text in sources(checkout)
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(lengths) > 200
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_no_function_of_a_verb_has_many_parameters(checkout: Path) -> None:
    """What is asked together travels together, in one value, where entries are written, edited and loaded."""
    counts = {
        f"{path}:{node.lineno} {node.name}": sum(len(names) for names in (args.posonlyargs, args.args, args.kwonlyargs))
        - any(arg.arg in ("self", "cls") for arg in args.args[:1])
        for path, text in sources(checkout)
        if path.parts[:3] in VERBS
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for args in [node.args]
    }
    assert len(counts) > 200
    assert {name: count for name, count in counts.items() if count > MAX_PARAMETERS} == {}


def names_bound(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def constants_below(text: str) -> Iterator[str]:
    """Constants of a module after its first function or class, though they need none of what is defined there."""
    body = parsed(text).body
    first = next((number for number, node in enumerate(body) if isinstance(node, FUNCTION_OR_CLASS)), len(body))
    below = {name for node in body[first:] for name in names_bound(node)}
    for node in body[first:]:
        names = names_bound(node) if isinstance(node, ast.Assign | ast.AnnAssign) else set()
        read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        if names and all(map(CONSTANT.fullmatch, names)) and not read & below:
            below -= names
            yield from names


def test_constants_stand_at_the_top(checkout: Path) -> None:
    """A constant after the first function says that two modules were joined."""
    found = {path: sorted(constants_below(text)) for path, text in sources(checkout)}
    assert {path: names for path, names in found.items() if names} == {}
    assert list(constants_below("def f(): ...\nA = 1\nB = f()\nC = A")) == ["A", "C"]


def named_in_the_map(checkout: Path) -> Iterator[str]:
    """Files, folders and names of the code in the map; no addresses, commands and names with placeholders."""
    text = (checkout / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for named in re.findall(r"`([\w./-]+)`", text.partition("## Architecture")[2].partition("## Habits")[0]):
        if (
            re.search(r"[\w-][/._]|[a-z][A-Z]|^[A-Z]{4}", named)
            and not named.startswith(("/", "-"))
            and not named.endswith("...")
        ):
            yield named.strip("/")


def test_the_map_names_what_exists(checkout: Path) -> None:
    """What is renamed or removed is so in CONTRIBUTING.md too."""
    folders = ("sitecms", "templates", "content_schema", "sample_site", "tests")
    paths = [path.relative_to(checkout).as_posix() for folder in folders for path in (checkout / folder).rglob("*")]
    places = "\n".join(f"/{path}/" for path in (*paths, *(path.name for path in checkout.iterdir())))
    words = {word for _path, text in sources(checkout) for word in re.findall(r"\w+", text)}
    unknown = [named for named in named_in_the_map(checkout) if not words.issuperset(re.findall(r"\w+", named))]
    assert [named for named in unknown if f"/{named}/" not in places] == []


def test_stylesheet_is_small() -> None:
    """The stylesheet of every page stays under 32 KB as it is delivered, 8 KB of them compressed."""
    written = (resource_dir("templates") / "themes/default/assets/style.css").read_text(encoding="utf-8")
    assert len(minified_css(written).encode()) <= MAX_STYLE_BYTES


def test_parent_of_serving_processes_is_small(tmp_path: Path) -> None:
    """The parent process of `sitecms serve` imports neither the queue and its clients nor the web server."""
    program = "import sys, sitecms.cli.commands.serve; print(*sys.modules)"
    modules = run(sys.executable, "-c", program, folder=tmp_path).stdout.split()
    assert "sitecms.cli.processes" in modules
    assert {"huey", "redis", "requests", "flask", "granian"}.isdisjoint(modules)


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield (*path, name)


@pytest.mark.parametrize("path", list(commands(cli)), ids=lambda path: " ".join(("sitecms", *path)))
def test_help_has_an_example(path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--help` of every command works outside a site, says what the command does and shows an example."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, [*path, "--help"], prog_name="sitecms")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Example:" in result.stdout
    assert f"sitecms {' '.join(path)}".strip() in result.stdout.partition("Example:")[2]


def schema_files() -> list[Path]:
    return sorted(resource_dir("content_schema").glob("*.json"))


def undescribed(schema: Any, place: str = "") -> Iterator[str]:
    """Places of the properties, at any depth, that do not say what they are for; conditions only refine others."""
    if isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from undescribed(part, f"{place}[{number}]")
    if not isinstance(schema, dict):
        return
    for key, value in schema.get("properties", {}).items():
        if not value.get("description"):
            yield f"{place}.{key}"
        yield from undescribed(value, f"{place}.{key}")
    for name, part in schema.items():
        if name not in ("properties", "if", "then", "else", "default", "examples", "enum", "const"):
            yield from undescribed(part, f"{place}.{name}")


@pytest.mark.parametrize("path", schema_files(), ids=lambda path: path.name)
def test_content_schema_is_sound(path: Path) -> None:
    """Each schema is valid JSON Schema 2020-12, and describes itself and each of its words."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]
    assert schema["description"]
    assert list(undescribed(schema)) == []


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_sockets_reach_this_machine_only() -> None:
    """A connection to anywhere but loopback is refused by the test suite itself."""
    with socket.socket() as outside, pytest.raises(SocketConnectBlockedError):
        outside.connect(("192.0.2.1", 80))
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as inside:
        assert inside.getpeername() == server.getsockname()
