"""The command `sitecms schema`: JSON Schemas for editors that complete and check content files."""

import json
from pathlib import Path

import click

from sitecms.cli.site_argument import shown_path, site_argument
from sitecms.errors import Conflict
from sitecms.files import write_atomically
from sitecms.resources import resource_dir
from sitecms.settings.site import STATE_FOLDER, SiteSettings

FOLDER = f"{STATE_FOLDER}/schemas"
FILES = {
    "page": ["content/pages/**/*.yaml"],
    "items": ["content/collections/*.yaml"],
    "media": ["content/media.yaml"],
    "authors": ["content/authors.yaml"],
    "terms": ["content/categories.yaml", "content/tags.yaml"],
    "page_type": ["schema/page_types/*.yaml", "schema/single_pages/*.yaml"],
    "collection": ["schema/collections/*.yaml"],
    "post_fields": ["schema/post.yaml"],
    "component": ["schema/components/*.yaml"],
    "redirects": ["redirects.yaml"],
}
"""The files of a site folder that each schema describes."""


@click.command(epilog="\b\nExample:\n  sitecms schema demo --vscode")
@site_argument
@click.option("--vscode", is_flag=True, help="Write .vscode/settings.json, which names the schema of each file.")
def schema(settings: SiteSettings, vscode: bool) -> None:
    """Write the JSON Schemas of content and settings files into .sitecms/schemas.

    Editors complete and check a file whose schema they know. --vscode sets up Visual Studio Code, with the extensions
    YAML and Even Better TOML. In other editors, a first line in the file names the schema.
    """
    folder = settings.folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in resource_dir("content_schema").glob("*.schema.json"))
    for name in names:
        write_atomically(folder / name, (resource_dir("content_schema") / name).read_bytes())
    click.echo(f"Wrote {len(names)} schemas to {shown_path(folder)}.", err=True)
    if vscode:
        _write_settings(settings.folder / ".vscode" / "settings.json")
        return
    click.echo("First line of a YAML file in content/pages/<page type>/, and of site.toml:")
    click.echo(f"  # yaml-language-server: $schema=../../../{FOLDER}/page.schema.json")
    click.echo(f"  #:schema ./{FOLDER}/site.schema.json")


def _write_settings(path: Path) -> None:
    """Write the settings of the editor. Raises Conflict if there is such a file, which nobody else may change."""
    schemas = {f"{FOLDER}/{name}.schema.json": files for name, files in FILES.items()}
    toml = {"^.*/site\\.toml$": f"./{FOLDER}/site.schema.json"}
    text = json.dumps({"yaml.schemas": schemas, "evenBetterToml.schema.associations": toml}, indent=2) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise Conflict("vscode", f"{shown_path(path)} exists already. Nothing in it was changed; add:\n{text}")
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, text.encode())
    click.echo(f"Wrote {shown_path(path)}.", err=True)
