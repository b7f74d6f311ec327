"""HTML that the owner of a site trusts: forms, styles, frames, scripts and drawings of files, kept as they are written.

They are taken out before the text is sanitised, and put back afterwards; everything else is sanitised as always.
"""

import re
from html import escape

from sitecms.content.text.html import sanitize
from sitecms.content.text.inline_styles import split_attribute
from sitecms.content.text.nesting import ATTRIBUTES, TOKEN
from sitecms.content.text.removed_markup import Dropped, ReportDropped

_WHOLE = frozenset({"iframe", "noscript", "object", "script", "select", "style", "svg", "template", "textarea"})
"""Elements that are kept with all that stands in them."""
_TAGS = frozenset(
    {
        "button", "canvas", "datalist", "dialog", "embed", "fieldset", "form", "input", "label", "legend", "meter",
        "optgroup", "option", "output", "progress",
    }
)  # fmt: skip
"""Elements whose tags are kept; what stands in them is sanitised."""
TRUSTED_TAGS = _WHOLE | _TAGS
_STYLE = "data-trusted-style"
_MARK = "trusted-html-"
_KEPT_IN_MESSAGE = re.compile(rf"<(?:{'|'.join(sorted(TRUSTED_TAGS))})>")
_STYLES = "Styles of"
REMEDY = "to keep it, set trust_html = true under [content] in site.toml"


def sanitize_trusted(html: str, report: ReportDropped | None = None) -> str:
    """Return the HTML with its trusted elements and `style` attributes, and the allowed part of the rest."""
    mark = _MARK
    while mark in html:
        mark += _MARK
    kept: list[str] = []
    parts: list[str] = []
    position = 0
    while match := TOKEN.search(html, position):
        parts.append(html[position : match.start()])
        position = match.end()
        name = (match[2] or "").lower()
        if name in _WHOLE and not match[1]:
            end = _end_of(html, position, name)
            kept.append(_start_tag(name, match[3]) + html[position:end])
            parts.append(f"{mark}{len(kept) - 1}.")
            position = end
        elif name in _TAGS:
            kept.append(f"</{name}>" if match[1] else _start_tag(name, match[3]))
            parts.append(f"{mark}{len(kept) - 1}.")
        elif name and not match[1] and "style" in match[3].lower():
            parts.append(_with_marked_style(name, match[3]))
        else:
            parts.append(match[0])
    clean = sanitize("".join((*parts, html[position:])), report)
    clean = clean.replace(f" {_STYLE}=", " style=")
    return re.sub(rf"{mark}(\d+)\.", lambda found: kept[int(found[1])], clean)


def keeps(dropped: Dropped) -> bool:
    """Return whether `sanitize_trusted` would have kept the markup."""
    return dropped.message.startswith(_STYLES) or _KEPT_IN_MESSAGE.search(dropped.message) is not None


def _end_of(html: str, position: int, name: str) -> int:
    """Return the position behind the end tag of an element, or of the text."""
    found = re.compile(rf"</{name}\s*>", re.I).search(html, position)
    return found.end() if found else len(html)


def _attributes(written: str) -> list[tuple[str, str]]:
    return [split_attribute(each) for each in ATTRIBUTES.findall(written)]


def _start_tag(name: str, written: str) -> str:
    """Return the tag as other code finds it: names in lower case, values in double quotes without `<` and `>`."""
    return f"<{name}{''.join(_written(key, value) for key, value in _attributes(written))}>"


def _with_marked_style(name: str, written: str) -> str:
    marked = ((_STYLE if key == "style" else key, value) for key, value in _attributes(written))
    return f"<{name}{''.join(_written(key, value) for key, value in marked)}>"


def _written(key: str, value: str) -> str:
    return f' {key}="{escape(value)}"'
