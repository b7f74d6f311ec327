"""Fixtures of the build's tests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sitecms.content.fingerprint import digest
from sitecms.site.output.generation import Generation, open_generation
from sitecms.site.output.inspection import inspect_previous
from sitecms.site.output.manifest import MANIFEST_NAME

Further = Callable[[Generation], object]


@dataclass(frozen=True, slots=True)
class Published:
    """The result of one published generation."""

    written: tuple[str, ...]
    pruned: tuple[str, ...]


def publish_files(output: Path, files: Mapping[str, bytes], *, further: Further | None = None) -> Published:
    """Publish these outputs as a build does."""
    previous = inspect_previous(output)
    wrong, prints = previous.inspection.outputs(), {path: digest(data) for path, data in files.items()}
    known = {path: made.fingerprint for path, made in previous.manifest.outputs.items() if path not in wrong}
    stale = [path for path in files if known.get(path) != prints[path]]
    with open_generation(previous) as generation:
        generation.carry_on(path for path in files if path not in stale)
        if stale:
            generation.begin(stale)
        written = tuple(path for path in stale if generation.write(path, files[path]))
        for path in stale:
            generation.note_made(path, prints[path], len(files[path]))
        if further:
            further(generation)
        return Published(written, generation.publish())


@pytest.fixture
def publish() -> Callable[..., Published]:
    """Publish these files in a folder: `publish(folder, {path: bytes})`."""
    return publish_files


@pytest.fixture
def tree_of() -> Callable[[Path], dict[str, bytes]]:
    """Return every file in a folder by its path, without the manifest."""

    def tree(root: Path) -> dict[str, bytes]:
        files = (path for path in root.rglob("*") if path.is_file() and path.name != MANIFEST_NAME)
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}

    return tree
