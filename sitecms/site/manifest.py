"""What the last build made: each output's fingerprint and size, kept in the output folder itself.

Two files: the manifest, written last, and a note of the files about to be touched, written first. A build that was
killed leaves the note, and the next build makes those files anew, whatever the manifest says of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

MANIFEST_NAME = ".sitecms-manifest.json"
UNDERWAY_NAME = ".sitecms-underway.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Made:
    """One output of the last build."""

    fingerprint: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Outputs by their path relative to the output folder; `interrupted` ones may hold anything."""

    outputs: Mapping[str, Made] = field(default_factory=dict)
    interrupted: frozenset[str] = frozenset()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an output folder; an unreadable one counts as none, so that everything is made anew."""
    outputs = _outputs(folder / MANIFEST_NAME) or {}
    underway = _outputs(folder / UNDERWAY_NAME) or []
    try:
        made = {path: Made(*entry) for path, entry in outputs.items()}
        interrupted = frozenset(underway)
    except (AttributeError, TypeError):
        return Manifest()
    return Manifest(
        {path: entry for path, entry in made.items() if is_inside(path)}, frozenset(filter(is_inside, interrupted))
    )


def is_inside(path: str) -> bool:
    """Whether it is a path that stays within the output folder."""
    return "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


def manifest_bytes(outputs: Mapping[str, Made]) -> bytes:
    """The manifest as it is kept: one output a line, in order of path."""
    lines = ",\n".join(
        f"{orjson.dumps(path).decode()}: {orjson.dumps([made.fingerprint, made.size_bytes]).decode()}"
        for path, made in sorted(outputs.items())
    )
    return f'{{"format": {FORMAT}, "outputs": {{\n{lines}\n}}}}\n'.encode()


def underway_bytes(paths: Iterable[str]) -> bytes:
    """The note of the files about to be touched."""
    return orjson.dumps({"format": FORMAT, "outputs": sorted(paths)})


def _outputs(path: Path) -> Any:
    try:
        data = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return data.get("outputs") if isinstance(data, dict) and data.get("format") == FORMAT else None
