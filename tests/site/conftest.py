"""Fixtures of the build's tests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sitecms.content.fingerprint import digest
from sitecms.site.output.build_record import read_record, record_path, spare_tree
from sitecms.site.output.folder import OutputFolder
from sitecms.site.output.generation import Generation, closing_well
from sitecms.site.output.in_place import complete_interrupted
from sitecms.site.output.inspection import Place, inspecting
from sitecms.site.output.manifest import MANIFEST_NAME, read_manifest

Further = Callable[[Generation], object]


@dataclass(frozen=True, slots=True)
class Published:
    """What one use of a generation did."""

    written: tuple[str, ...]
    pruned: tuple[str, ...]
    notes: tuple[str, ...]


def publish_files(
    output: Path, files: Mapping[str, bytes], *, in_place: bool = False, further: Further | None = None
) -> Published:
    """What a build does with these outputs, each a page of its own."""
    folder = OutputFolder(output)
    complete_interrupted(folder.folder)
    manifest = read_manifest(folder.folder)
    record = read_record(record_path(folder.folder), folder.folder)
    with inspecting(Place(folder.folder, spare_tree(folder.folder), manifest, record)) as inspection:
        if not in_place:
            inspection.want_spare()
        wrong, prints = inspection.outputs(), {path: digest(data) for path, data in files.items()}
        known = {path: made.fingerprint for path, made in manifest.outputs.items() if path not in wrong}
        stale = [path for path in files if known.get(path) != prints[path]]
        generation = Generation(folder, manifest, inspection, record, in_place=in_place)
        with closing_well(generation):
            generation.carry_on(path for path in files if path not in stale)
            if stale:
                generation.begin(stale)
            written = tuple(path for path in stale if generation.write(path, files[path]))
            for path in stale:
                generation.note_made(path, prints[path], len(files[path]))
            if further:
                further(generation)
            return Published(written, generation.publish(), tuple(generation.notes))


@pytest.fixture
def publish() -> Callable[..., Published]:
    """Bring a folder to hold these files: `publish(folder, {path: bytes})`."""
    return publish_files


@pytest.fixture
def tree_of() -> Callable[[Path], dict[str, bytes]]:
    """Every file in a folder by its path, the manifest left out."""

    def tree(root: Path) -> dict[str, bytes]:
        files = (path for path in root.rglob("*") if path.is_file() and path.name != MANIFEST_NAME)
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}

    return tree
