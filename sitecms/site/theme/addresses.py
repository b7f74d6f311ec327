"""Addresses that HTML contains: put below the path of the site, and resolved where a text leaves its own page.

Stored HTML is sanitised: tags are in lower case, and each attribute is ` name="value"`. Within elements that only
trusted HTML may have, such as `<noscript>` and `<svg>`, tags are as their author wrote them.
"""

import re
from collections.abc import Callable
from functools import partial
from html import escape, unescape

from sitecms.content.addresses import composed_address
from sitecms.content.text.allowed_html import allowed_url
from sitecms.content.text.media_links import replace_in_srcset
from sitecms.content.text.slug import composed
from sitecms.web_address import join_address

ChangeAddress = Callable[[str], str]
"""Returns the address that replaces another one."""
# Spans are left out: highlighted code has many, and no address in them.
TAG_WITH_ADDRESS = re.compile(r'<(?:/?picture>|style\b[^>]*>[^<]*|(?!span class="[^"]*">)[a-zA-Z][a-zA-Z0-9]*\s[^>]*>)')
_ONE = frozenset({
    "action", "background", "cite", "codebase", "data", "formaction", "href", "longdesc", "poster", "src", "xlink:href",
})  # fmt: skip
"""Attributes that hold one address (HTML standard, index of attributes, obsolete ones included)."""
_CANDIDATES = frozenset({"imagesrcset", "srcset"})
_LINKS = ("<a", "<area")
_NAMES = "|".join((*sorted(_ONE | _CANDIDATES), "content", "ping", "style"))
_HAS_ADDRESS = re.compile(rf"<style|\s(?:{_NAMES})\s*=", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(\s)([^\s="'>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_IN_STYLE = re.compile(r"""(url\(\s*)("[^"]*"|'[^']*'|[^"'()\s]*)""", re.IGNORECASE)
_ON_SITE = re.compile(r' (href|src|poster|cite|id)="(?![a-zA-Z][a-zA-Z0-9+.-]*:|//)([^"?]*)')
_IS_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_REFRESH = re.compile(r"""(\s*[\d.]+\s*[;,]\s*url\s*=\s*["']?)([^"']*)(["']?\s*)""", re.IGNORECASE)


def rooted_address(url: str, prefix: str) -> str:
    """Return the address with `prefix` before it if it starts at the root of the host."""
    return prefix + url if url.startswith("/") and not url.startswith("//") else url


def link_address(url: str, prefix: str) -> str:
    """Return an address that people wrote, with the prefix; "" if links may not have it, such as `javascript:`."""
    if allowed_url(url) is None:
        return ""
    return rooted_address(url if _IS_ELSEWHERE.match(url) else composed_address(url), prefix)


def with_composed_addresses(html: str) -> str:
    """Return stored HTML with its ids and addresses within the site composed, as slugs and files of the site are."""
    return html if html.isascii() and "%" not in html else _ON_SITE.sub(_composed_attribute, html)


def _composed_attribute(match: re.Match[str]) -> str:
    name, value = match[1], match[2]
    return f' {name}="{composed(value) if name == "id" else composed_address(value)}'


def rooted_tag(tag: str, prefix: str) -> str:
    """Return a tag with `prefix` before each of its addresses that starts at the root of the host."""
    return change_addresses_of_tag(tag, lambda address: rooted_address(address, prefix))


def resolved(html: str, page_url: str, prefix: str = "") -> str:
    """Return stored HTML for another place than its own page: each address resolved against `page_url`.

    `prefix` is the path of the site, which addresses that start at the root do not have yet. `page_url` is absolute;
    that of a site without `url` starts at the root of the host, and so do the results.
    """

    def change(address: str) -> str:
        return join_address(page_url, rooted_address(address.strip(), prefix))

    html = with_composed_addresses(html)
    return TAG_WITH_ADDRESS.sub(lambda match: change_addresses_of_tag(match[0], change), html)


def absolute(text: str, site_url: str) -> str:
    """Return a root-relative address, or the HTML with all of its root-relative addresses, with scheme and host.

    The addresses already have the path of the site's `url`.
    """
    host = "/".join(site_url.split("/")[:3])
    if text.startswith("/"):
        return rooted_address(text, host)
    return TAG_WITH_ADDRESS.sub(lambda match: rooted_tag(match[0], host), text) if host else text


def addresses_in_css(css: str) -> tuple[str, ...]:
    """Return the addresses in the `url()` of some CSS."""
    return tuple(address for match in _IN_STYLE.finditer(css) if (address := match[2].strip("\"'").strip()))


def change_addresses_of_tag(tag: str, change: ChangeAddress) -> str:
    """Return a start tag with its addresses changed; `<style>` with its text.

    An address that is a fragment alone names a part of the same drawing, unless it is that of a link.
    """
    if _HAS_ADDRESS.search(tag) is None:
        return tag
    if tag[:6].lower() == "<style":
        return _changed_style(tag, change)
    is_link = tag.split(None, 1)[0].lower() in _LINKS
    return _ATTRIBUTE.sub(partial(_changed_attribute, change if is_link else partial(_unless_fragment, change)), tag)


def _unless_fragment(change: ChangeAddress, address: str) -> str:
    return address if address.startswith("#") else change(address)


def _changed_attribute(change: ChangeAddress, match: re.Match[str]) -> str:
    space, name, *values = match.groups()
    written = next(value for value in values if value is not None)
    value = unescape(written) if "&" in written else written
    changed = _changed_value(name.lower(), value, change)
    return match[0] if changed == value else f'{space}{name}="{escape(changed)}"'


def _changed_value(name: str, value: str, change: ChangeAddress) -> str:
    if name in _ONE:
        return change(value)
    if name in _CANDIDATES:
        return replace_in_srcset(value, change)
    if name == "ping":
        return " ".join(map(change, value.split()))
    if name == "style":
        return _changed_style(value, change)
    if name == "content" and (refresh := _REFRESH.fullmatch(value)):
        return refresh[1] + change(refresh[2]) + refresh[3]
    return value


def _changed_style(css: str, change: ChangeAddress) -> str:
    """Return rules or declarations of CSS with the addresses in `url()` changed."""

    def changed(match: re.Match[str]) -> str:
        quote = match[2][:1] if match[2][:1] in ('"', "'") else ""
        return match[1] + quote + _unless_fragment(change, match[2].strip(quote) if quote else match[2]) + quote

    return _IN_STYLE.sub(changed, css)
