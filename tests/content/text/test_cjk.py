"""Marks beside Chinese, Japanese and Korean signs, and line breaks between them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, render
from sitecms.content.text.markdown.cjk import CJK_PATTERN, use_cjk
from sitecms.content.text.markdown.marks import use_mark

PIECES = [
    "*",
    "**",
    "***",
    "_",
    "__",
    "~~",
    "==",
    " ",
    "\n",
    "a",
    "é",
    "(",
    ")",
    ".",
    "“",
    "”",
    "—",
    "`c`",
    "[x](y)",
    "ö",
]
PIECES += ["👍", "⚠️", "\ufe01", "\u0301", "\\*", "ا", "क", "&amp;", "<b>"]
WIDE = [
    "漢",
    "字",
    "かな",
    "カ",
    "。",
    "、",
    "「",
    "」",
    "（",
    "）",
    "！",
    "Ａ",
    "한글",
    "ᄒ",
    "ｶ",
    "“\ufe01",
    "葛\U000e0100",
    "\u3000",
]


def parser(*, amended: bool) -> MarkdownIt:
    plain = MarkdownIt("commonmark").enable("strikethrough").use(use_mark)
    return plain.use(use_cjk) if amended else plain


PLAIN, AMENDED = parser(amended=False), parser(amended=True)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("这是**我想做的事。**所以", "这是<strong>我想做的事。</strong>所以"),
        ("これは**「重要」**です", "これは<strong>「重要」</strong>です"),
        ("**마크다운(Markdown)**을", "<strong>마크다운(Markdown)</strong>을"),
        ("*「a」*を`code`と**（b）**。", "<em>「a」</em>を<code>code</code>と<strong>（b）</strong>。"),
        ("~~「」~~や==「」==も", "<s>「」</s>や<mark>「」</mark>も"),
        ("カッコ**(注)**は_「下」_。", "カッコ<strong>(注)</strong>は_「下」_。"),
        ("。__「」__。", "。<strong>「」</strong>。"),
        ("葛\ufe00**(a)**葛\U000e0100**(b)**", "葛\ufe00<strong>(a)</strong>葛\U000e0100<strong>(b)</strong>"),
        ("**x”\ufe01**c", "<strong>x”\ufe01</strong>c"),
        ("[これは**「あ」**です](/x)", '<a href="/x">これは<strong>「あ」</strong>です</a>'),
        ("** 中**", "** 中**"),
        ("a**.**b 中", "a**.**b 中"),
        ("👍**(x)**a 中", "👍**(x)**a 中"),
    ],
)
def test_marks_beside_signs_without_spaces(text: str, html: str) -> None:
    """They open and close as they do beside spaces, and nowhere else."""
    assert render(text) == f"<p>{html}</p>\n"


def test_the_setting_switches_it_off() -> None:
    """Then the text is rendered as CommonMark says."""
    text = "これは**「重要」**で\nす"
    assert render(text, extensions=DEFAULT_EXTENSIONS - {"cjk"}) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("これは長い\n続き", "これは長い続き"),
        ("终于。\n下一行", "终于。下一行"),
        ("**強調**\n続き", "<strong>強調</strong>続き"),
        ("[リンク](/x)\n`コード`\nです", '<a href="/x">リンク</a><code>コード</code>です'),
        ("한국\n어", "한국\n어"),
        ("中文\nabc\n中文", "中文\nabc\n中文"),
        ("中👍\n中", "中👍\n中"),
        ("中  \n文", "中<br>\n文"),
        ("葛\U000e0100\n城", "葛\U000e0100城"),
        ("図\n![x](/y)\n図", '図\n<img src="/y" alt="x">\n図'),
    ],
)
def test_lines_of_chinese_and_japanese_are_joined(text: str, html: str) -> None:
    """Korean words, other scripts, emoji and pictures keep the space that a line break is."""
    assert render(text) == f"<p>{html}</p>\n"


@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text(max_size=40)))
@example("a**(b)**c")
def test_texts_without_such_signs_are_rendered_as_before(text: str) -> None:
    """The amendments change nothing in a text without a Chinese, Japanese or Korean sign."""
    if not CJK_PATTERN.search(text):
        assert AMENDED.render(text) == PLAIN.render(text)


@given(st.lists(st.sampled_from([*PIECES, *WIDE]), max_size=20).map("".join))
def test_more_marks_count_and_none_fewer(text: str) -> None:
    """Where CommonMark finds an emphasis and no other mark is left over, the amendments find it too."""
    plain = PLAIN.render(text)
    if not any(sign in plain for sign in "*_~="):
        joined = AMENDED.render(text)
        assert joined.replace("\n", "") == plain.replace("\n", "")
