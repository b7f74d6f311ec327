"""Rebuild of the search index from published content, after a change of the schema or damage."""

import time

from msgspec import Struct

from sitecms.actions.writing.search_rows import index_row
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.progress import Progress
from sitecms.store.database import Database, Transaction
from sitecms.store.search import index, texts
from sitecms.store.site_state import documents


class ReindexReport(Struct, frozen=True):
    """Numbers of posts and pages in the index; a page in several locales counts once."""

    posts: int
    pages: int
    seconds: float


def reindex(database: Database, progress: Progress | None = None) -> ReindexReport:
    """Rebuild both indexes in one transaction: readers see the old ones until it ends."""
    started = time.perf_counter()
    post_count, page_count = database.write(reindex_all, progress)
    return ReindexReport(post_count, page_count, time.perf_counter() - started)


def reindex_all(transaction: Transaction, progress: Progress | None = None) -> tuple[int, int]:
    """Rebuild both indexes; return the numbers of posts and pages in them."""
    schema = documents.load_content_schema(transaction)
    posts, pages = (reindex_kind(transaction, kind, schema, progress) for kind in (EntryKind.POST, EntryKind.PAGE))
    index.mark_current(transaction)
    return posts, pages


def reindex_stale(database: Database, progress: Progress | None = None) -> None:
    """Rebuild both indexes if an earlier version of sitecms built them."""
    with database.reading() as session:
        if not index.is_stale(session):
            return
    with database.writing() as transaction:
        if index.is_stale(transaction):  # another process may have been first
            reindex_all(transaction, progress)


def reindex_kind(
    transaction: Transaction, kind: EntryKind, schema: ContentSchema, progress: Progress | None = None
) -> int:
    """Rebuild the index of a kind by this schema; return the number of entries in it."""
    index.clear(transaction, kind)
    total = texts.count_searched(transaction, kind)
    indexed = set[int]()
    for done, version in enumerate(texts.all_searched(transaction, kind), 1):
        index.add_rows(transaction, kind, [index_row(kind, version, schema)])
        indexed.add(version.entry_id)
        if progress:
            progress(f"{kind.value.capitalize()}s", done, total)
    return len(indexed)
