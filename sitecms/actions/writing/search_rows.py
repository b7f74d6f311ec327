"""Rows of entries in the search indexes. Only published entries are found by search, and items never are.

A post is in the index of posts by its id, a page in that of pages by the ids of its versions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from sitecms.actions.references import specs_of
from sitecms.content.change import EntryChange, VersionChange, change_of_entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind, declared_fields
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.search_text import indexed_text, searched_text
from sitecms.content.status import Status, Version
from sitecms.content.text.html import plain_text
from sitecms.errors import NotFound
from sitecms.store.database import IndexRow, Session, Transaction
from sitecms.store.entries import pages, posts
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema


class _Index(Struct, frozen=True):
    """The search index of a kind: the rows that an entry may have there, and how they are removed and added.

    `add` takes the schema (None: that of the store), and the change that was just stored, so that a post need not be
    read again; it returns whether the entry has a row now. `insert` adds rows that are not in the index, which name
    the entry or else (`is_by_version`) its version.
    """

    rows: Callable[[Session, int], tuple[int, ...]]
    remove: Callable[[Transaction, int], None]
    add: Callable[[Transaction, int, ContentSchema | None, EntryChange | None], bool]
    insert: Callable[[Transaction, Sequence[IndexRow]], None]
    is_by_version: bool = False


def index_rows(session: Session, kind: EntryKind, entry_id: int | None) -> tuple[int, ...]:
    """Return the rows that an entry may have in its index, before it is changed."""
    search_index = _INDEXES.get(kind)
    return search_index.rows(session, entry_id) if search_index and entry_id is not None else ()


def unindex_rows(transaction: Transaction, kind: EntryKind, rows: Iterable[int]) -> None:
    """Remove rows from the index of a kind."""
    for row in rows:
        _INDEXES[kind].remove(transaction, row)


def index_entry(
    transaction: Transaction,
    kind: EntryKind,
    entry_id: int,
    schema: ContentSchema | None = None,
    change: EntryChange | None = None,
) -> bool:
    """Add the rows of an entry that has none in its index; return whether it has one now."""
    return kind in _INDEXES and _INDEXES[kind].add(transaction, entry_id, schema, change)


def is_searched(kind: EntryKind, version: Version, status: Status) -> bool:
    """Return whether search finds a version of an entry."""
    return kind in _INDEXES and version is Version.LIVE and status is Status.PUBLISHED


def add_rows(transaction: Transaction, kind: EntryKind, rows: Iterable[tuple[int, int, str, str]]) -> None:
    """Add the rows of new entries: the ids of entry and version, title and text as the index holds them."""
    search_index = _INDEXES[kind]
    by_version = search_index.is_by_version
    search_index.insert(transaction, [(row[1] if by_version else row[0], row[2], row[3]) for row in rows])


def text_of_version(change: EntryChange, version: VersionChange, schema: ContentSchema) -> str:
    """Return the text by which search finds a version."""
    try:
        specs = declared_fields(schema, change.kind, change.type, change.slug)
    except NotFound:
        specs = ()
    return searched_text_of(version.body, version.fields, specs, schema)


def searched_text_of(body: str, fields: Fields, specs: tuple[FieldSpec, ...], schema: ContentSchema) -> str:
    """Return the text by which search finds an entry: its body, which is HTML, and its searchable fields."""
    text = plain_text(body)
    in_fields = searched_text(fields, specs, schema) if fields else ""
    return f"{text}\n{in_fields}" if text and in_fields else text or in_fields


def _add_post(transaction: Transaction, post_id: int, schema: ContentSchema | None, change: EntryChange | None) -> bool:
    change = change or change_of_entry([posts.get_post_by_id(transaction, post_id)])
    post, title = change.only, change.title or ""
    if post.status is not Status.PUBLISHED:
        return False
    declared = schema or (load_content_schema(transaction) if post.fields else ContentSchema())
    text = text_of_version(change, post, declared)
    index.index_new_posts(transaction, [(post_id, indexed_text(title), indexed_text(text))])
    return True


def _add_page(
    transaction: Transaction, page_id: int, schema: ContentSchema | None, _change: EntryChange | None
) -> bool:
    declared = schema or load_content_schema(transaction)
    versions = pages.published_versions(transaction, page_id)
    for version_id, page in versions.items():
        text = searched_text(page.fields, specs_of(page, declared), declared)
        index.index_page_version(transaction, version_id, page.title, text)
    return bool(versions)


_INDEXES: Mapping[EntryKind, _Index] = {
    EntryKind.POST: _Index(
        lambda _session, post_id: (post_id,), index.unindex_post, _add_post, index.index_new_posts
    ),
    EntryKind.PAGE: _Index(
        pages.version_ids, lambda transaction, row: index.unindex_page_versions(transaction, (row,)), _add_page,
        index.index_new_pages, is_by_version=True,
    ),
}  # fmt: skip
