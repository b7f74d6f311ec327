"""The options of `sitecms build` for sites that several machines build together."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitecms.cli.progress import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.settings.site import SiteSettings
from sitecms.site.options import BuildOptions
from sitecms.site.sharding.shard import MAX_SHARDS, Shard, parse_shard
from sitecms.store.database import Database

if TYPE_CHECKING:
    from sitecms.site.sharding.render_shard import ShardReport

FOLDER = "shards"


@dataclass(frozen=True, slots=True)
class Sharding:
    """What was asked for; neither `shard` nor `is_finish`: an ordinary build."""

    shard: Shard | None
    is_finish: bool
    folder: Path | None
    images_only: bool = False

    @property
    def is_wanted(self) -> bool:
        """Whether the store is built as it is, by several machines."""
        return self.shard is not None or self.is_finish

    def folder_of(self, settings: SiteSettings) -> Path:
        """Where the shards of the site are."""
        return self.folder or settings.state_dir / FOLDER

    def check(self, **others: bool) -> None:
        """Raise a usage error for options that do not go together; `others` are those given beside, by name."""
        if self.shard and self.is_finish:
            raise click.UsageError("--shard makes a part of the pages, and --finish publishes all: choose one.")
        if self.images_only and not self.shard:
            raise click.UsageError("--images needs --shard I/N.")
        if self.folder and not self.is_wanted:
            raise click.UsageError("--shard-dir needs --shard I/N or --finish.")
        given = [f"--{name}" for name, is_given in others.items() if is_given]
        if self.is_wanted and given:
            mine = "--shard" if self.shard else "--finish"
            raise click.UsageError(
                f"{' and '.join(given)} cannot be used with {mine}, which builds the store as it is."
            )


def parse(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Shard | None:
    """The value of --shard."""
    shard = parse_shard(value) if value is not None else None
    if value is not None and shard is None:
        raise click.BadParameter(f"expected a number and how many there are, such as 2/3, at most {MAX_SHARDS}")
    return shard


def build_shard(
    database: Database, settings: SiteSettings, output: Path, sharding: Sharding, options: BuildOptions
) -> None:
    """Make the shard, tell of it, and end with 1 if a page failed."""
    from sitecms.site.sharding.render_shard import render_shard

    shard, folder, alone = sharding.shard, sharding.folder_of(settings), sharding.images_only
    if shard is None:
        return
    with progress_bar() as progress:
        told = replace(options, progress=progress)
        report = render_shard(database, settings, output, shard, folder, told, images_only=alone)
    _tell(report, sharding)
    if report.failed:
        sys.exit(ExitCode.FAILED)


def _tell(report: "ShardReport", sharding: Sharding) -> None:
    for path, error in report.failed.items():
        click.echo(f"{path}: {error}", err=True)
    counts = f"{report.made} pages made, {report.current} current, {len(report.failed)} failed"
    done = "images made" if sharding.images_only else counts
    click.echo(f"Shard {sharding.shard} in {report.folder}: {done} in {report.seconds:.2f} s")
