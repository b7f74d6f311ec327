"""Searches: which entries are found, and in which order."""

from collections.abc import Callable

import pytest

from sitecms.actions.operations.reindex import reindex_stale
from sitecms.content.query import Window
from sitecms.store.database import Database
from sitecms.store.search.index import is_stale
from sitecms.store.search.queries import RANKED
from tests.support.reading import found_entries

Make = Callable[..., int]


def found(store: Database, text: str, window: Window | None = None) -> list[str]:
    """Return the slugs of the posts that a search finds, in order."""
    answer = store.read(found_entries, text, window or Window(100))
    return [ranked.entry.slug for ranked in answer.entries]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("Łódź", "lodz"),
        ("Paweł Wałęsa", "pawel walesa"),
        ("Đà Nẵng", "da nang"),
        ("Ærøskøbing", "aeroskobing"),
        ("Þór", "thor"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد أحمد كتـــاب", "محمد احمد كتاب"),
        ("फ़िल्म", "फिल्म"),
        ("Donau\u00addampf\u00adschiff", "donaudampfschiff"),
        ("alpha\u200bbeta", "alphabeta"),
        ("می\u200cخواهم", "میخواهم"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200cخواهم", "خواهم"),
        ("A 🚀 lands", "🚀"),
        ("Thumbs 👍🏽", "👍"),
        ("🇩🇪🇫🇷", "🇫🇷"),
        ("Brand™", "brandtm"),
    ],
)
def test_texts_and_queries_are_folded_alike(store: Database, make_post: Make, title: str, query: str) -> None:
    """A query finds a title in either spelling, on both engines, and the spelling itself finds it, too."""
    make_post("sought", title=title)
    make_post("other", title="Something else")
    assert found(store, query) == found(store, title) == ["sought"]


def test_whole_words_rank_above_beginnings(store: Database, make_post: Make) -> None:
    """A post with the word itself comes first, however often longer words with that beginning occur in others."""
    make_post("art", title="Pictures", body=f"<p>Art {'and many other words ' * 200}</p>")
    for number, title in enumerate(("Article article articles", "Artificial", "Artists"), 1):
        make_post(title.split()[0].lower(), hours=number, title=title)
    assert found(store, "art")[0] == "art"
    assert sorted(found(store, "art")) == ["art", "article", "artificial", "artists"]
    assert found(store, "words art") == ["art"]
    ranks = [match.rank for match in store.read(found_entries, "art", Window(9)).entries]
    assert ranks[0] > 1 > ranks[1] >= ranks[2] >= ranks[3] > 0


def test_the_newest_matches_are_ranked(store: Database, make_post: Make) -> None:
    """All matches are found; those beyond the ranked ones follow by date, with rank 0, on whatever page they stand."""
    for number in range(RANKED + 3):
        body = "" if number in (0, 20) else "<p>moon moon moon</p>"
        make_post(f"p{number}", hours=number, title="Tide", body=body)
    newest_first = [f"p{number}" for number in reversed(range(RANKED + 3))]
    expected = ["p20", *(slug for slug in newest_first if slug != "p20")]
    assert found(store, "tide", Window(2 * RANKED)) == expected
    assert found(store, "tide", Window(4, RANKED - 2)) == expected[RANKED - 2 : RANKED + 2]
    answer = store.read(found_entries, "tide", Window(2, RANKED - 1))
    assert answer.count == RANKED + 3
    assert [match.rank > 0 for match in answer.entries] == [True, False]


def test_a_change_is_found_at_once(store: Database, make_post: Make) -> None:
    """Cached matches are those of the store as it is."""
    make_post("one", title="Tide")
    assert found(store, "tide") == ["one"]
    make_post("two", title="Tide", hours=1)
    assert found(store, "tide") == ["two", "one"]


def test_an_index_of_an_earlier_version_is_built_again(store: Database, make_post: Make) -> None:
    """A store that is opened with an index of other rules finds its posts afterwards; others are left alone."""
    make_post("city", title="Łódź")
    with store.writing() as transaction:
        transaction.sql("DELETE FROM post_search WHERE rowid IN (SELECT id FROM entry WHERE kind = 'post')")
        transaction.sql("UPDATE change_number SET is_search_stale = 1")
    assert found(store, "lodz") == []
    reindex_stale(store)
    assert found(store, "lodz") == ["city"]
    with store.reading() as session:
        assert not is_stale(session)
        number = session.change_number()
    reindex_stale(store)
    with store.reading() as session:
        assert session.change_number() == number


def test_equal_ranks_are_ordered_by_time(store: Database, make_post: Make) -> None:
    """Of posts that rank alike, the newest comes first."""
    for number in (2, 0, 1):
        make_post(f"p{number}", hours=number, title="Moon", body="<p>same</p>")
    assert found(store, "moon") == ["p2", "p1", "p0"]
