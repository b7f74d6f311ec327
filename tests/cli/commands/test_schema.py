"""`sitecms schema`: schemas for editors."""

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from sitecms.actions.authoring.file_schemas import file_schemas
from sitecms.documents import read_front_matter, read_yaml
from sitecms.settings.site import load_settings
from tests.cli.conftest import Run
from tests.support.themes import THEMES


def messages(error: ValidationError) -> list[str]:
    """What is wrong, with the reasons against each alternative."""
    return [error.message, *(text for inner in error.context or () for text in messages(inner))]


def faults(site: Path) -> dict[str, list[str]]:
    """What the schemas find in the YAML files of a site and in the front matter of its posts, by file."""
    schemas = {path.name: json.loads(path.read_text("utf-8")) for path in (site / ".sitecms/schemas").iterdir()}
    resources = [(name, Resource.from_contents(each, DRAFT202012)) for name, each in schemas.items()]
    registry = Registry().with_resources(resources)
    described = {f"{each.name}.schema.json": each.files for each in file_schemas(load_settings(site))}
    found: dict[str, list[str]] = {}
    for name, patterns in described.items():
        validator = Draft202012Validator(schemas[name], registry=registry)
        for path in (path for pattern in patterns for path in site.glob(pattern)):
            errors = validator.iter_errors(read_yaml(path))
            found[path.relative_to(site).as_posix()] = [text for each in errors for text in messages(each)]
    validator = Draft202012Validator(schemas["post.schema.json"], registry=registry)
    for path in site.glob("content/posts/**/*.md"):
        front = read_front_matter(path, path.name).data
        found[path.relative_to(site).as_posix()] = [each.message for each in validator.iter_errors(front)]
    return found


@pytest.fixture
def sample(repo: Path, tmp_path: Path) -> Path:
    """The sample site, which has two languages, page types, components, pickers and references."""
    return Path(
        shutil.copytree(repo / "sample_site", tmp_path / "sample", ignore=shutil.ignore_patterns(".*", "public"))
    )


def test_the_schemas_describe_the_files_of_a_site(run: Run, sample: Path, demo: Path) -> None:
    """Every file that loads is valid by the schema that is named for it."""
    for site, least in ((sample, 40), (demo, 8)):
        assert run("schema", site).returncode == 0
        found = faults(site)
        assert {name: errors for name, errors in found.items() if errors} == {}
        assert len(found) >= least


def test_the_schemas_take_the_short_form_of_components(run: Run, sample: Path) -> None:
    """As the loader does; what stands in it is looked at, too."""
    assert run("schema", sample).returncode == 0
    home = sample / "content/pages/landing-page/home.yaml"
    text = home.read_text("utf-8")
    short = text.replace("- type: quote\n        fields:\n", "- quote:\n", 1)
    assert short != text
    for written, is_valid in ((short, True), (short.replace("- quote:", "- quoet:"), False)):
        home.write_text(written, "utf-8")
        assert (faults(sample)["content/pages/landing-page/home.yaml"] == []) is is_valid


def test_the_schemas_have_what_the_site_declares(run: Run, sample: Path) -> None:
    """A field that is misspelt, a value of another type, a text that is too long, a locale that the site lacks."""
    (sample / "schema/post.yaml").write_text("fields:\n  - {slug: rating, type: number}\n", "utf-8")
    assert run("schema", sample).returncode == 0
    menu = sample / "content/collections/menu.yaml"
    menu.write_text(
        "- fields: {label: Notes, url: /blog/, children: [{lable: x, url: /}]}\n- fields: {fr: {label: x}}\n"
    )
    post = sample / "content/posts/frost-hollows.md"
    text = post.read_text("utf-8")
    post.write_text(text.replace("---\n", "---\nrating: [5]\nlocale: fr\n", 1), "utf-8")
    found = faults(sample)
    assert any("lable" in each for each in found["content/collections/menu.yaml"])
    assert any("'fr' was unexpected" in each for each in found["content/collections/menu.yaml"])
    assert len(found["content/posts/frost-hollows.md"]) == 2
    assert found["content/posts/reading-fog.md"] == []


