"""Blocks of HTML that hold nothing: headings anywhere in a text, and paragraphs at its end.

An editor leaves them behind; readers see a gap, and those who listen hear an unnamed heading. One with an `id` stays,
since links may lead to it.
"""

import re

_NOTHING = r"(?:\s|&nbsp;|&#160;|&#xa0;|</?(?:a|b|br|code|del|em|i|mark|s|span|strong|sub|sup|u)(?:\s[^<>]*)?>)*+"
_PLAIN = r"(?:\s(?![^<>]*\bid\s*=)[^<>]*)?"
_HEADING = re.compile(rf"<h([1-6]){_PLAIN}>{_NOTHING}</h\1>\s?")
_PARAGRAPH = re.compile(rf"<p{_PLAIN}>{_NOTHING}</p>\s*")


def without_empty_blocks(html: str) -> tuple[str, int]:
    """Return HTML without headings that hold nothing, and without such paragraphs at its end; and how many these were.

    HTML without any stays as it is, byte for byte.
    """
    clean, count = _HEADING.subn("", html)
    end = len(clean)
    while (start := clean.rfind("<p", 0, end)) >= 0 and _PARAGRAPH.fullmatch(clean, start, end):
        end, count = start, count + 1
    return (clean[:end].rstrip(), count) if count else (html, 0)
