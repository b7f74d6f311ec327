"""Options of `sitecms build` for a site that several machines build together."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitecms.cli.progress import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.site.options import BuildOptions
from sitecms.site.sharding.shard import MAX_SHARDS, Shard, parse_shard
from sitecms.store.database import Database

if TYPE_CHECKING:
    from sitecms.site.sharding.render_shard import ShardReport

FOLDER = "shards"


@dataclass(frozen=True, slots=True)
class Sharding:
    """Values of the sharding options. Neither `shard` nor `is_finish` is set in an ordinary build."""

    shard: Shard | None
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


def parse(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Shard | None:
    """Parse the value of --shard. Raises BadParameter."""
    shard = parse_shard(value) if value is not None else None
    if value is not None and shard is None:
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
    _print_report(report, sharding)
    if report.failed:
        sys.exit(ExitCode.FAILED)


def _print_report(report: "ShardReport", sharding: Sharding) -> None:
    for path, error in report.failed.items():
        click.echo(f"{path}: {error}", err=True)
    counts = f"{counted(report.made, 'page')} rendered, {report.current} current, {len(report.failed)} failed"
    done = "images derived" if sharding.images_only else counts
    click.echo(f"Shard {sharding.shard} in {report.folder}: {done} in {report.seconds:.2f} s")
