"""HTML that the Markdown parser made of text without raw HTML: safe without being parsed once more.

The parser balances its tags and escapes its text. The author has a say in addresses, titles, ids and names of
languages alone. Where each of them is plain, `sanitize` would change nothing but the writing of a few characters, and
takes ten times as long. `tests/content/text/test_rendered_html.py` compares both.
"""

import re

_UNFIT = r"\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff"
_VALUE = rf"(?:[^\"<>&{_UNFIT}]|&(?:amp|lt|gt|quot);){{0,999}}+"
_PATH = r"(?:[a-zA-Z0-9_.~/?=+,;:@%()!*$#-]|&amp;){0,999}+"
_HOST = r"[a-z0-9]++(?:[.-][a-z0-9]++){0,9}\.[a-z]{2,20}+(?=[/\"])"
_ADDRESS = rf"(?:https?://{_HOST}|/(?!/)|\#|media/|mailto:(?=[a-z]))" + _PATH
_TITLE = rf"(?: title=\"{_VALUE}\")?+"
_IN_LINKS = (
    rf"[^<>&{_UNFIT}]++|&(?:amp|lt|gt|quot|\#39);|</?(?:em|strong|s|code)>|<br />"
    rf"|<img src=\"{_ADDRESS}\" alt=\"{_VALUE}\"{_TITLE} />"
)
_PLAIN = re.compile(
    rf"(?:{_IN_LINKS}|<a href=\"{_ADDRESS}\"{_TITLE}>(?:{_IN_LINKS})*+</a>"
    r"|</?(?:p|ul|ol|li|blockquote|figure|figcaption|thead|tbody|tr|th|td)>|<h[1-6](?: id=\"[^\W_][\w-]*+\")?+>"
    r"|</(?:h[1-6]|pre|div|table|span)>|<hr />|<ol start=\"\d{1,9}+\">|<table tabindex=\"0\">"
    r"|<t[hd] class=\"align-(?:left|center|right)\">|<div class=\"highlight\">|<pre tabindex=\"0\">"
    r"|<code class=\"language-[\w+.\#-]{1,99}+\">|<span(?: class=\"[a-z0-9 ]{1,99}+\")?+>)*+"
)
_NESTED = re.compile("<(?:em|strong|s)>")
_MAX_NESTED = 150
"""The parser limits the nesting of all other tags to 20."""


def canonical(html: str) -> str | None:
    """Return what `sanitize` returns for the parser's output without raw HTML; None if `sanitize` must be called."""
    if not _PLAIN.fullmatch(html) or len(_NESTED.findall(html)) > _MAX_NESTED:
        return None
    html = html.replace(" />", ">").replace("\xa0", "&nbsp;")
    if "&quot;" not in html and "&#39;" not in html:
        return html
    before, *parts = html.split("<")
    return "<".join((_unquoted(before), *(_rewritten(part) if "&" in part else part for part in parts)))


def _rewritten(part: str) -> str:
    """Return the rest of a tag and the text behind it, with quotation marks written plainly in the text."""
    tag, _, text = part.partition(">")
    return f"{tag}>{_unquoted(text)}"


def _unquoted(text: str) -> str:
    return text.replace("&quot;", '"').replace("&#39;", "'")
