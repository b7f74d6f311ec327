"""Next generation of the published folder: prepared aside as a whole, and published in one step.

Readers of the published folder see the former generation until `publish`, which exchanges the two folders
(`atomic_swap`).

A later step of a build adds files that are made from other outputs, such as compressed copies: for each output it asks
`holds` with a fingerprint and the name of the step, and calls `add` if the answer is False. `holds_all` does the same
for a step that makes all its files at once, such as the search index. Files that a step neither holds nor adds are
pruned. A fingerprint covers everything that the file was made from.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path

from sitecms.errors import OutputFailed, OutputRefused
from sitecms.site.output.atomic_swap import SwapStage
from sitecms.site.output.folder import copy_new, is_copy, read_same, write_new
from sitecms.site.output.inspection import PreviousBuild
from sitecms.site.output.manifest import ManifestEntry, is_inside
from sitecms.site.theme.assets import is_file_path

KEPT = "kept"
"""The fingerprint of an output that could not be made as planned: no plan has it, so the next build tries again."""
_HOPELESS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE})
"""Errors that no other output folder would help against."""
_REMEDIES = {
    errno.EBUSY: "Mount the folder above it instead, {parent}, or name a folder inside it: "
    "--output {named}/site, or output under [build] in site.toml.",
    errno.EACCES: "Let the user who builds write to {parent}, where the new version is prepared.",
    errno.EPERM: "Build as the owner of the folder and of {parent}, where the new version is prepared.",
}
_OTHER_REMEDY = "Name a folder on a local disk: --output, or output under [build] in site.toml."


class Generation:
    """Outputs of one build, planned ones first. `added` counts the files that later steps wrote."""

    def __init__(self, previous: PreviousBuild) -> None:
        self._output = previous.folder
        self._manifest = previous.manifest
        self._inspection = previous.inspection
        self._record = previous.record
        self._published = str(self._output.folder)
        self._stage: SwapStage | None = None
        self._tree = ""
        self._outputs: dict[str, ManifestEntry] = {}
        self._touched: dict[str, None] = {}
        self._folders: set[str] | None = set() if self._output.is_empty else None
        self.added = 0

    def begin(self, paths: Iterable[str] = ()) -> SwapStage:
        """Make room for these outputs, and provide all others. A second call does nothing."""
        if self._stage is None:
            self._stage = self._open_stage(set(paths))
            self._tree = str(self._stage.tree)
        return self._stage

    def write(self, path: str, data: bytes) -> bool:
        """Write an output; return False if equal bytes are published. Processes of the build may call it, too.

        Raises OutputRefused for a file of another origin, OutputFailed if the disk is full.
        """
        if not self._output.is_empty and self._is_kept(path, read_same(f"{self._published}/{path}", data)):
            return False
        write_new(self._tree, path, data, self._folders)
        return True

    def copy(self, path: str, source: Path) -> bool:
        """Write a copy of a file as an output, as `write` does. Raises OSError for one that cannot be read."""
        with source.open("rb") as data:
            if not self._output.is_empty and self._is_kept(path, is_copy(f"{self._published}/{path}", data)):
                return False
            copy_new(self._tree, path, data, self._folders)
        return True

    def _is_kept(self, path: str, same: bool | None) -> bool:
        """Keep a published output that is the same. Raises OutputRefused for a file of another origin."""
        if same:
            self.begin().keep(path)
        elif same is False and self._manifest.outputs and path not in self._manifest.outputs:
            raise OutputRefused("is there already, and was not made by sitecms. Move the file away.")
        return bool(same)

    def carry_on(self, paths: Iterable[str]) -> None:
        """Keep these outputs as published."""
        before = self._manifest.outputs
        self._outputs |= {path: before[path] for path in paths}

    def note_made(self, path: str, fingerprint: str, size_bytes: int) -> None:
        """Record that a process wrote this output."""
        self._outputs[path] = ManifestEntry(fingerprint, size_bytes)
        self._touched[path] = None

    def note_failed(self, path: str) -> None:
        """Record that this output failed: an older one stays, under the fingerprint KEPT."""
        self._touched[path] = None
        size_bytes = self._size(path) if path in self._manifest.outputs else None
        if size_bytes is not None:
            self._outputs[path] = ManifestEntry(KEPT, size_bytes)

    def note_broken(self, path: str) -> None:
        """Record that an output that is there is not what was planned, so that the next build makes it again."""
        self._outputs[path] = ManifestEntry(KEPT, self._outputs[path].size_bytes)

    def keep_files(self) -> None:
        """Keep orphaned assets and media, because the former version of a failed page may use them."""
        before = self._manifest.outputs
        self._outputs |= {path: before[path] for path in before.keys() - self._outputs.keys() if is_file_path(path)}

    def keep_step(self, step: str) -> None:
        """Keep the published files of a step that could not make new ones, under the fingerprint KEPT."""
        for path, entry in self._manifest.outputs.items():
            if entry.step == step and self._size(path) is not None:
                self._outputs[path] = ManifestEntry(KEPT, entry.size_bytes, step)

    def outputs(self) -> Mapping[str, ManifestEntry]:
        """Return all outputs so far, those of earlier steps included, in no order."""
        return dict(self._outputs)

    def read(self, path: str) -> bytes:
        """Return the bytes of an output of this generation."""
        for root in filter(None, (self._tree, self._published)):
            try:
                return Path(f"{root}/{path}").read_bytes()
            except FileNotFoundError:
                continue
        raise OutputFailed(f"{path} is not there to be read.")

    def is_unmanaged(self, path: str) -> bool:
        """Return whether somebody else put this file into the published folder."""
        is_ours = path in self._manifest.outputs or not is_inside(path)
        return not is_ours and os.path.isfile(f"{self._published}/{path}")  # noqa: PTH113

    def tree(self) -> Path:
        """Return a folder with all outputs so far, for reading only."""
        return self.begin().tree

    def holds(self, path: str, fingerprint: str, step: str) -> bool:
        """Return True if the file of a step is published with this fingerprint; then it stays."""
        if not self._is_intact(path, fingerprint, step):
            return False
        self._outputs[path] = self._manifest.outputs[path]
        return True

    def holds_all(self, step: str, fingerprint: str) -> bool:
        """Return True if all files of a step are published with this fingerprint; then they stay."""
        paths = [path for path, entry in self._manifest.outputs.items() if entry.step == step]
        if not paths or not all(self._is_intact(path, fingerprint, step) for path in paths):
            return False
        self.carry_on(paths)
        return True

    def add(self, path: str, data: bytes, fingerprint: str, step: str) -> bool:
        """Add a file of a later step; return False if these bytes are published already."""
        if not is_inside(path) or (path in self._outputs and not self._outputs[path].step):
            problem = "which is not a path of its own inside the site"
            raise OutputRefused(f"The {step} step would write to {path}, {problem}.")
        self.begin()
        written = self.write(path, data)
        self.added += written
        self._outputs[path] = ManifestEntry(fingerprint, len(data), step)
        self._touched[path] = None
        return written

    def publish(self) -> tuple[str, ...]:
        """Publish this generation and return the pruned paths. Does nothing if nothing changed."""
        before = self._manifest.outputs
        removed = tuple(sorted(path for path in before if path not in self._outputs))
        if self._stage is None and not removed:
            return ()
        stage = self.begin()
        touched = sorted(self._touched, key=is_file_path, reverse=True)
        try:
            stage.publish(self._outputs, touched, removed)
        except OSError as error:
            raise self._refusal(error) from error
        return removed

    def close(self, *, failed: bool) -> None:
        """Release the working folder; on failure, free its disk space."""
        if self._stage is not None:
            if failed:
                self._stage.discard()
            self._stage.close()

    def _is_intact(self, path: str, fingerprint: str, step: str) -> bool:
        entry = self._manifest.outputs.get(path)
        is_wanted = entry is not None and (entry.fingerprint, entry.step) == (fingerprint, step)
        return is_wanted and path not in self._inspection.outputs()

    def _open_stage(self, paths: Set[str]) -> SwapStage:
        """Open a stage with room for these outputs. Raises OutputRefused where folders cannot be exchanged."""
        stage = None
        try:
            stage = SwapStage(self._output, self._manifest, self._inspection.folders)
            stage.begin(paths, self._record)
        except OSError as error:
            raise self._refusal(error) from error
        finally:
            if stage is not None and not stage.is_begun:
                stage.close()
        return stage

    def _size(self, path: str) -> int | None:
        for root in (self._tree, self._published):
            try:
                return os.lstat(f"{root}/{path}").st_size
            except OSError:
                continue
        return None

    def _refusal(self, error: OSError) -> Exception:
        """Return the error to raise: a full disk is one of its own, everything else refuses this output folder."""
        if error.errno in _HOPELESS:
            return error
        folder, parent = self._output.named, self._output.folder.parent
        reason = (error.strerror or str(error)).lower()
        remedy = _REMEDIES.get(error.errno or 0, _OTHER_REMEDY).format(named=folder, parent=parent)
        return OutputRefused(
            f"The output folder {folder} cannot be exchanged for the new version of the site: {reason}. {remedy} "
            "Nothing was changed."
        )


@contextmanager
def open_generation(previous: PreviousBuild) -> Iterator[Generation]:
    """Prepare the next generation. At the end other builds may begin, and a full disk keeps no half of it."""
    generation = Generation(previous)
    failed = False
    try:
        yield generation
    except (OSError, OutputFailed):
        failed = True
        raise
    finally:
        generation.close(failed=failed)
