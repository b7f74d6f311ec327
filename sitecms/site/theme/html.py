"""Processing of stored HTML on its way from the store to the page: all steps, in their order.

1. `rewrite`, when a view of it is made: images get their variants, ids stay unique on the page, and addresses get the
   path of the site. One pass over the tags.
2. The filter `outline`, if the template uses it: headings get ids. One pass over the headings.

A text for another place than its own page, as in feeds, is `resolved` instead (`addresses.py`).

Stored HTML is sanitised: tags are in lower case, and each attribute is ` name="value"`, whose value holds neither `"`
nor `>`. So a regular expression finds the tags, and the rest of the text stays as it is, to the byte.
"""

import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import Annotated
from urllib.parse import unquote

from markupsafe import Markup
from msgspec import Struct, field

from sitecms.content.text.html import plain_text
from sitecms.content.text.inline_styles import RATIOS
from sitecms.content.text.slug import slugify, unique_in
from sitecms.site.theme.addresses import TAG_WITH_ADDRESS, rooted_tag, with_composed_addresses

ImageTag = Callable[[Mapping[str, str]], str | None]
"""Returns the HTML that replaces an image with these attributes; None leaves the image as it is."""
# Each finds the tags that one kind of rewrite changes, and <picture>.
_IMAGE = re.compile(r"<(?:/?picture>|(?:picture|img|iframe) [^>]*>)")
_TAG = re.compile(r"<(?:/?picture>|[a-z][a-z0-9]* [^>]*>)")
_ATTRIBUTE = re.compile(r' ([^\s="]+)="([^"]*)"')
_RATIO_TOLERANCE = 0.02
_LEAST_FRAME = 400
"""Width of a frame that phones have no room for; a smaller one stays: the class makes it as wide as its column."""
_LAZY = {"loading": "lazy", "decoding": "async"}
_ID = re.compile(r'(\sid=")([^"]*)')
_FRAGMENT = re.compile(r'(\shref="#)([^"]*)')
_HEADING = re.compile(r"<(h[23])((?: [^>]*)?)>(.*?)</\1>", re.DOTALL)
_TAG_WITH_ID = re.compile(r'(<[a-z][^>]*?) id="([^"]*)"')
_OWN_ID = re.compile(r' id="([^"]+)"')
_UNTITLED = "section"


def rewrite(html: str, *, image: ImageTag | None = None, prefix: str = "", number: int = 1) -> str:
    """Return the HTML as a page shows it.

    Ids and addresses within the site are in composed form, as slugs and files of the site are. `image` replaces images
    outside of a <picture>; with it all images load lazily, and frames of a usual ratio keep it however wide they are.
    `prefix` is put before addresses that start at the root of the host. `number` is that of the text on its page: from
    the second on, ids and the links to them start with the number and a dot, which no id of a heading has.
    """
    html = with_composed_addresses(html)
    has_images = image is not None and ("<img" in html or "<iframe" in html)
    ids = frozenset(name for tag in _TAG.findall(html) for _, name in _ID.findall(tag)) if number > 1 else frozenset()
    if not (has_images or prefix or ids):
        return html
    is_in_picture = False

    def rewritten(match: re.Match[str]) -> str:
        nonlocal is_in_picture
        tag = match[0]
        if has_images and tag.startswith("<iframe "):
            tag = _frame_with_ratio(tag)
        elif has_images and tag.startswith(("<img ", "<picture", "</picture")):
            if tag[1] == "i":
                tag = _rewritten_image(tag, None if is_in_picture else image)
            else:
                is_in_picture = tag[1] == "p"
        if prefix:
            tag = rooted_tag(tag, prefix)
        return _numbered_tag(tag, number, ids) if ids else tag

    pattern = _TAG if ids else TAG_WITH_ADDRESS if prefix else _IMAGE
    return pattern.sub(rewritten, html)


def _rewritten_image(tag: str, image: ImageTag | None) -> str:
    attributes = dict(_ATTRIBUTE.findall(tag))
    added = {name: value for name, value in _LAZY.items() if name not in attributes}
    replaced = image({**attributes, **added}) if image else None
    return replaced or tag[:-1] + "".join(f' {name}="{value}"' for name, value in added.items()) + ">"


