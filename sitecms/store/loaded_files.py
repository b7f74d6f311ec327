"""Which files of the site folder were loaded, as what, and into which entries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sitecms.store.database import Session, Transaction
from sitecms.store.tables import LoadedFileRow


class MediaStamp(NamedTuple):
    """A media file of the site folder when it was loaded: its name in the library, its size and time."""

    name: str
    size_bytes: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file as it was when loaded.

    `digest` is of its bytes, `context` of what else its entries depend on (schema, settings), `entries` are
    (kind, id) pairs in the file's order, `media` has the stamp of each media path it names.
    """

    path: str
    digest: str
    context: str
    entries: tuple[tuple[str, int], ...]
    media: Mapping[str, MediaStamp]
    loaded_at: datetime


_COLUMNS = [getattr(LoadedFileRow, name) for name in LoadedFile.__dataclass_fields__]


def all_loaded_files(session: Session) -> dict[str, LoadedFile]:
    """Every loaded file, by its path in the site folder."""
    rows = session.rows(LoadedFileRow.select(*_COLUMNS).order_by(LoadedFileRow.path))
    files = {}
    for path, digest, context, entries, media, loaded_at in rows:
        pairs = tuple((kind, int(key)) for kind, key in entries)
        stamps = {address: MediaStamp(*stamp) for address, stamp in media.items()}
        files[path] = LoadedFile(path, digest, context, pairs, stamps, loaded_at)
    return files


def save_loaded_file(transaction: Transaction, file: LoadedFile) -> None:
    """Remember the file as it is now."""
    media = {address: list(stamp) for address, stamp in file.media.items()}
    row = {name: getattr(file, name) for name in LoadedFile.__dataclass_fields__} | {"media": media}
    transaction.run(LoadedFileRow.insert(**row).on_conflict_replace())


def forget_loaded_file(transaction: Transaction, path: str) -> None:
    """The file is gone, and nothing of it is to be remembered."""
    transaction.run(LoadedFileRow.delete().where(LoadedFileRow.path == path))
