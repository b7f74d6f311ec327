"""The command `sitecms build`: render the store to static HTML, on one machine or in shards on several."""

import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.garbage_collection import without_collector
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.cli.load_report import ADOPT_HELP, PRUNE_HELP, show_load_report, summary
from sitecms.cli.output import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import parse_site_url, shown_path, site_argument
from sitecms.clock import now
from sitecms.errors import SitecmsError
from sitecms.files import write_atomically
from sitecms.plurals import counted
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.site.report import Report
from sitecms.store.database import Database
from sitecms.store.opening import open_database
from sitecms.store.site_state.site_builds import LastBuild, save_last_build

if TYPE_CHECKING:
    from sitecms.site.sharding.render_shard import ShardReport
    from sitecms.site.sharding.shard import Shard


FOLDER = "shards"


class Sharding(Struct, frozen=True):
    """Values of the sharding options. Neither `shard` nor `is_finish` is set in an ordinary build."""

    shard: "Shard | None"
    is_finish: bool
    folder: Path | None
    images_only: bool = False

    @property
    def is_wanted(self) -> bool:
        """True for a build by several machines, which loads no files."""
        return self.shard is not None or self.is_finish

    def folder_of(self, settings: SiteSettings) -> Path:
        """Return the folder of the shards."""
        return self.folder or settings.state_dir / FOLDER

    def check(self, **others: bool) -> None:
        """Raise UsageError for options that exclude each other; `others` are further options by name."""
        if self.shard and self.is_finish:
            raise click.UsageError("--shard makes a part of the pages, and --finish publishes all: choose one.")
        if self.images_only and not self.shard:
            raise click.UsageError("--images needs --shard I/N.")
        if self.folder and not self.is_wanted:
            raise click.UsageError("--shard-dir needs --shard I/N or --finish.")
        excluded = [f"--{name}" for name, is_given in others.items() if is_given]
        if self.is_wanted and excluded:
            sharding_option = "--shard" if self.shard else "--finish"
            raise click.UsageError(
                f"{' and '.join(excluded)} cannot be used with {sharding_option}, which builds the store as it is."
            )


def parse(_context: click.Context, _parameter: click.Parameter, value: str | None) -> "Shard | None":
    """Parse the value of --shard. Raises BadParameter."""
    if value is None:
        return None
    from sitecms.site.sharding.shard import MAX_SHARDS, parse_shard

    shard = parse_shard(value)
    if shard is None:
        raise click.BadParameter(
            f"expected the number of the shard and the number of shards, such as 2/3, at most {MAX_SHARDS}"
        )
    return shard


def build_shard(
    database: Database, settings: SiteSettings, output: Path, sharding: Sharding, options: BuildOptions
) -> None:
    """Build one shard, print its report, and end with 1 if a page failed."""
    from sitecms.site.sharding.render_shard import render_shard

    shard, folder, alone = sharding.shard, sharding.folder_of(settings), sharding.images_only
    if shard is None:
        return
    with progress_bar() as progress:
        options_with_progress = replace(options, progress=progress)
        report = render_shard(database, settings, output, shard, folder, options_with_progress, images_only=alone)
    _print_shard_report(report, sharding, settings.folder)
    if report.failed:
        sys.exit(ExitCode.FAILED)


def _print_shard_report(report: "ShardReport", sharding: Sharding, folder: Path) -> None:
    _print_failures(report.failed, folder)
    counts = f"{counted(report.made, 'page')} rendered, {report.current} current, {len(report.failed)} failed"
    done = "images derived" if sharding.images_only else counts
    click.echo(f"Shard {sharding.shard} in {report.folder}: {done} in {report.seconds:.2f} s")


