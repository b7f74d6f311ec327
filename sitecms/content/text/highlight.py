"""Syntax highlighting by Pygments, which is imported only where a text names a language."""

from collections.abc import Mapping
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

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


def code_block(code: str, language: str = "") -> str:
    """Return the code in `<div class="highlight"><pre><code>`, highlighted where Pygments knows the language.

    The `<pre>` takes the keyboard's focus, so that long lines can be scrolled without a mouse.
    """
    named = f' class="language-{escape(language)}"' if language else ""
    inner = _coloured(code, language) if language and len(code) <= _LINEAR else None
    text = escape(code, quote=False) if inner is None else inner
    return f'<div class="highlight"><pre tabindex="0"><code{named}>{text}</code></pre></div>\n'


def _coloured(code: str, language: str) -> str | None:
    lexer_class = _lexer_class(language)
    if lexer_class is None or len(code) > _LIMITS.get(lexer_class.name, MAX_HIGHLIGHTED):
        return None
    from pygments import highlight

    return highlight(code, lexer_class(stripnl=False), _formatter())


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
