"""Text as search reads it: the same folding for indexed texts and for queries.

Upper and lower case, diacritics and compatibility forms count as one. Scripts written without spaces between words
are read in overlapping pairs of characters, so that a word is found inside a sentence: 満ち引き is held as
満ち ち引 引き き. What comes out is words between spaces, which the index takes apart at ASCII signs alone.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from sitecms.content.field_value import Fields
from sitecms.content.fields import type_of
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.values import dataclass

MAX_INDEXED = 400_000
"""Most characters of a text that are indexed: an entry is indexed while all other writers wait."""
_DIACRITICS = re.compile("[\u0300-\u036f]+")
# Normalising takes quadratic time on long runs of combining marks, so it is done a stretch at a time.
_STRETCH = re.compile(r".{1,500}(?:\s|$)|.{1,500}", re.DOTALL)
# Kana and ideographs; Thai and Lao; Myanmar; Khmer. It takes long to compile, and most texts do without.
_UNSPACED = (
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_WORD_CATEGORIES = ("L", "N", "M", "Co")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word that an entry must contain, as the index holds it; a beginning may be followed by more."""

    text: str
    is_beginning: bool = False


class _Signs(dict[int, int | str]):
    """Table for `str.translate` that replaces characters outside words by spaces; filled as characters occur."""

    def __missing__(self, code: int) -> int | str:
        is_of_word = unicodedata.category(chr(code)).startswith(_WORD_CATEGORIES)
        self[code] = kept = code if is_of_word else " "
        return kept


_SIGNS = _Signs()


def indexed_text(text: str) -> str:
    """Return the text as the index holds it: the first MAX_INDEXED characters of it."""
    text = text[:MAX_INDEXED]
    if text.isascii():
        return text.lower()
    return re.sub(_UNSPACED, lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", _words(text))


def query_words(query: str) -> tuple[QueryWord, ...]:
    """Return the words of a query, the last of them a beginning. Signs between words have no meaning."""
    words: list[QueryWord] = []
    for word in _words(query).split():
        if all(unicodedata.category(sign).startswith("M") for sign in word):
            continue
        end = 0
        for run in re.finditer(_UNSPACED, word):
            words += [QueryWord(word[end : run.start()])] if run.start() > end else []
            pairs = _pairs(run[0])
            words += [QueryWord(pair) for pair in pairs] if pairs else [QueryWord(run[0], is_beginning=True)]
            end = run.end()
        words += [QueryWord(word[end:])] if end < len(word) else []
    return (*words[:-1], QueryWord(words[-1].text, is_beginning=True)) if words else ()


def _pairs(run: str) -> list[str]:
    """Return the overlapping pairs of the characters of a run; none for a single one."""
    return [run[place : place + 2] for place in range(len(run) - 1)]


def _words(text: str) -> str:
    """Return the folded text, its words between spaces."""
    return _folded(text).translate(_SIGNS)


def searched_text(fields: Fields, specs: Iterable[FieldSpec], schema: ContentSchema) -> str:
    """Return the texts of an entry's own searchable fields, those inside components and repeaters included.

    A component, component picker or repeater that is searchable itself makes all its fields searchable. Entries that
    references lead to are not included (API reference, Search).
    """
    return "\n".join(text for text in _texts(fields, specs, schema, everything=False) if text)


def _texts(fields: Fields, specs: Iterable[FieldSpec], schema: ContentSchema, *, everything: bool) -> Iterator[str]:
    for spec in specs:
        field_type, value = type_of(spec), fields.get(spec.slug)
        is_wanted = everything or spec.searchable
        for part in field_type.parts(value, spec, schema):
            yield from _texts(part.fields, part.specs, schema, everything=is_wanted)
        if is_wanted and isinstance(value, str):
            yield field_type.search_text(value, spec)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(_folded_stretch(match[0]) for match in _STRETCH.finditer(text))


def _folded_stretch(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _DIACRITICS.sub("", decomposed))
