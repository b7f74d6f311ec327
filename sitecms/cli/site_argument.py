"""Arguments that commands share: SITE, a site folder, by default the current one; and the address of a site."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sitecms.settings.site import SiteSettings, is_base_url, load_settings

F = TypeVar("F", bound=Callable[..., Any])


def site_argument(command: F) -> F:
    """Give the command `settings`, the SiteSettings of the folder. Raises ConfigurationError while parsing.

    The folder may be left out before another argument too, as in `sitecms token revoke NAME`.
    """
    return click.argument("settings", metavar="[SITE]", nargs=-1, callback=_load)(command)


def folder_argument(command: F) -> F:
    """Give the command `folder`: for one that tells faults of the settings in a form of its own."""
    path = click.Path(path_type=Path)
    return click.argument("folder", metavar="[SITE]", type=path, default=".", callback=remember_folder)(command)


def remember_folder(context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    """Note the folder for `cli.report`, which looks at the store of a command that crashed."""
    context.find_root().obj = value
    return value


def _load(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> SiteSettings:
    if len(value) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({value[1]})")
    return load_settings(remember_folder(context, parameter, Path(value[0] if value else ".")))


def parse_site_url(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Return the address of a site without a slash at its end. Raises BadParameter for anything else."""
    if value and not is_base_url(value):
        raise click.BadParameter("expected an address such as https://tide.example or https://host.example/tide")
    return value.rstrip("/") if value is not None else None


def shown_path(path: Path) -> Path:
    """The path relative to the working directory where it is below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
