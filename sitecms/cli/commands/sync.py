"""`sitecms sync`: load the files, and write back what the store has changed."""

import sys

import click

from sitecms.actions.plugin_events import tell_plugins
from sitecms.actions.syncing.write_back import WriteBackReport, note_unwritten, write_back
from sitecms.cli.load_report import load_files, summary
from sitecms.cli.output import warn
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.plurals import counted
from sitecms.settings.files import WriteBack
from sitecms.settings.site import SiteSettings
from sitecms.store.opening import open_store

_OFF = "Nothing is written into files: site.toml says write_back = false under [files]."


@click.command(epilog="\b\nExample:\n  sitecms sync demo\n  sitecms sync demo --dry-run")
@site_argument
@click.option("--dry-run", is_flag=True, help="Load nothing and write nothing; say what would be written into files.")
def sync(settings: SiteSettings, dry_run: bool) -> None:
    """Bring files and store to the same state, in both directions.

    First the changed files are loaded, as by sitecms load. Then what was changed in the studio, through the API or by
    a schedule is written into the files of its entries: the keys that differ and the text, while comments, order and
    everything else stay. New entries get a file, deleted ones lose theirs. It also writes what only the store knows,
    as the former address of a renamed entry.

    A worker (sitecms serve, sitecms worker) writes back by itself within seconds. What could not be written is listed
    with the reason, and tried again by each sync.
    """
    database = open_store(settings, create=True)
    tell_plugins(database, settings, warn)
    has_errors = False
    if not dry_run:
        report = load_files(database, settings)
        click.echo(summary(report))
        has_errors = bool(report.errors)
        note_unwritten(database)
    if settings.files.write_back is WriteBack.OFF:
        click.echo(_OFF)
    else:
        written = write_back(database, settings, now(), is_trial=dry_run, again=True)
        _show(written, dry_run=dry_run)
        has_errors |= bool(written.problems or written.stopped)
    if has_errors:
        sys.exit(ExitCode.FAILED)


def _show(report: WriteBackReport, *, dry_run: bool) -> None:
    """Print what was written, and to stderr what could not be."""
    for path in report.written:
        click.echo(f"{path}: {'would be written' if dry_run else 'written'}")
    for path in report.removed:
        click.echo(f"{path}: {'would be removed' if dry_run else 'removed'}")
    for problem in report.problems:
        click.echo(f"not in a file: {problem}", err=True)
    if report.stopped:
        click.echo(f"Nothing was written: {report.stopped}", err=True)
    verb = "to write" if dry_run else "written"
    click.echo(
        f"Written back: {counted(len(report.written), 'file')} {verb}, {len(report.removed)} "
        f"{'to remove' if dry_run else 'removed'}, {len(report.problems)} not in files"
    )