_EXAMPLES = """\b
Example:
  sitecms build demo --output /srv/www --explain

\b
On two machines that share /mnt/shards and the store:
  sitecms build demo --shard 1/2 --shard-dir /mnt/shards
  sitecms build demo --shard 2/2 --shard-dir /mnt/shards
and then on one of them:
  sitecms build demo --finish --shard-dir /mnt/shards --output /srv/www
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
@click.option("--no-load", is_flag=True, help="Build the store as it is, without loading content files.")
@click.option("--prune", is_flag=True, help=PRUNE_HELP)
@click.option("--adopt", is_flag=True, help=ADOPT_HELP)
@click.option(
    "--jobs", type=click.IntRange(min=0), help="Number of rendering processes. 0: chosen by the number of pages."
)
@click.option("--shard", callback=parse, metavar="I/N", help="Render part I of N of the pages, and publish nothing.")
@click.option(
    "--images",
    "images_only",
    is_flag=True,
    help="With --shard, before all shards: derive images, render no pages.",
)
@click.option("--finish", is_flag=True, help="Publish the pages that all shards rendered.")
@click.option(
    "--shard-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the shards. Default: .sitecms/shards in the site folder.",
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
    no_load: bool,
    prune: bool,
    adopt: bool,
    jobs: int | None,
    shard: "Shard | None",
    images_only: bool,
    finish: bool,
    shard_dir: Path | None,
) -> None:
    """Render the site to static HTML.

    Changed content files are loaded first. Only pages whose content, template or settings changed are rendered; files
    of removed pages are deleted. The exit code is 1 if a file or page failed; everything else is built.

    The output folder is replaced in one step, when the new site is complete. The former folder stays beside it, in
    .NAME.sitecms, for the next build; it may be deleted at any time. If a container mounts the output folder, or a
    server has it as its working folder, set in_place under [build] in site.toml.

    Several machines can build a very large site together: each builds one shard, then one of them finishes. They need
    the same site folder, version and store; no files are loaded. If many images are new, run all shards with --images
    first.
    """
    sharding = Sharding(shard, finish, shard_dir, images_only)
    has_report, has_reasons = bool(report_path and shard), explain and bool(shard)
    sharding.check(strict=strict, prune=prune, adopt=adopt, explain=has_reasons, report=has_report)
    settings = settings if base_url is None else replace(settings, url=base_url)
    target = output or settings.output_dir
    no_load = no_load or sharding.is_wanted
    database = open_database(settings.store, create=not no_load)
    processes = settings.build.jobs if jobs is None else jobs
    options = BuildOptions(clean, processes, shards=sharding.folder_of(settings) if finish else None)
    if shard:
        build_shard(database, settings, target, sharding, options)
        return
    has_errors, load_seconds = False, 0.0
    if not no_load:
        has_errors, load_seconds = _load(database, settings, prune=prune, adopt=adopt, strict=strict)
    if not finish:  # publishing would change the store that the shards were rendered from
        publish_scheduled(database, now(), settings.default_locale)
    with progress_bar() as progress:
        report = build_site(database, settings, target, replace(options, progress=progress))
    _record_build(settings, report, target)
    _write_report(report_path, report, load_seconds)
    hint = "" if settings.url or base_url is not None else _NO_URL
    _print_report(report, target, settings.folder, explain=explain, hint=hint)
    if has_errors or report.failures:
        sys.exit(ExitCode.FAILED)


def _load(database: Database, settings: SiteSettings, *, prune: bool, adopt: bool, strict: bool) -> tuple[bool, float]:
    """Load changed files and return if any is invalid, and the seconds. Print nothing if no file changed."""
    from sitecms.actions.loading import load_site  # a build of the store as it is does without

    started = time.perf_counter()
    with progress_bar() as progress:
        prepare = partial(_prepare_build, settings)
        report = load_site(database, settings, now(), prune=prune, adopt=adopt, progress=progress, meanwhile=prepare)
    show_load_report(report, settings)
    if report.loaded or report.errors or report.pruned or report.pruned_items:
        click.echo(summary(report))
    if report.errors and strict:
        click.echo("Nothing was built: --strict was given, and not every file could be loaded.", err=True)
        sys.exit(ExitCode.FAILED)
    return bool(report.errors), time.perf_counter() - started


def _prepare_build(settings: SiteSettings) -> None:
    """Import the code of a build and compile the theme. The build reports errors of the theme."""
    from sitecms.site.pipeline import compile_theme

    with suppress(SitecmsError, OSError):
        compile_theme(settings)


def _record_build(settings: SiteSettings, report: Report, target: Path) -> None:
    """Record the build for `sitecms status` and /metrics. A full disk does not fail the build."""
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
    with suppress(OSError):
        save_last_build(settings.folder / STATE_FOLDER, build)


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
