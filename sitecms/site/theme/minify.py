"""Removes comments and spare white space from stylesheets; every other token stays as it was written.

Nothing is reordered, merged or rewritten, so that the result means what the text means. The packages from PyPI were
compared on the theme's stylesheet (22,453 bytes; 18,890 here, 5,511 with gzip) and on modern CSS:

- rcssmin 1.3: 18,802 bytes; turns `a :hover` inside `@layer`, `@container` or another rule into `a:hover`.
- csscompressor 0.9: 18,733 bytes; turns `& :hover` into `&:hover`, and has had no release since 2017.
- tdewolff-minify 2.24: 18,771 bytes; turns `a/**/b` into `ab`, and fails on text without an end.
- lightningcss 0.3: 18,716 bytes, 5,498 with gzip; correct, but 12 MB installed for 13 bytes of each transfer, and it
  reorders declarations and computes colours, so that an owner does not find the rules again.
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
