"""`sitecms schema`: schemas for editors."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from sitecms.cli.commands.schema import FILES
from sitecms.documents import read_yaml

if TYPE_CHECKING:
    from tests.cli.conftest import Run


def test_schemas_describe_the_files_of_a_site(run: "Run", demo: Path) -> None:
    """Every schema is there, and the files of the sample site are valid by the one that is named for them."""
    done = run("schema", demo)
    assert done.returncode == 0, done.stderr
    folder = demo / ".sitecms/schemas"
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.iterdir()}
    registry = Registry().with_resources([(name, Resource.from_contents(each)) for name, each in schemas.items()])
    seen = 0
    for name, patterns in FILES.items():
        validator = Draft202012Validator(schemas[f"{name}.schema.json"], registry=registry)
        for path in demo.rglob("*.yaml"):
            relative = path.relative_to(demo).as_posix()
            if any(fnmatch(relative, pattern.replace("**", "*")) for pattern in patterns):
                seen += 1
                assert [*validator.iter_errors(read_yaml(path))] == [], relative
    assert seen > 5
    assert "# yaml-language-server: $schema=../../../.sitecms/schemas/page.schema.json" in done.stdout


def test_editors_accept_a_day_alone_and_a_time_without_a_zone(run: "Run", demo: Path) -> None:
    """They check the standard formats of times, each of which refuses one of both; others they let pass."""
    assert run("schema", demo).returncode == 0
    text = "".join(path.read_text(encoding="utf-8") for path in (demo / ".sitecms/schemas").iterdir())
    named = set(re.findall(r'"format": "([^"]+)"', text))
    assert "day-or-time" in named
    assert named.isdisjoint({"date", "time", "date-time"})


def test_a_comment_with_the_schema_is_allowed_in_files(run: "Run", demo: Path) -> None:
    """The lines that the command prints stand in files that load."""
    settings = demo / "site.toml"
    settings.write_text(
        "#:schema ./.sitecms/schemas/site.schema.json\n" + settings.read_text(encoding="utf-8"), "utf-8"
    )
    assert run("load", demo).returncode == 0


def test_settings_of_an_editor_are_not_replaced(run: "Run", demo: Path) -> None:
    """A file of the editor that somebody wrote stays, and the error says what to add to it."""
    assert run("schema", demo, "--vscode").returncode == 0
    path = demo / ".vscode/settings.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["yaml.schemas"][".sitecms/schemas/page.schema.json"] == ["content/pages/**/*.yaml"]
    assert run("schema", demo, "--vscode").returncode == 0
    path.write_text("{}", encoding="utf-8")
    done = run("schema", demo, "--vscode")
    assert done.returncode != 0
    assert "Nothing in it was changed; add:" in done.stderr
    assert path.read_text(encoding="utf-8") == "{}"
