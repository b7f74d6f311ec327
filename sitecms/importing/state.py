"""State of an import, `imports/<name>.json` in the site folder: the files that were made of each source record.

It is meant for version control: it holds keys, file names and digests, never a secret.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from sitecms.errors import InvalidRequest
from sitecms.files import write_atomically

FOLDER = "imports"
FORMAT = 1
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")


@dataclass(slots=True)
class EntryState:
    """The file of one source record: digest of the record, and of the file as it was written ("": not yet).

    `is_waiting`: its text names media that were not there yet, so it is written again when they are.
    """

    file: str
    slug: str = ""
    source: str = ""
    written: str = ""
    is_waiting: bool = False


@dataclass(slots=True)
class MediaState:
    """A media file of the source: its file in the site folder, or the reason why it is missing."""

    file: str = ""
    digest: str = ""
    etag: str = ""
    status: str = ""


@dataclass(slots=True)
class ImportState:
    """All records of one import. `files` are shared files, as content/authors.yaml, by path."""

    kind: str = ""
    site: str = ""
    entries: dict[str, EntryState] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    media: dict[str, MediaState] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the state, whole and durable."""
        data = {
            "format": FORMAT,
            "kind": self.kind,
            "site": self.site,
            "entries": self.entries,
            "files": self.files,
            "media": self.media,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        text = orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
        if not path.is_file() or path.read_bytes() != text:
            write_atomically(path, text, is_durable=True)


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
            {key: MediaState(**each) for key, each in data["media"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        remedy = "Restore it from version control, or name another import with --name."
        raise InvalidRequest(f"{path} is not the state of an import ({error}). {remedy}") from error


def state_path(folder: Path, name: str) -> Path:
    """Return the path of the state of an import."""
    return folder / FOLDER / f"{name}.json"
