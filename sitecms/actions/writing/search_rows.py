"""Rows of entries in the search indexes. Only published entries are found by search, and items never are."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from sitecms.actions.references import specs_of
from sitecms.content.change import EntryChange, change_of_post
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.search_text import indexed_text, searched_text
from sitecms.content.status import Status
from sitecms.content.text.html import plain_text
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import pages, posts
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema


class _Index(Struct, frozen=True):
    """The search index of a kind: the rows that an entry may have there, and how they are removed and added.

    `add` takes the schema (None: that of the store), and the change that was just stored, so that a post need not be
    read again; it returns whether the entry has a row now.
    """

    rows: Callable[[Session, int], tuple[int, ...]]
    remove: Callable[[Transaction, int], None]
    add: Callable[[Transaction, int, ContentSchema | None, EntryChange | None], bool]


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


def searched_text_of_post(body: str, fields: Fields, schema: ContentSchema) -> str:
    """Return the text by which search finds a post: its body, which is HTML, and its searchable fields."""
    text = plain_text(body)
    in_fields = searched_text(fields, schema.post_fields, schema) if fields else ""
    return f"{text}\n{in_fields}" if in_fields else text


def _add_post(transaction: Transaction, post_id: int, schema: ContentSchema | None, change: EntryChange | None) -> bool:
    change = change or change_of_post(posts.get_post_by_id(transaction, post_id))
    post, title = change.only, change.title or ""
    if post.status is not Status.PUBLISHED:
        return False
    declared = schema or (load_content_schema(transaction) if post.fields else ContentSchema())
    text = searched_text_of_post(post.body, post.fields, declared)
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
    EntryKind.POST: _Index(lambda _session, post_id: (post_id,), index.unindex_post, _add_post),
    EntryKind.PAGE: _Index(
        pages.version_ids, lambda transaction, row: index.unindex_page_versions(transaction, (row,)), _add_page
    ),
}
