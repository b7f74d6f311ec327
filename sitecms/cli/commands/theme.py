"""`sitecms theme`: the files a site is made with, and how to make them one's own."""

from pathlib import Path

import click

from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.site_argument import site_argument
from sitecms.cli.table import show_table
from sitecms.errors import Conflict
from sitecms.settings.site import SiteSettings
from sitecms.site.theme.files import find_theme_file, theme_files


@click.group(
    cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms theme list demo\n  sitecms theme eject demo post.html"
)
def theme() -> None:
    """Look at the theme's templates, assets and translations, and take some over into the site."""


@theme.command("list", epilog="\b\nExample:\n  sitecms theme list demo")
@site_argument
def list_files(settings: SiteSettings) -> None:
    """Show every file of the theme, and whether it is the theme's or the site's own."""
    rows = [(each.name, _origin(each.path, settings.folder)) for each in theme_files(settings.folder)]
    show_table(("NAME", "FROM"), rows)


@theme.command(epilog="\b\nExample:\n  sitecms theme show demo parts/header.html")
@site_argument
@click.argument("name", metavar="NAME")
def show(settings: SiteSettings, name: str) -> None:
    """Print one file, as it is used now."""
    click.echo(find_theme_file(settings.folder, name).path.read_bytes(), nl=False)


@theme.command(epilog="\b\nExample:\n  sitecms theme eject demo assets/style.css")
@site_argument
@click.argument("name", metavar="NAME")
@click.option("--force", is_flag=True, help="Put the theme's file in place of one that is there.")
def eject(settings: SiteSettings, name: str, force: bool) -> None:
    """Copy a file of the theme into the site folder, where it takes the place of the theme's."""
    found = find_theme_file(settings.folder, name, original=True)
    target = settings.folder / found.own_name
    if target.exists() and not force:
        raise Conflict("name", f"{target} is there already; --force puts the theme's in its place.")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(found.path.read_bytes())
    click.echo(f"Wrote {target}; it is used from the next build on.", err=True)


def _origin(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else "theme"
