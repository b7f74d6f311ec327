"""Sorting of texts as people expect it, without regard to case: `Ärger` stands before `Zed`.

It follows the default order of the Unicode Collation Algorithm: signs, then digits, then letters; letters by their base
letter first, and only among equal texts by their marks. Python's and the engines' own orders are those of code points
or of locales that a machine may lack, so both engines would differ.
"""

import unicodedata

from sitecms.content.field_value import FieldValue

SortKey = tuple[int, float, str, str]
_SIGNS = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"  # as the algorithm sorts them; they have room before the digits
_TABLE = {**dict.fromkeys(range(32), "\x01"), **{ord(sign): chr(place) for place, sign in enumerate(_SIGNS, 2)}}
_MAX_COMPARED = 1_000  # characters; normalising takes quadratic time on long runs of combining marks
_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h"})


def sort_key(value: FieldValue) -> SortKey:
    """Return the key by which a field's value is sorted: unset, then numbers (false is 0, true is 1), then text."""
    match value:
        case None:
            return 0, 0.0, "", ""
        case bool() | int() | float():
            return 1, float(value), "", ""
        case str():
            return 2, 0.0, *_text_key(value)
        case _:
            return 3, 0.0, "", ""


def _text_key(text: str) -> tuple[str, str]:
    """Return the base letters, and the letters with their marks."""
    folded = text[:_MAX_COMPARED].casefold()
    if folded.isascii():
        return folded.translate(_TABLE), ""
    marked = unicodedata.normalize("NFKD", folded)
    base = "".join(map(_base, marked.translate(_LETTERS)))
    return base.translate(_TABLE), marked


def _base(letter: str) -> str:
    """Return the letter for the first comparison: marks are removed, all signs beyond ASCII count as one sign."""
    if letter.isascii():
        return letter
    category = unicodedata.category(letter)[0]
    return "" if category == "M" else "/" if category in "PSZC" else letter
