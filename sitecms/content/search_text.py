"""Text as search reads it: the same folding for indexed texts and for queries.

Upper and lower case, diacritics of every script and compatibility forms count as one, letters with strokes and
ligatures as PostgreSQL's `unaccent` folds them (API reference, Search). Invisible characters do not separate words,
and each emoji is a word. Scripts written without spaces between words are read in overlapping pairs of characters, so
that a word is found inside a sentence: 満ち引き is held as 満ち ち引 引き き. What comes out is words between spaces,
which the index takes apart at ASCII signs alone.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from sitecms.content.field_value import Fields
from sitecms.content.fields import type_of
from sitecms.content.schema import ContentSchema, FieldSpec

MAX_INDEXED = 400_000
"""Most characters of a text that are indexed: an entry is indexed while all other writers wait."""
MAX_WORD_LENGTH = 500
"""Most characters of a word that are indexed; both engines keep that many."""
_LONG_ASCII_WORD = re.compile(f"([0-9a-z]{{{MAX_WORD_LENGTH}}})[0-9a-z]+")
_LONG_WORD = re.compile(rf"(\S{{{MAX_WORD_LENGTH}}})\S+")
# Normalising takes quadratic time on long runs of combining marks, so it is done a stretch at a time.
_STRETCH = re.compile(r".{1,500}(?:\s|$)|.{1,500}", re.DOTALL)
# Kana and ideographs; Thai and Lao; Myanmar; Khmer.
_UNSPACED = (
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_WORD_CATEGORIES = ("L", "N", "M", "Co")
_EMOJI_CATEGORY = "So"
_REGIONAL_INDICATORS = range(0x1F1E6, 0x1F200)  # two of them are a flag
_FLAG = "[\U0001f1e6-\U0001f1ff]{1,2}"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_NON_JOINER = "\u200c"  # Persian writes the parts of a word with it, or as one word
_TATWEEL = "\u0640"
_LETTERS = {"æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ŋ": "n", "ı": "i", "ȷ": "j", "ĸ": "q"}
_LETTER_WITH_STROKE = re.compile("LATIN SMALL LETTER ([A-Z]) WITH ")


class QueryWord(Struct, frozen=True):
    """One word that an entry must contain, as the index holds it; a beginning may be followed by more."""

    text: str
    is_beginning: bool = False


class _Folding(dict[int, int | str | None]):
    """Table for `str.translate` of decomposed lower-case text; filled as characters occur."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = folded = _folded_character(chr(code))
        return folded


def _folded_character(character: str) -> str | None:
    """Return what search reads in place of a character: None for nothing, a space for a sign between words."""
    category, code = unicodedata.category(character), ord(character)
    if category == "Cf" or character == _TATWEEL or code in _SKIN_TONES or _is_diacritic(character, category):
        return None
    if category == _EMOJI_CATEGORY:
        return character if code in _REGIONAL_INDICATORS else f" {character} "
    if not category.startswith(_WORD_CATEGORIES):
        return " "
    letter = _LETTER_WITH_STROKE.match(unicodedata.name(character, ""))
    return letter[1].lower() if letter else _LETTERS.get(character, character)


def _is_diacritic(character: str, category: str) -> bool:
    """Return whether a mark changes how a letter is said or looks, and is no letter of its own.

    Vowel signs of Indic and South-East Asian scripts, their tone marks, viramas, and the voicing of kana are kept.
    The numbers are Unicode's classes of combining marks.
    """
    if not category.startswith("M"):
        return False
    position = unicodedata.combining(character)
    is_invisible = "VARIATION SELECTOR" in unicodedata.name(character, "") or character == "\u034f"
    is_point_or_accent = position in {1, 7} or 10 <= position <= 36 or position >= 200
    return category == "Me" or is_invisible or is_point_or_accent


_FOLDING = _Folding()


def indexed_text(text: str) -> str:
    """Return the text as the index holds it: the first MAX_INDEXED characters of it."""
    text = text[:MAX_INDEXED]
    if text.isascii():
        return _LONG_ASCII_WORD.sub(r"\1", text.lower())
    if _NON_JOINER in text:
        text = " ".join(f"{word} {word.replace(_NON_JOINER, ' ')}" for word in text.split())
    paired = re.sub(_UNSPACED, lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", folded_words(text))
    return _LONG_WORD.sub(r"\1", paired)


def query_words(query: str) -> tuple[QueryWord, ...]:
    """Return the words of a query, the last of them a beginning. Signs between words have no meaning."""
    words: list[QueryWord] = []
    for word in folded_words(query).split():
        if all(unicodedata.category(sign).startswith("M") for sign in word):
            continue
        end = 0
        for run in re.finditer(_UNSPACED, word):
            words += [QueryWord(word[end : run.start()])] if run.start() > end else []
            pairs = _pairs(run[0])
            words += [QueryWord(pair) for pair in pairs] if pairs else [QueryWord(run[0], is_beginning=True)]
            end = run.end()
        words += [QueryWord(word[end:][:MAX_WORD_LENGTH])] if end < len(word) else []
    return (*words[:-1], QueryWord(words[-1].text, is_beginning=True)) if words else ()


def _pairs(run: str) -> list[str]:
    """Return the overlapping pairs of the characters of a run; none for a single one."""
    return [run[place : place + 2] for place in range(len(run) - 1)]


def folded_words(text: str) -> str:
    """Return the text in the folding of search, its words between spaces."""
    if text.isascii():
        return text.lower().translate(_FOLDING)
    folded = "".join(_folded_stretch(match[0]) for match in _STRETCH.finditer(text))
    return re.sub(_FLAG, r" \g<0> ", folded)


def text_filter(query: str) -> Callable[[str], bool]:
    """Return a function that says whether a text contains each part of a query, also within longer words.

    Parts stand between spaces; one with signs in it, as the name of a file, is found as a whole. A query of signs alone
    is compared as it is; an empty one is in every text.
    """
    parts = [part for part in map(_folded_line, query.split()) if part]
    if parts:
        return lambda text: _has_each(_folded_line(text), parts)
    signs = query.split()
    return lambda text: _has_each(text, signs)


def _folded_line(text: str) -> str:
    return " ".join(folded_words(text).split())


def _has_each(text: str, parts: Sequence[str]) -> bool:
    return all(part in text for part in parts)


def _folded_stretch(text: str) -> str:
    lower = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", lower).translate(_FOLDING))


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
