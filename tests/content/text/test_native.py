"""Texts that are rendered natively have the HTML that markdown-it-py gives."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecms.content.text.html import sanitize, sanitize_rendered
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, callouts
from sitecms.content.text.markdown.extensions import needed
from sitecms.content.text.markdown.native import render_natively
from sitecms.content.text.markdown.rendering import _idle_rules, _parser
from sitecms.resources import resource_dir

_PIECES = [
    "word", "a", "one two", "7", "café", "“q”", "—", "€", "ß", " ", "  ", "    ", "\n", "\n\n", "\n\n\n", "  \n", "- ",
    "* ", "+ ", "1. ", "2) ", "10. ", "# ", "## ", "###### ", " #", " ##\n", "> ", ">", "---", "***", "* * *", "___",
    "===", "=", "*", "**", "***", "_", "__", "`", "``", "```\n", "```python\n", "\n```\n", "print(1)\n",
    " x < y && *z*\n",
    ".", ",", ";", ":", "!", "?", "'", '"', "(", ")", "[", "]", "[a](b)", "[a b](https://x.example/y?z=1#w)", "![a](b)",
    "![alt text](media/x.png)", "\n\n![a](b)\n\n", "![](x)", "](b)", "![",
    "[m](mailto:a@b.example)", "[sic]", "& ", "AT&T", "{", "}",
    "$", "^", "%", "@", "/", "-", "\n- ", "\n  - ", "\n    - ", "\n1. ", "\n   ", "\n> ", "\n\n    code", "foo_bar_baz",
    "*em*", "**strong**", "_em_", "`code`", "\n## H two\n", "Title\n=====\n", "Title\n---\n", "[x] ", "- [ ] ",
    "www.x.example",
]  # fmt: skip
_FOREIGN = [
    "|", "~", "<", "\\", "\t", "http://a.example", "[a]: b\n", "\nTerm\n: def\n", "==m==", "H~2~O", "*[H]: h", "&amp;",
]  # fmt: skip


def parsed(text: str) -> str:
    """Return what the parser gives, not yet sanitised."""
    env: dict[str, Any] = {callouts.LOCALE: "en"}
    return str(_parser(needed(text, DEFAULT_EXTENSIONS), _idle_rules(text)).render(text, env))


def written(html: str) -> str:
    """Return the HTML as it is stored."""
    short = sanitize_rendered(html)
    return sanitize(html) if short is None else short


def check_equal(text: str) -> None:
    """Fail where native rendering gives other HTML than the parser."""
    html = render_natively(text, DEFAULT_EXTENSIONS)
    if html is not None:
        assert written(html) == written(parsed(text))


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
@example("-\n\n\n-")
@example(">\n    >")
@example(">>a\n    -")
@example("0. `\n e`")
@example("```\n ```\n```\n-")
@example("-    a\n    ---")
@example(" 10. a\n    #")
@example("^[a](b)")
@example("    code")
@example("[~~a~~](b)")
@example("[==a==](b) [H~2~O](b)")
@example("[a\\](b)")
@example("> [!note](b)")
@example("[<b>a</b>](b)")
@example("[t](`b`)")
@example("a^b `c^d`")
@example(">" * 25 + "a")  # the parser nests 20 deep
@example("*" * 60 + "a" + "*" * 60)
def test_equals_the_parser(text: str) -> None:
    """Wherever a text is rendered natively, the HTML is that of the parser."""
    check_equal(text)


@given(st.lists(st.sampled_from([*_PIECES, *_FOREIGN]), max_size=12).map("".join))
def test_equals_the_parser_beside_other_signs(text: str) -> None:
    """The same for texts most of which the parser alone reads."""
    check_equal(text)


@pytest.mark.parametrize(
    "text",
    [
        "# One\n\n## Two *words* & `code`\n\n## Two *words* & `code`\n\nText “quoted” and 'plain', **bold**, _em_.",
        "See [the tide](/blog/tide/), [there](https://tide.example/?b#c), [`code`](slack.md).\n\n![Sea](media/sea.jpg)",
        "- one\n- two\n  - three\n\n1. a\n2. b\n\n> quoted\n> twice\n\n---\n\n```python\nprint('<&>', \"x\")\n```\n",
        "Title\n=====\n\nAT&T, R & D, 5 * 3 = 15; a_b_c, half-open [0, 1).",
    ],
)
def test_usual_texts_are_rendered_natively(text: str) -> None:
    """What most people write is in the subset."""
    html = render_natively(text, DEFAULT_EXTENSIONS)
    assert html is not None
    assert written(html) == written(parsed(text))


@pytest.mark.parametrize(
    "text", [*_FOREIGN, "a <b>c</b>", "x[^1]", "![a][b]", "|a|\n|-|", "a\tb", "::: note\nx\n:::\n"]
)
def test_other_texts_are_left_to_the_parser(text: str) -> None:
    """Raw HTML, extensions, definitions and odd spaces are outside of the subset."""
    assert render_natively(text, DEFAULT_EXTENSIONS) is None


def test_texts_of_the_manual_and_the_sample_site() -> None:
    """Real texts give equal HTML, and some of them are in the subset."""
    files = [*(Path(__file__).parents[3] / "sample_site").rglob("*.md"), *resource_dir("manual").rglob("*.md")]
    texts = [file.read_text("utf-8").partition("\n---\n")[2] for file in files]
    native = {text: html for text in texts if (html := render_natively(text, DEFAULT_EXTENSIONS)) is not None}
    assert len(native) > len(texts) / 5
    for text, html in native.items():
        assert written(html) == written(parsed(text))
