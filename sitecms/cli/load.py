"""`sitecms load`: files of the site folder into the store."""

import sys

import click

from sitecms.actions.load_site import LoadReport, load_site
from sitecms.cli.progress import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.settings import SiteSettings
from sitecms.store.database import open_database


@click.command(epilog="\b\nExample:\n  sitecms load demo --prune")
@site_argument
@click.option("--prune", is_flag=True, help="Delete the entries of files that are gone (they can be restored).")
def load(settings: SiteSettings, prune: bool) -> None:
    """Read the site folder's files into the store.

    A file that did not change since it was last loaded is skipped, so what was edited through the API stays; a
    changed file wins, and says what it replaced. Faults are listed with file, line and remedy, and nothing of a
    faulty file is stored.

    Webhooks receive the events of what changed, as they do after writes of the API: published, draft, unpublished,
    delete. A worker with on_publish builds the site again.
    """
    database = open_database(settings.store, create=True)
    with progress_bar() as progress:
        report = load_site(database, settings, now(), prune=prune, progress=progress)
    tell_load(report)
    click.echo(summary(report))
    if report.faults:
        sys.exit(ExitCode.FAILED)


def tell_load(report: LoadReport) -> None:
    """Say on stderr what a person may want to act on."""
    for path, replaced in report.replaced.items():
        for field, value in replaced.items():
            click.echo(f"{path}: replaced {field} of an entry edited through the API: {value!r}", err=True)
    for path in report.vanished:
        click.echo(f"{path}: is gone; its entries stay until you load or build with --prune", err=True)
    for path in report.pruned:
        click.echo(f"{path}: is gone; its entries were deleted", err=True)
    for note in report.notes:
        click.echo(note, err=True)
    for fault in report.faults:
        click.echo(str(fault), err=True)


def summary(report: LoadReport) -> str:
    """One line: how many files were loaded, unchanged, pruned, faulty."""
    faulty = len({fault.file for fault in report.faults})
    counts = f"{len(report.loaded)} loaded, {report.unchanged} unchanged, {len(report.pruned)} pruned, {faulty} faulty"
    return f"Files: {counts} in {report.seconds:.2f} s"
