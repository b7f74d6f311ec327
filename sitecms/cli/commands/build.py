"""The command `sitecms build`: render the store to static HTML."""

import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import click
import orjson

from sitecms.actions.garbage_collection import without_collector
from sitecms.actions.plugin_events import tell_plugins
from sitecms.actions.writing.publish_scheduled import HELD_BACK_REMEDY, held_back_texts, publish_scheduled
from sitecms.cli.load_report import ADOPT_HELP, PRUNE_HELP, load_files, summary
from sitecms.cli.output import progress_bar, warn
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import NO_BEFORE_HELP, parse_site_url, shown_path, site_argument
from sitecms.clock import now
from sitecms.files import write_atomically
from sitecms.plurals import counted
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.before_build import run_commands
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.site.report import Report
from sitecms.store.database import Database
from sitecms.store.opening import open_store
from sitecms.store.site_state.build_log import MOST_PAGES, MOST_PROBLEMS, BuildRecord, save_build_record
from sitecms.store.site_state.site_builds import LastBuild, save_last_build

_EXAMPLES = """\b
Example:
  sitecms build demo --output /srv/www --explain
"""


_NO_URL = (
    "url is not set in site.toml, so the site has no sitemap, no canonical addresses and no share images, and links in "
    'its feeds are relative. Set url = "https://your.address", or give --base-url.'
)


@click.command(epilog=_EXAMPLES)
@site_argument
@click.option("--output", type=click.Path(path_type=Path), help="Output folder. Default: `output` in site.toml.")
@click.option("--base-url", callback=parse_site_url, help="Address of the site in this build, instead of `url`.")
@click.option("--clean", is_flag=True, help="Render every page again.")
@click.option("--explain", is_flag=True, help="Print the reason why each page is rendered again.")
@click.option(
    "--report",
    "report_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a report as JSON: counts, bytes, seconds by phase and template, failures.",
)
@click.option("--strict", is_flag=True, help="Stop before building if a content file is invalid.")
@click.option("--no-before", is_flag=True, help=NO_BEFORE_HELP)
@click.option("--no-load", is_flag=True, help="Build the store as it is, without loading content files.")
@click.option("--prune", is_flag=True, help=PRUNE_HELP)
@click.option("--adopt", is_flag=True, help=ADOPT_HELP)
@click.option(
    "--jobs", type=click.IntRange(min=0), help="Number of rendering processes. 0: chosen by the number of pages."
)
@without_collector()
def build(
    settings: SiteSettings,
    output: Path | None,
    base_url: str | None,
    clean: bool,
    explain: bool,
    report_path: Path | None,
    strict: bool,
    no_before: bool,
    no_load: bool,
    prune: bool,
    adopt: bool,
    jobs: int | None,
) -> None:
    """Render the site to static HTML.

    The commands of `[build] before` run first, then changed content files are loaded. Only pages whose content,
    template or settings changed are rendered; files of removed pages are deleted. The exit code is 1 if a command,
    file or page failed; after a failed command nothing is built, otherwise everything else is.

    The output folder is replaced in one step, when the new site is complete. The former folder stays beside it, in
    .NAME.sitecms, for the next build; it may be deleted at any time. So a container mounts the
    folder above the output folder, and a server has a working folder outside of it.
    """
    settings = settings if base_url is None else settings.at(base_url)
    target = output or settings.output_dir
    if not (no_before or settings.plugins.are_left_out):
        run_commands(settings.build.before, settings.folder, partial(click.echo, err=True))
    database = open_store(settings, create=not no_load)
    tell_plugins(database, settings, warn)
    has_errors, load_seconds = False, 0.0
    if not no_load:
        has_errors, load_seconds = _load(database, settings, prune=prune, adopt=adopt, strict=strict)
    _publish_scheduled(database, settings)
    processes = settings.build.jobs if jobs is None else jobs
    with progress_bar() as progress:
        report = build_site(database, settings, target, BuildOptions(clean, processes, progress))
    _record_build(settings, report, target)
    _write_report(report_path, report, load_seconds)
    hint = "" if settings.url or base_url is not None else _NO_URL
    _print_report(report, target, settings.folder, explain=explain, hint=hint)
    if has_errors or report.failures:
        sys.exit(ExitCode.FAILED)