def test_the_schema_of_posts_is_one_that_programs_for_markdown_take(run: Run, demo: Path) -> None:
    """They know an older version of JSON Schema, and refuse formats that they do not know; keys of posts stay."""
    assert run("schema", demo).returncode == 0
    schema = json.loads((demo / ".sitecms/schemas/post.schema.json").read_text("utf-8"))
    assert "$schema" not in schema
    assert "format" not in schema["properties"]["published"]
    assert schema["properties"]["format"]["enum"]


def test_schemas_of_what_is_gone_are_removed(run: Run, demo: Path) -> None:
    """And one that says the same is not written again."""
    assert run("schema", demo).returncode == 0
    path, kept = (demo / f".sitecms/schemas/{name}.schema.json" for name in ("page.project", "site"))
    assert path.is_file()
    before = kept.stat().st_mtime_ns
    (demo / "schema/page_types/project.yaml").unlink()
    assert run("schema", demo).returncode == 0
    assert not path.exists()
    assert kept.stat().st_mtime_ns == before


def test_the_schema_of_settings_has_the_themes_and_their_options(run: Run, demo: Path) -> None:
    """The names of all themes that the site can have, and the options that the theme.toml of its own declares."""
    assert run("theme", "new", demo, "own").returncode == 0
    theme = demo / "themes/own/theme.toml"
    theme.write_text('name = "own"\nextends = "default"\n[options.columns]\ntype = "integer"\ndefault = 3\n', "utf-8")
    settings = demo / "site.toml"
    settings.write_text(settings.read_text("utf-8").replace("[theme]\n", '[theme]\nname = "own"\n', 1), "utf-8")
    assert run("schema", demo).returncode == 0
    schema = json.loads((demo / ".sitecms/schemas/site.schema.json").read_text("utf-8"))
    options = schema["properties"]["theme"]["properties"]["options"]
    assert {"own", *THEMES} == set(schema["properties"]["theme"]["properties"]["name"]["enum"])
    assert options["properties"]["columns"]["type"] == "integer"


def test_editors_accept_a_day_alone_and_a_time_without_a_zone(run: Run, demo: Path) -> None:
    """They check the standard formats of times, each of which refuses one of both; others they let pass."""
    assert run("schema", demo).returncode == 0
    text = "".join(path.read_text(encoding="utf-8") for path in (demo / ".sitecms/schemas").iterdir())
    named = set(re.findall(r'"format": "([^"]+)"', text))
    assert "day-or-time" in named
    assert named.isdisjoint({"date", "time", "date-time"})


def test_a_comment_with_the_schema_is_allowed_in_files(run: Run, demo: Path) -> None:
    """The lines that the command prints stand in files that load."""
    settings = demo / "site.toml"
    settings.write_text(
        "#:schema ./.sitecms/schemas/site.schema.json\n" + settings.read_text(encoding="utf-8"), "utf-8"
    )
    assert run("load", demo).returncode == 0


@pytest.mark.parametrize(
    ("editor", "file"),
    [("vscode", ".vscode/settings.json"), ("zed", ".zed/settings.json"), ("helix", ".helix/languages.toml")],
)
def test_settings_of_an_editor_are_not_replaced(run: Run, demo: Path, editor: str, file: str) -> None:
    """A file of the editor that somebody wrote stays, and the error says what to add to it."""
    assert run("schema", demo, "--editor", editor).returncode == 0
    path = demo / file
    written = path.read_text("utf-8")
    data: Any = tomllib.loads(written) if file.endswith(".toml") else json.loads(written)
    named = {"vscode": ("yaml.schemas",), "zed": ("lsp", "yaml-language-server", "settings", "yaml", "schemas"),
             "helix": ("language-server", "yaml-language-server", "config", "yaml", "schemas")}  # fmt: skip
    for key in named[editor]:
        data = data[key]
    assert data["./.sitecms/schemas/page.project.schema.json"] == ["content/pages/project/*.yaml"]
    assert run("schema", demo, "--editor", editor).returncode == 0
    path.write_text("# mine", encoding="utf-8")
    done = run("schema", demo, "--editor", editor)
    assert done.returncode != 0
    assert "Nothing in it was changed; add:" in done.stderr
    assert path.read_text(encoding="utf-8") == "# mine"
