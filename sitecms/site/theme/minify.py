"""Stylesheets without comments and spare white space; every token stays as it was written.

Nothing is reordered, merged or shortened, so that what a browser makes of the result is what it made of the text.
"""

import re

_TOKENS = re.compile(
    r"""
      (?P<kept>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'   # text in quotes
        |\\(?:[0-9a-fA-F]{1,6}\s?|[\s\S])                          # an escape, with the blank that ends it
        |(?i:url)\(\s*(?!["'\s])[^)"'(]*\)                         # an address without quotes
        |/\*![\s\S]*?\*/)                                          # a licence
    | (?P<comment>/\*[\s\S]*?\*/)
    | (?P<space>\s+)
    | (?P<sign>[{}();:,])
    | (?P<text>(?:[^"'\\/\s{}();:,u]|u(?!rl\()|/(?!\*))+|(?i:u)rl)
    """,
    re.VERBOSE,
)
_NO_SPACE_AFTER = frozenset("{};,(:")
_NO_SPACE_BEFORE = frozenset("{};,)")


def minified_css(css: str) -> str:
    """The stylesheet, smaller; as it is where it cannot be read to its end."""
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
