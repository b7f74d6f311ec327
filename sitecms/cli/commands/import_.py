"""`sitecms import`: move a site in from another system."""

import sys
from pathlib import Path

import click
import orjson

from sitecms.cli.output import format_option, progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import remember_folder
from sitecms.importing.plan.texts import BodyChoice
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.readers import KINDS
from sitecms.importing.report import Report
from sitecms.importing.run import ImportOptions, import_site


@click.command(
    "import", epilog="\b\nExample:\n  sitecms import demo export.xml --dry-run\n  sitecms import demo export.xml"
)
@click.argument("folder", metavar="SITE", type=click.Path(path_type=Path), callback=remember_folder)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--from", "kind", type=click.Choice(list(KINDS)), help="The kind of the source; default: by its content.")
@click.option("--name", default="", help="Name of the import, if a site has several of one kind.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Write and download nothing, but report the same.")
@click.option("--report", "report_file", type=click.Path(path_type=Path), help="Write the whole report to a JSON file.")
@click.option("--old-url", default="", help="The address of the old site, where the source does not state it.")
@click.option(
    "--body", type=click.Choice(list(BodyChoice)), default=BodyChoice.AUTO, show_default=True, help="Format of bodies."
)
@click.option("--timezone", default="", help="Time zone of times without one; default: inferred.")
@click.option("--locale", default="", help="Locale of the entries; default: the one that the source states.")
@click.option("--partial", "is_partial", is_flag=True, help="Take what a truncated source holds.")
@click.option("--prune", is_flag=True, help="Remove files whose entry is gone from the source, unless edited.")
@format_option
def import_command(
    folder: Path,
    sources: tuple[str, ...],
    kind: str | None,
    name: str,
    is_dry: bool,
    report_file: Path | None,
    old_url: str,
    body: str,
    timezone: str,
    locale: str,
    is_partial: bool,
    prune: bool,
    output_format: str,
) -> None:
    """Turn the export of another system into files of the site folder SITE, which is made if it is missing.

    SOURCE is a file, a folder, a zip archive, or several parts of one export. Look at the files, then run
    `sitecms load` or `sitecms build`. Importing again takes only what has changed, and never overwrites a file that
    you edited.
    """
    reader = ReaderOptions(old_url=old_url, timezone=timezone, locale=locale, is_partial=is_partial)
    options = ImportOptions(kind or "", name, is_dry, BodyChoice(body), prune, reader)
    with progress_bar() as progress:
        report = import_site(folder, sources, options, progress)
    data = report.as_json()
    if report_file:
        report_file.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n")
    _show(report, output_format)
    if report.failures:
        sys.exit(ExitCode.FAILED)


def _show(report: Report, output_format: str) -> None:
    if output_format == "json":
        click.echo(orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2))
        return
    for line in report.lines():
        click.echo(line)
