"""The command `sitecms schema`: JSON Schemas for editors that complete and check the files of a site."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from sitecms.actions.authoring.file_schemas import FOLDER, POST, SITE, FileSchema, write_schemas
from sitecms.cli.site_argument import shown_path, site_argument
from sitecms.errors import Conflict
from sitecms.files import write_atomically
from sitecms.settings.site import SiteSettings


@click.command(epilog="\b\nExample:\n  sitecms schema demo --editor vscode")
@site_argument
@click.option("--editor", type=click.Choice(["vscode", "zed", "helix"]), help="Write the settings of this editor, too.")
def schema(settings: SiteSettings, editor: str | None) -> None:
    """Write the JSON Schemas of the site's files into .sitecms/schemas.

    They have the fields that the site declares, its locales and the options of its theme. Editors complete and check a
    file whose schema they know. sitecms preview keeps the schemas current.
    """
    schemas = write_schemas(settings)
    click.echo(f"Wrote {len(schemas)} schemas to {shown_path(settings.folder / FOLDER)}.", err=True)
    if editor:
        _write_settings(settings, editor, schemas)
        return
    click.echo("First line of a file, by which an editor knows its schema:")
    for each in schemas:
        for pattern in each.files:
            click.echo(f"  {pattern}: # yaml-language-server: $schema={'../' * pattern.count('/')}{each.path}")
    click.echo(f"  site.toml: #:schema ./{FOLDER}/{SITE}.schema.json")
    click.echo(f"Front matter of posts: {FOLDER}/{POST}.schema.json")


def _write_settings(settings: SiteSettings, editor: str, schemas: Sequence[FileSchema]) -> None:
    """Write the settings of an editor. Raises Conflict if there is such a file, which nobody else may change."""
    name, make = _EDITORS[editor]
    path, text = settings.folder / name, make({f"./{each.path}": list(each.files) for each in schemas if each.files})
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise Conflict("editor", f"{shown_path(path)} exists already. Nothing in it was changed; add:\n{text}")
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, text.encode())
    click.echo(f"Wrote {shown_path(path)}.", err=True)


def _vscode(files: Mapping[str, list[str]]) -> str:
    toml = {"^.*/site\\.toml$": f"./{FOLDER}/{SITE}.schema.json"}
    return _json({"yaml.schemas": files, "evenBetterToml.schema.associations": toml})


def _zed(files: Mapping[str, list[str]]) -> str:
    return _json({"lsp": {"yaml-language-server": {"settings": {"yaml": {"schemas": files}}}}})


def _helix(files: Mapping[str, list[str]]) -> str:
    lines = (f"{json.dumps(schema)} = {json.dumps(patterns)}" for schema, patterns in files.items())
    return "\n".join(("[language-server.yaml-language-server.config.yaml.schemas]", *lines)) + "\n"


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2) + "\n"


_EDITORS: Mapping[str, tuple[str, Callable[[Mapping[str, list[str]]], str]]] = {
    "vscode": (".vscode/settings.json", _vscode),
    "zed": (".zed/settings.json", _zed),
    "helix": (".helix/languages.toml", _helix),
}
"""The file of settings of each editor, and its text for the patterns of files by schema."""
