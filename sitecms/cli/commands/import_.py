"""`sitecms import`: import a site from another system; `sitecms import urls`: check its old addresses."""

import os
import sys
from collections import Counter
from datetime import UTC
from pathlib import Path
from typing import Any

import click
import orjson
from msgspec.structs import replace

from sitecms.cli.output import format_option, progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import open_settings, plugins_option, remember_folder, site_argument
from sitecms.documents import read_yaml
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import read_time, zone_of
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.old_urls import BuiltSite, UrlOutcome, old_urls, read_urls
from sitecms.importing.plan.texts import BodyChoice
from sitecms.importing.reader import ReaderOptions, fetcher
from sitecms.importing.readers import importers
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from sitecms.importing.selection import Selection
from sitecms.importing.shortcodes import kept_names
from sitecms.media.fetching.fetch import FetchRules
from sitecms.plugins.site_plugins import SHORTCODES, SitePlugins
from sitecms.plurals import counted
from sitecms.settings.site import SETTINGS_FILE, SiteSettings

TOKEN_VARIABLE = "SITECMS_IMPORT_TOKEN"  # noqa: S105 - the name of it
_MEGABYTE = 1024 * 1024
_MAX_ANSWER_BYTES = 64 * _MEGABYTE
_FILE_SECONDS = 900.0
_ANSWER_SECONDS = 120.0
_KINDS_HELP = f"The kind of the source: {', '.join(importers())}, or one of a plug-in; default: by its content."


@click.command(epilog="\b\nExample:\n  sitecms import urls demo --sitemap https://old.example/sitemap.xml")
@site_argument
@click.option("--sitemap", required=True, metavar="FILE|URL", help="A sitemap, or a text with one address in a line.")
@click.option("--all", "show_all", is_flag=True, help="List the kept and redirected addresses too.")
@format_option
def urls(settings: SiteSettings, sitemap: str, show_all: bool, output_format: str) -> None:
    """Show for each address of the old site whether it is kept, redirected or gone.

    The site must be built. The exit code is 1 if an address is gone.
    """
    rules = FetchRules(settings.media.allow_hosts, max_bytes=_MAX_ANSWER_BYTES, total_seconds=_ANSWER_SECONDS)
    site = BuiltSite(settings.folder, settings.output_dir, settings.base_path)
    outcomes = list(old_urls(site, read_urls(sitemap, fetcher(rules))))
    counts = Counter(each.outcome for each in outcomes)
    if output_format == "json":
        listed = [{"url": each.url, "outcome": each.outcome.value, "target": each.target} for each in outcomes]
        data = {"format": 1, "counts": {outcome.value: counts[outcome] for outcome in UrlOutcome}, "urls": listed}
        click.echo(orjson.dumps(data, option=orjson.OPT_INDENT_2))
    else:
        for each in outcomes:
            if show_all or each.outcome is UrlOutcome.GONE:
                click.echo(f"{each.outcome}: {each.url}" + (f" -> {each.target}" if each.target else ""))
        shares = ", ".join(f"{counts[outcome]} {outcome}" for outcome in UrlOutcome)
        click.echo(f"{counted(len(outcomes), 'old address', 'old addresses')}: {shares}")
    if counts[UrlOutcome.GONE] or not outcomes:
        sys.exit(ExitCode.FAILED)


