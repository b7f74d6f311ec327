"""The command `sitecms theme`: list, show and copy the files of the theme."""

from pathlib import Path

import click

from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.output import show_table
from sitecms.cli.site_argument import shown_path, site_argument
from sitecms.errors import Conflict
from sitecms.settings.site import SiteSettings
from sitecms.site.theme.theme import find_theme_file, shipped_bytes, theme_files


@click.group(
    cls=SuggestingGroup, epilog="\b\nExample:\n  sitecms theme list demo\n  sitecms theme eject demo post.html"
)
def theme() -> None:
    """List the theme's templates, assets and translations, and copy them into the site."""


@theme.command("list", epilog="\b\nExample:\n  sitecms theme list demo")
@site_argument
def list_files(settings: SiteSettings) -> None:
    """List every file of the theme, and its origin: the theme or the site."""
    rows = [(each.name, _origin(each.path, settings.folder)) for each in theme_files(settings.folder, settings.theme)]
    show_table(("NAME", "FROM"), rows)


@theme.command(epilog="\b\nExample:\n  sitecms theme show demo parts/header.html")
@site_argument
@click.argument("name", metavar="NAME")
def show(settings: SiteSettings, name: str) -> None:
    """Print one file as the next build uses it."""
    file = find_theme_file(settings.folder, settings.theme, name)
    click.echo(shipped_bytes(file.path, settings.theme), nl=False)


@theme.command(epilog="\b\nExample:\n  sitecms theme eject demo assets/style.css")
@site_argument
@click.argument("name", metavar="NAME")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def eject(settings: SiteSettings, name: str, force: bool) -> None:
    """Copy a file of the theme into the site folder, where it replaces the theme's file."""
    file = find_theme_file(settings.folder, settings.theme, name, original=True)
    target = settings.folder / file.own_name
    if target.exists() and not force:
        raise Conflict("name", f"{target} exists already. Use --force to replace it.")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(shipped_bytes(file.path, settings.theme))
    click.echo(f"Wrote {shown_path(target)}. The next build uses it.", err=True)


def _origin(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else "theme"
