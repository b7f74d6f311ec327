"""Stylesheets of the theme: the files that they name, and their minified text.

Stylesheets are minified by removing comments and unneeded white space; every other token stays, nothing is reordered
or merged, so the meaning stays. The packages from PyPI were compared on the theme's stylesheet (22,453 bytes; 18,890
here, 5,511 with gzip) and on modern CSS:

- rcssmin 1.3: 18,802 bytes; turns `a :hover` inside `@layer`, `@container` or another rule into `a:hover`.
- csscompressor 0.9: 18,733 bytes; turns `& :hover` into `&:hover`, and has had no release since 2017.
- tdewolff-minify 2.24: 18,771 bytes; turns `a/**/b` into `ab`, and fails on text without an end.
- lightningcss 0.3: 18,716 bytes, 5,498 with gzip; correct, but 12 MB installed for 13 bytes of each transfer, and it
  reorders declarations and computes colours, so that an owner does not find the rules again.
"""

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

from msgspec import Struct

from sitecms.errors import ConfigurationError
from sitecms.site.theme.addresses import rooted_address
from sitecms.site.theme.template_source import use_of
from sitecms.site.theme.theme import Theme

ASSETS = "/assets/"
_ICON = "favicon_url"
"""The variable by which templates name the icon of the site."""
_TOKENS = re.compile(
    r"""
      (?P<kept>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'   # text in quotes
        |\\(?:[0-9a-fA-F]{1,6}\s?|[\s\S])                          # an escape, with the blank that ends it
        |(?i:url)\(\s*(?!["'\s])[^)"'(]*\)                         # an address without quotes
        |/\*![\s\S]*?\*/)                                          # a licence
    | (?P<comment>/\*[\s\S]*?\*/)
    | (?P<space>\s+)
    | (?P<sign>[{}();:,>])
    | (?P<text>(?:[^"'\\/\s{}();:,>u]|u(?!rl\()|/(?!\*))+|(?i:u)rl)
    """,
    re.VERBOSE,
)
_NO_SPACE_AFTER = frozenset("{};,(:>")
_NO_SPACE_BEFORE = frozenset("{};,)>")
_CSS_URL = re.compile(
    r"""(?:url\(\s*["']?|(?P<import>@import\s+)["'])(?P<name>[^"')?#:;]+)(?P<rest>[?#][^"')]*)?(?:["'](?!\s*\))|["']?\s*\))""",
    re.IGNORECASE,
)
_NEEDS_QUOTES = re.compile(r"[\s()']")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


class MissingFile(Struct, frozen=True):
    """A file that a stylesheet of the site names and the site does not have; `sheet` is the name of the stylesheet."""

    sheet: str
    line: int
    written: str


def in_order(theme: Theme) -> tuple[str, ...]:
    """Return the names of all assets, each stylesheet after those that it names.

    Raises ConfigurationError for stylesheets that name one another.
    """
    sheets = [name for name in sorted(theme.assets) if name.endswith(".css")]
    by_name = {}
    for sheet in sheets:
        targets = {_target(sheet, match["name"]) for match in _CSS_URL.finditer(_text(theme, sheet))}
        by_name[sheet] = [other for other in sheets if other in targets]
    try:
        ordered = tuple(TopologicalSorter(by_name).static_order())
    except CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise ConfigurationError(f"Stylesheets name one another in a circle: {circle}. Take one url() out.") from error
    return (*(name for name in sorted(theme.assets) if name not in by_name), *ordered)


def published(theme: Theme) -> tuple[str, ...]:
    """Return the names of the assets that the site publishes, in the order of `in_order`.

    Those are all of the site itself. Of its themes those that templates of outputs name, and what these stylesheets
    name in turn: a theme whose templates are replaced has files that no page asks for.
    """
    uses = [use_of(theme.sources[name]) for name in theme.pages if name in theme.sources]
    ordered = in_order(theme)
    if any(use.assets is None for use in uses):
        return ordered
    waiting = [name for use in uses for name in use.assets or ()]
    waiting += [name for name in ordered if not theme.is_of_theme(theme.assets[name])]
    if any(_ICON in theme.sources[name] for name in theme.pages if name in theme.sources):
        waiting.append(theme.options.favicon)
    names: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in names and name in theme.assets:
            names.add(name)
            if name.endswith(".css"):
                waiting += [_target(name, match["name"]) for match in _CSS_URL.finditer(_text(theme, name))]
    return tuple(name for name in ordered if name in names)


def with_final_names(data: bytes, name: str, urls: Mapping[str, str], base_path: str) -> bytes:
    """Return a stylesheet in which the files that it names have their addresses on the site.

    `urls` are the addresses of assets by name. Other addresses that start at the root get the path of the site.
    """

    def final(match: re.Match[str]) -> str:
        written, target = match["name"].strip(), _target(name, match["name"])
        address = urls[target] if target in urls else rooted_address(written, base_path)
        if address == written:
            return match[0]
        address += (match["rest"] or "").rstrip()
        quote = '"' if _NEEDS_QUOTES.search(address) else ""
        return f"{match['import'] or ''}url({quote}{address}{quote})"

    return _CSS_URL.sub(final, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def missing_files(theme: Theme, outputs: Set[str]) -> Iterator[MissingFile]:
    """Yield the files that the theme's stylesheets name and the site does not have. `outputs`: paths of all files."""
    for sheet in (name for name in theme.assets if name.endswith(".css")):
        text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), _text(theme, sheet))
        for match in _CSS_URL.finditer(text):
            written = match["name"].strip()
            target = _target(sheet, written)
            path = target if target.startswith("/") else normpath(f"{ASSETS}{target}")
            if not written.startswith("//") and target not in theme.assets and path.lstrip("/") not in outputs:
                yield MissingFile(sheet, text.count("\n", 0, match.start()) + 1, written)


def _text(theme: Theme, sheet: str) -> str:
    return theme.asset_bytes(sheet).decode("utf-8", "surrogateescape")


def _target(sheet: str, written: str) -> str:
    """Return the name in the theme of a file that a stylesheet names; a path from the root of the site for others."""
    path = unquote(written.strip())
    return normpath(path.removeprefix(ASSETS) if path.startswith(ASSETS) else PurePosixPath(sheet).parent / path)


def minified(data: bytes) -> bytes:
    """Return the stylesheet minified."""
    return minified_css(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


@lru_cache(16)
def minified_css(css: str) -> str:
    """Return the stylesheet without comments and spare white space; unchanged if a token in it has no end."""
    out: list[str] = []
    apart = ""
    position = 0
    while position < len(css):
        match = _TOKENS.match(css, position)
        if match is None:
            return css
        position = match.end()
        token, kind = match[0], match.lastgroup
        if kind in ("comment", "space"):
            apart = " " if kind == "space" or apart == " " else "/**/"  # a comment parts names as a blank would not
            continue
        if apart and out and out[-1] not in _NO_SPACE_AFTER and token not in _NO_SPACE_BEFORE:
            out.append(apart)
        apart = ""
        if token == "}":  # noqa: S105 - a sign of CSS
            while out and out[-1] == ";":
                out.pop()
        out.append(token)
    return "".join(out)