class _ImportCommand(click.Command):
    """Command whose first argument `urls` is a subcommand; a site folder of that name is `./urls`."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command, or of its subcommand."""
        if args[:1] == ["urls"]:
            return urls.make_context(f"{info_name} urls", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    "import",
    cls=_ImportCommand,
    epilog="\b\nExample:\n  sitecms import demo export.xml --dry-run\n  sitecms import demo export.xml\n  "
    "sitecms import urls demo --sitemap https://old.example/sitemap.xml",
)
@click.argument("folder", metavar="SITE", type=click.Path(path_type=Path), callback=remember_folder)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--from", "kind", default="", metavar="KIND", help=_KINDS_HELP)
@click.option("--name", default="", help="Name of the import, if a site has several of one kind.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Print the report without writing or downloading anything.")
@click.option("--report", "report_file", type=click.Path(path_type=Path), help="Write the whole report to a JSON file.")
@click.option("--old-url", default="", help="The address of the old site, where the source does not state it.")
@click.option(
    "--media",
    type=click.Choice([each.value for each in MediaChoice]),
    default=MediaChoice.DOWNLOAD.value,
    show_default=True,
    help="Download pictures and files, link to them, or leave them for a later run (local copies are taken).",
)
@click.option("--media-from", multiple=True, metavar="DIR|ZIP", help="A folder or archive with copies of the media.")
@click.option("--all-media", is_flag=True, help="Take the files of the old site that no text names, too.")
@click.option("--max-file-mb", type=click.IntRange(1, 4096), default=200, show_default=True, help="Largest media file.")
@click.option("--retry", is_flag=True, help="Retry media that failed before.")
@click.option(
    "--body",
    type=click.Choice([each.value for each in BodyChoice]),
    default=BodyChoice.AUTO.value,
    show_default=True,
    help="Format of bodies; auto: Markdown where it gives the same document, else HTML.",
)
@click.option(
    "--authors",
    type=click.Path(path_type=Path),
    metavar="MAP",
    help="YAML file that maps authors of the source to slugs.",
)
@click.option("--comments", type=click.Path(path_type=Path), metavar="FILE", help="Write readers' comments to a file.")
@click.option("--members", type=click.Choice(["draft", "public"]), default="draft", help="Entries for members.")
@click.option("--timezone", default="", help="Time zone of times without one; default: inferred.")
@click.option("--locale", "locales", multiple=True, help="Locale of the entries; default: as the source states.")
@click.option("--page-types", default="", help="API: page types to read, separated by commas.")
@click.option("--collections", default="", help="API: collections to read, separated by commas.")
@click.option(
    "--max-calls", type=click.IntRange(1), default=5_000, show_default=True, help="API: maximum number of calls."
)
@click.option("--since", default="", metavar="DATE", help="Only entries published or changed on or after this day.")
@click.option("--only", default="", help="Only these: post, page, item, or names of types, separated by commas.")
@click.option("--partial", "is_partial", is_flag=True, help="Take what a truncated source holds.")
@click.option("--prune", is_flag=True, help="Remove files whose entry is gone from the source, unless edited.")
@plugins_option
@format_option
def import_(folder: Path, sources: tuple[str, ...], output_format: str, **parameters: Any) -> None:
    """Turn the export of another system into files of the site folder SITE, which is created if it is missing.

    SOURCE is a file, a folder, a zip archive, several parts of one export, or the address of an API, whose token stands
    in the environment variable SITECMS_IMPORT_TOKEN. Look at the files, then run `sitecms load` or `sitecms build`.
    Importing again takes only what has changed, and never overwrites a file that you edited.

    `sitecms import urls` proves that the old addresses still work. The exit code is 1 if media could not be fetched.
    """
    with progress_bar() as progress:
        report = import_site(folder, sources, _options(folder, sources, parameters), progress)
    data = orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2)
    if parameters["report_file"]:
        parameters["report_file"].write_bytes(data + b"\n")
    if output_format == "json":
        click.echo(data)
    else:
        _show(report, folder, is_dry=parameters["is_dry"])
    if report.failures:
        sys.exit(ExitCode.FAILED)


def _options(folder: Path, sources: tuple[str, ...], parameters: dict[str, Any]) -> ImportOptions:
    """Return the options of the command line; hosts that the site allows may be private."""
    settings = open_settings(folder) if (folder / SETTINGS_FILE).is_file() else None
    hosts = settings.media.allow_hosts if settings else ()
    rules = FetchRules(hosts, max_bytes=parameters["max_file_mb"] * _MEGABYTE, total_seconds=_FILE_SECONDS)
    answers = replace(rules, max_bytes=_MAX_ANSWER_BYTES, total_seconds=_ANSWER_SECONDS)
    is_remote = any(each.startswith(("https://", "http://")) for each in sources)
    reader = ReaderOptions(
        old_url=parameters["old_url"],
        timezone=parameters["timezone"],
        locale=next(iter(parameters["locales"]), ""),
        locales=parameters["locales"],
        is_partial=parameters["is_partial"],
        members=parameters["members"],
        page_types=_names(parameters["page_types"]),
        collections=_names(parameters["collections"]),
        token=os.environ.get(TOKEN_VARIABLE, ""),
        fetch=fetcher(answers) if is_remote else None,
        max_calls=parameters["max_calls"],
        shortcodes=kept_names(settings.plugins.named(SHORTCODES, "shortcode") if settings else ()),
    )
    media = MediaOptions(
        MediaChoice(parameters["media"]), parameters["media_from"], parameters["retry"], parameters["all_media"], rules
    )
    return ImportOptions(
        parameters["kind"],
        parameters["name"],
        parameters["is_dry"],
        BodyChoice(parameters["body"]),
        parameters["prune"],
        reader,
        media,
        _author_slugs(parameters["authors"]),
        parameters["comments"],
        Selection(
            _since(parameters["since"]),
            zone_of(parameters["timezone"]) or (settings.zone if settings else None),
            frozenset(_names(parameters["only"])),
        ),
        settings.plugins if settings else SitePlugins(),
    )


def _since(text: str) -> str:
    """Return the time of --since. Raises InvalidRequest for text that is not a day."""
    if text and read_time(text, UTC) is None:
        raise InvalidRequest(f"--since {text!r} is not a day: write it as 2024-03-01.")
    return text


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _author_slugs(path: Path | None) -> dict[str, str]:
    """Return the slugs of authors by their keys in the source. Raises InvalidRequest for another file."""
    data = read_yaml(path) if path else {}
    if not isinstance(data, dict) or not all(isinstance(slug, str) for slug in data.values()):
        raise InvalidRequest(f"{path} is not a list of authors: write lines such as `ann.ray: ann-ray`.")
    return data


def _show(report: ImportReport, folder: Path, *, is_dry: bool) -> None:
    for line in report.lines():
        click.echo(line)
    if is_dry:
        click.echo("Nothing was written.")
    else:
        click.echo(f"Wrote to {folder}. Next: look at the files, then: sitecms check {folder}")
