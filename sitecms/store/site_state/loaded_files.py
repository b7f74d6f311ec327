"""Files of the site folder that were loaded: digests, the entries they were loaded into, and what they said."""

import posixpath
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zlib import compress, decompress

import orjson

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.text.media_links import MEDIA_FOLDER, is_file_path
from sitecms.store.database import Session, Transaction
from sitecms.store.models.site_state import IS_OF_ONE_ENTRY, LoadedFileRow, LoadedTextRow
from sitecms.store.prepared import prepared

_ABSENT = "absent"
_LEVEL = 1  # a load waits for it
_ABSENT_END = '"absent"]]'
_LISTS = "content/collections/"


class MediaStamp(NamedTuple):
    """A media file of the site folder when it was loaded: its name in the library, its size and time."""

    name: str
    size_bytes: int
    modified_ns: int


class FileLink(NamedTuple):
    """A link to another file: the address that it led to, a digest of what the address depends on, its locale.

    Of a template or collection the address is "": what follows from it depends on its content alone.
    """

    address: str
    stamp: str
    locale: str = ""


class FileDates(NamedTuple):
    """Times of the first and the last commit of a file in Git, in seconds since 1970; 0 where Git has none."""

    first: int = 0
    last: int = 0


NO_DATES = FileDates()


class LoadedFile(NamedTuple):
    """A file as it was when loaded.

    `digest` is the digest of its bytes, `context` of what else its entries depend on (schema, settings). `stamp` comes
    from the file system: while it is equal, so are the bytes; "" means that the bytes must be compared. JSON columns
    are parsed on demand, since a load in which little has changed needs few of them.
    """

    path: str
    digest: str
    context: str
    entries_json: str
    media_json: str
    loaded_us: int
    stamp: str
    dates_json: str = ""

    @property
    def git_dates(self) -> FileDates:
        """The dates that Git had for the file."""
        return FileDates(*orjson.loads(self.dates_json)["git"]) if self.dates_json else NO_DATES

    @property
    def undated(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs of published entries whose time of publication only the store has."""
        return (
            tuple([(pair[0], pair[1]) for pair in orjson.loads(self.dates_json)["undated"]]) if self.dates_json else ()
        )

    @property
    def loaded_at(self) -> datetime:
        """Time of the load."""
        return from_microseconds(self.loaded_us)

    @property
    def entries(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs in the file's order, followed by the `absent` ones."""
        return tuple([(pair[0], pair[1]) for pair in orjson.loads(self.entries_json)])

    @property
    def absent(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs of items that the file no longer lists, and that stay in the store."""
        if not self.entries_json.endswith(_ABSENT_END):
            return ()
        return tuple([(pair[0], pair[1]) for pair in orjson.loads(self.entries_json) if len(pair) > 2])

    @property
    def present(self) -> tuple[tuple[str, int], ...]:
        """(kind, id) pairs that the file lists, in its order."""
        absent = self.absent
        return tuple(pair for pair in self.entries if pair not in absent) if absent else self.entries

    def with_absent(self, absent: Sequence[tuple[str, int]]) -> "LoadedFile":
        """Return the file with these pairs as its absent ones."""
        return self._replace(entries_json=_entries_json(self.present, absent))

    @property
    def media(self) -> Mapping[str, MediaStamp]:
        """The stamp of each media file that the file refers to, by path."""
        if self.media_json == "{}":
            return _NONE
        return _media_of(self.media_json)

    @property
    def links(self) -> Mapping[str, FileLink]:
        """The other files that the entries depend on, by path."""
        if '"content/' not in self.media_json and '"templates/' not in self.media_json:
            return {}
        stamps = orjson.loads(self.media_json).items()
        return {name: FileLink(*facts) for name, facts in stamps if isinstance(facts[1], str)}

    def address_of(self, written: str) -> str:
        """Return the address that a relative path in the file stands for, of a page or media file; "" for others."""
        if not is_file_path(written):
            return ""
        path, mark, anchor = written.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path))
        if place in self.links:
            return self.links[place].address + mark + anchor
        return MEDIA_PREFIX + self.media[place].name if place in self.media else ""


def loaded_file(
    path: str,
    digest: str,
    context: str,
    entries: tuple[tuple[str, int], ...],
    media: Mapping[str, MediaStamp | FileLink],
    loaded_at: datetime,
    stamp: str,
    absent: Sequence[tuple[str, int]] = (),
) -> LoadedFile:
    """Return the record of a file that is loaded now; `absent` are entries that it no longer lists."""
    media_json = orjson.dumps(dict(media), default=list).decode()
    entries_json = _entries_json(entries, absent)
    return LoadedFile(path, digest, context, entries_json, media_json, to_microseconds(loaded_at), stamp)


def dates_json(git: FileDates, undated: Sequence[tuple[str, int]]) -> str:
    """Return what a record keeps of the dates of a file; "" where there is nothing to keep."""
    return orjson.dumps({"git": [*git], "undated": undated}).decode() if git != NO_DATES or undated else ""


def _entries_json(present: Sequence[tuple[str, int]], absent: Sequence[tuple[str, int]]) -> str:
    return orjson.dumps([*present, *((*pair, _ABSENT) for pair in absent)], default=list).decode()


def _media_of(media_json: str) -> dict[str, MediaStamp]:
    stamps = orjson.loads(media_json).items()
    return {name: MediaStamp(*facts) for name, facts in stamps if isinstance(facts[1], int)}


_NONE: Mapping[str, MediaStamp] = {}
_COLUMNS = [getattr(LoadedFileRow, name) for name in LoadedFile._fields]


def all_loaded_files(session: Session) -> dict[str, LoadedFile]:
    """Return all loaded files, by their paths in the site folder."""
    rows = session.rows(LoadedFileRow.select(*_COLUMNS).order_by(LoadedFileRow.path))
    return {row[0]: LoadedFile._make(row) for row in rows}


def find_undated(session: Session) -> frozenset[tuple[str, int]]:
    """Return the (kind, id) pairs of published entries whose time of publication only the store has."""
    rows = session.rows(LoadedFileRow.select(LoadedFileRow.dates_json).where(LoadedFileRow.dates_json.contains("[[")))
    return frozenset((kind, entry_id) for row in rows for kind, entry_id in orjson.loads(row[0])["undated"])


def find_loaded_file(session: Session, path: str) -> LoadedFile | None:
    """Return the loaded file at a path in the site folder, or None."""
    row = session.row(LoadedFileRow.select(*_COLUMNS).where(LoadedFileRow.path == path))
    return LoadedFile._make(row) if row else None


def file_of_entry(session: Session, kind: EntryKind, entry_id: int) -> LoadedFile | None:
    """Return the file that an entry was loaded from: the one of a list among others, or one of its own."""
    pair = (kind.value, entry_id)
    row = session.row(_of(_entries_json((pair,), ())) if KINDS[kind].has_slug else _of_list(*pair))
    return LoadedFile._make(row) if row else None


def find_depending(session: Session, path: str) -> tuple[tuple[str, int], ...]:
    """Return the (kind, id) pairs of the entries in files that depend on another one (`LoadedFile.links`)."""
    query = LoadedFileRow.select(*_COLUMNS).where(LoadedFileRow.media_json.contains(f'"{path}"'))
    files = map(LoadedFile._make, session.rows(query.order_by(LoadedFileRow.path)))
    return tuple(pair for file in files if path in file.links for pair in file.present)


@prepared
def _of(entries_json: str) -> Any:
    is_match = (LoadedFileRow.entries_json == entries_json) & IS_OF_ONE_ENTRY
    return LoadedFileRow.select(*_COLUMNS).where(is_match).order_by(LoadedFileRow.path)


def _of_list(kind: str, entry_id: int) -> Any:
    is_match = LoadedFileRow.path.startswith(_LISTS) & LoadedFileRow.entries_json.contains(f'["{kind}",{entry_id}]')
    return LoadedFileRow.select(*_COLUMNS).where(is_match).order_by(LoadedFileRow.path)


def has_loaded_files(session: Session) -> bool:
    """Return whether any file of the site folder was loaded."""
    return session.row(LoadedFileRow.select(LoadedFileRow.path).limit(1)) is not None


def address_of_media(session: Session, name: str) -> str | None:
    """Return the path below `media/` under which a file was loaded that became this one in the library, or None."""
    row = session.row(LoadedFileRow.select(LoadedFileRow.media_json).where(LoadedFileRow.media_json.contains(name)))
    stamps = _media_of(row[0]).items() if row else ()
    return next((path for path, stamp in stamps if stamp.name == name and path.startswith(MEDIA_FOLDER)), None)


def save_loaded_file(transaction: Transaction, file: LoadedFile) -> None:
    """Insert or replace the record of a file."""
    save_loaded_files(transaction, (file,))


def save_loaded_files(transaction: Transaction, files: Sequence[LoadedFile]) -> None:
    """Insert or replace the records of these files."""
    transaction.insert_many(LoadedFileRow, [file._asdict() for file in files], replaces=True)


def update_stamp(transaction: Transaction, digest: str, path: str, stamp: str) -> None:
    """Save the new stamp of a file whose bytes have not changed."""
    is_match = (LoadedFileRow.path == path) & (LoadedFileRow.digest == digest)
    transaction.run(LoadedFileRow.update(stamp=stamp).where(is_match))


def update_dates(transaction: Transaction, file: LoadedFile) -> None:
    """Save the dates that Git has by now for a file whose bytes have not changed."""
    is_match = (LoadedFileRow.path == file.path) & (LoadedFileRow.digest == file.digest)
    transaction.run(LoadedFileRow.update(dates_json=file.dates_json).where(is_match))


def delete_loaded_file(transaction: Transaction, path: str) -> None:
    """Delete the record of a file that is gone."""
    transaction.run(LoadedFileRow.delete().where(LoadedFileRow.path == path))
    transaction.run(LoadedTextRow.delete().where(LoadedTextRow.path == path))


def rename_loaded_file(transaction: Transaction, former: str, file: LoadedFile) -> None:
    """Give the record of a file, and what the file said, another path."""
    transaction.run(LoadedFileRow.delete().where(LoadedFileRow.path == former))
    transaction.run(LoadedTextRow.update(path=file.path).where(LoadedTextRow.path == former))
    save_loaded_file(transaction, file)


def packed_texts(texts: Mapping[str, bytes]) -> str:
    """Return the bytes of a file, and of those that belong to it, by path, as they are kept. They are UTF-8."""
    plain = orjson.dumps({path: content.decode("utf-8", "replace") for path, content in texts.items()})
    return b64encode(compress(plain, _LEVEL)).decode()


def save_loaded_texts(transaction: Transaction, packed: Mapping[str, str]) -> None:
    """Keep what loaded files say, by path, as `packed_texts` returns it."""
    rows = [{"path": path, "packed": text} for path, text in packed.items()]
    transaction.insert_many(LoadedTextRow, rows, replaces=True)


def find_loaded_texts(session: Session, path: str) -> dict[str, bytes]:
    """Return what a file said when it was loaded: its bytes, then those of files that belong to it, by path."""
    row = session.row(LoadedTextRow.select(LoadedTextRow.packed).where(LoadedTextRow.path == path))
    texts: dict[str, str] = orjson.loads(decompress(b64decode(row[0]))) if row else {}
    return {name: text.encode() for name, text in texts.items()}
