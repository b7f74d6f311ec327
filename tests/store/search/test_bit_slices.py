"""Bitmaps of scores: the best rows are always among those that are found."""

from hypothesis import given
from hypothesis import strategies as st

from sitecms.store.search.bit_slices import BEST, best_rows, bitmap_of, ids_of, most_bytes, slices_of

IDS = st.integers(0, 300)
SCORES = st.one_of(st.floats(0.001, 30), st.sampled_from([1e-6, 2.2e-6, 0.5, 1.0, 2.0]))
WORD = st.dictionaries(IDS, SCORES, min_size=1, max_size=120)


@given(words=st.lists(WORD, min_size=1, max_size=4), count=st.integers(1, 30), hidden=st.sets(IDS))
def test_best_rows_are_found(words: list[dict[int, float]], count: int, hidden: set[int]) -> None:
    """Every row whose sum is one of the greatest is found, with all that equal it, and no row that lacks a word."""
    shown = set.intersection(*map(set, words)) - hidden
    sums = {row: sum(word[row] for word in words) for row in shown}
    found = best_rows([slices_of(sorted(word.items())) for word in words], bitmap_of(sorted(shown)), count)
    least = sorted(sums.values(), reverse=True)[:count][-1] if sums else 0.0
    assert set(found) <= shown
    assert found == sorted(found)
    assert {row for row, total in sums.items() if total >= least} <= set(found)


def test_few_of_many_rows_are_found() -> None:
    """Rows far from the best ones are left out: that is what the bitmaps are for."""
    word = slices_of([(row, 1.0 + row % 997 / 100) for row in range(1, 20_000)])
    other = slices_of([(row, 0.5 + row % 499 / 50) for row in range(1, 20_000, 3)])
    assert len(best_rows((word, other), word.rows & other.rows, 10)) < 200


@given(scored=WORD)
def test_slices_keep_exact_scores(scored: dict[int, float]) -> None:
    """Each row has its own score back."""
    word = slices_of(sorted(scored.items()))
    assert word.scores_of(ids_of(word.rows)) == [score for _, score in sorted(scored.items())]


def test_exact_scores_of_the_best_of_many_rows_are_kept() -> None:
    """They suffice for the pages that people look at, in a small part of the memory that all scores take."""
    scores = {row: 1.0 + row * 7 % 9973 / 1000 for row in range(1, 20_000)}
    word = slices_of(list(scores.items()))
    for count in (10, 1_000):
        best = best_rows([word], word.rows, count)
        assert word.scores_of(best) == [scores[row] for row in best]
    assert len(word.scores) <= BEST
    assert word.scores_of(ids_of(word.rows)) is None
    assert word.size_bytes <= most_bytes(20_000)
