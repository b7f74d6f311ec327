"""Which files of the site folder were loaded, as what, and into which entries."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import orjson

from sitecms.clock import to_microseconds
from sitecms.store.database import Session, Transaction


class MediaStamp(NamedTuple):
    """A media file of the site folder when it was loaded: its name in the library, its size and time."""

    name: str
    size_bytes: int
    modified_ns: int


class LoadedFile(NamedTuple):
    """A file as it was when loaded.

    `digest` is of its bytes, `context` of what else its entries depend on (schema, settings). `stamp` is what the
    file system said of it then: while that is the same, so are its bytes; "" if they have to be looked at. The rest is
    kept as it is stored, since a load that finds little changed asks few files for it.
    """

    path: str
    digest: str
    context: str
    entries_json: str
    media_json: str
    loaded_us: int
    stamp: str

    @property
    def entries(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs in the file's order, and after them those that are `absent`."""
        return tuple([(pair[0], pair[1]) for pair in orjson.loads(self.entries_json)])

    @property
    def absent(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs of items that the file no longer lists, though they are kept."""
        if not self.entries_json.endswith(_ABSENT_END):
            return ()
        return tuple([(pair[0], pair[1]) for pair in orjson.loads(self.entries_json) if len(pair) > 2])

    @property
    def present(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs that the file lists, in its order."""
        absent = self.absent
        return tuple(pair for pair in self.entries if pair not in absent) if absent else self.entries

    def with_absent(self, absent: Sequence[tuple[str, int]]) -> "LoadedFile":
        """The same file, with these pairs as those that it no longer lists."""
        return self._replace(entries_json=_entries_json(self.present, absent))

    @property
    def media(self) -> Mapping[str, MediaStamp]:
        """The stamp of each media path that the file names."""
        if self.media_json == "{}":
            return _NONE
        return {name: MediaStamp(*facts) for name, facts in orjson.loads(self.media_json).items()}


def loaded_file(
    path: str,
    digest: str,
    context: str,
    entries: tuple[tuple[str, int], ...],
    media: Mapping[str, MediaStamp],
    loaded_at: datetime,
    stamp: str,
    absent: Sequence[tuple[str, int]] = (),
) -> LoadedFile:
    """A file as it is loaded now; `absent` are entries that it listed before and does not list now."""
    media_json = orjson.dumps(dict(media), default=list).decode()
    entries_json = _entries_json(entries, absent)
    return LoadedFile(path, digest, context, entries_json, media_json, to_microseconds(loaded_at), stamp)


def _entries_json(present: Sequence[tuple[str, int]], absent: Sequence[tuple[str, int]]) -> str:
    return orjson.dumps([*present, *((*pair, _ABSENT) for pair in absent)], default=list).decode()


_ABSENT = "absent"
_ABSENT_END = '"absent"]]'


_ALL = "SELECT path, digest, context, entries_json, media_json, loaded_at, stamp FROM loaded_file ORDER BY path"
_SAVE = (
    "INSERT INTO loaded_file (path, digest, context, entries_json, media_json, loaded_at, stamp) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, "
    "context = excluded.context, entries_json = excluded.entries_json, media_json = excluded.media_json, "
    "loaded_at = excluded.loaded_at, stamp = excluded.stamp"
)
_NONE: Mapping[str, MediaStamp] = {}


def all_loaded_files(session: Session) -> dict[str, LoadedFile]:
    """Every loaded file, by its path in the site folder."""
    return {row[0]: LoadedFile._make(row) for row in session.sql(_ALL)}


def save_loaded_file(transaction: Transaction, file: LoadedFile) -> None:
    """Remember the file as it is now."""
    transaction.sql(_SAVE, *file)


def restamp(transaction: Transaction, digest: str, path: str, stamp: str) -> None:
    """The file system says something else of a file whose bytes are the same."""
    transaction.sql("UPDATE loaded_file SET stamp = ? WHERE path = ? AND digest = ?", stamp, path, digest)


def forget_loaded_file(transaction: Transaction, path: str) -> None:
    """The file is gone, and nothing of it is to be remembered."""
    transaction.sql("DELETE FROM loaded_file WHERE path = ?", path)
