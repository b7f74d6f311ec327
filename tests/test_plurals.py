"""Numbers with their nouns."""

import pytest

from sitecms.plurals import counted


@pytest.mark.parametrize(
    ("count", "words", "text"),
    [
        (0, ("error",), "0 errors"),
        (1, ("error",), "1 error"),
        (2, ("entry", "entries"), "2 entries"),
        (1, ("entry", "entries"), "1 entry"),
    ],
)
def test_only_one_is_singular(count: int, words: tuple[str, ...], text: str) -> None:
    """The plural is the noun with an s unless it is given."""
    assert counted(count, *words) == text
