"""State of an import, `imports/<name>.json` in the site folder: the files that were made of each source record.

It is meant for version control: it holds keys, file names and digests, never a secret.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct, field
from msgspec.structs import asdict

from sitecms.errors import InvalidRequest
from sitecms.files import write_atomically

FOLDER = "imports"
FORMAT = 1
_KEYS_AT_ONCE = 500
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")


class EntryState(Struct):
    """The file of one source record: digest of the record, and of the file as it was written ("": not yet).

    `is_waiting`: its text names media that were not there yet, so it is written again when they are.
    """

    file: str
    slug: str = ""
    source: str = ""
    written: str = ""
    is_waiting: bool = False


class MediaState(Struct):
    """A media file of the source: its file in the site folder, or the reason why it is missing.

    `old` are its paths on the old site, of one that a published entry names: they lead to the file.
    """

    file: str = ""
    digest: str = ""
    etag: str = ""
    status: str = ""
    old: tuple[str, ...] = ()


class ImportState(Struct):
    """All records of one import. `files` are shared files, as content/authors.yaml, by path."""

    kind: str = ""
    site: str = ""
    entries: dict[str, EntryState] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    media: dict[str, MediaState] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the state, whole and durable."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _is_equal(path, self._parts()):
            write_atomically(path, self._parts(), is_durable=True)

    def _parts(self) -> Iterator[bytes]:
        """Yield the text of the file: JSON with sorted keys, in parts, since that of a large site takes 100 MB."""
        maps: dict[str, Mapping[str, Any]] = {"entries": self.entries, "files": self.files, "media": self.media}
        facts = {"format": FORMAT, "kind": self.kind, "site": self.site}
        opening = b"{"
        for name in sorted({*maps, *facts}):
            yield opening + f'\n  "{name}": '.encode()
            yield from _mapping(maps[name]) if name in maps else [orjson.dumps(facts[name])]
            opening = b","
        yield b"\n}\n"


def _mapping(values: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the JSON of a mapping one level deep, a few entries at a time."""
    if not values:
        yield b"{}"
        return
    opening = b"{"
    keys = sorted(values, key=str.encode)
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = {key: values[key] for key in keys[start : start + _KEYS_AT_ONCE]}
        text = orjson.dumps(part, default=asdict, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
        yield opening + text[1:-2].replace(b"\n", b"\n  ")
        opening = b","
    yield b"\n  }"


def _is_equal(path: Path, parts: Iterable[bytes]) -> bool:
    """Return whether a file has the text of these parts."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return all(file.read(len(part)) == part for part in parts) and not file.read(1)


def load_state(path: Path) -> ImportState:
    """Return the state of the last run; an empty one if there was none. Raises InvalidRequest for an invalid file."""
    if not path.is_file():
        return ImportState()
    try:
        data: dict[str, Any] = orjson.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise InvalidRequest(f"{path} was written by another version of sitecms.")
        return ImportState(
            data["kind"],
            data["site"],
            {key: EntryState(**each) for key, each in data["entries"].items()},
            dict(data["files"]),
            {key: MediaState(**{**each, "old": tuple(each.get("old", ()))}) for key, each in data["media"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        remedy = "Restore it from version control, or name another import with --name."
        raise InvalidRequest(f"{path} is not the state of an import ({error}). {remedy}") from error


def state_path(folder: Path, name: str) -> Path:
    """Return the path of the state of an import."""
    return folder / FOLDER / f"{name}.json"
