"""The parser's output without raw HTML is written as `sanitize` writes it, without being parsed once more."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.text.html import sanitize, sanitize_rendered
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS
from sitecms.content.text.markdown.extensions import TYPOGRAPHER, needed
from sitecms.content.text.markdown.rendering import _HAS_RAW, _idle_rules, _parser
from sitecms.content.text.removed_markup import Dropped

_ADDRESSES = st.sampled_from(
    [
        "/a?b=1&c=2", "#top", "media/a b.png", "media/a.png", "https://x.example", "https://x.example/a_b#c", "//x.y/z",
        "http://[x]/", "http://a.1/", "http://a.b:99999/", "ftp://x.y", "foo:bar", "mailto:a@b.example", "tel:+1", "",
        "javascript:alert(1)", "HTTP://X.example", "http://xn--a.example/", "data:image/png;base64,AA", "../x", "x y",
    ]
)  # fmt: skip
_WORDS = st.text(st.sampled_from("ab_*~`'\"<>&\xa0é1. \\[]()!#-|:\n\t"), max_size=12)
_INLINE = st.one_of(
    _WORDS,
    st.builds("*{}*".format, _WORDS),
    st.builds("**{}**".format, _WORDS),
    st.builds("[{}](<{}> '{}')".format, _WORDS, _ADDRESSES, _WORDS),
    st.builds("![{}]({})".format, _WORDS, _ADDRESSES),
    st.builds("[![{}]({})]({})".format, _WORDS, _ADDRESSES, _ADDRESSES),
    st.builds("<{}>".format, _ADDRESSES),
    _ADDRESSES,
)
_LINES = st.lists(_INLINE, max_size=3).map(" ".join)
_BLOCKS = st.one_of(
    _LINES,
    st.builds(
        "{} {}".format, st.sampled_from(["#", "##", "-", "  -", "1.", "7)", ">", "> -", "    ", "|a|\n|-:|\n|"]), _LINES
    ),
    st.builds("```{}\n{}\n```".format, st.sampled_from(["", "python", "c++", "x<y", 'a"b', "unknown"]), _WORDS),
    st.just("***"),
    st.just("x[^1]\n\n[^1]: note"),
)


def _extensions(typographer: bool) -> frozenset[str]:
    return DEFAULT_EXTENSIONS | {TYPOGRAPHER} if typographer else DEFAULT_EXTENSIONS


def rendered(text: str, *, typographer: bool = False) -> tuple[str, bool]:
    """Return the parser's own output, and whether the text has raw HTML."""
    env: dict[str, Any] = {}
    return _parser(_extensions(typographer), ()).render(text, env), _HAS_RAW in env


@given(st.lists(_BLOCKS, max_size=5).map("\n\n".join), st.booleans())
def test_equals_sanitize(text: str, typographer: bool) -> None:
    """The short way and `sanitize` give the same HTML, and nothing was removed, wherever the short way answers."""
    html, has_raw = rendered(text, typographer=typographer)
    short = None if has_raw else sanitize_rendered(html)
    if short is not None:
        removed: list[Dropped] = []
        assert short == sanitize(html, removed.append)
        assert not removed


@given(st.lists(_BLOCKS, max_size=5).map("\n".join), st.booleans())
def test_idle_rules_match_nothing(text: str, typographer: bool) -> None:
    """A parser without the rules that are idle for a text gives the same HTML."""
    idle = _idle_rules(text)
    extensions = _extensions(typographer)
    assert _parser(extensions, idle).render(text) == _parser(extensions, ()).render(text)
    assert _parser(needed(text, extensions), idle).render(text) == _parser(extensions, ()).render(text)


@pytest.mark.parametrize(
    "text",
    [
        "## A *title*\n\nText with `code`, \"quotes\" & a [link](/x/ 'T').\n\n- a\n- b\n\n> quote",
        "```python\nprint('<&>', \"x\")\n```",
        "| a |\n|:-|\n| 1 |",
        "![A](https://x.example/a.png)",
        "https://x.example/a",
    ],
)
def test_common_texts_are_short(text: str) -> None:
    """Usual texts take the short way; this fails if the output of parser or highlighter changes."""
    html, has_raw = rendered(text)
    assert not has_raw
    assert sanitize_rendered(html) == sanitize(html)


@pytest.mark.parametrize(
    "text",
    [
        "[x](ftp://x.example)",
        "<b>raw</b>",
        "[x](http://a.1/)",
        "![x](data:image/png;base64,AA)",
        "![x]()",
    ],
)
def test_unusual_texts_are_sanitised(text: str) -> None:
    """What `sanitize` might change or refuse goes to it."""
    html, has_raw = rendered(text)
    assert has_raw or sanitize_rendered(html) is None


def test_deep_emphasis_is_sanitised() -> None:
    """Emphasis is the one nesting that the parser does not limit."""
    html, _ = rendered("*a " * 400 + "b*" * 400)
    assert html.count("<em>") == 400
    assert sanitize_rendered(html) is None
