"""Search for posts, best match first.

The rank of a post is a sum over the words of the query, so SQLite's `bm25` for one word is the share of that word. For
words that many searches name, these shares are cached as bitmaps (`store.search.bit_slices`) until the index changes:
they show which few posts can be among the best, and only these are ranked. Other searches rank the matches in the index
alone and look up the best of them. Ranks and order are those of the plain statement, which answers where that is not
enough.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import inf
from operator import itemgetter
from typing import Any, TypeVar

import orjson

from sitecms.cache import BoundedCache
from sitecms.content.query import PostSearch, Ranked, Results, Window
from sitecms.store.database import Session, cached_value
from sitecms.store.engines.sqlite.session import SqliteSession
from sitecms.store.search.bit_slices import BitSlices, best_rows, bitmap_of, most_bytes, slices_of
from sitecms.store.search.index import BY_RANK, match_expressions
from sitecms.store.sql import JSON_NUMBERS, Sql
from sitecms.values import dataclass

T = TypeVar("T")
CACHED_MATCHES = 1_000
"""Number of best matches that are cached for requests of later pages."""
FIRST_PAGES = 20
FEW = 50
"""Matches that are ranked faster than bitmaps are combined."""
FREQUENT_DIVISOR = 1_000_000
"""A word gets bitmaps only if its matches exceed the square of the number of posts divided by this. Bitmaps grow with
the posts, and so does the number of frequent words: the cache of a large store has room for the most frequent ones."""
MANY = 1_000
"""Posts from which on the index is ranked alone, before any post is looked up: of fewer, one statement is as fast."""
SPARE = 50
"""Matches that are ranked beyond those wanted, since the last ones may have equal ranks."""
CACHED_WORDS = 350
"""Words whose bitmaps have room in the cache, which grows with the posts up to MAX_CACHE_BYTES. With room for half of
the words that a fifth of 100,000 posts have, the slowest hundredth of searches took 99 ms of processor time, not 12."""
MAX_CACHE_BYTES = 48 * 1024 * 1024
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
_COUNT_ROWS = "SELECT count(*) FROM post_search WHERE post_search MATCH ?"
_ROWS = "SELECT json_group_array(rowid) FROM post_search WHERE post_search MATCH ?"
_BEST = f"SELECT rowid, {_SCORE} AS score FROM post_search WHERE post_search MATCH ? ORDER BY score LIMIT ?"
_SCORES = f"SELECT rowid, -{_SCORE} FROM post_search WHERE post_search MATCH ? AND rowid <= {MAX_ID} ORDER BY rowid"
_IDS = "SELECT json_group_array(id) FROM post WHERE locale = ? AND status = 'published' AND deleted_at IS NULL"
_NUMBERS = "SELECT search, (SELECT coalesce(max(id), 0) FROM post) FROM change_number"
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


def search_post_ids(session: Session, search: PostSearch, window: Window) -> Results[Ranked[int]]:
    """Return the ids of the posts that contain every word, best match first, then newest.

    A text without words finds none.
    """
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
    bitmaps = _open_bitmaps(session) if window.offset + window.limit <= CACHED_MATCHES else None
    if bitmaps and len(words) == 1 and bitmaps.last_id >= MANY:
        bitmaps.note_first_use(words[0])
    slices = bitmaps.slices_of(words) if bitmaps else None
    if bitmaps and slices:
        return _find_by_slices(bitmaps, words, slices, locale, window)
    match = " ".join(words)
    found = _find_best(bitmaps, match, locale, window) if bitmaps and bitmaps.last_id >= MANY else None
    if found is None:
        rows = session.sql(_RANKED, match, locale, window.limit, window.offset)
        if not rows:
            return _matches(int(session.sql(_COUNT, match, locale)[0][0]) if window.offset else 0, [])
        found = _matches(rows[0][2], rows)
    if bitmaps:
        bitmaps.note_use(words, found.count)
    return found


def _matches(count: int, rows: Sequence[tuple[Any, ...]]) -> _Matches:
    return _Matches(count, array("q", [row[0] for row in rows]), array("d", [-row[1] for row in rows]))


@dataclass(slots=True)
class _WordUse:
    """Number of matches that searches for a word have ranked since the index changed."""

    matches: int = 0


class _Bitmaps:
    """Bitmaps of words and of published posts, for one search.

    Those of words are cached until the index changes, whose changes `number` counts; those of posts until anything
    changes. `last_id` is the highest id of a post.
    """

    def __init__(self, session: SqliteSession, cache: BoundedCache[Any], number: int, last_id: int) -> None:
        self.session = session
        self._cache = cache
        self._number = number
        self.last_id = last_id

    def shown(self, locale: str) -> int:
        """Return the published posts of a locale."""
        return self.session.cached(
            ("shown", locale),
            lambda: bitmap_of(orjson.loads(self.session.sql(_IDS, locale)[0][0])),
            lambda made: made.bit_length() // 8,
        )

    def slices_of(self, words: Sequence[str]) -> list[BitSlices] | None:
        """Return the slices of the words, or None until searches for each word have taken longer than building them."""
        if any(self._use_of(word).matches <= self.last_id // 8 for word in words):
            return None
        return [self._slices_of_word(word) for word in words]

    def note_first_use(self, word: str) -> None:
        """Count the matches of a word before the first search for it alone, which ranks what its bitmaps are made of.

        Counting takes a twentieth of the time of ranking.
        """
        if not self._use_of(word).matches:
            self.note_use((word,), self.session.sql(_COUNT_ROWS, word)[0][0])

    def note_use(self, words: Sequence[str], matches: int) -> None:
        """Count the matches that a search has ranked for each of its words."""
        if matches > max(FEW, self.last_id * self.last_id // FREQUENT_DIVISOR):
            for word in words:
                self._use_of(word).matches += matches

    def _use_of(self, word: str) -> _WordUse:
        return self._cached(("use", word), _WordUse, lambda _: 0)

    def _slices_of_word(self, word: str) -> BitSlices:
        key = ("slices", word)
        return self._cached(key, lambda: slices_of(self.session.sql(_SCORES, word)), lambda made: made.size_bytes)

    def _cached(self, key: Hashable, compute: Callable[[], T], size_of: Callable[[T], int]) -> T:
        return cached_value(self._cache, self._number, key, compute, size_of)


def _open_bitmaps(session: Session) -> _Bitmaps | None:
    """Return the bitmaps, or None where none are kept, or where they would be too long."""
    if not isinstance(session, SqliteSession) or session.search_cache is None:
        return None
    number, last_id = session.sql(_NUMBERS)[0]
    cache = session.search_cache
    cache.max_size = max(cache.max_size, min(MAX_CACHE_BYTES, CACHED_WORDS * most_bytes(last_id)))
    return _Bitmaps(session, cache, number, last_id) if last_id <= MAX_ID else None


def _find_best(bitmaps: _Bitmaps, match: str, locale: str, window: Window) -> _Matches | None:
    """Rank the matches in the index alone, and look up the best; None where too many of these are equal or hidden."""
    session, end = bitmaps.session, window.offset + window.limit
    wanted = SPARE + 2 * end
    best = session.sql(_BEST, match, wanted)
    is_all = len(best) < wanted
    shown, last = bitmaps.shown(locale), inf if is_all else best[-1][1]
    above = [(post_id, score) for post_id, score in best if score < last and shown >> post_id & 1]
    if len(above) < end and not is_all:
        return None
    count = len(above)
    if not is_all:
        count = (bitmap_of(orjson.loads(session.sql(_ROWS, match)[0][0])) & shown).bit_count()
    return _matches(count, _part_in_order(session, above, window))


def _find_by_slices(
    bitmaps: _Bitmaps, words: Sequence[str], slices: Sequence[BitSlices], locale: str, window: Window
) -> _Matches:
    session, among = bitmaps.session, bitmaps.shown(locale)
    for each in slices:
        among &= each.rows
    count = among.bit_count()
    end = window.offset + window.limit
    ids = best_rows(slices, among, end)
    scored = _scored(ids, slices)
    if scored is not None:
        return _matches(count, _part_in_order(session, scored, window))
    listed = orjson.dumps(ids).decode()
    return _matches(count, session.sql(_SOME_RANKED, " ".join(words), locale, window.limit, window.offset, listed))


def _scored(ids: Sequence[int], slices: Sequence[BitSlices]) -> list[tuple[int, float]] | None:
    """Return (id, score) of these posts, or None where an exact score is not kept.

    The ranks of the words are added up in the order of `bm25`.
    """
    ranks = [0.0] * len(ids)
    for each in slices:
        scores = each.scores_of(ids)
        if scores is None:
            return None
        ranks = [rank + score for rank, score in zip(ranks, scores, strict=True)]
    return [(post_id, -rank) for post_id, rank in zip(ids, ranks, strict=True)]


def _part_in_order(session: Session, scored: Sequence[tuple[int, float]], window: Window) -> list[tuple[int, float]]:
    """Return (id, score) of the posts in the window, best first, then newest: times are read of equal scores only."""
    start, end = window.offset, window.offset + window.limit
    ranked = sorted(scored, key=itemgetter(1))
    shown = ranked[start:end]
    if not shown:
        return []
    posts_of = Counter(score for _, score in ranked)
    tied = [each for each, score in ranked if posts_of[score] > 1 and shown[0][1] <= score <= shown[-1][1]]
    if not tied:
        return shown
    published_at = dict(session.sql(_TIMES, orjson.dumps(tied).decode()))
    return sorted(ranked, key=lambda match: (match[1], -published_at.get(match[0], 0), -match[0]))[start:end]
