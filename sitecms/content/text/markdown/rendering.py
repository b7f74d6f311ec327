"""The parser with the rules that a text needs, and the rendering of its result as sanitised HTML."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown.additions import ADDITIONS, additions_of, use_marks
from sitecms.content.text.markdown.code import code_block
from sitecms.content.text.markdown.extensions import DEFAULT_EXTENSIONS, EXTENSIONS, TYPOGRAPHER, Extensions, needed
from sitecms.content.text.markdown.footnotes import use_footnotes
from sitecms.content.text.markdown.formulas import MACROS, STRICT_MATH, Macros
from sitecms.content.text.markdown.media_directives import arrange_galleries
from sitecms.content.text.markdown.problems import ReportProblem, with_problems
from sitecms.content.text.markdown.shape import OWN_ID, heading_words, shape
from sitecms.content.text.markdown.shortcodes import RENDER, SIGN, RenderShortcode, use_shortcodes
from sitecms.content.text.markdown.words import LANGUAGE
from sitecms.content.text.media_links import ResolveImage, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.plugins.site_plugins import MARKS, SitePlugins

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_NO_PLUGINS = SitePlugins()
HtmlCleaner: TypeAlias = Callable[[str, ReportDropped | None], str]
_SHORTCODES = "shortcodes"
_MAX_QUOTED = 20_000
_MAX_ADDRESS_LENGTH = 2_000
_ADDRESS_SIGN = "://"
_SCHEME = re.compile(r"(?:\A|[^a-z0-9.+-])(https?)\Z", re.I)
_SCHEME_LENGTH = len(" https")
_RAW = frozenset({"html_inline", "html_block"})
_RAW_ADDRESS = re.compile(r"""\s(?:src|href|poster)\s*=\s*(["'])(.*?)\1""")
_ADDRESSED = ("href", "src", "poster")


def render(
    text: str,
    *,
    resolve_image: ResolveImage | None = None,
    extensions: Extensions = DEFAULT_EXTENSIONS,
    plugins: SitePlugins = _NO_PLUGINS,
    macros: Macros | None = None,
    language: str = "en",
    footnote_prefix: str = "",
    report: ReportDropped | None = None,
    problem: ReportProblem | None = None,
    shortcode: RenderShortcode | None = None,
    clean: HtmlCleaner = sanitize,
) -> str:
    """Return the text as sanitised HTML; thread-safe.

    Headings get an `id` from their text, unique in it. An image alone in a paragraph becomes a figure, its title
    the caption. Media addresses go through `resolve_image` (see `resolve_media`), those in raw HTML too. Bare
    `http(s)://` addresses become links. `plugins` may add directives and marks. `macros` are own commands of formulas.
    `language` is the tag of words that an extension adds. `footnote_prefix` keeps footnotes of several texts on one
    page apart. `report` is called for markup that was removed, `problem` for errors and warnings. `shortcode` renders
    shortcodes; without it they are text. `clean` makes the HTML safe.
    Raises ConfigurationError if an extension needs a package that is not installed, PluginFailed without `problem`.
    """
    additions = additions_of(plugins)
    env: dict[str, Any] = {
        LANGUAGE: language,
        MACROS: macros,
        STRICT_MATH: STRICT_MATH in extensions,
        ADDITIONS: additions,
    }
    if footnote_prefix:
        env["docId"] = footnote_prefix
    with_problems(env, problem)
    wanted = needed(text, extensions)
    if shortcode is not None and SIGN in text:
        env[RENDER] = shortcode
        wanted |= {_SHORTCODES}
    if additions.marks_in(text):
        wanted |= {MARKS}
    html = _parser(wanted).render(text, env)
    return resolve_media(clean(html, report), resolve_image)


def addresses(text: str, extensions: Extensions = DEFAULT_EXTENSIONS) -> frozenset[str]:
    """Return the addresses of links and images, those in raw HTML and directives included."""
    tokens = _parser(needed(text, extensions)).parse(text, {ADDITIONS: additions_of(_NO_PLUGINS)})
    inner = [child for token in tokens for child in (token, *(token.children or ()))]
    raw = (found[2] for token in inner if token.type in _RAW for found in _RAW_ADDRESS.finditer(token.content))
    named = (str(token.attrs[name]) for token in inner for name in _ADDRESSED if name in token.attrs)
    return frozenset((*named, *raw))


class HeadingPlace(NamedTuple):
    """A heading of a Markdown text: its words, its id, whether the author gave the id, and the last line of its words.

    Lines are counted from 0.
    """

    words: str
    id: str
    has_own_id: bool
    last_line: int


def headings(text: str, extensions: Extensions = DEFAULT_EXTENSIONS) -> tuple[HeadingPlace, ...]:
    """Return the headings of a text that are written in Markdown, in their order."""
    tokens = _parser(needed(text, extensions)).parse(text, {ADDITIONS: additions_of(_NO_PLUGINS)})
    found = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.map and not opening.hidden:
            is_underlined = opening.markup in ("=", "-")
            has_own_id = OWN_ID in opening.meta
            words, last = heading_words(inline), opening.map[1] - 1 - is_underlined
            found.append(HeadingPlace(words, str(opening.attrs["id"]), has_own_id, last))
    return tuple(found)


@lru_cache(256)
def _parser(extensions: frozenset[str]) -> "MarkdownIt":
    """Return a parser with the extensions."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"linkify": True, TYPOGRAPHER: TYPOGRAPHER in extensions})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.at("linkify", _link_bare_address)
    parser.inline.ruler.enable("linkify")  # not the rule of the same name in core: it guesses, and costs more
    links: Any = parser.linkify
    for prefix in ("ftp:", "//", "mailto:"):
        links.add(prefix, None)
    if TYPOGRAPHER in extensions:
        parser.enable(["replacements", "smartquotes"])
        parser.core.ruler.at("smartquotes", _curl_quotes)
    use_footnotes(parser)
    for name, extension in EXTENSIONS.items():
        if name in extensions:
            extension.use(parser)
    if "directives" in extensions:
        parser.core.ruler.push("galleries", arrange_galleries)
    if MARKS in extensions:
        use_marks(parser)
    if _SHORTCODES in extensions:
        use_shortcodes(parser)
    parser.core.ruler.push("sitecms", shape)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _link_bare_address(state: "StateInline", silent: bool) -> bool:
    """Make a link of the address at the current position. Addresses longer than _MAX_ADDRESS_LENGTH stay text.

    The parser's own rule reads the whole text before and behind each `://`, which takes quadratic time.
    """
    if state.linkLevel > 0 or not state.src.startswith(_ADDRESS_SIGN, state.pos):
        return False
    scheme = _SCHEME.search(state.pending[-_SCHEME_LENGTH:])
    if scheme is None or state.md.linkify is None:
        return False
    start = state.pos - len(scheme[1])
    text = state.src[start : start + _MAX_ADDRESS_LENGTH]
    match = state.md.linkify.match_at_start(text)
    if not match or len(match.url) == _MAX_ADDRESS_LENGTH:
        return False
    address = match.url.rstrip("*")  # asterisks may end an emphasis
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


def _curl_quotes(state: "StateCore") -> None:
    """Make straight quotes typographic, except in very long paragraphs, since this takes quadratic time."""
    from markdown_it.rules_core import smartquotes

    every = state.tokens
    state.tokens = [token for token in every if token.type != "inline" or len(token.content) <= _MAX_QUOTED]
    smartquotes(state)
    state.tokens = every


def _fence(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return code_block(tokens[place].content, tokens[place].info)


def _code_block(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return code_block(tokens[place].content)


def _raw(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return tokens[place].content


def _figcaption(_: object, tokens: "Sequence[Token]", place: int, *__: Any) -> str:
    return f"<figcaption>{escape(tokens[place].content)}</figcaption>"


_RULES: dict[str, Callable[..., str]] = {
    "fence": _fence,
    "code_block": _code_block,
    "html_block": _raw,
    "html_inline": _raw,
    "formula": _raw,
    "formula_block": _raw,
    "figcaption": _figcaption,
}
