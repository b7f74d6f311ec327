"""HTML bodies: made safe by an explicit allow-list when stored, and read as plain text.

`sanitize` accepts anything and returns the canonical writing of what is allowed; sanitising twice changes nothing.
"""

import html as html_entities
import math
import re
from functools import lru_cache

import nh3

from sitecms.content.text.allowed_html import (
    ATTRIBUTES,
    BLOCKS,
    CHECK_BOX,
    CONTENT_DROPPED,
    DATA_PREFIX,
    TABLE_PARTS,
    TAGS,
    URL_SCHEMES,
    allowed_value,
)
from sitecms.content.text.nesting import TOKEN, NestingLog, after_content, well_nested
from sitecms.content.text.removed_markup import ReportDropped, find_dropped
from sitecms.content.text.slug import is_mark
from sitecms.documents import UNFIT

MAX_MARKS = 100_000
"""Most tags and character references of one text: the time of sanitising grows with their number."""
WORDS_PER_MINUTE = 230
IDEOGRAPHS_PER_MINUTE = 450
_CLEANER = nh3.Cleaner(
    tags=TAGS,
    clean_content_tags=CONTENT_DROPPED,
    attributes=ATTRIBUTES,
    generic_attribute_prefixes={DATA_PREFIX},
    attribute_filter=allowed_value,
    set_tag_attribute_values={"input": CHECK_BOX},
    url_schemes=URL_SCHEMES,
    link_rel=None,
)
# Both read nh3's own output, where every attribute stands in double quotes and holds neither `"` nor `>`.
_SOURCELESS = re.compile(r'<(?:img|iframe)(?: (?!src=)[^ ="]+="[^"]*")*+>(?:</iframe>)?')
# Scripts find figures by their id and data.
_FIGURE = r'<(?:figure|picture)(?: (?!id=|data-)[^ ="]+="[^"]*")*+>'
_FIGURE_TAG = re.compile(rf"({_FIGURE}|</(?:figure|picture)>|<(?:figure|picture) [^>]*>)")
_EMPTY_FIGURE = re.compile(rf"{_FIGURE}(?:\s|<source(?: [^>]*)?>)*+</(?:figure|picture)>")
_NOTHING = re.compile(r"(?:\s|<source(?: [^>]*)?>)*+")
_PRE_NEWLINE = re.compile(r"(<pre(?: [^>]*)?>)\n")
_BREAKING = BLOCKS | TABLE_PARTS | {"br"}
_FOOTNOTE_MARK = re.compile(
    r'<sup class="footnote-ref">.{0,300}?</sup>|<a href="#fnref[^>]*>[^<]{0,9}(?:<sup>\d{1,4}</sup>)?</a>'
)
_IDEOGRAPH = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_SURROGATE = re.compile("[\ud800-\udfff]")  # JSON can carry them alone; UTF-8 cannot
_WORD = re.compile(r"\w++(?:['’.,-]\w++)*+")


def too_many_marks(count: int) -> str:
    """Return the error message for this number of `<` and `&`; "" where the HTML may be sanitised."""
    if count <= MAX_MARKS:
        return ""
    return f"Ensure there are no more than {MAX_MARKS} tags and character references; there are {count}."


def count_marks(html: str) -> int:
    """Return how many tags and character references the HTML has at most."""
    return html.count("<") + html.count("&")


def sanitize(html: str, report: ReportDropped | None = None) -> str:
    """Return the allowed part of any HTML, well formed; 500 KB of hostile nesting take less than a second.

    Scripts, styles, forms, event handlers, `style` and `target` attributes, unknown frames and `data:` addresses
    are gone; unknown tags leave their text behind. Images and frames without an address left are dropped, and figures
    with nothing left in them. The alignment of text and the shape of a box around a video become classes
    (`inline_styles`). `report` is called for each kind of markup that was removed.
    """
    log = NestingLog()
    if not html.isascii():
        html = _SURROGATE.sub("\ufffd", html)
    clean = _CLEANER.clean(well_nested(html, log))
    clean = UNFIT.sub("\ufffd", clean)  # `&#1;` is one
    if "<img" in clean or "<iframe" in clean:
        clean = _SOURCELESS.sub("", clean)
    if _EMPTY_FIGURE.search(clean):
        clean = _without_empty_figures(clean)
    if "<pre" in clean:  # a parser drops one newline after <pre>, and nh3 does not write it twice
        clean = _PRE_NEWLINE.sub(r"\1\n\n", clean)
    if report and clean != html:
        for dropped in find_dropped(html, clean, log):
            report(dropped)
    return clean


def _without_empty_figures(clean: str) -> str:
    """Return well-formed HTML without figures and pictures that hold nothing, nor others like them alone."""
    written: list[str] = []
    open_figures: list[tuple[int, bool]] = []  # where each begins, and whether it may be dropped
    for part in _FIGURE_TAG.split(clean):
        written.append(part)
        if part.startswith("</") and _FIGURE_TAG.fullmatch(part):
            start, is_empty = open_figures.pop()
            if is_empty:
                del written[start:]
            elif open_figures:
                open_figures[-1] = (open_figures[-1][0], False)
        elif _FIGURE_TAG.fullmatch(part):
            open_figures.append((len(written) - 1, re.fullmatch(_FIGURE, part) is not None))
        elif open_figures and not _NOTHING.fullmatch(part):
            open_figures[-1] = (open_figures[-1][0], False)
    return "".join(written)


@lru_cache(4)  # saving a post asks for that of its body to count the words, and again to index them
def plain_text(html: str) -> str:
    """Return the words of HTML on one line, entities decoded, without scripts, markup and footnote marks."""
    html = _FOOTNOTE_MARK.sub("", html)
    parts: list[str] = []
    position = 0
    while match := TOKEN.search(html, position):
        parts.append(html[position : match.start()])
        position = match.end()
        name = (match[2] or "").lower()
        if match[5] is not None:
            parts.append(match[0])
        elif name in CONTENT_DROPPED or name == "iframe":
            position = position if match[1] else after_content(html, position, name)
        elif name in _BREAKING:
            parts.append(" ")
    parts.append(html[position:])
    return " ".join(html_entities.unescape("".join(parts)).split())


def reading_minutes(text: str) -> int:
    """Return the whole minutes, at least 1, that reading a plain text takes; ideographs and kana are counted singly."""
    text = text.translate(dict.fromkeys(ord(sign) for sign in set(text) if is_mark(sign)))  # they part no words
    ideographs = len(re.findall(_IDEOGRAPH, text))
    words = len(_WORD.findall(re.sub(_IDEOGRAPH, " ", text) if ideographs else text))
    return max(1, math.ceil(words / WORDS_PER_MINUTE + ideographs / IDEOGRAPHS_PER_MINUTE))
