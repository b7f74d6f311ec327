"""The search index: rows written in the transaction of their entry, posts by id, pages by the id of their version.

It contains published content only, so that not even ranks disclose drafts; each match is checked with the entry's own
row as well. All text passes through `content.search_text`, queries included, and each word is quoted, so that no
character has a meaning for FTS5. PostgreSQL gets the same texts; `matching` is a function of its schema
(`store.schema.postgres`).
"""

from collections.abc import Iterable, Sequence

from sitecms.content.page import Page
from sitecms.content.query import PageSearch, Results, Window
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.search_text import indexed_text, query_words
from sitecms.store.database import IndexRow, Session, Transaction
from sitecms.store.entries.pages import pages_of_versions
from sitecms.store.sql import Sql, Statement

# SQLite keeps the order of a CROSS JOIN: the matches first, then their entries.
_PAGES = Sql(
    sqlite="FROM page_search CROSS JOIN page_version AS shown INDEXED BY page_version_shown "
    "ON shown.id = page_search.rowid CROSS JOIN page ON page.id = shown.page_id WHERE page_search MATCH ?1 ",
    postgres="FROM page_search JOIN page_version AS shown ON shown.id = page_search.rowid "
    "JOIN page ON page.id = shown.page_id WHERE words @@ (SELECT matching(?1)) ",
) + (
    "AND shown.locale = ?2 AND shown.version = 'live' AND shown.status = 'published' "
    "AND page.deleted_at IS NULL AND (page.page_type = ?3 OR ?4)"
)
# The lowest score is the best; a word in the title counts ten times one in the body.
# As a subquery, PostgreSQL computes the words once and not for each row.
BY_RANK = "-ts_rank(ARRAY[0.1, 0.1, 0.1, 1.0]::real[], words, (SELECT matching(?1)), 1)"
_PAGE_SCORE = Sql(sqlite="bm25(page_search, 10.0, 1.0)", postgres=BY_RANK)
_FIND_PAGES = (
    "SELECT shown.id " + _PAGES + " ORDER BY " + _PAGE_SCORE + ", shown.published_at DESC, page.slug, page.id "
    "LIMIT ?5 OFFSET ?6"
)
_COUNT_PAGES = "SELECT count(*) " + _PAGES
_CLEAR = {
    table: Sql(sqlite=f"INSERT INTO {table} ({table}) VALUES ('delete-all')", postgres=f"DELETE FROM {table}")
    for table in ("post_search", "page_search")
}


def search_pages(session: Session, search: PageSearch, window: Window) -> Results[Page]:
    """Return the pages that contain every word, best match first, then newest, then by slug."""
    match = " ".join(match_expressions(search.text))
    if not match:
        return Results(0, ())
    page_type = "" if search.page_type == SINGLE_PAGES else search.page_type
    values = (match, search.locale, page_type, not search.page_type)
    rows = session.sql(_FIND_PAGES, *values, window.limit, window.offset)
    pages = pages_of_versions(session, [row[0] for row in rows])
    return Results(_count(session, _COUNT_PAGES, *values), tuple(pages[row[0]] for row in rows))


def _count(session: Session, statement: Statement, *values: object) -> int:
    return int(session.sql(statement, *values)[0][0])


def match_expressions(text: str) -> list[str]:
    """Return the condition for each word, for the last one also as the beginning of a word."""
    return [f'"{word.text}" *' if word.is_beginning else f'"{word.text}"' for word in query_words(text)]


def index_post(transaction: Transaction, post_id: int, title: str, body: str) -> None:
    """Index a published post by the words of its title and plain-text body."""
    unindex_post(transaction, post_id)
    index_new_posts(transaction, [(post_id, indexed_text(title), indexed_text(body))])


def index_new_posts(transaction: Transaction, rows: Sequence[IndexRow]) -> None:
    """Index published posts that the index does not contain, by texts made by `content.search_text.indexed_text`."""
    transaction.index("post_search", rows)


def unindex_post(transaction: Transaction, post_id: int) -> None:
    """Remove the post from the index."""
    transaction.sql("DELETE FROM post_search WHERE rowid = ?", post_id)


def index_page_version(transaction: Transaction, version_id: int, title: str, body: str) -> None:
    """Index a published version of a page by the words of its title and fields."""
    unindex_page_versions(transaction, (version_id,))
    transaction.index("page_search", [(version_id, indexed_text(title), indexed_text(body))])


def unindex_page_versions(transaction: Transaction, version_ids: Iterable[int]) -> None:
    """Remove these versions of pages from the index."""
    for version_id in version_ids:
        transaction.sql("DELETE FROM page_search WHERE rowid = ?", version_id)


def clear_post_index(transaction: Transaction) -> None:
    """Remove all posts from the index."""
    transaction.sql(_CLEAR["post_search"])


def clear_page_index(transaction: Transaction) -> None:
    """Remove all pages from the index."""
    transaction.sql(_CLEAR["page_search"])
