"""Long words of the search index."""

import re

import pytest

from sitecms.site.render.long_words import MAX_WORD, cut_long_words

LONG = "y" * (3 * MAX_WORD)
CUT = "y" * MAX_WORD


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (f"<p>one {LONG} two</p>", f"<p>one {CUT} two</p>"),
        (f"<p>one {CUT} two</p>", f"<p>one {CUT} two</p>"),
        (f'<p class="{LONG}">{LONG}</p><p>two</p>', f'<p class="{LONG}">{CUT}</p><p>two</p>'),
        (f"<b>{CUT}</b><i>yy</i>y two", f"<b>{CUT}</b><i></i> two"),
        (f"<p>{CUT}</p><p>yy</p>y two {LONG}", f"<p>{CUT}</p><p>yy</p>y two {CUT}"),
        (f"a<!-- {LONG} > -->b {LONG}", f"a<!-- {LONG} > -->b {CUT}"),
        (f"{LONG}\n{LONG}", f"{CUT}\n{CUT}"),
    ],
)
def test_words_are_cut(page: str, expected: str) -> None:
    """Pagefind reads on through tags of inline elements; attributes and comments stay."""
    assert cut_long_words(page) == expected


def test_languages_without_spaces_lose_nothing() -> None:
    """A Chinese paragraph is no word; it gets spaces."""
    text = "海" * 2500
    made = cut_long_words(f"<p>{text}</p>")
    assert re.sub(r"\s", "", made) == f"<p>{text}</p>"
    assert max(map(len, re.sub("<[^>]*>", "", made).split())) == MAX_WORD