def _load(database: Database, settings: SiteSettings, *, prune: bool, adopt: bool, strict: bool) -> tuple[bool, float]:
    """Load changed files and return if any is invalid, and the seconds. Print nothing if no file changed."""
    started = time.perf_counter()
    report = load_files(database, settings, prune=prune, adopt=adopt)
    if report.loaded or report.errors or report.pruned or report.pruned_items:
        click.echo(summary(report))
    if report.errors and strict:
        click.echo("Nothing was built: --strict was given, and not every file could be loaded.", err=True)
        sys.exit(ExitCode.FAILED)
    return bool(report.errors), time.perf_counter() - started


def _publish_scheduled(database: Database, settings: SiteSettings) -> None:
    """Publish what is due, and print what stays scheduled."""
    at = now()
    publish_scheduled(database, at, settings)
    with database.reading() as session:
        for text in held_back_texts(session, at, settings):
            warn(f"{text} ({HELD_BACK_REMEDY})")


def _record_build(settings: SiteSettings, report: Report, target: Path) -> None:
    """Record the build for `sitecms status`, /metrics and the studio. A full disk does not fail the build."""
    build = LastBuild(
        finished_at=now(),
        output=str(target),
        seconds=round(report.seconds, 4),
        written=report.written,
        failed=report.failures,
        files=report.files,
        size_bytes=report.size_bytes,
        phases={name: round(seconds, 4) for name, seconds in report.seconds_by_phase.items()},
    )
    failed = [*(f"{path}: {problem}" for path, problem in report.failed.items()), *map(str, report.left_out)]
    record = BuildRecord(
        build.finished_at,
        build.seconds,
        build.written,
        report.pruned,
        build.failed,
        reasons=dict(Counter(report.stale.values())),
        pages=tuple(sorted(report.stale.items())[:MOST_PAGES]),
        problems=tuple(text.strip() for text in failed[:MOST_PROBLEMS]),
    )
    with suppress(OSError):
        save_last_build(settings.folder / STATE_FOLDER, build)
        if record.written or record.pruned or record.failed:
            save_build_record(settings.folder / STATE_FOLDER, record)


def _write_report(path: Path | None, report: Report, load_seconds: float) -> None:
    """Write the report as JSON (see `Report.to_json`), with `load` as its first phase; whole or not at all."""
    if path is None:
        return
    data = report.to_json()
    data["phases"] = {"load": round(load_seconds, 4), **data["phases"]}
    write_atomically(path, orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _print_failures(failed: Mapping[str, str], folder: Path) -> None:
    """Print each error once, with the first page that has it; files of the site by their names in its folder."""
    if not failed:
        return
    from sitecms.site.theme.environment import template_errors  # loads Jinja, which an unchanged build does without

    for problem in template_errors(failed, lambda text: text.replace(f"{folder}/", "")):
        first, *others = problem.paths
        pages = f"{first} and {counted(len(others), 'other page')}" if others else first
        place = f"{problem.file}:{problem.line}: " if problem.file else ""
        click.echo(f"{pages}: {place}{problem.what}", err=True)


def _print_report(report: Report, target: Path, folder: Path, *, explain: bool, hint: str) -> None:
    if explain:
        for path, reason in sorted(report.stale.items()):
            click.echo(f"{path}: {reason}")
        for path in report.orphaned:
            click.echo(f"{path}: no longer planned")
    for note in report.notes:
        click.echo(note, err=True)
    for error in report.left_out:
        click.echo(str(error).strip(), err=True)
    _print_failures(report.failed, folder)
    counts = f"{report.written} written, {report.current} current, {report.pruned} pruned, {report.failures} failed"
    click.echo(f"Built {shown_path(target)}: {counts} in {report.seconds:.2f} s")
    if hint:
        click.echo(hint, err=True)