def _frame_with_ratio(tag: str) -> str:
    """Return a frame with the class of its width and height, as `ratio-16-9`: a stylesheet cannot divide them."""
    attributes = dict(_ATTRIBUTE.findall(tag))
    width, height = (attributes.get(name, "").removesuffix("px") for name in ("width", "height"))
    has_size = width.isdecimal() and height.isdecimal() and int(width) >= _LEAST_FRAME and int(height) > 0
    if not has_size or "ratio-" in attributes.get("class", ""):
        return tag
    ratio = int(width) / int(height)
    name = next((name for name, usual in RATIOS.items() if abs(ratio / usual - 1) < _RATIO_TOLERANCE), "")
    return _with_class(tag, attributes, name) if name else tag


def _with_class(tag: str, attributes: Mapping[str, str], name: str) -> str:
    css_class = attributes.get("class")
    if css_class is None:
        return f'{tag[:-1]} class="{name}">'
    return tag.replace(f' class="{css_class}"', f' class="{f"{css_class} {name}".strip()}"', 1)


def _numbered_tag(tag: str, number: int, ids: frozenset[str]) -> str:
    tag = _ID.sub(rf"\g<1>{number}.\2", tag)
    return _FRAGMENT.sub(lambda link: f"{link[1]}{number}.{link[2]}" if unquote(link[2]) in ids else link[0], tag)


class Heading(Struct, frozen=True):
    """A heading and the headings below it, for a table of contents."""

    id: Annotated[str, "Id of the heading, for links to it."]
    text: Annotated[str, "Text without markup."]
    children: Annotated["tuple[Heading, ...]", "Headings of level 3 below this one."] = ()


class Outline(Struct, frozen=True):
    """A text in which every h2 and h3 has an id. `count`: number of all headings, at both levels."""

    html: Annotated[Markup, "The text, with an id in every h2 and h3."]
    headings: Annotated[tuple[Heading, ...], "Headings of level 2, in order."] = ()
    count: Annotated[int, "Number of all headings of levels 2 and 3."] = 0


class _OpenHeading(Struct):
    """A heading while the headings below it are collected."""

    id: str
    text: str
    children: list[Heading] = field(default_factory=list)

    def closed(self) -> Heading:
        return Heading(self.id, self.text, tuple(self.children))


def outline(html: Markup) -> Outline:
    """Return the outline of some sanitised HTML.

    Headings without an id get one from their words, as those of Markdown do. An id that is there twice stays with its
    first element.
    """
    ids = [match[2] for match in _TAG_WITH_ID.finditer(html)] if ' id="' in html else []
    if len(ids) != len(set(ids)):
        html = _without_repeated_ids(html)
    if "<h2" not in html and "<h3" not in html:
        return Outline(html)
    counts = dict.fromkeys(ids, 1)
    headings: list[_OpenHeading] = []
    count = 0

    def with_id(match: re.Match[str]) -> str:
        nonlocal count
        level, attributes, inner = match[1], match[2], match[3]
        text, own_id = plain_text(inner), _OWN_ID.search(attributes)
        name = own_id[1] if own_id else unique_in(counts, slugify(text) or _UNTITLED)
        if text:
            count += 1
            if level == "h3" and headings:
                headings[-1].children.append(Heading(unescape(name), text))
            else:
                headings.append(_OpenHeading(unescape(name), text))
        if own_id:
            return match[0]
        attributes = attributes.replace(' id=""', "")
        return f'<{level}{attributes} id="{name}">{inner}</{level}>'

    html = Markup(_HEADING.sub(with_id, html))  # noqa: S704  # sanitised, and slugs hold no markup
    return Outline(html, tuple(heading.closed() for heading in headings), count)


def _without_repeated_ids(html: Markup) -> Markup:
    seen: set[str] = set()

    def once(match: re.Match[str]) -> str:
        is_new = match[2] not in seen
        seen.add(match[2])
        return match[0] if is_new else match[1]

    return Markup(_TAG_WITH_ID.sub(once, html))  # noqa: S704  # sanitised
