"""`sitecms backup`: write the whole site to one file, while it is in use."""

import sys
from pathlib import Path

import click

from sitecms.actions.operations.backup.create import BackupReport, back_up
from sitecms.cli.output import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.plurals import counted, listed
from sitecms.settings.site import SiteSettings
from sitecms.store.opening import open_store

_SHOWN = 5


@click.command(epilog="\b\nExample:\n  sitecms backup demo demo-2026-03-01.tar.gz")
@site_argument
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("--with-ignored", is_flag=True, help="Pack what .gitignore names, and the folder .git, as well.")
def backup(settings: SiteSettings, file: Path, force: bool, with_ignored: bool) -> None:
    """Pack the site into FILE, compressed if its name ends in .gz or .tgz.

    The server may run meanwhile: FILE contains the store as it was at one moment, accepted writes included, every media
    file that it names, and the site folder without what can be rebuilt (the built site, caches) and what its .gitignore
    names. Files that sitecms reads are packed even if .gitignore names them. Protect the file like a password: it
    contains the signing secrets of webhooks.

    `sitecms restore` makes a site from it. The exit code is 1 if media files were missing or damaged.
    """
    database = open_store(settings)
    with progress_bar() as progress:
        report = back_up(database, settings, file, now(), replace=force, with_ignored=with_ignored, progress=progress)
    _show(report)
    click.echo(
        f"Backed up {settings.name} to {file}: {counted(len(report.manifest.files), 'file')}, "
        f"{report.size_bytes:,} bytes, "
        f"change {report.manifest.change_number}, in {report.seconds:.2f} s"
    )
    if report.manifest.missing_media or report.damaged_media:
        sys.exit(ExitCode.FAILED)


def _show(report: BackupReport) -> None:
    """Print to stderr what is missing in the backup or damaged."""
    for line in report.unpackable:
        click.echo(f"{line}, so it is not in the backup", err=True)
    if report.left_out:
        names = listed(report.left_out, _SHOWN)
        click.echo(f"Left out, because Git ignores them: {names} (--with-ignored packs them)", err=True)
    for name in report.manifest.missing_media:
        click.echo(f"media {name}: is missing, so it is not in the backup (sitecms verify)", err=True)
    for name in report.damaged_media:
        click.echo(f"media {name}: is damaged, and was packed unchanged (sitecms verify)", err=True)
