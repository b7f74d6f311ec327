"""Searches with many matches: the cached bitmaps give the ranks and the order of the plain formula."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

import orjson
import pytest

from sitecms.actions.writing.save_entry import save_post
from sitecms.content.change import Origin, PostChange, Times
from sitecms.content.query import PostSearch, Window
from sitecms.content.status import Status
from sitecms.store.database import Database, Session
from sitecms.store.engines.sqlite.database import SqliteDatabase
from sitecms.store.engines.sqlite.session import SqliteSession
from sitecms.store.entries.posts import find_post_id
from sitecms.store.search.bit_slices import BitSlices, most_bytes
from sitecms.store.search.index import match_expressions, unindex_post
from sitecms.store.search.post_search import _TIMES, CACHED_WORDS, MAX_CACHE_BYTES
from sitecms.store.sql import Statement
from tests.support.reading import search_posts

pytestmark = pytest.mark.sqlite_only("PostgreSQL ranks with one statement")
WORDS = [first + second for first in ("ba", "ce", "di", "fo") for second in ("la", "me", "ni", "po", "ru")]
WEIGHTS = list(accumulate(1 / (rank + 1) for rank in range(len(WORDS))))
QUERIES = ("bala", "bala bame", "bame ce", "bani fo", "b", "bapo bala bame c", "bala bala bala", "foru di", "dila", "x")
PLAIN = """
SELECT post.slug, -bm25(post_search, 10.0, 1.0) FROM post_search JOIN post ON post.id = post_search.rowid
WHERE post_search MATCH ? AND post.locale = ? AND post.status = 'published' AND post.deleted_at IS NULL
ORDER BY bm25(post_search, 10.0, 1.0), published_at DESC, id DESC"""


@pytest.fixture
def many(store: Database, make_post: Callable[..., int], noon: datetime) -> Database:
    """A store with 400 posts of a few words, of which some have equal texts, in two locales."""
    rng = random.Random(13)
    with store.writing() as transaction:
        for number in range(400):
            rng.seed(number // 3)
            title, body = (" ".join(rng.choices(WORDS, cum_weights=WEIGHTS, k=length)) for length in (4, 40))
            at = noon + timedelta(hours=number % 50)
            change = PostChange(
                locale="es" if number % 5 == 0 else "en",
                slug=f"p{number}",
                title=title,
                body=f"<p>{body}</p>",
                status=Status.DRAFT if number % 7 == 0 else Status.PUBLISHED,
                times=Times(at, at, at),
            )
            save_post(transaction, change, owner="ann-ray", origin=Origin.API, at=at)
    return store


def plain(session: Session, text: str, locale: str) -> list[tuple[str, float]]:
    """Return (slug, rank) of all matches, ranked by the formula alone."""
    return [(row[0], row[1]) for row in session.sql(PLAIN, " ".join(match_expressions(text)), locale)]


def check(store: Database, window: Window) -> None:
    """Compare all queries with the plain formula."""
    with store.reading() as session:
        for text in QUERIES:
            for locale in ("en", "es"):
                expected = plain(session, text, locale)
                found = search_posts(session, PostSearch(locale, text), window)
                assert found.count == len(expected), (text, locale)
                shown = [(ranked.entry.slug, ranked.rank) for ranked in found.entries]
                assert shown == expected[window.offset : window.offset + window.limit], (text, locale)


def has_slices(store: Database) -> bool:
    """Return whether bitmaps of a word are cached."""
    assert isinstance(store, SqliteDatabase)
    return any(isinstance(value, BitSlices) for value, _size in store.search_cache._entries.values())


@pytest.mark.parametrize(("spare", "many_posts"), [(50, 1), (0, 1), (50, 1_000)], ids=["spare", "exact", "few posts"])
@pytest.mark.parametrize(
    ("max_scores", "best"), [(10_000, 0), (5, 0), (50, 40)], ids=["exact scores", "bitmaps alone", "best scores"]
)
def test_ranks_are_those_of_the_formula(
    many: Database, monkeypatch: pytest.MonkeyPatch, max_scores: int, best: int, spare: int, many_posts: int
) -> None:
    """Ranks, order and counts are equal bit by bit, on any page, the first time and later."""
    monkeypatch.setattr("sitecms.store.search.post_search.SPARE", spare)
    monkeypatch.setattr("sitecms.store.search.post_search.MANY", many_posts)
    monkeypatch.setattr("sitecms.store.search.bit_slices.MAX_SCORES", max_scores)
    monkeypatch.setattr("sitecms.store.search.bit_slices.BEST", best)
    for window in (
        Window(10),
        Window(3, 2),
        Window(10),
        Window(20, 15),
        Window(50, 150),
        Window(5, 990),
        Window(9, 1000),
    ):
        check(many, window)
    assert has_slices(many)


def test_frequent_words_get_bitmaps_at_once(many: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for one word that many posts have builds its bitmaps: it ranks the same posts anyway."""
    monkeypatch.setattr("sitecms.store.search.post_search.MANY", 400)
    with many.reading() as session:
        search_posts(session, PostSearch("en", "x"), Window(10))
        assert not has_slices(many)
        search_posts(session, PostSearch("en", "bala"), Window(10))
        assert has_slices(many)


