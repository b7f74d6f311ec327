"""The `sitecms` command. Each subcommand's module is imported when it is used, and not before."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from sitecms import __version__
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.report import reported

COMMANDS: Mapping[str, tuple[str, str]] = {
    "init": ("sitecms.cli.commands.init:init", "Make a new site folder that builds at once."),
    "load": ("sitecms.cli.commands.load:load", "Read the site folder's files into the store."),
    "build": ("sitecms.cli.commands.build:build", "Render the site to static HTML."),
    "preview": ("sitecms.cli.commands.preview:preview", "Show the site in a browser, fresh after every change."),
    "check": ("sitecms.cli.commands.check:check", "Look for broken links, faults and what readers would miss."),
    "new": ("sitecms.cli.commands.new:new", "Make a post or page that is filled in from the schema."),
    "theme": ("sitecms.cli.commands.theme:theme", "Look at the theme's files, and make some one's own."),
    "serve": ("sitecms.cli.commands.serve:serve", "Answer the content API, with a background worker beside it."),
    "worker": ("sitecms.cli.commands.worker:worker", "Run the background worker alone."),
    "reindex": ("sitecms.cli.commands.reindex:reindex", "Make the search index anew."),
    "status": ("sitecms.cli.commands.status:status", "Show how a site stands: store, writes, deliveries, last build."),
    "doctor": ("sitecms.cli.commands.doctor:doctor", "Look for what is wrong with this machine, or with a site on it."),
    "writes": ("sitecms.cli.commands.writes:writes", "Look at accepted writes, and try failed ones again."),
    "token": ("sitecms.cli.commands.token:token", "Make, list, rotate and revoke access tokens."),
    "webhook": ("sitecms.cli.commands.webhook:webhook", "Tell other programs of changes, and see what became of it."),
    "trash": ("sitecms.cli.commands.trash:trash", "List, restore and remove what was deleted."),
    "export": ("sitecms.cli.commands.export:export", "Write the store back into files that load reads."),
    "backup": ("sitecms.cli.commands.backup:backup", "Pack the whole site into one file, while it is written to."),
    "restore": ("sitecms.cli.commands.restore:restore", "Make a site folder of a backup."),
    "move-store": (
        "sitecms.cli.commands.move_store:move_store_command",
        "Move the store to PostgreSQL, or back to SQLite.",
    ),
    "move-media": (
        "sitecms.cli.commands.move_media:move_media_command",
        "Copy media files to object storage, or back.",
    ),
    "deploy": (
        "sitecms.cli.commands.deploy:deploy",
        "Make the files that nginx, systemd and containers run a site by.",
    ),
    "verify": ("sitecms.cli.commands.verify:verify", "See whether everything that is kept is whole, and mend it."),
}


class LazyGroup(SuggestingGroup):
    """Group that imports a subcommand when it is used, and reports the errors of all of them in one way."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's hook
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's hook
        """Import the subcommand of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in `sitecms --help`, without importing what it lists."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_target, help_text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; sitecms' own errors become words and an exit code."""
        with reported(lambda: ctx.find_root().obj):
            return super().invoke(ctx)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample:\n  sitecms init demo\n  sitecms preview demo --open\n  sitecms build demo",
)
@click.version_option(__version__, prog_name="sitecms")
def cli() -> None:
    """One content store, two ways out: a JSON API and a static site.

    SITE is a folder with a site.toml; left out, it is the current folder. Exit codes: 0 done, 1 finished with
    failures, 2 wrong usage, 3 the site cannot be opened as it stands.
    """


def main() -> None:
    """The console script's entry point."""
    cli(prog_name="sitecms")
