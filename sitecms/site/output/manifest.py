"""Manifest of a build: fingerprint and size of each output, stored in the output folder.

It is the last file of a generation to be written, so an output that is younger was changed by others.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import orjson
from msgspec import Struct, field

MANIFEST_NAME = ".sitecms-manifest.json"
FORMAT = 2


class ManifestEntry(NamedTuple):
    """One output; `step` names the later step that added it, "" for planned outputs."""

    fingerprint: str
    size_bytes: int
    step: str = ""


class Manifest(Struct, frozen=True):
    """Outputs by their path relative to the output folder; `written_at_ns` is a time of the file system."""

    outputs: Mapping[str, ManifestEntry] = field(default_factory=dict)
    written_at_ns: int = 0


def read_manifest(folder: Path, name: str = MANIFEST_NAME) -> Manifest:
    """Return the manifest of an output folder; an unreadable one is empty, so that everything is rendered again."""
    try:
        with (folder / name).open("rb") as file:
            data = orjson.loads(file.read())
            written_at_ns = os.fstat(file.fileno()).st_mtime_ns
        if data["format"] != FORMAT:
            return Manifest()
        outputs = {path: ManifestEntry(*entry) for path, entry in data["outputs"].items() if is_inside(path)}
    except (OSError, ValueError, AttributeError, LookupError, TypeError):
        return Manifest()
    return Manifest(outputs, written_at_ns)


def is_inside(path: str) -> bool:
    """Return True for a path that stays within the output folder."""
    around = f"/{path}/"
    return "/../" not in around and "//" not in around and "/./" not in around and "\0" not in path


def manifest_bytes(outputs: Mapping[str, ManifestEntry]) -> bytes:
    """Return the manifest as stored: one output per line, in order of path."""
    plain = {path: entry if entry[2] else entry[:2] for path, entry in outputs.items()}
    text = orjson.dumps({"format": FORMAT, "outputs": plain}, default=list, option=orjson.OPT_SORT_KEYS)
    return text.replace(b'],"', b'],\n"') + b"\n"  # inside a string the quotation mark has a backslash before it


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return every folder that these paths need, "" for the root."""
    folders = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders
