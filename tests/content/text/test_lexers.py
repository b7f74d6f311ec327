"""Limits of highlighted code: no lexer takes long on the worst text within its limit."""

import time

import pytest

from sitecms.content.text.markdown.code import _LIMITS, MAX_HIGHLIGHTED, code_block
from tests.support.processor_time import best_seconds

WORST = ('\\"', "/*a", "\n", " \n", "a\n", "a", "a.", "<!--", "(", "[", "'", "0", "&", "?", "=")
ORDINARY = 'def ebb(water):\n    """Return."""\n    return [water, "salt", 12]\n\n'


def lexers() -> list[tuple[str, str]]:
    """Return (first alias, name) of all lexers."""
    from pygments.lexers import get_all_lexers

    return [(aliases[0], name) for name, aliases, _, _ in get_all_lexers(plugins=False) if aliases]


def ordinary_seconds() -> float:
    """Return the processor time of highlighting 5,000 characters of ordinary code on this machine."""
    return best_seconds(lambda: code_block((ORDINARY * 100)[:MAX_HIGHLIGHTED], "python"))


def test_limits_name_existing_lexers() -> None:
    """The test fails if Pygments renames a lexer."""
    assert _LIMITS.keys() <= {name for _, name in lexers()}


def test_code_beyond_its_limit_is_plain() -> None:
    """Each lexer has its limit: JSON of 20,000 characters is highlighted, Python is not, X++ never."""
    assert "<span" in code_block("[1]" * 6_000, "json")
    assert "<span" in code_block("[1]" * 1_000, "python")
    assert "<span" not in code_block("[1]" * 6_000, "python")
    assert "<span" not in code_block("int a = 1;", "xpp")


def seconds_of(text: str, alias: str) -> float:
    """Return the processor time of highlighting."""
    started = time.process_time()
    code_block(text, alias)
    return time.process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("initial", sorted({alias[0] for alias, _ in lexers()}))
def test_every_lexer_within_its_limit(initial: str) -> None:
    """The worst text costs no more than 400 times as much as ordinary code of 5,000 characters.

    Where a third of the text costs so little that even time growing with the third power stays within, it is enough.
    """
    bound = 400 * ordinary_seconds()
    slow = {}
    for alias, name in lexers():
        if alias[0] != initial:
            continue
        limit = _LIMITS.get(name, MAX_HIGHLIGHTED)
        for unit in WORST:
            text = (unit * limit)[:limit]
            if seconds_of(text[: limit // 3], alias) * 3**3 < bound:
                continue
            if (seconds := seconds_of(text, alias)) > bound:
                slow[alias, unit] = round(seconds, 1)
    assert slow == {}