def test_first_pages_of_one_frequent_word_read_no_match(many: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best posts are found and ranked in memory: no statement reads the index again, however many posts match."""
    monkeypatch.setattr("sitecms.store.search.post_search.MANY", 400)
    monkeypatch.setattr("sitecms.store.search.bit_slices.MAX_SCORES", 50)
    monkeypatch.setattr("sitecms.store.search.bit_slices.BEST", 150)
    seen: list[str] = []
    run = SqliteSession.sql

    def note(session: SqliteSession, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        seen.append(str(statement))
        return run(session, statement, *values)

    with many.reading() as session:
        search_posts(session, PostSearch("en", "bala"), Window(10))
        monkeypatch.setattr(SqliteSession, "sql", note)
        found = search_posts(session, PostSearch("en", "bala"), Window(10, 5))
    assert found.count > 150
    assert seen
    assert not [text for text in seen if "MATCH" in text]


def test_times_are_read_of_equal_ranks_alone(many: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search looks up when posts were published only to order those that rank alike."""
    asked: list[set[int]] = []
    run = SqliteSession.sql

    def note(session: SqliteSession, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        if statement is _TIMES:
            asked.append(set(orjson.loads(str(values[0]))))
        return run(session, statement, *values)

    check(many, Window(10))
    monkeypatch.setattr(SqliteSession, "sql", note)
    seen = set()
    with many.reading() as session:
        expected = plain(session, "bala bame", "en")
        for place in range(20):
            asked.clear()
            search_posts(session, PostSearch("en", "bala bame"), Window(1, place))
            equal = {find_post_id(session, slug) for slug, rank in expected if rank == expected[place][1]}
            assert asked == ([equal] if len(equal) > 1 else []), place
            seen.add(len(equal) > 1)
    assert seen == {True, False}


def test_change_is_found_at_once(many: Database, noon: datetime) -> None:
    """A write of a post empties the cache: the next search knows the new words, ranks and count."""
    for _ in range(3):
        check(many, Window(10))
    assert has_slices(many)
    with many.writing() as transaction:
        values = {"locale": "en", "slug": "p1", "title": "bala bame ce", "status": Status.PUBLISHED}
        change = PostChange(**values, id=find_post_id(transaction, "p1"))  # type: ignore[arg-type]
        save_post(transaction, change, owner="ann-ray", origin=Origin.API, at=noon)
        transaction.sql("UPDATE post SET status = 'draft' WHERE slug = 'p2'")
    for _ in range(3):
        check(many, Window(10))


def test_other_changes_keep_the_bitmaps(many: Database) -> None:
    """They hold until the index changes; what is shown is looked up after every change."""
    for _ in range(3):
        check(many, Window(10))
    assert isinstance(many, SqliteDatabase)
    before = dict(many.search_cache._entries)
    with many.writing() as transaction:
        transaction.sql("UPDATE author SET bio = 'new'")
        transaction.sql("UPDATE post SET status = 'draft' WHERE slug = 'p4'")
    check(many, Window(10))
    after = many.search_cache._entries
    assert all(after[key][0] is value for key, (value, _size) in before.items())
    with many.writing() as transaction:
        unindex_post(transaction, 3)
    check(many, Window(10))
    assert not any(after[key][0] is value for key, (value, _size) in before.items() if key in after)


def test_cache_of_bitmaps_grows_with_the_posts(many: Database) -> None:
    """A large store has room for the bitmaps of as many words, up to a limit."""
    assert isinstance(many, SqliteDatabase)
    sizes = [many.search_cache.max_size]
    for last_id in (1_000, 50_000, 1_000_000):
        with many.writing() as transaction:
            transaction.sql("UPDATE post SET id = ?, group_id = ? WHERE slug = 'p0'", last_id, last_id)
        check(many, Window(10))
        sizes.append(many.search_cache.max_size)
    assert sizes[0] == sizes[1] < CACHED_WORDS * most_bytes(50_000) == sizes[2] < sizes[3] == MAX_CACHE_BYTES


def test_high_ids_are_searched_without_bitmaps(many: Database) -> None:
    """Bitmaps would be as long as the highest id."""
    with many.writing() as transaction:
        transaction.sql("UPDATE post SET id = 2000000, group_id = 2000000 WHERE slug = 'p0'")
    for _ in range(3):
        check(many, Window(10))
    assert not has_slices(many)
