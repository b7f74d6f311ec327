"""The command `sitecms theme`: the themes of a site, and the files of the one that it has."""

import json
import re
import sys
from pathlib import Path

import click
from msgspec.structs import replace

from sitecms.actions.loading.reading.schema_files import read_content_schema
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_findings_as_text, show_table, summarize
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import folder_argument, open_settings, shown_path, site_argument
from sitecms.content.fields import own_types
from sitecms.documents import load_schema
from sitecms.errors import Conflict, FileError, InvalidFiles
from sitecms.findings import Severity, count_findings
from sitecms.settings.site import SiteSettings
from sitecms.settings.theme_folder import declared_options, read_theme, theme_chain, theme_places
from sitecms.site.check.checks import theme_findings
from sitecms.site.theme.new_theme import make_theme
from sitecms.site.theme.sources import add_theme, find_source, is_changed
from sitecms.site.theme.theme import files_of, find_theme_file, load_theme


@click.group(
    cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms theme files demo\n  sitecms theme eject demo post.html"
)
def theme() -> None:
    """Choose, add and make themes, and copy templates, assets and translations into the site."""


@theme.command("list", epilog="\b\nExample:\n  sitecms theme list demo")
@site_argument
def list_themes(settings: SiteSettings) -> None:
    """List the themes that the site can have: its own, those of sitecms and those of installed packages.

    A star marks the one that it has.
    """
    rows, errors = [], list[FileError]()
    for name, place in theme_places(settings.folder, settings.theme.of_plugins).items():
        mark = "*" if name == settings.theme.name else ""
        try:
            theme = read_theme(place.folder, place.path)
            is_copy = place.path and find_source(place.folder) is not None
        except InvalidFiles as error:
            errors += error.errors
            rows.append((mark, name, "", place.origin, "", "cannot be used: see below"))
            continue
        origin = f"{place.origin} (changed)" if is_copy and is_changed(place.folder) else place.origin
        rows.append((mark, name, theme.version, origin, theme.extends, theme.description))
    show_table(("", "NAME", "VERSION", "FROM", "EXTENDS", "DESCRIPTION"), rows)
    if errors:
        raise InvalidFiles(errors)


@theme.command(
    epilog="\b\nExample:\n  sitecms theme add ../seaside\n"
    "  sitecms theme add https://git.example/ann/seaside.git@v1.2\n  sitecms theme add seaside"
)
@site_argument
@click.argument("source", metavar="SOURCE")
@click.option("--force", is_flag=True, help="Replace a theme that was changed in the site.")
def add(settings: SiteSettings, source: str, force: bool) -> None:
    """Copy a theme into the folder themes/ of the site.

    SOURCE is a folder, the name of a theme of an installed package, or the address of a Git repository (https, ssh,
    file), which @ and a commit, tag or branch may follow. Nothing of it is run. source.toml in the copy says where it
    is from. Adding it again replaces the copy, if that was not changed.
    """
    added = add_theme(settings, source, force=force)
    commit = f", commit {added.source.commit[:12]}" if added.source.commit else ""
    click.echo(f"Added {added.theme.path} {added.theme.version}".rstrip() + f" from {added.source.source}{commit}.")
    for path, reason in added.left_out.items():
        click.echo(f"Left out {path}: it {reason}.")
    theme_chain(added.theme.name, settings.folder, settings.theme.of_plugins)
    if added.theme.name != settings.theme.name:
        click.echo(f'To use it, write name = "{added.theme.name}" below [theme] in site.toml.')


@theme.command(epilog="\b\nExample:\n  sitecms theme new demo seaside --extends journal")
@site_argument
@click.argument("name", metavar="NAME")
@click.option("--extends", help="The theme that it extends; default: that of the site.")
def new(settings: SiteSettings, name: str, extends: str | None) -> None:
    """Make a theme in the folder themes/ of the site, which extends another one."""
    if not re.fullmatch(load_schema("theme")["properties"]["name"]["pattern"], name):
        raise click.BadParameter("expected small letters, digits, - and _", param_hint="NAME")
    other = theme_chain(extends or settings.theme.name, settings.folder, settings.theme.of_plugins)[-1]
    for file in make_theme(settings.folder, name, other):
        click.echo(f"Wrote {shown_path(file)}.")
    click.echo(f'To use it, write name = "{name}" below [theme] in site.toml.')


@theme.command(epilog="\b\nExample:\n  sitecms theme check demo")
@folder_argument
@click.option("--theme", "name", help="Name of the theme; default: that of the site.")
@click.option("--strict", is_flag=True, help="Exit with code 1 on warnings too.")
def check(folder: Path, name: str | None, strict: bool) -> None:
    """List the options of a theme, and what it lacks: templates, blocks, options, translations, content of the site.

    The exit code is 1 if a template is missing, 3 for errors in its theme.toml.
    """
    settings = open_settings(folder)
    chosen = replace(settings.theme, name=name or settings.theme.name)
    whole = load_theme(settings.folder, chosen)
    if options := declared_options(whole.chain):
        rows = [
            (key, each["type"], json.dumps(each["default"]), each.get("description", ""))
            for key, each in options.items()
        ]
        show_table(("OPTION", "TYPE", "DEFAULT", "DESCRIPTION"), rows)
    findings = tuple(theme_findings(whole, settings, read_content_schema(settings.folder, own_types(settings.plugins))))
    show_findings_as_text(findings)
    click.echo(f"Checked the theme {chosen.name}: {summarize(findings)}")
    if count_findings(findings, Severity.ERROR) or (strict and findings):
        sys.exit(ExitCode.FAILED)


@theme.command("files", epilog="\b\nExample:\n  sitecms theme files demo")
@site_argument
def list_files(settings: SiteSettings) -> None:
    """List every file of the site's theme, and its origin: a theme or the site."""
    whole = load_theme(settings.folder, settings.theme)
    origins = {each.folder: each.path or each.name for each in whole.chain}
    rows = [(each.name, _origin(each.path, settings.folder, origins)) for each in files_of(whole)]
    show_table(("NAME", "FROM"), rows)


@theme.command(epilog="\b\nExample:\n  sitecms theme show demo parts/header.html")
@site_argument
@click.argument("name", metavar="NAME")
def show(settings: SiteSettings, name: str) -> None:
    """Print one file as the next build uses it."""
    whole = load_theme(settings.folder, settings.theme)
    click.echo(whole.written_bytes(find_theme_file(whole, name).path), nl=False)


@theme.command(epilog="\b\nExample:\n  sitecms theme eject demo assets/style.css")
@site_argument
@click.argument("name", metavar="NAME")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def eject(settings: SiteSettings, name: str, force: bool) -> None:
    """Copy a file of the theme into the site folder, where it replaces the theme's file."""
    original = load_theme(settings.folder, settings.theme, original=True)
    file = find_theme_file(original, name)
    target = settings.folder / file.own_name
    if target.exists() and not force:
        raise Conflict("name", f"{target} exists already. Use --force to replace it.")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(original.written_bytes(file.path))
    click.echo(f"Wrote {shown_path(target)}. The next build uses it.", err=True)


def _origin(path: Path, site: Path, origins: dict[Path, str]) -> str:
    """Return the theme of a file: its name, or its folder where it lies in the site."""
    of_theme = next((origin for folder, origin in origins.items() if path.is_relative_to(folder)), "")
    if of_theme:
        return of_theme
    return str(path.relative_to(site)) if path.is_relative_to(site) else "sitecms"
