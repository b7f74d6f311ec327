"""Inspection of the output folders: changes by others, and the state of the staging directory.

Only names and times are read. The manifest is the last file of a generation, so anything younger was changed by others.
`sitecms verify` reports what differs from the manifest.
"""

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from msgspec import Struct

from sitecms.findings import Finding
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.output.build_record import BuildRecord, Folders, inode, read_record, record_path, staging_tree
from sitecms.site.output.folder import OutputFolder, build_lock
from sitecms.site.output.manifest import MANIFEST_NAME, Manifest, folders_of, read_manifest

_MISSING = "it is missing from the output folder"
_CHANGED = "it was changed in the output folder"
_REMEDY = "build the site again: sitecms build --clean"


class InspectedFolders(Struct, frozen=True):
    """Published folder, staging directory (which may be missing), and record of the last build."""

    published: Path
    staging: Path
    manifest: Manifest
    record: BuildRecord | None


class Inspection:
    """Result of an inspection; outputs are inspected when they are first requested."""

    def __init__(self, place: InspectedFolders) -> None:
        self._place = place
        self._outputs: dict[str, str] | None = None

    def outputs(self) -> dict[str, str]:
        """Return the problems of outputs in the manifest, by path."""
        if self._outputs is None:
            self._outputs = _inspect_outputs(self._place)
        return self._outputs

    def folders(self) -> Folders:
        """Return the changed folders, and the state of the staging directory."""
        return _inspect_folders(self._place)


class PreviousBuild(Struct, frozen=True):
    """The published folder before a build: its manifest, its record, and changes since."""

    folder: OutputFolder
    manifest: Manifest
    record: BuildRecord | None
    inspection: Inspection


def inspect_previous(output: Path) -> PreviousBuild:
    """Read the result of the previous build. Raises OutputRefused."""
    folder = OutputFolder(output)
    manifest = read_manifest(folder.folder)
    record = read_record(record_path(folder.folder), folder.folder)
    place = InspectedFolders(folder.folder, staging_tree(folder.folder), manifest, record)
    return PreviousBuild(folder, manifest, record, Inspection(place))


def _inspect_outputs(place: InspectedFolders) -> dict[str, str]:
    look, root, written_at = os.lstat, f"{place.published}/", place.manifest.written_at_ns
    problems = {}
    for path, entry in place.manifest.outputs.items():
        try:
            stat = look(root + path)
        except OSError:
            problems[path] = _MISSING
            continue
        if stat.st_size != entry.size_bytes or stat.st_mtime_ns > written_at or not S_ISREG(stat.st_mode):
            problems[path] = _CHANGED
    return problems


def _inspect_folders(place: InspectedFolders) -> Folders:
    names = folders_of(place.manifest.outputs)
    if place.record is None:
        return Folders(tuple(sorted(names)), is_staging_complete=False)
    touched = _touched(place.published, names, place.manifest.written_at_ns)
    touched |= folders_of(place.record.unmanaged) & names | {""}
    return Folders(tuple(sorted(touched)), _is_staging_complete(place.staging, names, place.record))


def _touched(root: Path, folders: set[str], since_ns: int) -> set[str]:
    look, touched = os.lstat, set()
    for folder in folders:
        try:
            stat = look(f"{root}/{folder}")
        except OSError:
            continue  # its parent was touched
        if stat.st_mtime_ns >= since_ns or not S_ISDIR(stat.st_mode):  # times of a file system stand still for a while
            touched.add(folder)
    return touched


def _is_staging_complete(staging: Path, folders: set[str], record: BuildRecord) -> bool:
    if not record.staging or inode(staging) != record.staging or not (staging / MANIFEST_NAME).is_file():
        return False
    return not _touched(staging, folders | folders_of(record.behind), record.written_at_ns)


def output_findings(settings: SiteSettings) -> tuple[Finding, ...]:
    """Return the outputs that are missing or were changed since they were built; wait for a build that is running.

    Compares names, sizes and times, as a build does. Files that the manifest does not name are ignored.
    """
    from sitecms.actions.operations.verify.checks import VerifyKind, damage

    output = settings.output_dir
    if not output.is_dir():
        return ()
    with build_lock(settings.folder / STATE_FOLDER, output):
        folder = output.resolve()
        manifest = read_manifest(folder)
        if not manifest.outputs:
            if not (folder / MANIFEST_NAME).exists():
                return ()
            return (damage(VerifyKind.OUTPUT_UNKNOWN, str(output), "has a manifest that cannot be read", _REMEDY),)
        wrong = Inspection(InspectedFolders(folder, staging_tree(folder), manifest, None)).outputs()
    return tuple(
        damage(
            VerifyKind.OUTPUT_CHANGED if (folder / path).exists() else VerifyKind.OUTPUT_MISSING,
            f"output {path}",
            problem,
            _REMEDY,
        )
        for path, problem in sorted(wrong.items())
    )
