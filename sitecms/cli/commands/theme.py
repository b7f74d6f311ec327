"""The command `sitecms theme`: the themes of a site, and the files of the one that it has."""

from pathlib import Path

import click

from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.site_argument import shown_path, site_argument
from sitecms.errors import Conflict
from sitecms.settings.site import SiteSettings
from sitecms.settings.theme_folder import read_theme, theme_places
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
    rows = []
    for name, place in theme_places(settings.folder, settings.theme.of_plugins).items():
        folder = read_theme(place.folder, place.path)
        mark = "*" if name == settings.theme.name else ""
        rows.append((mark, name, folder.version, place.origin, folder.extends, folder.description))
    show_table(("", "NAME", "VERSION", "FROM", "EXTENDS", "DESCRIPTION"), rows)


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
