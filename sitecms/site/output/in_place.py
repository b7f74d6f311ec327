"""Publishing file by file, where folders cannot be exchanged: mount points, some file systems, or by setting.

All new files lie inside the published folder before the first one is moved, and a journal names them: this build or the
next completes the change. Every file is whole at any moment, and pages never name a missing asset; for a moment, former
pages are visible beside new ones.
"""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path

import orjson

from sitecms.errors import OutputRefused
from sitecms.site.output.folder import OutputFolder, write_new
from sitecms.site.output.manifest import (
    JOURNAL_NAME,
    MANIFEST_NAME,
    STAGE_NAME,
    Manifest,
    ManifestEntry,
    folders_of,
    is_inside,
    manifest_bytes,
)
from sitecms.site.output.staging import link
from sitecms.site.output.unmanaged_files import find_unmanaged, remove_empty


def complete_interrupted(published: Path) -> None:
    """Complete the in-place change of a killed build. Without its journal nothing was begun."""
    stage, journal = published / STAGE_NAME, published / JOURNAL_NAME
    if journal.is_file():
        try:
            steps = orjson.loads(journal.read_bytes())
            put, removed = _inside(steps["put"]), _inside(steps["remove"])
        except (ValueError, LookupError, TypeError):
            put = removed = []
        _carry_out(published, put, removed)
    if stage.is_dir() and not stage.is_symlink():
        shutil.rmtree(stage, ignore_errors=True)


class InPlaceStage:
    """Files of one build, inside the published folder until they are moved to their places."""

    def __init__(self, output: OutputFolder, manifest: Manifest) -> None:
        self._published = output.folder
        self.tree = output.folder / STAGE_NAME
        self._manifest = manifest

    def begin(self, paths: Set[str]) -> None:
        """Make room. Raises OutputRefused if a file of another origin is in the way."""
        self._published.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir()
        ours = self._manifest.outputs.keys() | paths
        folders = folders_of(ours)
        find_unmanaged(self._published, folders, ours.__contains__, folders)

    def keep(self, path: str) -> None:
        """Do nothing: the file stays where it is."""

    def fill(self, paths: Iterable[str]) -> None:
        """Provide every output in the tree."""
        for path in paths:
            with suppress(FileExistsError, FileNotFoundError):
                link(f"{self._published}/{path}", f"{self.tree}/{path}")

    def adopt(self, tree: Path, paths: Iterable[str]) -> None:
        """Take over files of another tree."""
        for path in paths:
            with suppress(FileNotFoundError):
                write_new(str(self.tree), path, (tree / path).read_bytes())

    def publish(self, outputs: Mapping[str, ManifestEntry], touched: Sequence[str], removed: Sequence[str]) -> None:
        """Move every file to its place, assets before pages, the manifest last."""
        write_new(str(self.tree), MANIFEST_NAME, manifest_bytes(outputs))
        put = [path for path in touched if os.path.lexists(self.tree / path)]
        for folder in folders_of(put):
            if not (self._published / folder).resolve().is_relative_to(self._published):
                raise OutputRefused(f"{self._published / folder} leads out of the output folder through a link.")
            (self._published / folder).mkdir(parents=True, exist_ok=True)
        half = self.tree / JOURNAL_NAME
        half.write_bytes(orjson.dumps({"put": put, "remove": list(removed)}))
        half.replace(self._published / JOURNAL_NAME)
        _carry_out(self._published, put, removed)
        self.discard()

    def close(self) -> None:
        """Do nothing: the lock of the build is the only one."""

    def discard(self) -> None:
        """Release the disk space of an incomplete generation."""
        shutil.rmtree(self.tree, ignore_errors=True)


def _carry_out(published: Path, put: Sequence[str], removed: Sequence[str]) -> None:
    """Carry out the steps of the journal; repeated steps do nothing."""
    stage = published / STAGE_NAME
    for path in put:
        _put(stage, published, path)
    for path in removed:
        if (published / path).parent.resolve().is_relative_to(published):
            with suppress(FileNotFoundError, NotADirectoryError):
                (published / path).unlink()
            remove_empty(published, path)
    _put(stage, published, MANIFEST_NAME)
    (published / JOURNAL_NAME).unlink(missing_ok=True)


def _put(stage: Path, published: Path, path: str) -> None:
    if os.path.lexists(stage / path):
        (published / path).parent.mkdir(parents=True, exist_ok=True)
        (stage / path).replace(published / path)


def _inside(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if is_inside(path)]
