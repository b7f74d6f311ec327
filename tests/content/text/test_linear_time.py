"""Parsers of strangers' text take linear time: four times the text costs no more than about four times as much.

Processor time is compared with that of the same work on a quarter of the text, never with the clock.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest
import yaml

from sitecms.content.search_text import indexed_text, query_words
from sitecms.content.text.html import plain_text, sanitize
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, code_block, render
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.slug import slugify
from sitecms.documents.yaml12 import load_yaml
from sitecms.svg import InvalidSvg, inspect
from tests.support.processor_time import best_seconds

LENGTH, LONG_LENGTH, WHOLE_LENGTH = 5_000, 10_000, 50_000
FACTOR, SLACK_SECONDS = 10, 0.4
ALL = DEFAULT_EXTENSIONS | {"emoji", "math", "typographer"}
Text = Callable[[int], str]
Work = Callable[[str], object]


def check_linear(work: Work, text: Text, length: int) -> None:
    """Fail where the text of four times the length costs much more than four times as much."""
    short, long = text(length), text(4 * length)
    started = time.process_time()
    work(long)
    seconds = time.process_time() - started
    if seconds > SLACK_SECONDS:
        bound = FACTOR * best_seconds(lambda: work(short), SLACK_SECONDS) + SLACK_SECONDS
        assert seconds < bound or best_seconds(lambda: work(long), bound) < bound


def repeated(unit: str) -> Text:
    """A text of any length made of one unit."""
    return lambda length: (unit * (length // len(unit) + 1))[:length]


UNITS = (
    "[", "![", "](", "[a](b", "[a](<b", "![a](b", "[a][", "[a]: ", "[a]: b\n", "[a]: (\n", '[a]: b "', "[]", "[^a]",
    "[^a]: b\n\n", "^[", "^[a]", "*", "**", "_", "a*", "a_", "*a_ ", "**a *b ", "*a **b", "_a __b ", "~~", "~~a", "`",
    "``a`", "<", "<!--", "<!-- a -", "<?", "<![CDATA[", "<!A ", "<a", "<a ", "<a b", '<a b="', "<a b='", "</a",
    "<http:", "<a@b", "&", "&a", "&#", "&#x1", "&amp;", "\\", "\\*", ">", "> ", ">> a\n", "> a\n", "- ", "- a\n",
    "  - a\n", "1. a\n", "* * a\n", "|", "|a", "a|b\n-|-\n", "|a|b|\n", "|-", "-|-\n", "#", "# ", "# a\n", "=\n",
    "a\n=\n", "-\n", "```\n", "~~~", "``` a\n", "    a\n", "\n", " ", "\t", "a\n", " \n", "http://", "http://a",
    " http://", "http://a ", "http://a.b/", "http://a.b/(", "http://a.b/((", "https://a.b/c?d=", "http://a.b/)",
    'http://a.b/"', "a://", "://", "www.", "a@b.c ", "mailto:", "//a.b ", ":", '"', "'", '"a" ', "'a'", "(c)", "...",
    "--", "---", "+-", "a.b.", "(", "a b", "é", "\u0301", "\u0301\u0323", "\U0001f600", "{", "}", "$", "===\n",
    "***\n", "[a](http://b ", "[[a]", "[a]]", "a](b)", "<b>", "<b>\n\n", "</b>\n", "<div>\n", "<script>\n", "<p\n",
    "media/", "](media/", "](media/(", "]: media/", ' src="media/', "a'", "漢", "a-",
    "**「", "」**", "漢**(", "漢\n", "漢*\n", "~~「~~", "\ufe01**", "한_",
    "==", "![a](b) ", "http://a.b/c ", "**a",
    "==a", "a== ", "==a b", "~a", "a~", "a~b", "x^", "x^a", "a^b^", "$a", "$a$", "a $b ", "$$",
    "$$\n", "$$ a\n", "$$\n\n",
    "*[a]: b\n", "*[", "{#a}", "{#a ", "[a](b){.c}", '[a](b){c="', "# a {#b}\n", "# {",
    ":::", "::: note\n", ":::\n", ":::note\n\n",
    "- ::: note\n", "> ::: note\n", "::: note\n```\n", "::: gallery\n![a](b)\n", "::: tabs {",
    '::: video {src="', "> [!NOTE]\n",
    "> [!NOTE]\n> a\n\n", "- [ ] a\n", "- [x] ", "a\n: b\n", "a\n: b\n\n", ": a\n",
    "~ a\n", ":a:", ":tada:", "``` {1}\n", "[!",
)  # fmt: skip
SHAPES: dict[str, Text] = {
    **{unit: repeated(unit) for unit in UNITS},
    "backticks of growing length": lambda n: "".join("a" + "`" * k for k in range(1, int((2 * n) ** 0.5))),
    "notes and links without a definition": lambda n: (
        "".join(f"[^a{k}] [b][c{k}] " for k in range(n // 24)) + "\n\n[^a]: x\n[c]: /y\n"
    ),
    "a list in a list": lambda n: "".join("  " * k + "- a\n" for k in range(int(n**0.5))),
    "brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "links in links": lambda n: "[" * (n // 4) + "](a)" * (n // 8),
    "images in images": lambda n: "![" * (n // 8) + "a" + "](b)" * (n // 8),
    "emphasis": lambda n: "*a **b " * (n // 14) + "c* d** " * (n // 14),
    "strong opened, then closed": lambda n: "**a" * (n // 6) + "b**" * (n // 6),
    "references": lambda n: "".join(f"[a{k}]: b\n" for k in range(n // 24)) + "\n" + "[a1] " * (n // 10),
    "a long label": lambda n: "[" + "a" * n + "]: b\n",
    "a long title": lambda n: '[a](b "' + '\\"' * (n // 2),
    "a destination of brackets": lambda n: "[a](" + "(" * n,
    "a wide table": lambda n: "|".join("a" * (n // 8)) + "\n" + "|".join("-" * (n // 8)) + "\n",
    "a table of short rows": lambda n: "|a" * 99 + "\n" + "|-" * 99 + "\n" + "|a\n" * (n // 4),
    "lazy lines of a quotation": lambda n: "> a\n" + "b\n" * (n // 2),
    "footnotes": lambda n: "".join(f"[^{k}]: b\n\n" for k in range(n // 24)) + "".join(
        f"[^{k}] " for k in range(n // 24)),
    "code that does not end": lambda n: "```\n" * 3 + "a\n" * (n // 2),
    "attributes": lambda n: "<a " + "b=c " * (n // 4),
    "hyphens in a comment": lambda n: "<!--" + "-" * n,
    "a long entity": lambda n: "&" + "a" * n,
    "a long address": lambda n: "http://a.b/" + "c" * n,
    "abbreviations": lambda n: "".join(f"*[A{k}]: b\n" for k in range(n // 24)) + "\n" + "A1 A2 " * (n // 12),
    "directives in directives": lambda n: "::: note\n" * (n // 26) + "a\n" + ":::\n" * (n // 26),
    "a directive without an end": lambda n: "::: note\n" + "::: tip\n:::\n" * (n // 12),
    "formulas without an end": lambda n: "$$ a\n" * (n // 5),
    "definitions in definitions": lambda n: "".join(
        "  " * k + "a\n" + "  " * k + ": b\n" for k in range(int(n**0.5) // 2)),
    "an address in stars": lambda n: "http://a.b/" + "*" * n,
}  # fmt: skip
WORKS: tuple[tuple[Work, int], ...] = (
    (lambda text: render(text, extensions=ALL), LONG_LENGTH),
    (lambda text: sanitize(text, lambda _dropped: None), WHOLE_LENGTH),
    (plain_text, WHOLE_LENGTH),
    (slugify, WHOLE_LENGTH),
    (indexed_text, WHOLE_LENGTH),
    (query_words, WHOLE_LENGTH),
    (lambda text: replace_media(text, lambda address: address), WHOLE_LENGTH),
)
"""What is done with texts, and the length of the shorter one: a fault then takes seconds."""
SHORTCODES: dict[str, Text] = {
    **{
        unit: repeated(unit)
        for unit in (
            "{{< a >}}\n", "{{< a >}} ", "{{< a >}}\n\n", "> {{< a >}}\n", "- {{< a >}}\n", "{{</* ", "{{< a ",
            "{{< a >}}\n```\n", "{{< a >}}\n``` b`\n", "{{< a >}}x{{< /a >}}", "[{{< a >}}](b) ", '{{< a b="',
        )
    },
    "names": lambda n: "".join(f"{{{{< a{k} >}}}}\n" for k in range(n // 12)),
    "in each other": lambda n: "{{< a >}}\n" * (n // 22) + "b\n" + "{{< /a >}}\n" * (n // 22),
}  # fmt: skip
SUSPECTS = (
    "[",
    "![a](b) ",
    "**a",
    "# a\n",
    "^[a]",
    "**a *b ",
    "`",
    "a://",
    "http://a",
    " http://",
    "http://a.b/(",
    "http://a.b/c ",
    "|a|b|\n",
    "\u0301\u0323",
    "<!--",
    "==a",
    "x^a",
    "- ::: note\n",
    "a directive without an end",
    "formulas without an end",
    "abbreviations",
    "notes and links without a definition",
)


@pytest.mark.parametrize("shape", SUSPECTS)
def test_markdown_takes_linear_time(shape: str) -> None:
    """The shapes that were, or are likely to be, superlinear."""
    check_linear(lambda text: render(text, extensions=ALL, problem=lambda _: None), SHAPES[shape], LENGTH)


@pytest.mark.parametrize("shape", SHORTCODES)
def test_shortcodes_take_linear_time(shape: str) -> None:
    """With an end, without one, in each other, in links, in lists and beside code that does not end."""
    check_linear(lambda text: render(text, shortcode=lambda call: call.inner or "-"), SHORTCODES[shape], LONG_LENGTH)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [*SUSPECTS, '"', "'"])
def test_very_long_markdown_takes_linear_time(shape: str) -> None:
    """The suspects at 200,000 characters."""
    check_linear(lambda text: render(text, extensions=ALL), SHAPES[shape], WHOLE_LENGTH)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_long_text_takes_linear_time(shape: str) -> None:
    """Markdown at 40,000 characters; the sanitiser, slugs, search words and addresses of media at 200,000."""
    for work, length in WORKS:
        check_linear(work, SHAPES[shape], length)


def read_svg(text: str) -> None:
    """Read a drawing, whatever is found in it."""
    with suppress(InvalidSvg):
        inspect(text.encode())


SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {}/>'


@pytest.mark.parametrize(
    "attribute",
    ['width="{}x"', 'viewBox="0 0 {} 1"', 'style="fill:url({}#a)"', 'style="{}"', 'fill="url({}#a)"', 'href="{}"',
     'xlink:href="data:image/png;base64,{}"'],
)  # fmt: skip
@pytest.mark.parametrize("unit", ["1", " ", "url(", "image", "image ", "@", "1.", "\\", "e"])
def test_a_drawing_takes_linear_time(attribute: str, unit: str) -> None:
    """Lengths, styles and addresses in the attributes of an SVG."""
    check_linear(read_svg, lambda length: SVG.format(attribute.format(repeated(unit)(length))), WHOLE_LENGTH)


def test_a_drawing_without_a_sensible_size() -> None:
    """A length of more digits than any drawing has is none."""
    assert inspect(SVG.format(f'width="{"1" * 400}" height="2"').encode()) == (None, None)
    assert inspect(SVG.format('width="33.333333333333336mm" height=".5in"').encode()) == (126, 48)


@pytest.mark.parametrize(
    "unit", ["[", "{", "- ", "a: ", "&a ", "*a ", "'", '"', "? ", "- a\n", "a\n", "#", "|\n", "!a "]
)
def test_yaml_takes_linear_time(unit: str) -> None:
    """Front matter that is valid, or is refused."""

    def read(text: str) -> None:
        with suppress(yaml.YAMLError):
            load_yaml(text)

    check_linear(read, repeated(unit), LENGTH)


@pytest.mark.parametrize(
    "language", ["python", "javascript", "c", "java", "csharp", "gherkin", "autohotkey", "xpp", "json"]
)
@pytest.mark.parametrize("unit", ['\\"', "\n", " \n", "a\n", "<!--"])
def test_many_blocks_of_code_take_linear_time(language: str, unit: str) -> None:
    """Blocks as long as are coloured: four times as many cost four times as much. A longer one is shown plain."""

    def blocks(text: str) -> None:
        for start in range(0, len(text), 1_000):
            code_block(text[start : start + 1_000], language)

    check_linear(blocks, repeated(unit), 1_500)
    check_linear(lambda text: code_block(text, language), repeated(unit), WHOLE_LENGTH * 2)
