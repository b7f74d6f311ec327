"""State of an import, `imports/<name>.json` in the site folder: the files that were made of each source record.

It is meant for version control: it holds keys, file names and digests, never a secret.
"""

import fcntl
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import asdict

from sitecms.errors import InvalidRequest
from sitecms.files import make_private_folder, write_atomically
from sitecms.settings.site import STATE_FOLDER

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


class Journal:
    """The media files that a run got since the state was saved, a line each, in the private folder of the site.

    So a run that is killed loses none of them, whatever the state of a large site takes to save.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / STATE_FOLDER / f"import-{name}" / "media.jsonl"

    def __enter__(self) -> "Journal":
        """Open the file."""
        make_private_folder(self._path.parent)
        self._file = self._path.open("ab")
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self._file.close()

    def add(self, address: str, media: MediaState) -> None:
        """Write down the state of a media file."""
        self._file.write(orjson.dumps([address, to_builtins(media)]) + b"\n")
        self._file.flush()

    def read(self) -> Iterator[tuple[str, MediaState]]:
        """Yield the files that an interrupted run got; a line that it could not end is left out."""
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            for line in file:
                with suppress(ValueError, TypeError):
                    address, facts = orjson.loads(line)
                    yield address, convert(facts, MediaState)

    def clear(self) -> None:
        """Remove the file: the state has what was in it."""
        self._path.unlink(missing_ok=True)


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
        return convert({name: data[name] for name in ImportState.__struct_fields__}, ImportState)
    except (ValueError, KeyError, TypeError) as error:
        remedy = "Restore it from version control, or name another import with --name."
        raise InvalidRequest(f"{path} is not the state of an import ({error}). {remedy}") from error


def state_path(folder: Path, name: str) -> Path:
    """Return the path of the state of an import."""
    return folder / FOLDER / f"{name}.json"


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep other imports out of a site folder for the time of the block. Raises InvalidRequest if one is running.

    A missing folder is made; it is removed if nothing was written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InvalidRequest(f"Another import into {folder} is running. Wait until it has ended.") from None
    finally:
        os.close(handle)
        with suppress(OSError):
            folder.rmdir()
