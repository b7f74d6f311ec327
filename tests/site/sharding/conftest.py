"""Fixtures for sites that several machines build: folders that share only the loaded content."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.site.output.manifest import MANIFEST_NAME
from sitecms.site.report import Report
from sitecms.site.sharding.render_shard import ShardReport, render_shard
from sitecms.site.sharding.shard import Shard
from sitecms.store.maintenance.store_copy import copy_store

if TYPE_CHECKING:
    from tests.support.sites import ExampleSite

Machine = Callable[[], "ExampleSite"]


@pytest.fixture
def machine(example: "ExampleSite", tmp_path: Path, open_example: Callable[[Path], "ExampleSite"]) -> Iterator[Machine]:
    """Make another machine: a copy of the site folder, its media and its store, without any built files."""
    made: list[ExampleSite] = []

    def copied() -> "ExampleSite":
        made.append(another_machine(example, tmp_path / f"machine-{len(made)}", open_example))
        return made[-1]

    yield copied
    for each in made:
        each.database.close()


def another_machine(
    example: "ExampleSite", folder: Path, open_example: Callable[[Path], "ExampleSite"]
) -> "ExampleSite":
    """Copy a site to another folder."""
    shutil.copytree(example.folder, folder, ignore=shutil.ignore_patterns(".sitecms", "public", ".public.sitecms"))
    state = folder / ".sitecms"
    state.mkdir()
    shutil.copytree(example.settings.media_dir, state / "media")
    copy_store(example.settings.store_path, state / "store.db")
    return open_example(folder)


def shard(example: "ExampleSite", number: int, count: int, folder: Path, *, images_only: bool = False) -> ShardReport:
    """Render one shard on that machine."""
    options, which = BuildOptions(jobs=1), Shard(number, count)
    return render_shard(
        example.database, example.settings, example.public, which, folder, options, images_only=images_only
    )


def finish(example: "ExampleSite", folder: Path) -> Report:
    """Publish the shards on that machine."""
    return build_site(example.database, example.settings, example.public, BuildOptions(jobs=1, shards=folder))


def published(folder: Path) -> dict[str, bytes]:
    """Return every file of the output, with the manifest."""
    files = (path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    assert MANIFEST_NAME in found
    return found
