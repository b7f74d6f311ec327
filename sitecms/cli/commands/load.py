"""`sitecms load`: read the files of the site folder into the store."""

import sys

import click

from sitecms.actions.plugin_events import tell_plugins
from sitecms.cli.load_report import ADOPT_HELP, PRUNE_HELP, load_files, summary
from sitecms.cli.output import warn
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.settings.site import SiteSettings
from sitecms.store.opening import open_store


@click.command(epilog="\b\nExample:\n  sitecms load demo --prune")
@site_argument
@click.option("--prune", is_flag=True, help=PRUNE_HELP)
@click.option("--adopt", is_flag=True, help=ADOPT_HELP)
def load(settings: SiteSettings, prune: bool, adopt: bool) -> None:
    """Read the site folder's files into the store.

    A file that did not change since it was last loaded is skipped, so what was edited through the API stays; a
    changed file wins, and the former version of an entry that was edited meanwhile goes to the trash. A file never
    replaces an entry that it was not loaded into before, such as a post made through the API with the same slug: that
    is an error, unless the file says `adopt: true` or --adopt is given. Errors are listed with file, line and remedy,
    and nothing of a file with an error is stored.

    Webhooks receive the events of what changed, as they do after writes of the API: published, draft, unpublished,
    delete. A worker with on_publish builds the site again.
    """
    database = open_store(settings, create=True)
    tell_plugins(database, settings, warn)
    report = load_files(database, settings, prune=prune, adopt=adopt)
    click.echo(summary(report))
    if report.errors:
        sys.exit(ExitCode.FAILED)
