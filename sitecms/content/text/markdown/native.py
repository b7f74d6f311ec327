"""Texts of plain CommonMark, which pyromark (pulldown-cmark, in Rust) renders in a hundredth of the parser's time.

markdown-it-py is the parser whose output counts. A text is rendered natively only if all of it is in a subset in which
both give equal HTML: paragraphs, headings, lists, quotes and fenced code, with emphasis, code spans, links and images
in their usual form. The subset was found by comparing both with millions of random texts and a thousand real ones;
`tests/content/text/test_native.py` goes on comparing. A fifth of the posts and documents of nine public sites is in it:
most others have raw HTML, tables, definitions of links or bare addresses.
"""

import re
from html import unescape

from sitecms.content.text.markdown.code import code_block
from sitecms.content.text.markdown.extensions import Extensions, needed
from sitecms.content.text.markdown.shape import heading_slug
from sitecms.content.text.slug import unique_in

_FENCED = re.compile(r"\n``` ?[a-zA-Z0-9+#._-]*+\n(?:(?! {0,3}```).*\n)*?``` *+(?=\n)")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_ADDRESS = (
    r"(?:(?:https?://[a-z0-9][a-z0-9.-]*+(?::\d+)?(?=[/?#)])|mailto:|/(?!/)|#)"
    r"(?:[A-Za-z0-9_.~/?=+,;:@!$#-]|%[0-9A-F]{2})*+|[A-Za-z0-9_.-][A-Za-z0-9_./-]*+(?:#[A-Za-z0-9_.-]*+)?)"
)
_LINK = re.compile(rf"!?\[([^\[\]\n*_!^]++)\]\({_ADDRESS}\)")  # its text is examined as all other text is
_OUTSIDE_SIGNS = ("<", "\\", "|", "~", "`", "[^", "]:", "](", "][", "![", "://")
"""Signs of raw HTML, escapes, tables, footnotes, definitions, bare addresses, and links in other forms."""
_ENTITY = re.compile(r"&#?\w++;")
_OUTSIDE_LINE = re.compile(
    r"\n(?: *+(?:[-+*>]|\d{1,9}[.)]) *+(?:>|(?:[-+*]|\d{1,9}[.)])(?: |(?=\n))|(?=\n))"  # empty items, markers in a row
    r"| {4,}+(?:[#>=_]|(?:[-*] *+){3,}(?=\n))| {13})"  # blocks that a list may or may not contain
)
_QUOTE = re.compile(r"\n *+>")
_BLOCK = re.compile(
    r"<(?:h([1-6])>(.*?)</h\1>|pre><code(?: class=\"language-([^\"]*+)\")?>([^<]*+)</code></pre>\n?"
    r"|p>(<img [^>]*+>)</p>|(blockquote>\n</blockquote>))",
    re.S,
)
_ALT = re.compile(r"<img src=\"[^\"]*+\" alt=\"([^\"]*+)\" />")
_TAG = re.compile(r"<[^>]*+>|\n")


def render_natively(text: str, extensions: Extensions) -> str | None:
    """Return the HTML that the parser with these extensions gives, not yet sanitised; None outside the subset.

    Quotation marks in the text are not escaped, as sanitised HTML has them.
    """
    if not _is_plain(f"\n{text}\n", extensions):
        return None
    import pyromark

    numbers: dict[str, int] = {}

    def shaped(match: re.Match[str]) -> str:
        """Return a heading with its id, highlighted code or a figure, as `shape` and `code` make them."""
        level, heading, language, code, image, _empty_quote = match.groups()
        if level:
            own = heading_slug(unescape(_TAG.sub("", _ALT.sub(r"\1", heading))))
            tag = f"h{max(2, int(level))}"  # the page's title is the one h1
            return f'<{tag} id="{unique_in(numbers, own)}">{heading}</{tag}>'
        if code is not None:
            return code_block(unescape(code), unescape(language or ""))
        return f"<figure>{image}</figure>" if image else "<blockquote></blockquote>"

    return _BLOCK.sub(shaped, pyromark.html(text if text.endswith("\n") else f"{text}\n"))


def _is_plain(lines: str, extensions: Extensions) -> bool:
    """Return whether a text is in the subset; `lines` begin and end with a line break."""
    if "^[" in lines:
        return False
    unfenced = _FENCED.sub("\n", lines) if "`" in lines else lines
    if needed(unfenced, extensions):  # also with a sign in a code span or an address, where marks may end
        return False
    prose = _CODE_SPAN.sub("x", unfenced)
    if "](" in prose:
        prose = _LINK.sub(r"\1", prose)
    for sign in _OUTSIDE_SIGNS:
        if sign in prose:
            return False
    return (
        prose.replace("\n", "").isprintable()  # no tabs, control characters and odd spaces
        and not ("&" in prose and _ENTITY.search(prose))
        and not _OUTSIDE_LINE.search(prose)
        and not (">" in prose and "\n    " in prose and _QUOTE.search(prose))
    )
