"""Named JSON documents of the store: the content schema, the site's locales, and the store's identity."""

import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
from msgspec.structs import asdict

from sitecms.content.fields import FieldType
from sitecms.content.fields.types import with_types
from sitecms.content.fingerprint import digest
from sitecms.content.former_addresses import AddressSettings
from sitecms.content.schema import ContentSchema
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.models.site_state import DocumentRow
from sitecms.store.prepared import prepared

DELETED_MEDIA = "deleted_media"
_CONTENT_SCHEMA = "content_schema"
_LOCALES = "locales"
_ADDRESSES = "address_settings"
_IDENTITY = "store_identity"
_LOOKS = "theme_looks"
MOST_LOOKS = 30


@prepared
def _text_of(name: str) -> Any:
    return DocumentRow.select(DocumentRow.value.cast("TEXT")).where(DocumentRow.name == name)


def load_content_schema(session: Session) -> ContentSchema:
    """Return the schema of the store's pages and items; an empty one before the first load."""
    row = session.row(_text_of(_CONTENT_SCHEMA))
    return _parse_schema(row[0], session.field_types) if row else ContentSchema()


def content_schema_digest(session: Session) -> str:
    """Return a digest of the schema; it changes with the schema, and is "" before the first load."""
    row = session.row(_text_of(_CONTENT_SCHEMA))
    return _digest_of(row[0]) if row else ""


def save_content_schema(transaction: Transaction, schema: ContentSchema) -> bool:
    """Save the schema; return whether it differs from the one saved before."""
    return _save(transaction, _CONTENT_SCHEMA, schema.as_json())


def load_locales(session: Session) -> tuple[str, ...]:
    """Return the locales that the site had when it was last loaded; none before the first load."""
    return tuple(_find(session, _LOCALES) or ())


def save_locales(transaction: Transaction, locales: Sequence[str]) -> bool:
    """Save the locales; return whether they differ from those saved before."""
    return _save(transaction, _LOCALES, list(locales))


def load_address_settings(session: Session) -> tuple[AddressSettings, ...]:
    """Return the settings of addresses at the last load, then those that the site had before, the last ones first."""
    return tuple(map(AddressSettings.from_json, _find(session, _ADDRESSES) or ()))


def save_address_settings(transaction: Transaction, present: AddressSettings) -> bool:
    """Save the settings of addresses; return whether they differ from those saved before."""
    known = load_address_settings(transaction)
    kept = [asdict(each) for each in (present, *(each for each in known if each != present))]
    return _save(transaction, _ADDRESSES, kept) and bool(known)


def find_look(session: Session, key: str) -> list[Any] | None:
    """Return the unsaved settings of a preview of the theme; None if they are not kept any more."""
    looks: dict[str, list[Any]] = _find(session, _LOOKS) or {}
    return looks.get(key)


def save_look(transaction: Transaction, key: str, settings: Sequence[Any]) -> None:
    """Keep the unsaved settings of a preview of the theme; of many, the last ones."""
    looks = {name: values for name, values in dict(_find(transaction, _LOOKS) or {}).items() if name != key}
    _save(transaction, _LOOKS, dict([*looks.items(), (key, list(settings))][-MOST_LOOKS:]))


def load_deleted_media(session: Session) -> dict[str, bool]:
    """Return the media files that were deleted and that content/media.yaml may still list: was each an upload?"""
    return dict(_find(session, DELETED_MEDIA) or {})


def save_deleted_media(transaction: Transaction, deleted: Mapping[str, bool]) -> None:
    """Save the media files that were deleted and that content/media.yaml may still list."""
    _save(transaction, DELETED_MEDIA, dict(deleted))


def find_identity(database: Database) -> str:
    """Return the store's identity, which stays when it is moved; "" if it has none yet. Changes nothing."""
    return str(database.read(_find, _IDENTITY) or "")


def ensure_identity(database: Database) -> str:
    """Return the store's identity; give it one if it has none."""
    identity = find_identity(database)
    if identity:
        return identity
    with database.writing(counts_as_change=False) as transaction:
        identity_row = DocumentRow.insert(name=_IDENTITY, value=secrets.token_hex(8))
        transaction.run(identity_row.on_conflict("nothing"))
        return str(_find(transaction, _IDENTITY))


def delete_identity(transaction: Transaction) -> None:
    """Delete the identity from a copy of a store, which is another store."""
    transaction.run(DocumentRow.delete().where(DocumentRow.name == _IDENTITY))


def _find(session: Session, name: str) -> Any:
    row = session.row(_text_of(name))
    return orjson.loads(row[0]) if row else None


def _save(transaction: Transaction, name: str, value: object) -> bool:
    row = transaction.row(_text_of(name))
    if row and orjson.loads(row[0]) == value:
        return False
    document = DocumentRow.insert(name=name, value=value)
    transaction.run(document.on_conflict(conflict_target=[DocumentRow.name], preserve=[DocumentRow.value]))
    return True


@lru_cache(maxsize=8)
def _digest_of(text: str) -> str:
    return digest(text.encode())


@lru_cache(maxsize=8)
def _parse_schema(text: str, own: tuple[FieldType, ...]) -> ContentSchema:
    """Parse each text once: requests read the schema far more often than it changes."""
    return with_types(ContentSchema.from_json(orjson.loads(text)), own)
