"""Markdown to sanitised HTML: CommonMark with tables, strikethrough, footnotes, heading anchors and coloured code.

The rule for bare addresses is our own: the parser's rule reads the whole text before and behind each `://`, which takes
quadratic time. Pygments is imported only where a text names a language.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from sitecms.content.text.html import sanitize
from sitecms.content.text.media_links import ResolvedImage, ResolveImage, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.content.text.rendered_html import canonical
from sitecms.content.text.slug import numbered, slugify

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
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


def code_block(code: str, language: str = "") -> str:
    """Return the code in `<div class="highlight"><pre><code>`, highlighted where Pygments knows the language.

    The `<pre>` takes the keyboard's focus, so that long lines can be scrolled without a mouse.
    """
    named = f' class="language-{escape(language)}"' if language else ""
    inner = None
    if language and len(code) <= _LINEAR:
        inner = (_remembered if len(code) <= _REMEMBERED_LENGTH else _coloured)(code, language)
    text = escape(code, quote=False) if inner is None else inner
    return f'<div class="highlight"><pre tabindex="0"><code{named}>{text}</code></pre></div>\n'


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


MAX_ADDRESS_LENGTH = 2_000
_MARK = "://"
_SCHEME = re.compile(r"(?:\A|[^a-z0-9.+-])(https?)\Z", re.I)
_SCHEME_LENGTH = len(" https")


def link_bare_address(state: "StateInline", silent: bool) -> bool:
    """Make a link of the address at the current position. Addresses longer than MAX_ADDRESS_LENGTH stay text."""
    if state.linkLevel > 0 or not state.src.startswith(_MARK, state.pos):
        return False
    scheme = _SCHEME.search(state.pending[-_SCHEME_LENGTH:])
    if scheme is None or state.md.linkify is None:
        return False
    start = state.pos - len(scheme[1])
    text = state.src[start : start + MAX_ADDRESS_LENGTH]
    match = state.md.linkify.match_at_start(text)
    if not match or len(match.url) == MAX_ADDRESS_LENGTH:
        return False
    address = match.url.rstrip("*")  # these may end an emphasis
    target = state.md.normalizeLink(address)
    if not state.md.validateLink(target):
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme[1])]
        _push_link(state, target, state.md.normalizeLinkText(address))
    state.pos = start + len(address)
    return True


def _push_link(state: "StateInline", target: str, text: str) -> None:
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": target}
    state.push("text", "", 0).content = text
    closing = state.push("link_close", "a", -1)
    for token in (opening, closing):
        token.markup, token.info = "linkify", "auto"


__all__ = ["ResolveImage", "ResolvedImage", "render"]

_UNTITLED = "section"
_MAX_QUOTED = 20_000
_TEXT = frozenset({"text", "code_inline", "image"})
_RAW = frozenset({"html_inline", "html_block"})
_RAW_ADDRESS = re.compile(r"""\s(?:src|href|poster)\s*=\s*(["'])(.*?)\1""")
_HAS_RAW = "has_raw_html"
_ALONE = (["image"], ["link_open", "image", "link_close"])


def render(
    text: str,
    *,
    resolve_image: ResolveImage | None = None,
    typographer: bool = False,
    footnote_prefix: str = "",
    report: ReportDropped | None = None,
) -> str:
    """Return the text as sanitised HTML; thread-safe.

    Headings get an `id` from their text, unique in it. An image alone in a paragraph becomes a figure, its title
    the caption. Media addresses go through `resolve_image` (see `resolve_media`), those in raw HTML too. Bare
    `http(s)://` addresses become links. `footnote_prefix` keeps footnotes of several texts on one page apart.
    `report` is called for markup that was removed.
    """
    env: dict[str, Any] = {"docId": footnote_prefix} if footnote_prefix else {}
    html = _parser(typographer, _idle_rules(text)).render(text, env)
    clean = None if _HAS_RAW in env else canonical(html)
    return resolve_media(sanitize(html, report) if clean is None else clean, resolve_image)


def addresses(text: str) -> frozenset[str]:
    """Return the addresses of links and images in the text, those in raw HTML included."""
    tokens = _parser(typographer=False, idle=_idle_rules(text)).parse(text, {})
    inner = [child for token in tokens for child in (token, *(token.children or ()))]
    raw = (found[2] for token in inner if token.type in _RAW for found in _RAW_ADDRESS.finditer(token.content))
    return frozenset((*(str(token.attrs.get("href") or token.attrs.get("src")) for token in inner), *raw))


_RULES_OF_SIGNS: Sequence[tuple[re.Pattern[str], tuple[str, ...]]] = (
    (re.compile(r"\|"), ("table",)),
    (re.compile(r"<"), ("html_block", "autolink", "html_inline")),
    (re.compile(r">"), ("blockquote",)),
    (re.compile(r"```|~~~"), ("fence",)),
    (re.compile(r"([*_-])\s*\1\s*\1"), ("hr",)),
    (re.compile(r"[=-]\s*(?:[\r\n]|\Z)"), ("lheading",)),
    (re.compile(r"\]:"), ("reference",)),
    (re.compile(r"\^\[|\[\^"), ("footnote_def", "footnote_inline", "footnote_ref")),
    (re.compile(r"[*_]"), ("emphasis",)),
    (re.compile(r"://"), ("linkify",)),
    (re.compile(r"[\\&]|~~|!\["), ("escape", "entity", "strikethrough", "image")),
)
"""Signs without which a text has nothing that these rules of the parser match."""


def _idle_rules(text: str) -> tuple[str, ...]:
    """Return the rules that match nothing in the text. The parser would try each on every line, half of its time."""
    return tuple([name for signs, names in _RULES_OF_SIGNS if not signs.search(text) for name in names])


@lru_cache(128)
def _parser(typographer: bool, idle: tuple[str, ...]) -> "MarkdownIt":
    """Return a parser without the idle rules."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"linkify": True, "typographer": typographer})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.at("linkify", link_bare_address)
    parser.inline.ruler.enable("linkify")  # not the rule of the same name in core: it guesses, and costs more
    links: Any = parser.linkify
    for prefix in ("ftp:", "//", "mailto:"):
        links.add(prefix, None)
    if typographer:
        parser.enable(["replacements", "smartquotes"])
        parser.core.ruler.at("smartquotes", _curl_quotes)
    parser.use(footnote_plugin)
    parser.core.ruler.push("sitecms", _shape)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    parser.disable(idle)
    return parser


def _curl_quotes(state: "StateCore") -> None:
    """Make straight quotes typographic, except in very long paragraphs, since this takes quadratic time."""
    from markdown_it.rules_core import smartquotes

    every = state.tokens
    state.tokens = [token for token in every if token.type != "inline" or len(token.content) <= _MAX_QUOTED]
    smartquotes(state)
    state.tokens = every


def _shape(state: "StateCore") -> None:
    """Add heading ids, figures, and tables with their alignment, in one walk over the tokens."""
    numbers: dict[str, int] = {}
    for place, token in enumerate(state.tokens):
        if token.tag == "h1" and token.type in ("heading_open", "heading_close"):
            token.tag = "h2"  # the page's title is the one h1
        if token.type == "heading_open":
            token.attrSet("id", _unique(_slug(state.tokens[place + 1].children or []), numbers))
        elif token.type == "paragraph_open" and not token.hidden:
            _figure(*state.tokens[place : place + 3])
        elif token.type == "table_open":
            token.attrSet("tabindex", "0")  # it may be scrolled where it is too wide, by keyboard as well
        elif token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrJoin("class", str(style).replace("text-align:", "align-"))


def _slug(children: "Sequence[Token]") -> str:
    return slugify("".join(child.content for child in children if child.type in _TEXT)) or _UNTITLED


def _unique(slug: str, numbers: dict[str, int]) -> str:
    """Return the slug, or the first of `slug-2`, `slug-3`, ... that is free; `numbers` holds the last one tried."""
    candidate = slug
    while candidate in numbers:
        numbers[slug] += 1
        candidate = numbered(slug, numbers[slug])
    numbers[candidate] = 1
    return candidate


def _figure(opening: "Token", inline: "Token", closing: "Token") -> None:
    """Turn a paragraph of one image, linked or not, into a figure."""
    from markdown_it.token import Token

    children = inline.children or []
    if [child.type for child in children] not in _ALONE:
        return
    opening.tag = closing.tag = "figure"
    image = next(child for child in children if child.type == "image")
    if title := image.attrs.pop("title", ""):
        children.append(Token("figcaption", "", 0, content=str(title)))


def _fence(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    words = tokens[place].info.split(maxsplit=1)
    return code_block(tokens[place].content, words[0] if words else "")


def _code_block(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return code_block(tokens[place].content)


def _raw(_: object, tokens: "Sequence[Token]", place: int, _options: object, env: dict[str, Any]) -> str:
    env[_HAS_RAW] = True
    return tokens[place].content


def _figcaption(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return f"<figcaption>{escape(tokens[place].content)}</figcaption>"


def _footnotes_open(*_: object) -> str:
    return '<section class="footnotes">\n<ol class="footnotes-list">\n'


def _footnote_caption(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return f"[{tokens[place].meta['id'] + 1}]"


_RULES: dict[str, Callable[..., str]] = {
    "fence": _fence,
    "code_block": _code_block,
    "html_block": _raw,
    "html_inline": _raw,
    "figcaption": _figcaption,
    "footnote_block_open": _footnotes_open,
    "footnote_caption": _footnote_caption,
}
