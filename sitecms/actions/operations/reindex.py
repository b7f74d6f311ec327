"""Rebuild of the search index from published content, after a change of the schema or damage."""

import time

from msgspec import Struct

from sitecms.actions.writing.search_rows import index_entry, searched_text_of
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.progress import Progress
from sitecms.store.database import Database, Transaction
from sitecms.store.entries import pages, posts
from sitecms.store.search import index
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
    counts = reindex_posts(transaction, schema, progress), reindex_pages(transaction, schema, progress)
    index.mark_current(transaction)
    return counts


def reindex_stale(database: Database, progress: Progress | None = None) -> None:
    """Rebuild both indexes if an earlier version of sitecms built them."""
    with database.reading() as session:
        if not index.is_stale(session):
            return
    with database.writing() as transaction:
        if index.is_stale(transaction):  # another process may have been first
            reindex_all(transaction, progress)


def reindex_pages(transaction: Transaction, schema: ContentSchema, progress: Progress | None = None) -> int:
    """Rebuild the index of pages by this schema; return the number of pages in it."""
    index.clear_page_index(transaction)
    page_ids = pages.all_page_ids(transaction)
    indexed = 0
    for done, page_id in enumerate(page_ids, 1):
        indexed += index_entry(transaction, EntryKind.PAGE, page_id, schema)
        if progress:
            progress("Pages", done, len(page_ids))
    return indexed


def reindex_posts(transaction: Transaction, schema: ContentSchema, progress: Progress | None = None) -> int:
    """Rebuild the index of posts by this schema; return the number of posts in it."""
    index.clear_post_index(transaction)
    total = posts.count_published(transaction)
    for done, (post_id, title, body, fields) in enumerate(posts.published_texts(transaction), 1):
        index.index_post(transaction, post_id, title, searched_text_of(body, fields, schema.post_fields, schema))
        if progress:
            progress("Posts", done, total)
    return total
