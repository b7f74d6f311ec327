"""Named JSON documents: the content schema of the loaded site."""

from typing import Any

from sitecms.content.schema import ContentSchema
from sitecms.store.database import Session, Transaction
from sitecms.store.tables import DocumentRow

_CONTENT_SCHEMA = "content_schema"


def load_content_schema(session: Session) -> ContentSchema:
    """The schema the store's pages and items follow; an empty one before anything was loaded."""
    data = _find(session, _CONTENT_SCHEMA)
    return ContentSchema.from_json(data) if data else ContentSchema()


def save_content_schema(transaction: Transaction, schema: ContentSchema) -> bool:
    """Keep the schema; whether it differs from the one kept before."""
    value = schema.as_json()
    if _find(transaction, _CONTENT_SCHEMA) == value:
        return False
    transaction.run(DocumentRow.insert(name=_CONTENT_SCHEMA, value=value).on_conflict_replace())
    return True


def _find(session: Session, name: str) -> Any:
    row = session.row(DocumentRow.select(DocumentRow.value).where(DocumentRow.name == name))
    return row[0] if row else None
