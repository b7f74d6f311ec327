"""Slugs: last parts of addresses, made from titles.

A slug keeps letters, digits and combining marks of every script, in the composed form NFC: vowel signs and accents
are as much a part of a word as its letters. Other forms of a sign, such as full-width letters, ligatures and circled
digits, are folded as in NFKC, except where the form is the spelling: NFKC itself changes words in Thai, Lao, Armenian
and Korean. Dashes become hyphens. Joiners and other characters without a shape are dropped, as by GitHub and WordPress:
nobody sees them in an address.
"""

import re
import unicodedata
from collections.abc import Callable
from pathlib import PurePosixPath

MAX_SLUG_LENGTH = 100
MAX_SLUG_BYTES = 200
"""Most bytes of a slug: file systems allow 255 for a name, and a build adds to it."""
RESERVED_SLUGS = frozenset({"search"})
"""Slugs that no post or page can have: `/v2/posts/search/` and `/v2/pages/search/` are other addresses."""
_MAX_READ = 2_000  # normalising takes quadratic time on long runs of combining marks
_LEADING_DATE = re.compile(r"\A\d{4}-\d{2}-\d{2}[-_. ]*")
_PARTS_ABOVE_POSTS = 2  # content/posts
_GAPS = re.compile(r"[-\s]+")
_GAP_SIGNS = "-_ "
_SPELT_FORMS = ("<compat>", "<fraction>")
_LATIN_LIGATURES = range(0xFB00, 0xFB07)
_SHAPELESS_MARKS = frozenset((0x34F, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
_MARKS_OF_SYMBOLS = range(0x20D0, 0x2100)  # such as those around keycaps
_DOTTED_I = "i\u0307"  # what the Turkish capital with a dot becomes in lower case


def slugify(text: str, *, max_bytes: int | None = MAX_SLUG_BYTES) -> str:
    """Return lower-case letters, digits and marks of any script joined by hyphens; "" without letter or digit.

    Two spellings of one word give one slug, in composed form (API reference, Writes). Only the first 2,000 characters
    of the text are read. `max_bytes` None is for a slug that someone chose: it stays as given. A longer text is cut
    between two words.
    """
    text = composed(text[:_MAX_READ])
    folded = text.translate({ord(sign): _folded(sign) for sign in set(text)}).lower()
    signs: list[str] = []
    for sign in folded.replace(_DOTTED_I, "i"):
        if not is_mark(sign) or (signs and signs[-1] not in _GAP_SIGNS):  # a mark alone belongs to no letter
            signs.append(sign)
    slug = composed(_GAPS.sub("-", "".join(signs))).strip("-_")
    return _cut(_whole_words(slug, slug[:MAX_SLUG_LENGTH]), max_bytes)


def composed(text: str) -> str:
    """Return the text in Unicode's form NFC, in which slugs, addresses and ids are kept and compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_mark(sign: str) -> bool:
    """Return whether a character is a combining mark, which belongs to the letter before it."""
    return unicodedata.category(sign).startswith("M")


def _folded(sign: str) -> str:
    """Return what a character becomes in a slug."""
    form = unicodedata.decomposition(sign)
    is_spelling = form.startswith(_SPELT_FORMS) and unicodedata.category(sign)[0] in "LMN"
    if form.startswith("<") and (ord(sign) in _LATIN_LIGATURES or not is_spelling):
        return "".join(map(_kept, unicodedata.normalize("NFKC", sign)))
    return _kept(sign)


def _kept(sign: str) -> str:
    """Return a letter, digit, mark or underscore as it is, a hyphen for a dash, a space for white space, else ""."""
    category = unicodedata.category(sign)
    if category == "Pd":
        return "-"
    if sign.isspace():
        return " "
    is_shapeless = ord(sign) in _SHAPELESS_MARKS or ord(sign) in _MARKS_OF_SYMBOLS
    return sign if sign == "_" or (category[0] in "LMN" and not is_shapeless) else ""


def name_of_post_file(path: str) -> str:
    """Return the name that makes the slug of a post: that of the file, or of its folder if the file is an index.

    `path` is relative to the site folder: the name of content/posts/trip/index.md is trip.
    """
    file = PurePosixPath(path)
    return file.parent.name if file.stem == "index" and len(file.parts) > _PARTS_ABOVE_POSTS + 1 else file.stem


def slug_of_post_file(given: str, title: str, path: str, *, from_title: bool) -> str:
    """Return the slug of a post file: the one it gives, else one made of its name without a leading date.

    With `from_title` the title comes before the name. `path` is relative to the site folder.
    """
    stem = name_of_post_file(path)
    titled = slugify(title) if from_title else ""
    return slugify(given, max_bytes=None) or titled or slugify(_LEADING_DATE.sub("", stem)) or slugify(stem)


def numbered(slug: str, number: int) -> str:
    """Return the slug with `-<number>` added, shortened to stay within the limit."""
    ending = f"-{number}"
    return shortened(slug, len(ending)) + ending


def shortened(slug: str, room: int) -> str:
    """Return the slug, or the beginning of it that leaves room for this many ASCII characters within the limit."""
    return _cut(slug[: MAX_SLUG_LENGTH - room].rstrip("-_"), MAX_SLUG_BYTES - room)


def first_free(base: str, is_taken: Callable[[str], bool]) -> str:
    """Return the slug, or the first of `-2`, `-3` and so on that is not taken."""
    slug, number = base, 1
    while is_taken(slug):
        number += 1
        slug = numbered(base, number)
    return slug


def unique_in(numbers: dict[str, int], slug: str) -> str:
    """Return the slug, or the first of `-2`, `-3` and so on that is not in `numbers`, and add it.

    `numbers` holds the last number that was tried for each slug, so that many equal ones take linear time.
    """
    candidate = slug
    while candidate in numbers:
        numbers[slug] += 1
        candidate = numbered(slug, numbers[slug])
    numbers[candidate] = 1
    return candidate


def _cut(slug: str, max_bytes: int | None) -> str:
    """Return as many whole words as fit, or whole characters of a first word that is too long."""
    if max_bytes is None or len(slug) * 4 <= max_bytes:
        return slug
    return _whole_words(slug, slug.encode()[:max_bytes].decode(errors="ignore"))


def _whole_words(slug: str, beginning: str) -> str:
    """Return the beginning of the slug without its last word where that one is cut."""
    if len(beginning) < len(slug) and slug[len(beginning)] != "-":
        beginning = beginning.rpartition("-")[0] or _whole_letters(slug, beginning)
    return beginning.rstrip("-_")


def _whole_letters(slug: str, beginning: str) -> str:
    """Return the beginning of the slug without its last letter where the marks of that one are cut."""
    end = len(beginning)
    while end and is_mark(slug[end]):
        end -= 1
    return beginning[:end]
