"""Which files of the site folder were loaded, as what, and into which entries."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import orjson

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.store.database import Session, Transaction


class MediaStamp(NamedTuple):
    """A media file of the site folder when it was loaded: its name in the library, its size and time."""

    name: str
    size_bytes: int
    modified_ns: int


class LoadedFile(NamedTuple):
    """A file as it was when loaded.

    `digest` is of its bytes, `context` of what else its entries depend on (schema, settings), `entries` are
    (kind, id) pairs in the file's order, `media` has the stamp of each media path it names. `stamp` is what the
    file system said of it then: while that is the same, so are its bytes; "" if they have to be looked at.
    """

    path: str
    digest: str
    context: str
    entries: tuple[tuple[str, int], ...]
    media: Mapping[str, MediaStamp]
    loaded_at: datetime
    stamp: str = ""


_ALL = "SELECT path, digest, context, entries_json, media_json, loaded_at, stamp FROM loaded_file ORDER BY path"
_SAVE = (
    "INSERT OR REPLACE INTO loaded_file (path, digest, context, entries_json, media_json, loaded_at, stamp) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_NONE: Mapping[str, MediaStamp] = {}


def all_loaded_files(session: Session) -> dict[str, LoadedFile]:
    """Every loaded file, by its path in the site folder."""
    files = {}
    for path, digest, context, entries, media, loaded_at, stamp in session.sql(_ALL):
        pairs = tuple([(kind, key) for kind, key in orjson.loads(entries)])
        stamps = _NONE if media == "{}" else {name: MediaStamp(*facts) for name, facts in orjson.loads(media).items()}
        files[path] = LoadedFile(path, digest, context, pairs, stamps, from_microseconds(loaded_at), stamp)
    return files


def save_loaded_file(transaction: Transaction, file: LoadedFile) -> None:
    """Remember the file as it is now."""
    entries, media = (orjson.dumps(value, default=list).decode() for value in (file.entries, dict(file.media)))
    at = to_microseconds(file.loaded_at)
    transaction.sql(_SAVE, file.path, file.digest, file.context, entries, media, at, file.stamp)


def restamp(transaction: Transaction, digest: str, path: str, stamp: str) -> None:
    """The file system says something else of a file whose bytes are the same."""
    transaction.sql("UPDATE loaded_file SET stamp = ? WHERE path = ? AND digest = ?", stamp, path, digest)


def forget_loaded_file(transaction: Transaction, path: str) -> None:
    """The file is gone, and nothing of it is to be remembered."""
    transaction.sql("DELETE FROM loaded_file WHERE path = ?", path)
