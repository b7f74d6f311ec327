"""Search for posts and pages, best match first.

All entries that contain every word are found, newest first, and the newest RANKED of them are ranked by the words'
frequency (`bm25` of SQLite, `ts_rank` of PostgreSQL), so that the cost of a search is bounded. Entries that contain
the last word as a whole come before those in which a longer word begins with it (API reference, Search).

The SQL is written by hand: the tables of the index are no models, and SQLite must keep the order of its joins.
"""

from array import array

import orjson
from msgspec import Struct

from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntrySearch, Ranked, Results, Window
from sitecms.content.search_text import QueryWord, query_words
from sitecms.store.database import Session
from sitecms.store.search.index import TABLES
from sitecms.store.sql import JSON_NUMBERS, Sql

RANKED = 500
"""Number of matches that are ranked: the newest. Older ones follow by date."""
# SQLite keeps the order of a CROSS JOIN: the matches first, then their versions.
_MATCHING = {
    kind: Sql(
        sqlite=f"SELECT shown.id FROM {table} CROSS JOIN version AS shown INDEXED BY version_shown "
        f"ON shown.id = {table}.rowid WHERE {table} MATCH ? ",
        postgres=f"SELECT shown.id FROM {table} JOIN version AS shown ON shown.id = {table}.rowid "
        "WHERE words @@ (SELECT matching(?)) ",
    )
    + f"AND shown.kind = '{kind}' AND shown.version = 'live' AND shown.status = 'published' "
    "AND shown.deleted_at IS NULL AND shown.locale = ? "
    for kind, table in TABLES.items()
}
_FOUND = {
    kind: Sql(
        sqlite=f"SELECT rowid FROM {table} WHERE {table} MATCH ?",
        postgres=f"SELECT rowid FROM {table} WHERE words @@ (SELECT matching(?))",
    )
    for kind, table in TABLES.items()
}
_NEWEST = "ORDER BY shown.published_at DESC, shown.slug, shown.entry_id"
_OF_ALL = {kind: matching + _NEWEST for kind, matching in _MATCHING.items()}
_IS_OF_TYPE = (
    "AND EXISTS (SELECT 1 FROM entry WHERE entry.kind = shown.kind AND entry.id = shown.entry_id AND entry.type = ?) "
)
_OF_TYPE = {kind: matching + _IS_OF_TYPE + _NEWEST for kind, matching in _MATCHING.items()}
# A word in the title counts ten times one in the body. The plus keeps SQLite from searching once for each of the ids.
_SCORES = {
    kind: Sql(
        sqlite=f"SELECT rowid, -bm25({table}, 10.0, 1.0) FROM {table} WHERE {table} MATCH ? AND +rowid IN ",
        postgres="SELECT rowid, ts_rank(ARRAY[0.1, 0.1, 0.1, 1.0]::real[], words, query, 1) "
        f"FROM {table}, (SELECT matching(?) AS query) AS words_of_query WHERE words @@ query AND rowid IN ",
    )
    + JSON_NUMBERS
    for kind, table in TABLES.items()
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


def search(session: Session, wanted: EntrySearch, window: Window) -> Results[Ranked[int]]:
    """Return the ids of the versions that contain every word, best match first, then newest, then by slug.

    A text without words finds none.
    """
    words = query_words(wanted.text)
    if not words:
        return Results(0, ())

    def find() -> _Matches:
        statement, values = (_OF_ALL, ()) if wanted.type is None else (_OF_TYPE, (wanted.type,))
        rows = session.sql(statement[wanted.kind], match_expression(words), wanted.locale, *values)
        return _ranked(session, wanted.kind, words, [row[0] for row in rows])

    key = ("search", wanted.kind, wanted.locale, wanted.type, words)
    matches = session.cached(key, find, lambda matches: matches.size_bytes)
    positions = range(len(matches.ids))[window.offset : window.offset + window.limit]
    return Results(len(matches.ids), tuple(Ranked(matches.ids[each], matches.rank(each)) for each in positions))


def matching_ids(session: Session, kind: EntryKind, words: tuple[QueryWord, ...]) -> frozenset[int]:
    """Return the ids of all versions in the index that contain every word."""
    return frozenset(row[0] for row in session.sql(_FOUND[kind], match_expression(words)))


def match_expression(words: tuple[QueryWord, ...]) -> str:
    """Return the condition for all words, as both engines take it."""
    return " ".join(f'"{word.text}" *' if word.is_beginning else f'"{word.text}"' for word in words)


def _ranked(session: Session, kind: EntryKind, words: tuple[QueryWord, ...], newest_first: list[int]) -> _Matches:
    """Order the newest matches by rank, and by date where ranks are equal; leave the others behind them.

    A rank is between 0 and 1, and between 1 and 2 where all words of the query are whole words of the entry.
    """
    newest = newest_first[:RANKED]
    scores = _scores(session, kind, tuple(QueryWord(word.text) for word in words), newest)
    ranks = {row_id: 1 + _share(score) for row_id, score in scores}
    rest = [row_id for row_id in newest if row_id not in ranks]
    ranks.update((row_id, _share(score)) for row_id, score in _scores(session, kind, words, rest))
    ranked = sorted(newest, key=lambda row_id: -ranks[row_id])
    return _Matches(array("q", ranked + newest_first[RANKED:]), array("d", [ranks[row_id] for row_id in ranked]))


def _scores(session: Session, kind: EntryKind, words: tuple[QueryWord, ...], ids: list[int]) -> list[tuple[int, float]]:
    """Return (id, score) of those among these rows that contain all words; scores are above zero."""
    if not ids:
        return []
    rows = session.sql(_SCORES[kind], match_expression(words), orjson.dumps(ids).decode())
    return [(row[0], row[1]) for row in rows]


def _share(score: float) -> float:
    """Bring a score between 0 and 1, in the same order."""
    return score / (1 + score)
