"""What is known of the files in the media library."""

from collections.abc import Sequence
from dataclasses import asdict

from sitecms.content.fingerprint import digest
from sitecms.content.media import MediaFile
from sitecms.store.database import Session, Transaction
from sitecms.store.schema.tables import MediaRow

_COLUMNS = [getattr(MediaRow, name) for name in MediaFile.__dataclass_fields__]


def all_media(session: Session) -> dict[str, MediaFile]:
    """Every media file, by name."""
    return {row[0]: MediaFile(*row) for row in session.rows(MediaRow.select(*_COLUMNS).order_by(MediaRow.name))}


def find_media(session: Session, names: Sequence[str]) -> dict[str, MediaFile]:
    """Those of these files that are known, by name."""
    return {row[0]: MediaFile(*row) for row in session.rows(MediaRow.select(*_COLUMNS).where(MediaRow.name.in_(names)))}


def is_media_known(session: Session, name: str) -> bool:
    """Whether the library has a file of that name, as far as the store knows."""
    return session.sql_row("SELECT 1 FROM media_file WHERE name = ?", name) is not None


def save_media(transaction: Transaction, media: MediaFile) -> None:
    """Keep what is known of a file; one that is already there stays as it is."""
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
    """Keep this of the file, whatever was known of it."""
    transaction.run(
        MediaRow.insert(**asdict(media)).on_conflict(conflict_target=[MediaRow.name], preserve=_COLUMNS[1:])
    )


def forget_media(transaction: Transaction, name: str) -> None:
    """Nothing is known of the file any more."""
    transaction.sql("DELETE FROM media_file WHERE name = ?", name)
