"""`sitecms build`: the store as static HTML."""

import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click
import orjson

from sitecms.actions.load_site import load_site
from sitecms.actions.publish_scheduled import publish_scheduled
from sitecms.cli.load import summary, tell_load
from sitecms.cli.progress import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.settings import STATE_FOLDER, SiteSettings, is_base_url
from sitecms.site.build import BuildOptions, build_site
from sitecms.site.report import Report
from sitecms.store.database import Database, open_database
from sitecms.store.last_build import LastBuild, note_last_build


def _parse_base_url(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value and not is_base_url(value):
        raise click.BadParameter("expected an address such as https://tide.example or https://host.example/tide")
    return value.rstrip("/") if value is not None else None


@click.command(epilog="\b\nExample:\n  sitecms build demo --output /srv/www --explain")
@site_argument
@click.option("--output", type=click.Path(path_type=Path), help="Where to write; default: as set in site.toml.")
@click.option("--base-url", callback=_parse_base_url, help="The site's address for this build, instead of `url`.")
@click.option("--clean", is_flag=True, help="Make every page anew.")
@click.option("--explain", is_flag=True, help="Say why each page is made anew.")
@click.option(
    "--report",
    "report_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write what was done to a JSON file: counts, bytes, seconds by phase and template, failures.",
)
@click.option("--strict", is_flag=True, help="Stop before building if a content file has a fault.")
@click.option("--no-load", is_flag=True, help="Build what is in the store, without reading content files first.")
@click.option("--prune", is_flag=True, help="Delete the entries of content files that are gone.")
@click.option("--jobs", type=click.IntRange(min=0), help="Processes to render in; 0: as many as help.")
def build(
    settings: SiteSettings,
    output: Path | None,
    base_url: str | None,
    clean: bool,
    explain: bool,
    report_path: Path | None,
    strict: bool,
    no_load: bool,
    prune: bool,
    jobs: int | None,
) -> None:
    """Render the site to static HTML.

    Reads changed content files first. Only pages whose content, template or settings changed are made anew; files
    of pages that are no more are removed. Ends with 1 if a file or page failed; everything else is built.

    The output folder changes in one step, when the new site is whole. The former one stays beside it, in
    .NAME.sitecms, for the next build: it takes the space of its folders and of the files that the last build
    replaced, and may be deleted at any time. Serve the folder by its path: what a container mounts or a server
    works in is the folder itself, which is exchanged; set in_place under [build] in site.toml for that.
    """
    if base_url is not None:
        settings = replace(settings, url=base_url)
    database = open_database(settings.store_path, create=not no_load)
    started = time.perf_counter()
    faulty = not no_load and _load(database, settings, prune=prune)
    load_seconds = time.perf_counter() - started
    if faulty and strict:
        click.echo("Nothing was built: --strict, and files have faults.", err=True)
        sys.exit(ExitCode.FAILED)
    publish_scheduled(database, now(), settings.default_locale)
    target = output or settings.output_dir
    with progress_bar() as progress:
        options = BuildOptions(clean, settings.build.jobs if jobs is None else jobs, progress)
        report = build_site(database, settings, target, options)
    _note(settings, report, target)
    if report_path is not None:
        _write_report(report_path, report, load_seconds)
    _tell(report, target, explain=explain)
    if faulty or report.failed:
        sys.exit(ExitCode.FAILED)


def _load(database: Database, settings: SiteSettings, *, prune: bool) -> bool:
    """Load changed files; whether any has a fault. Quiet if nothing changed."""
    with progress_bar() as progress:
        report = load_site(database, settings, now(), prune=prune, progress=progress)
    tell_load(report)
    if report.loaded or report.faults:
        click.echo(summary(report))
    return bool(report.faults)


def _note(settings: SiteSettings, report: Report, target: Path) -> None:
    """For `sitecms status` and /metrics; a disk that takes no more is no reason to call the build failed."""
    build = LastBuild(
        finished_at=now(),
        output=str(target),
        seconds=round(report.seconds, 4),
        written=report.written,
        failed=len(report.failed),
        files=report.files,
        size_bytes=report.size_bytes,
        phases={name: round(seconds, 4) for name, seconds in report.seconds_by_phase.items()},
    )
    with suppress(OSError):
        note_last_build(settings.folder / STATE_FOLDER, build)


def _write_report(path: Path, report: Report, load_seconds: float) -> None:
    """The report as JSON (see `Report.to_json`), with `load` before the build's own phases; whole or not at all."""
    data = report.to_json()
    data["phases"] = {"load": round(load_seconds, 4), **data["phases"]}
    half = path.with_name(f".{path.name[:200]}.half")
    try:
        half.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise


def _tell(report: Report, target: Path, *, explain: bool) -> None:
    if explain:
        for path, reason in sorted(report.stale.items()):
            click.echo(f"{path}: {reason}")
        for path in report.orphaned:
            click.echo(f"{path}: nothing is planned there any more")
    for note in report.notes:
        click.echo(note, err=True)
    for path, error in report.failed.items():
        click.echo(f"{path}: {error}", err=True)
    counts = f"{report.written} written, {report.current} current, {report.pruned} pruned, {len(report.failed)} failed"
    click.echo(f"Built {_shown(target)}: {counts} in {report.seconds:.2f} s")


def _shown(path: Path) -> Path:
    """The path as a person here would name it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) and path != here else path
