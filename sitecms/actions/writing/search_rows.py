"""Rows of entries in the search indexes: those of their published versions. Some kinds are never found by search."""

from collections.abc import Iterable

from sitecms.content.change import EntryChange, VersionChange
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind, declared_fields
from sitecms.content.schema import ContentSchema
from sitecms.content.search_text import indexed_text, searched_text
from sitecms.content.status import Status, Version
from sitecms.content.text.html import plain_text
from sitecms.errors import NotFound
from sitecms.store.database import IndexRow, Session, Transaction
from sitecms.store.entries.entry_rows import version_ids
from sitecms.store.search import index
from sitecms.store.search.texts import SearchedVersion, searched_of
from sitecms.store.site_state.documents import load_content_schema


def index_rows(session: Session, kind: EntryKind, entry_id: int | None) -> tuple[int, ...]:
    """Return the rows that an entry may have in its index, before it is changed."""
    return version_ids(session, kind, entry_id) if kind in index.TABLES and entry_id is not None else ()


def unindex_rows(transaction: Transaction, kind: EntryKind, rows: Iterable[int]) -> None:
    """Remove rows from the index of a kind."""
    if kind in index.TABLES:
        index.remove_rows(transaction, kind, rows)


def index_entry(transaction: Transaction, kind: EntryKind, entry_id: int, schema: ContentSchema | None = None) -> None:
    """Add the rows of an entry that has none in its index; `schema` is that of the store by default."""
    if kind in index.TABLES and (versions := searched_of(transaction, kind, entry_id)):
        declared = schema or load_content_schema(transaction)
        index.add_rows(transaction, kind, [index_row(kind, each, declared) for each in versions])


def is_searched(kind: EntryKind, version: Version, status: Status) -> bool:
    """Return whether search finds a version of an entry."""
    return kind in index.TABLES and version is Version.LIVE and status is Status.PUBLISHED


def index_row(kind: EntryKind, version: SearchedVersion, schema: ContentSchema) -> IndexRow:
    """Return the row of a published version."""
    return version.id, indexed_text(version.title), indexed_text(text_of_stored(kind, version, schema))


def text_of_stored(kind: EntryKind, version: SearchedVersion, schema: ContentSchema) -> str:
    """Return the text by which search finds a stored version."""
    return _text(kind, (version.type, version.slug), (version.body, version.fields), schema)


def text_of_version(change: EntryChange, version: VersionChange, schema: ContentSchema) -> str:
    """Return the text by which search finds a version."""
    return _text(change.kind, (change.type, change.slug), (version.body, version.fields), schema)


def _text(kind: EntryKind, place: tuple[str, str], content: tuple[str, Fields], schema: ContentSchema) -> str:
    """Return the text of a body, which is HTML, and of the searchable fields of an entry of this type and slug."""
    body, fields = content
    try:
        specs = declared_fields(schema, kind, *place)
    except NotFound:
        specs = ()
    text = plain_text(body)
    in_fields = searched_text(fields, specs, schema) if fields else ""
    return f"{text}\n{in_fields}" if text and in_fields else text or in_fields
