"""`sitecms export`: write the store back into files of a site folder."""

import sys
from pathlib import Path

import click

from sitecms.actions.exporting.export import export_site
from sitecms.cli.output import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.opening import open_store


@click.command(epilog="\b\nExample:\n  sitecms export demo demo-files\n  sitecms export demo for-hugo --to hugo")
@site_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Write into a folder that is not empty; files of other names stay.")
@click.option(
    "--with-trash", is_flag=True, help="Write entries in the trash too, into DIR/trash, which no command reads."
)
@click.option(
    "--to",
    "format_name",
    metavar="FORMAT",
    default="plain",
    help="Format: plain (files that load reads, default), wxr (WordPress), hugo, ghost, or one of a plug-in.",
)
def export(settings: SiteSettings, folder: Path, force: bool, with_trash: bool, format_name: str) -> None:
    """Write everything in the store into DIR as files that `sitecms load` reads.

    DIR must be empty, missing, or an earlier export, which is updated: files whose entries are gone are removed.
    Settings, redirects, .gitignore, templates, assets, data, translations and unused media are copied. Former
    addresses become aliases. Tokens, webhooks, and writes that were not applied yet are not exported. The exit code is
    1 if something could not be written.

    With --to, DIR is a new folder in the format of another system, with media and redirects; what the format cannot
    hold is listed.
    """
    database = open_store(settings)
    if format_name != "plain":
        _export_to(format_name, database, settings, folder)
        return
    with progress_bar() as progress:
        report = export_site(database, settings, folder, force=force, with_trash=with_trash, progress=progress)
    for note in report.notes:
        click.echo(note, err=True)
    for path in report.removed:
        click.echo(f"{path}: was removed, since its entry is gone", err=True)
    click.echo(
        f"Exported {settings.name} to {folder}: {counted(report.posts, 'post')}, {counted(report.pages, 'page')}, "
        f"{counted(report.items, 'item')}, {counted(report.media, 'media file')} in {report.seconds:.2f} s"
    )
    if report.notes:
        sys.exit(ExitCode.FAILED)


def _export_to(name: str, database: Database, settings: SiteSettings, folder: Path) -> None:
    from sitecms.site.export.run import export_to

    report = export_to(name, database, settings, folder)
    click.echo(
        f"Exported {settings.name} to {folder}: {counted(report.entries, 'entry', 'entries')}, "
        f"{counted(report.media, 'media file')}"
    )
    for note in report.notes:
        click.echo(f"Left out or changed: {note}")
