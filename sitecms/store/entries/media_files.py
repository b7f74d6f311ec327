"""Descriptions of the files in the media library."""

from collections.abc import Sequence
from dataclasses import asdict

from sitecms.content.fingerprint import digest
from sitecms.content.media import MediaFile
from sitecms.store.database import Session, Transaction
from sitecms.store.schema.tables import MediaRow

_COLUMNS = [getattr(MediaRow, name) for name in MediaFile.__dataclass_fields__]


def all_media(session: Session) -> dict[str, MediaFile]:
    """Return all media files, by name."""
    return {row[0]: MediaFile(*row) for row in session.rows(MediaRow.select(*_COLUMNS).order_by(MediaRow.name))}


def find_media(session: Session, names: Sequence[str]) -> dict[str, MediaFile]:
    """Return the stored descriptions of these files, by name."""
    return {row[0]: MediaFile(*row) for row in session.rows(MediaRow.select(*_COLUMNS).where(MediaRow.name.in_(names)))}


def is_media_known(session: Session, name: str) -> bool:
    """Return whether the store lists a file of that name."""
    return session.sql_row("SELECT 1 FROM media_file WHERE name = ?", name) is not None


def save_media(transaction: Transaction, media: MediaFile) -> None:
    """Store the description of a file; a stored one stays as it is."""
    transaction.run(MediaRow.insert(**asdict(media)).on_conflict_ignore())


def save_source(transaction: Transaction, url: str, name: str) -> None:
    """Record that the file was fetched from the URL. Only a digest of the URL is kept: URLs may hold secrets."""
    statement = "INSERT INTO media_source (url_digest, name) VALUES (?, ?) ON CONFLICT DO NOTHING"
    transaction.sql(statement, digest(url.encode()), name)


def find_fetched(session: Session, url: str) -> frozenset[str]:
    """Return the names of the files that were fetched from the URL: it may have held another one each time."""
    rows = session.sql("SELECT name FROM media_source WHERE url_digest = ?", digest(url.encode()))
    return frozenset(str(row[0]) for row in rows)


def correct_media(transaction: Transaction, media: MediaFile) -> None:
    """Replace the description of a file."""
    transaction.run(
        MediaRow.insert(**asdict(media)).on_conflict(conflict_target=[MediaRow.name], preserve=_COLUMNS[1:])
    )


def forget_media(transaction: Transaction, name: str) -> None:
    """Remove the description of a file."""
    transaction.sql("DELETE FROM media_file WHERE name = ?", name)
