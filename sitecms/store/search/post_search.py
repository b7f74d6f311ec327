"""Search for posts, best match first.

The rank of a post is a sum over the words of the query, so SQLite's `bm25` for one word is the share of that word. For
words that many searches name, these shares are cached as bitmaps (`store.search.bit_slices`) until the store changes:
they show which few posts can be among the best, and only these are ranked. Ranks and order are those of the plain
statement, which answers all other searches.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sitecms.content.post import Post
from sitecms.content.query import PostSearch, Ranked, Results, Window
from sitecms.store.database import Session
from sitecms.store.engines.sqlite.session import SqliteSession
from sitecms.store.entries.posts import posts_of_ids
from sitecms.store.search.bit_slices import BitSlices, best_rows, bitmap_of, slices_of
from sitecms.store.search.index import BY_RANK, match_expressions
from sitecms.store.sql import JSON_NUMBERS, Sql

CACHED_MATCHES = 1_000
"""Number of best matches that are cached for requests of later pages."""
FIRST_PAGES = 20
FEW = 50
"""Matches that are ranked faster than bitmaps are combined."""
FREQUENT_DIVISOR = 1_000_000
"""A word gets bitmaps only if its matches exceed the square of the number of posts divided by this. Bitmaps grow with
the posts, and so does the number of frequent words: the cache of a large store has room for the most frequent ones."""
MAX_ID = 1_000_000
"""Highest id of a post up to which bitmaps are used: their length is that of the highest id."""
# SQLite keeps the order of a CROSS JOIN: the matches first, then their entries.
_MATCHES = Sql(
    sqlite="FROM post_search CROSS JOIN post INDEXED BY post_shown ON post.id = post_search.rowid "
    "WHERE post_search MATCH ?1 ",
    postgres="FROM post_search JOIN post ON post.id = post_search.rowid WHERE words @@ (SELECT matching(?1)) ",
) + ("AND post.locale = ?2 AND post.status = 'published' AND post.deleted_at IS NULL")
_COUNT = "SELECT count(*) " + _MATCHES
# The lowest score is the best; a word in the title counts ten times one in the body.
_SCORE = "bm25(post_search, 10.0, 1.0)"
_ORDER = " ORDER BY score, post.published_at DESC, post.id DESC LIMIT ?3 OFFSET ?4"
_RANKED = Sql(
    sqlite=f"SELECT post.id, {_SCORE} AS score, ({_COUNT.sqlite}) {_MATCHES.sqlite}{_ORDER}",
    postgres=f"WITH found AS MATERIALIZED (SELECT post.id, {BY_RANK} AS score, post.published_at {_MATCHES.postgres}) "
    "SELECT id, score, (SELECT count(*) FROM found) FROM found "
    "ORDER BY score, published_at DESC, id DESC LIMIT ?3 OFFSET ?4",
)
# The plus keeps SQLite from a search of its own for each of the ids.
_SOME_RANKED = (
    f"SELECT post.id, {_SCORE} AS score {_MATCHES.sqlite} "
    f"AND +post_search.rowid IN (SELECT value FROM json_each(?5)){_ORDER}"
)
_SCORES = f"SELECT rowid, -{_SCORE} FROM post_search WHERE post_search MATCH ? AND rowid <= {MAX_ID} ORDER BY rowid"
_IDS = "SELECT id FROM post WHERE locale = ? AND status = 'published' AND deleted_at IS NULL"
_LAST_ID = "SELECT max(id) FROM post"
_TIMES = "SELECT id, coalesce(published_at, -1e18) FROM post INDEXED BY post_shown WHERE id IN " + JSON_NUMBERS


@dataclass(frozen=True, slots=True)
class _Matches:
    """Number of all matches; ids and ranks of some of them, best first."""

    count: int
    ids: "array[int]"
    ranks: "array[float]"

    @property
    def size_bytes(self) -> int:
        return 16 * len(self.ids)


def search_posts(session: Session, search: PostSearch, window: Window) -> Results[Ranked[Post]]:
    """Return the posts that contain every word, best match first, then newest; none for a text without words."""
    found = search_post_ids(session, search, window)
    ids = [match.entry for match in found.entries]
    posts = {post.id: post for post in posts_of_ids(session, ids, with_body=search.with_body)}
    return Results(found.count, tuple(Ranked(posts[match.entry], match.rank) for match in found.entries))


def search_post_ids(session: Session, search: PostSearch, window: Window) -> Results[Ranked[int]]:
    """Return the ids of the posts that `search_posts` returns."""
    words = match_expressions(search.text)
    if not words:
        return Results(0, ())
    start, end = window.offset, window.offset + window.limit
    if FIRST_PAGES < end <= CACHED_MATCHES:
        found = session.cached(
            ("found", search.locale, *words),
            lambda: _find(session, words, search.locale, Window(CACHED_MATCHES)),
            lambda made: made.size_bytes,
        )
        found = _Matches(found.count, found.ids[start:end], found.ranks[start:end])
    else:
        found = _find(session, words, search.locale, window)
    return Results(found.count, tuple(map(Ranked, found.ids, found.ranks)))


def _find(session: Session, words: Sequence[str], locale: str, window: Window) -> _Matches:
    slices = _cached_slices(session, words) if window.offset + window.limit <= CACHED_MATCHES else None
    if slices is not None:
        return _find_by_slices(session, words, slices, locale, window)
    match = " ".join(words)
    rows = session.sql(_RANKED, match, locale, window.limit, window.offset)
    if not rows:
        return _matches(int(session.sql(_COUNT, match, locale)[0][0]) if window.offset else 0, [])
    count = rows[0][2]
    _note_use(session, words, count)
    return _matches(count, rows)


def _matches(count: int, rows: Sequence[tuple[Any, ...]]) -> _Matches:
    return _Matches(count, array("q", [row[0] for row in rows]), array("d", [-row[1] for row in rows]))


@dataclass(slots=True)
class _WordUse:
    """Number of matches that searches for a word have ranked since the store changed."""

    matches: int = 0


def _use_of(session: Session, word: str) -> _WordUse:
    return session.cached(("use", word), _WordUse, lambda _: 0)


def _note_use(session: Session, words: Sequence[str], matches: int) -> None:
    """Count the matches that a search has ranked for each of its words."""
    if isinstance(session, SqliteSession) and session.has_cache and matches > FEW:
        posts = _last_id(session)
        if matches > posts * posts // FREQUENT_DIVISOR:
            for word in words:
                _use_of(session, word).matches += matches


def _cached_slices(session: Session, words: Sequence[str]) -> list[BitSlices] | None:
    """Return the slices of the words, or None until searches for each word have taken longer than building them."""
    if not (isinstance(session, SqliteSession) and session.has_cache):
        return None
    enough = _last_id(session) // 4
    if enough * 4 > MAX_ID or any(_use_of(session, word).matches <= enough for word in words):
        return None
    return [_slices_of_word(session, word) for word in words]


def _last_id(session: Session) -> int:
    return int(session.sql(_LAST_ID)[0][0] or 0)


def _slices_of_word(session: Session, word: str) -> BitSlices:
    return session.cached(("slices", word), lambda: slices_of(session.sql(_SCORES, word)), lambda made: made.size_bytes)


def _find_by_slices(
    session: Session, words: Sequence[str], slices: Sequence[BitSlices], locale: str, window: Window
) -> _Matches:
    among: int = session.cached(
        ("shown", locale),
        lambda: bitmap_of([row[0] for row in session.sql(_IDS, locale)]),
        lambda shown: shown.bit_length() // 8,
    )
    for each in slices:
        among &= each.rows
    count = among.bit_count()
    end = window.offset + window.limit
    ids = best_rows(slices, among, end)
    if all(each.has_scores for each in slices):
        return _matches(count, _rank(session, ids, slices)[window.offset : end])
    listed = orjson.dumps(ids).decode()
    return _matches(count, session.sql(_SOME_RANKED, " ".join(words), locale, window.limit, window.offset, listed))


def _rank(session: Session, ids: Sequence[int], slices: Sequence[BitSlices]) -> list[tuple[int, float]]:
    """Return (id, score) of these posts, best first; the ranks of the words are added up in the order of `bm25`."""
    published_at = dict(session.sql(_TIMES, orjson.dumps(ids).decode()))
    ranked = []
    for post_id in ids:
        rank = 0.0
        for each in slices:  # `sum` would round otherwise
            rank += each.score(post_id)
        ranked.append((-rank, -published_at[post_id], -post_id))
    return [(-post_id, score) for score, _, post_id in sorted(ranked)]
