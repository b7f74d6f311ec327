"""Descriptions of the files in the media library."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from msgspec.structs import asdict
from peewee import SQL

from sitecms.content.fingerprint import digest
from sitecms.content.media import MIDDLE, NO_DETAILS, MediaDetails, MediaFile
from sitecms.store.database import Session, Transaction
from sitecms.store.models.entries import MediaRow, MediaSourceRow

_DETAILS = "details"
_FACTS = [getattr(MediaRow, name) for name in MediaFile.__struct_fields__ if name != _DETAILS]
_IS_CENTRED = (MediaRow.focus_x == MIDDLE) & (MediaRow.focus_y == MIDDLE)
_IS_TAGGED = MediaRow.tags != SQL("'[]'")
_IS_DESCRIBED = (MediaRow.alt != "") | (MediaRow.is_decorative != 0) | ~_IS_CENTRED | _IS_TAGGED
_IS_UPLOADED = MediaRow.is_uploaded != 0
_COLUMNS = [*_FACTS, *(getattr(MediaRow, name) for name in MediaDetails.__struct_fields__)]


def all_media(session: Session) -> dict[str, MediaFile]:
    """Return all media files, by name."""
    return {row[0]: _file(row) for row in session.rows(MediaRow.select(*_COLUMNS).order_by(MediaRow.name))}


def find_media(session: Session, names: Sequence[str]) -> dict[str, MediaFile]:
    """Return the stored descriptions of these files, by name and in the order of names."""
    query = MediaRow.select(*_COLUMNS).where(MediaRow.name.in_(names)).order_by(MediaRow.name)
    return {row[0]: _file(row) for row in session.rows(query)}


def _file(row: Sequence[Any]) -> MediaFile:
    name, original_name, content_type, size_bytes, created_at, width, height, *details_row = row
    alt, is_decorative, focus_x, focus_y, tags = details_row
    is_plain = not alt and not is_decorative and focus_x == focus_y == MIDDLE and not tags
    details = NO_DETAILS if is_plain else MediaDetails(alt, bool(is_decorative), focus_x, focus_y, tuple(tags))
    return MediaFile(name, original_name, content_type, size_bytes, created_at, width, height, details)


def _values(media: MediaFile) -> dict[str, Any]:
    facts: dict[str, Any] = {name: value for name, value in asdict(media).items() if name != _DETAILS}
    return facts | asdict(media.details)


def is_media_known(session: Session, name: str) -> bool:
    """Return whether the store lists a file of that name."""
    return session.row(MediaRow.select(MediaRow.name).where(MediaRow.name == name)) is not None


def save_media(transaction: Transaction, media: MediaFile) -> None:
    """Store the description of a file. A stored one stays as it is, but for a name where it has none."""
    is_unnamed = MediaRow.original_name == MediaRow.name
    named = {"conflict_target": [MediaRow.name], "preserve": [MediaRow.original_name], "where": is_unnamed}
    transaction.run(MediaRow.insert(**_values(media)).on_conflict(**named))


def keep_upload(transaction: Transaction, name: str) -> None:
    """Record that a user uploaded a stored file, so that it stays in the library though nothing shows it."""
    transaction.run(MediaRow.update(is_uploaded=1).where(MediaRow.name == name))


def is_upload(session: Session, name: str) -> bool:
    """Return whether a user uploaded a stored file."""
    return session.row(MediaRow.select(MediaRow.name).where(MediaRow.name == name, _IS_UPLOADED)) is not None


def kept_media(session: Session) -> frozenset[str]:
    """Return the names of the files that stay though nothing shows them: uploaded and described ones."""
    rows = session.rows(MediaRow.select(MediaRow.name).where(_IS_UPLOADED | _IS_DESCRIBED))
    return frozenset(str(row[0]) for row in rows)


def uploaded_or_described_media(session: Session) -> dict[str, bool]:
    """Return the files that content/media.yaml lists, in order of creation, and whether a user uploaded each."""
    query = MediaRow.select(MediaRow.name, MediaRow.is_uploaded).where(_IS_UPLOADED | _IS_DESCRIBED)
    rows = session.rows(query.order_by(MediaRow.created_at, MediaRow.name))
    return {str(row[0]): bool(row[1]) for row in rows}


def end_uploads(transaction: Transaction, names: Sequence[str]) -> None:
    """Record that files are no uploads any more: what uses or describes them keeps them, and nothing else."""
    transaction.run(MediaRow.update(is_uploaded=0).where(MediaRow.name.in_(names)))


def save_details(transaction: Transaction, name: str, details: MediaDetails) -> None:
    """Replace what people say of a stored file."""
    transaction.run(MediaRow.update(**asdict(details)).where(MediaRow.name == name))


def find_loaded_details(session: Session, name: str) -> dict[str, Any]:
    """Return the values of `MediaDetails` that content/media.yaml gave of a file when it was last loaded."""
    row = session.row(MediaRow.select(MediaRow.loaded_details).where(MediaRow.name == name))
    details = dict(orjson.loads(row[0])) if row and row[0] else {}
    return details | ({"tags": tuple(details["tags"])} if "tags" in details else {})


def save_loaded_details(transaction: Transaction, name: str, details: Mapping[str, object]) -> None:
    """Save the values that content/media.yaml gives of a file."""
    text = orjson.dumps(details).decode()
    transaction.run(MediaRow.update(loaded_details=text).where(MediaRow.name == name))


def save_source(transaction: Transaction, url: str, name: str) -> None:
    """Record that the file was fetched from the URL. Only a digest of the URL is kept: URLs may hold secrets."""
    source = MediaSourceRow.insert(url_digest=digest(url.encode()), name=name)
    transaction.run(source.on_conflict("nothing"))


def find_fetched(session: Session, url: str) -> frozenset[str]:
    """Return the names of the files that were fetched from the URL: it may have held another one each time."""
    names = MediaSourceRow.select(MediaSourceRow.name).where(MediaSourceRow.url_digest == digest(url.encode()))
    return frozenset(str(row[0]) for row in session.rows(names))


def correct_media(transaction: Transaction, media: MediaFile) -> None:
    """Replace the description of a file, but not what people say of it."""
    transaction.run(MediaRow.insert(**_values(media)).on_conflict(conflict_target=[MediaRow.name], preserve=_FACTS[1:]))


def forget_media(transaction: Transaction, name: str) -> None:
    """Remove the description of a file."""
    transaction.run(MediaRow.delete().where(MediaRow.name == name))
