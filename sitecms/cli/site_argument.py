"""Arguments that commands share: SITE, a site folder, and the address of a site."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sitecms.settings.current import settings_at_start
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.web_address import InvalidBaseUrl, base_url

F = TypeVar("F", bound=Callable[..., Any])
_LEFT_OUT = f"{__name__}.no_plugins"
_IS_BESIDE = f"{__name__}.is_beside"
NO_BEFORE_HELP = "Do not run the commands of `[build] before`."


def site_argument(command: F) -> F:
    """Add the argument SITE, which becomes `settings`. Raises ConfigurationError while parsing.

    SITE is optional also before another argument, as in `sitecms token revoke NAME`.
    """
    return plugins_option(click.argument("settings", metavar="[SITE]", nargs=-1, callback=_load)(command))


def folder_argument(command: F) -> F:
    """Add the argument SITE as `folder`, for a command that reports invalid settings itself."""
    path = click.Path(path_type=Path)
    argument = click.argument("folder", metavar="[SITE]", type=path, default=".", callback=remember_folder)
    return plugins_option(argument(command))


def plugins_option(command: F) -> F:
    """Give the command the option --no-plugins, which `open_settings` heeds."""
    return click.option(
        "--no-plugins",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_leave_plugins_out,
        help="Run no plug-in and no command of `[build] before`, whatever site.toml says.",
    )(command)


def beside_option(command: F) -> F:
    """Give the command a hidden option for a process beside others, or in the place of one of them."""
    return click.option(
        "--beside", is_flag=True, is_eager=True, hidden=True, expose_value=False, callback=_note_beside,
        help="Begin with the settings of the processes beside this one.",
    )(command)  # fmt: skip


def open_settings(folder: Path) -> SiteSettings:
    """Return the settings of the site, with its plug-ins unless the command was given --no-plugins.

    A process of `sitecms serve` begins as those beside it began. Raises as `load_settings`.
    """
    meta = click.get_current_context().meta
    with_plugins = not meta.get(_LEFT_OUT, False)
    start = settings_at_start(folder, with_plugins=with_plugins) if meta.get(_IS_BESIDE) else None
    return start or load_settings(folder, with_plugins=with_plugins)


def _note_beside(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.meta[_IS_BESIDE] = value


def _leave_plugins_out(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    context.meta[_LEFT_OUT] = value


def remember_folder(context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    """Remember the folder for `cli.report`, which examines the store after a crash, and return it."""
    context.find_root().obj = value
    return value


def _load(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> SiteSettings:
    if len(value) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({value[1]})")
    return open_settings(remember_folder(context, parameter, Path(value[0] if value else ".")))


def parse_site_url(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Return the address of a site as `base_url` writes it. Raises BadParameter for anything else."""
    try:
        return base_url(value) if value is not None else None
    except InvalidBaseUrl as error:
        raise click.BadParameter(str(error)) from None


def shown_path(path: Path) -> Path:
    """Return the path, relative to the working directory if it is below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
