"""The `sitecms` command. The module of a subcommand is imported when the subcommand is used."""

import gc
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from sitecms import __version__
from sitecms.actions.garbage_collection import without_collector
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.plugin_commands import find_commands, named_errors, note_running
from sitecms.cli.report import reported
from sitecms.errors import SitecmsError

COMMANDS: Mapping[str, str] = {
    "init": "Create a new site folder.",
    "load": "Load the files of the site folder into the store.",
    "sync": "Load the files, and write back what the store has changed.",
    "build": "Render the site to static HTML.",
    "preview": "Show the site in a browser and reload it after every change.",
    "check": "Find errors, broken links and missing descriptions.",
    "new": "Create a content file from the schema.",
    "theme": "Choose, add and make themes, and copy their files.",
    "schema": "Write JSON Schemas for editors that complete content files.",
    "serve": "Serve the content API and the studio, with a background worker.",
    "worker": "Run a background worker alone.",
    "reindex": "Rebuild the search index of the API.",
    "status": "Show the state of a site: store, writes, deliveries, last build.",
    "doctor": "Find problems of this machine, or of a site on it.",
    "writes": "List accepted writes and retry failed ones.",
    "token": "Create, list, rotate and revoke access tokens.",
    "user": "Add, list and remove users of the studio, and set their roles.",
    "webhook": "Send changes to other programs, and list the deliveries.",
    "mail": "Try the mail server, and list and repeat messages of the studio.",
    "trash": "List, restore and remove deleted entries.",
    "import": "Move a site in from WordPress and other systems.",
    "export": "Write the store into files that `load` reads.",
    "backup": "Pack the whole site into one file while it is in use.",
    "restore": "Restore a site folder from a backup.",
    "move-store": "Move the store to PostgreSQL, or back to SQLite.",
    "move-media": "Copy media files to object storage, or back.",
    "deploy": "Write configuration for nginx, systemd and containers.",
    "manual": "Show the manual in a browser, without a network.",
    "verify": "Check the integrity of the stored data, and repair it.",
}
"""The short help of each command, by its name, which its module in `cli.commands` and its function have, too."""


class LazyGroup(SuggestingGroup):
    """Group that imports a subcommand when it is used, and reports the errors of all subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's hook
        """Return the names in the order of COMMANDS."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, of sitecms or of a plug-in. Raises UsageError."""
        if not args or args[0] in COMMANDS or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        problem = ""
        try:
            found = find_commands(args[1:], COMMANDS).get(args[0])
        except SitecmsError as error:
            found, problem = None, f" Plug-ins cannot be asked: {str(error).splitlines()[0]}"
        if found:
            note_running(ctx, found.plugin)
            return args[0], found.command, args[1:]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + problem, ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's hook
        """Import and return the subcommand; None if the name is unknown."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_") + "_" * iskeyword(cmd_name)
        with without_collector():
            command: click.Command = getattr(import_module(f"sitecms.cli.commands.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of `sitecms --help` without importing the subcommands; with plug-ins of the current folder."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        with suppress(SitecmsError):  # of the site: the help is about sitecms
            if found := find_commands((), COMMANDS):
                with formatter.section("Commands of plug-ins"):
                    formatter.write_dl([(name, each.command.get_short_help_str()) for name, each in found.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; errors of sitecms become a message and an exit code."""
        with reported(lambda: ctx.find_root().obj), named_errors(ctx):
            return super().invoke(ctx)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample:\n  sitecms init demo\n  sitecms preview demo --open\n  sitecms build demo\n\n"
    "The manual, with tutorials, guides and the whole reference, needs no network: sitecms manual --open",
)
@click.version_option(__version__, prog_name="sitecms")
def cli() -> None:
    """Keep content in one store, serve it as JSON and build it as a static site.

    SITE is a folder with a site.toml file; default: the current folder. Exit codes: 0 done, 1 finished with failures,
    2 wrong usage, 3 the site cannot be opened.
    """


def main() -> None:
    """Run the command line: the entry point of the console script."""
    try:
        cli(prog_name="sitecms")
    finally:
        gc.freeze()  # the last collection would visit every object before the process ends
