"""Blocks of code: highlighted by Pygments, with a title, line numbers and marked lines.

Pygments is imported only where a text names a language.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from pygments.formatters import HtmlFormatter

MAX_HIGHLIGHTED = 5_000
"""Most characters of code that is highlighted, since most lexers take quadratic time on some text."""
_LINEAR, _SLOW = 50_000, 1_500
_LIMITS: Mapping[str, int] = {
    **dict.fromkeys(
        (
            "Bash", "Clojure", "Diff", "Django/Jinja", "Docker", "Elixir", "Erlang", "GraphQL", "Haskell",
            "JSON", "Lua", "MySQL", "Nginx configuration file", "PHP", "PostgreSQL SQL dialect",
            "Python console session", "Ruby", "Rust", "SCSS", "SQL", "Sass", "Scala", "Swift", "TOML", "sqlite3con",
        ),
        _LINEAR,
    ),
    **dict.fromkeys(("AutoIt", "C#", "Devicetree", "Fantom", "Gherkin", "Nemerle", "Zeek", "reStructuredText"), _SLOW),
    **dict.fromkeys(("MCSchema", "X++", "autohotkey"), 0),
}  # fmt: skip
"""Other limits, by lexer, measured on the worst texts (tests/content/text/test_lexers.py)."""
_REMEMBERED_BLOCKS, _REMEMBERED_LENGTH = 256, 2_000


_INFO = re.compile(
    r"""\{(?P<marked>[\d,\s-]*)\}|title=(?:"(?P<title>[^"\n]*)"|(?P<word>[^\s"{}]+))|(?P<numbers>numbers(?:=(?P<first>\d{1,9}))?)"""
    r"""(?=\s|\Z)"""
)
_RANGE = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")


class CodeInfo(Struct, frozen=True):
    """The words behind the fence of a block of code: language, title, marked lines, and the first line number.

    `marked` are pairs of first and last line, counted from 1; `first_number` None means that lines have no numbers.
    """

    language: str = ""
    title: str = ""
    marked: tuple[tuple[int, int], ...] = ()
    first_number: int | None = None

    def is_marked(self, line: int) -> bool:
        """Return whether the line is marked."""
        return any(first <= line <= last for first, last in self.marked)


def read_info(info: str) -> CodeInfo:
    """Return the info of a fence: `python {1,3-5} title="x.py" numbers=10`; unknown words are skipped."""
    language, rest = "", info.strip()
    if rest and not _INFO.match(rest):
        language, _, rest = rest.partition(" ")
        language, opening, marked = language.partition("{") if language.endswith("}") else (language, "", "")
        rest = opening + marked + " " + rest
    title, first, ranges = "", None, ""
    for match in _INFO.finditer(rest):
        title = title or match["title"] or match["word"] or ""
        ranges = ranges or match["marked"] or ""
        first = int(match["first"] or 1) if match["numbers"] else first
    marked_lines = tuple((int(found[1]), int(found[2] or found[1])) for found in _RANGE.finditer(ranges))
    return CodeInfo(language, title, marked_lines, first)


def code_block(code: str, info: str = "") -> str:
    """Return the code in `<div class="highlight"><pre><code>`, highlighted where Pygments knows the language.

    The `<pre>` takes the keyboard's focus, so that long lines can be scrolled without a mouse. A title makes it a
    `<figure class="code">`; lines with a number or a mark are elements of their own.
    """
    details = read_info(info)
    language = details.language
    named = f' class="language-{escape(language)}"' if language else ""
    inner = None
    if language and len(code) <= _LINEAR:
        inner = (_remembered if len(code) <= _REMEMBERED_LENGTH else _coloured)(code, language)
    text = escape(code, quote=False) if inner is None else inner
    if details.marked or details.first_number is not None:
        text = _lines(text, details)
    block = f'<div class="highlight"><pre tabindex="0"><code{named}>{text}</code></pre></div>\n'
    if not details.title:
        return block
    return f'<figure class="code">\n<figcaption>{escape(details.title)}</figcaption>\n{block}</figure>\n'


def _lines(text: str, info: CodeInfo) -> str:
    """Return highlighted code with an element for each line; Pygments ends its own elements at the end of a line."""
    written = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        tag = "mark" if info.is_marked(number) else "span"
        shown = "" if info.first_number is None else f' data-line="{info.first_number + number - 1}"'
        written.append(f'<{tag} class="line"{shown}>{line}\n</{tag}>')
    return "".join(written)


def _coloured(code: str, language: str) -> str | None:
    lexer_class = _lexer_class(language)
    if lexer_class is None or len(code) > _LIMITS.get(lexer_class.name, MAX_HIGHLIGHTED):
        return None
    from pygments import highlight

    return highlight(code, lexer_class(stripnl=False), _formatter())


@lru_cache(_REMEMBERED_BLOCKS)  # instructions repeat the same few commands
def _remembered(code: str, language: str) -> str | None:
    return _coloured(code, language)


@cache
def _formatter() -> "HtmlFormatter[str]":
    from pygments.formatters import HtmlFormatter

    return HtmlFormatter(nowrap=True)


@cache
def _known_languages() -> frozenset[str]:
    from pygments.lexers import get_all_lexers

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


def _lexer_class(language: str) -> Any:
    return _load_lexer(language.lower()) if language.lower() in _known_languages() else None


@cache
def _load_lexer(alias: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return type(get_lexer_by_name(alias))
