"""Named JSON documents: the content schema and the locales of the loaded site."""

from collections.abc import Sequence
from functools import lru_cache

import orjson

from sitecms.content.schema.types import ContentSchema
from sitecms.store.database import Session, Transaction

_CONTENT_SCHEMA = "content_schema"
_LOCALES = "locales"
_SAVE = """
INSERT INTO document (name, value_json) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json"""


def load_content_schema(session: Session) -> ContentSchema:
    """The schema the store's pages and items follow; an empty one before anything was loaded."""
    rows = session.sql("SELECT value_json FROM document WHERE name = ?", _CONTENT_SCHEMA)
    return _read(rows[0][0]) if rows else ContentSchema()


def save_content_schema(transaction: Transaction, schema: ContentSchema) -> bool:
    """Keep the schema; whether it differs from the one kept before."""
    return _save(transaction, _CONTENT_SCHEMA, schema.as_json())


def load_locales(session: Session) -> tuple[str, ...]:
    """Return the locales that the site had when it was last loaded; none before anything was loaded."""
    rows = session.sql("SELECT value_json FROM document WHERE name = ?", _LOCALES)
    return tuple(orjson.loads(rows[0][0])) if rows else ()


def save_locales(transaction: Transaction, locales: Sequence[str]) -> bool:
    """Keep the locales; return whether they differ from those kept before."""
    return _save(transaction, _LOCALES, list(locales))


def _save(transaction: Transaction, name: str, value: object) -> bool:
    rows = transaction.sql("SELECT value_json FROM document WHERE name = ?", name)
    if rows and orjson.loads(rows[0][0]) == value:
        return False
    transaction.sql(_SAVE, name, orjson.dumps(value).decode())
    return True


@lru_cache(maxsize=8)
def _read(text: str) -> ContentSchema:
    """Made once of each text: requests read the schema far more often than it changes."""
    return ContentSchema.from_json(orjson.loads(text))
