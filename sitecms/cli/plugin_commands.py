"""Commands of plug-ins: those of the site that the command line names, or of the current folder.

This module imports little: every command passes through it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from sitecms.errors import ConfigurationError, SitecmsError

if TYPE_CHECKING:
    from sitecms.plugins.discovery import Plugin

_RUNNING = f"{__name__}.running"
_NO_PLUGINS = "--no-plugins"
_SETTINGS = "site.toml"  # as in settings.site, which takes its time to import


class PluginCommand(NamedTuple):
    """A command of a plug-in."""

    plugin: "Plugin"
    command: click.Command


def find_commands(arguments: Sequence[str], taken: Collection[str]) -> Mapping[str, PluginCommand]:
    """Return the commands of the plug-ins of the first argument that is a site, or of the current folder, by name.

    Names that are `taken` are left to the built-in commands. Raises SitecmsError if the site cannot be opened, and for
    a name that two plug-ins add.
    """
    folders = (Path(argument) for argument in (*arguments, "."))
    site = next((folder for folder in folders if (folder / _SETTINGS).is_file()), None)
    if site is None or _NO_PLUGINS in arguments:
        return {}
    from sitecms.settings.site import load_settings

    plugins = load_settings(site).plugins
    by_name: dict[str, PluginCommand] = {}
    for plugin, commands in plugins.mappings("commands"):
        for name, command in commands.items():
            if name in by_name:
                both = f"The plug-ins {by_name[name].plugin.name} and {plugin.name} both have the command {name}"
                raise ConfigurationError(f"{both}; enable one of them.")
            if name not in taken:
                by_name[name] = PluginCommand(plugin, plugins.guarded(plugin, f"command {name}", _command)(command))
    return by_name


def _command(value: object) -> click.Command:
    """Return a command, or the one at an address. Raises TypeError for anything else."""
    from sitecms.plugins.site_plugins import resolve

    command = resolve(value)
    if not isinstance(command, click.Command):
        raise TypeError(f"{command!r} is no click.Command")
    return command


def note_running(context: click.Context, plugin: "Plugin") -> None:
    """Note that a command of a plug-in runs from now on."""
    context.meta[_RUNNING] = plugin


@contextmanager
def named_errors(context: click.Context) -> Iterator[None]:
    """Name the plug-in in the error of a command of a plug-in."""
    try:
        yield
    except (SitecmsError, click.ClickException, click.exceptions.Exit, click.Abort, OSError):
        raise
    except Exception as error:
        plugin: Plugin | None = context.meta.get(_RUNNING)
        if plugin is None:
            raise
        raise plugin.failed(f"command {context.invoked_subcommand}", error) from error
