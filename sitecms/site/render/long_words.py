"""Words of the search index: at most `MAX_WORD` characters each, since Pagefind's time grows with their square.

Pagefind reads a word on through the tags in `_INLINE`; any other tag ends it. Languages that are written without spaces
have no words of that kind: their text gets a space now and then, and loses nothing.
"""

import re

MAX_WORD = 1000
_INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdo", "big", "button", "cite", "code", "dfn", "em", "i", "img", "input", "kbd",
    "label", "map", "object", "output", "q", "samp", "script", "select", "small", "span", "strong", "sub", "sup",
    "textarea", "time", "tt", "var",
})  # fmt: skip
_TAG = re.compile(r"<!--.*?-->|</?([a-zA-Z][^\s/>]*)[^<>]*>|<", re.DOTALL)
_RUN = re.compile(r"\S+")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\U00020000-\U0003ffff]")
"""Letters of Thai, Lao, Burmese, Khmer, Chinese and Japanese."""


def cut_long_words(page: str) -> str:
    """Return the page with shortened words; tags stay as they are."""
    if max(map(len, _TAG.sub("", page).split()), default=0) <= MAX_WORD:
        return page
    parts: list[str] = []
    length = end = 0  # length of the word so far
    for tag in _TAG.finditer(page):
        text, length = _cut(page[end : tag.start()], length)
        parts += (text, tag[0])
        if tag[1] and tag[1].lower() not in _INLINE:
            length = 0
        end = tag.end()
    return "".join((*parts, _cut(page[end:], length)[0]))


def _cut(text: str, length: int) -> tuple[str, int]:
    """Return the text of one node, in which the last word of the previous one continues; and its own last length."""
    parts: list[str] = []
    end = 0
    for run in _RUN.finditer(text):
        if run.start() > end:
            length = 0
        parts.append(text[end : run.start()])
        beginning = run[0][: max(0, MAX_WORD - length)]
        length += len(run[0])
        if length > MAX_WORD and _SPACELESS.search(run[0]):
            beginning, length = _spaced(run[0])
        parts.append(beginning)
        end = run.end()
    parts.append(text[end:])
    return "".join(parts), 0 if end < len(text) else length


def _spaced(run: str) -> tuple[str, int]:
    """Return the run with a space before every part of that length, and the length of the last one."""
    parts = [run[start : start + MAX_WORD] for start in range(0, len(run), MAX_WORD)]
    return " " + " ".join(parts), len(parts[-1])
