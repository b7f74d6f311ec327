"""Search for posts and pages, best match first.

All entries that contain every word are found, newest first, and the newest RANKED of them are ranked by the words'
frequency (`bm25` of SQLite, `ts_rank` of PostgreSQL), so that the cost of a search is bounded. Entries that contain
the last word as a whole come before those in which a longer word begins with it (API reference, Search).

The SQL is written by hand: the tables of the index are no models, and SQLite must keep the order of its joins.
"""

from array import array

import orjson
from msgspec import Struct

from sitecms.content.entry import Entry
from sitecms.content.query import PageSearch, PostSearch, Ranked, Results, Window
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.search_text import QueryWord, query_words
from sitecms.store.database import Session
from sitecms.store.entries.live_posts import SHOWN
from sitecms.store.entries.pages import pages_of_versions
from sitecms.store.sql import JSON_NUMBERS, Sql

RANKED = 500
"""Number of matches that are ranked: the newest. Older ones follow by date."""
# SQLite keeps the order of a CROSS JOIN: the matches first, then their entries.
_MATCHING_POSTS = Sql(
    sqlite="FROM post_search CROSS JOIN version AS post INDEXED BY post_shown ON post.entry_id = post_search.rowid "
    "WHERE post_search MATCH ? ",
    postgres="FROM post_search JOIN version AS post ON post.entry_id = post_search.rowid "
    "WHERE words @@ (SELECT matching(?)) ",
)
_POSTS = (
    "SELECT post.entry_id " + _MATCHING_POSTS + f"AND {SHOWN} AND post.locale = ? ORDER BY published_at DESC, post.slug"
)
_MATCHING_PAGES = Sql(
    sqlite="FROM page_search CROSS JOIN version AS live INDEXED BY version_shown ON live.id = page_search.rowid "
    "CROSS JOIN entry AS page ON page.kind = live.kind AND page.id = live.entry_id WHERE page_search MATCH ? ",
    postgres="FROM page_search JOIN version AS live ON live.id = page_search.rowid "
    "JOIN entry AS page ON page.kind = live.kind AND page.id = live.entry_id WHERE words @@ (SELECT matching(?)) ",
)
_PAGES = (
    "SELECT live.id " + _MATCHING_PAGES + "AND live.kind = 'page' AND live.locale = ? AND live.version = 'live' "
    "AND live.status = 'published' AND page.deleted_at IS NULL AND (page.type = ? OR ?) "
    "ORDER BY live.published_at DESC, page.slug, page.id"
)
# A word in the title counts ten times one in the body. The plus keeps SQLite from searching once for each of the ids.
_SCORES = {
    table: Sql(
        sqlite=f"SELECT rowid, -bm25({table}, 10.0, 1.0) FROM {table} WHERE {table} MATCH ? AND +rowid IN ",
        postgres="SELECT rowid, ts_rank(ARRAY[0.1, 0.1, 0.1, 1.0]::real[], words, query, 1) "
        f"FROM {table}, (SELECT matching(?) AS query) AS words_of_query WHERE words @@ query AND rowid IN ",
    )
    + JSON_NUMBERS
    for table in ("post_search", "page_search")
}


class _Matches(Struct, frozen=True):
    """Ids of all matches, the ranked ones first, best first; and the ranks of these."""

    ids: "array[int]"
    ranks: "array[float]"

    @property
    def size_bytes(self) -> int:
        return 8 * (len(self.ids) + len(self.ranks))

    def rank(self, position: int) -> float:
        """Return the rank of the match at this position, 0.0 for one that is too old to be ranked."""
        return self.ranks[position] if position < len(self.ranks) else 0.0


def search_post_ids(session: Session, search: PostSearch, window: Window) -> Results[Ranked[int]]:
    """Return the ids of the posts that contain every word, best match first, then newest.

    A text without words finds none.
    """
    words = query_words(search.text)
    if not words:
        return Results(0, ())

    def find() -> _Matches:
        rows = session.sql(_POSTS, match_expression(words), search.locale)
        return _ranked(session, "post_search", words, [row[0] for row in rows])

    matches = session.cached(("post search", search.locale, words), find, lambda matches: matches.size_bytes)
    positions = range(len(matches.ids))[window.offset : window.offset + window.limit]
    return Results(len(matches.ids), tuple(Ranked(matches.ids[each], matches.rank(each)) for each in positions))


def search_pages(session: Session, search: PageSearch, window: Window) -> Results[Entry]:
    """Return the pages that contain every word, best match first, then newest, then by slug."""
    words = query_words(search.text)
    if not words:
        return Results(0, ())
    page_type = "" if search.page_type == SINGLE_PAGES else search.page_type
    values = (search.locale, page_type, not search.page_type)

    def find() -> _Matches:
        rows = session.sql(_PAGES, match_expression(words), *values)
        return _ranked(session, "page_search", words, [row[0] for row in rows])

    matches = session.cached(("page search", *values, words), find, lambda matches: matches.size_bytes)
    ids = matches.ids[window.offset : window.offset + window.limit]
    pages = pages_of_versions(session, list(ids))
    return Results(len(matches.ids), tuple(pages[each] for each in ids))


def match_expression(words: tuple[QueryWord, ...]) -> str:
    """Return the condition for all words, as both engines take it."""
    return " ".join(f'"{word.text}" *' if word.is_beginning else f'"{word.text}"' for word in words)


def _ranked(session: Session, table: str, words: tuple[QueryWord, ...], newest_first: list[int]) -> _Matches:
    """Order the newest matches by rank, and by date where ranks are equal; leave the others behind them.

    A rank is between 0 and 1, and between 1 and 2 where all words of the query are whole words of the entry.
    """
    newest = newest_first[:RANKED]
    scores = _scores(session, table, tuple(QueryWord(word.text) for word in words), newest)
    ranks = {row_id: 1 + _share(score) for row_id, score in scores}
    rest = [row_id for row_id in newest if row_id not in ranks]
    ranks.update((row_id, _share(score)) for row_id, score in _scores(session, table, words, rest))
    ranked = sorted(newest, key=lambda row_id: -ranks[row_id])
    return _Matches(array("q", ranked + newest_first[RANKED:]), array("d", [ranks[row_id] for row_id in ranked]))


def _scores(session: Session, table: str, words: tuple[QueryWord, ...], ids: list[int]) -> list[tuple[int, float]]:
    """Return (id, score) of those among these rows that contain all words; scores are above zero."""
    if not ids:
        return []
    rows = session.sql(_SCORES[table], match_expression(words), orjson.dumps(ids).decode())
    return [(row[0], row[1]) for row in rows]


def _share(score: float) -> float:
    """Bring a score between 0 and 1, in the same order."""
    return score / (1 + score)
