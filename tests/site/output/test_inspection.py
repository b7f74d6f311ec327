"""A staging that another process makes while the build reads and plans."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sitecms.site.output import inspection
from sitecms.site.output.atomic_swap import make_staging_directory, open_work
from sitecms.site.output.build_record import staging_tree, work_folder
from sitecms.site.output.inspection import InspectedFolders, Inspection
from sitecms.site.output.manifest import MANIFEST_NAME, Manifest, read_manifest
from sitecms.site.output.staging import StagingDirectory

Publish = Callable[..., Any]
TreeOf = Callable[[Path], dict[str, bytes]]
OLD = {"index.html": b"old home", "blog/a/index.html": b"a", "blog/b/index.html": b"b", "assets/x.css": b"x"}
NEW = {"index.html": b"new home", "blog/a/index.html": b"a", "blog/c/index.html": b"c", "assets/x.css": b"x"}


@pytest.fixture
def published(publish: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A first generation, which has no staging, and builds that take any site for a large one."""
    monkeypatch.setattr(inspection, "OUTPUTS_WORTH_A_PROCESS", 1)
    publish(tmp_path / "public", OLD)
    assert not staging_tree(tmp_path / "public").exists()
    return tmp_path / "public"


def test_inspection_process_makes_the_staging_directory(published: Path, tree_of: TreeOf) -> None:
    """It is like the published folder, file by file, and the build is told which folder it is."""
    staging = staging_tree(published)
    with closing(Inspection(InspectedFolders(published, staging, read_manifest(published), None))) as found:
        found.begin()
        assert found.folders().made == staging.stat().st_ino
    assert tree_of(staging) == OLD
    assert (staging / "index.html").stat().st_ino == (published / "index.html").stat().st_ino


def test_builds_use_the_early_staging_directory(published: Path, publish: Publish, tree_of: TreeOf) -> None:
    """The next generations are as whole as ever, files of others included."""
    (published / "mine.txt").write_bytes(b"mine")
    for files in (NEW, OLD, NEW):
        publish(published, files)
        assert tree_of(published) == {**files, "mine.txt": b"mine"}


def test_early_staging_of_another_build_is_not_used(published: Path, publish: Publish, tree_of: TreeOf) -> None:
    """Half of somebody else's generation is put right, and nothing of it is shown."""
    manifest = read_manifest(published)
    assert make_staging_directory(published, manifest)
    staging = StagingDirectory(work_folder(published), published)
    staging.begin(["blog/half/index.html"])
    (staging.tree / "index.html").unlink()
    (staging.tree / "blog/half").mkdir()
    (staging.tree / "blog/half/index.html").write_bytes(b"half")
    publish(published, NEW)
    assert tree_of(published) == NEW


def test_half_made_staging_directory_is_completed(published: Path, publish: Publish, tree_of: TreeOf) -> None:
    """What is there of it is known for ours."""
    assert make_staging_directory(published, read_manifest(published))
    (staging_tree(published) / MANIFEST_NAME).unlink()
    shutil.rmtree(staging_tree(published) / "blog")
    publish(published, NEW)
    assert tree_of(published) == NEW


def test_early_staging_waits_for_no_other_build(published: Path) -> None:
    """The working folder of a build that runs is left alone."""
    with open_work(published):
        assert make_staging_directory(published, read_manifest(published)) == 0
    assert not staging_tree(published).exists()


def test_impossible_staging_is_reported(tmp_path: Path) -> None:
    """It is no error that it cannot be made."""
    (tmp_path / "file").touch()
    assert make_staging_directory(tmp_path / "file/public", Manifest()) == 0
