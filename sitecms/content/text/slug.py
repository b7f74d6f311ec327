"""Slugs: last parts of addresses, made from titles."""

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
_DROPPED = re.compile(r"[^\w\s-]")
_LEADING_DATE = re.compile(r"\A\d{4}-\d{2}-\d{2}[-_. ]*")
_PARTS_ABOVE_POSTS = 2  # content/posts
_GAPS = re.compile(r"[-\s]+")


def slugify(text: str, *, max_bytes: int | None = MAX_SLUG_BYTES) -> str:
    """Return lower-case letters and digits of any script joined by hyphens; "" if the text has none.

    Unicode letters stay (API reference, Writes), in composed form, so that two
    spellings of one word give one slug. Only the first 2,000 characters of the text are read. `max_bytes`
    None is for a slug that someone chose: it stays as given. A longer text is cut between two words.
    """
    plain = _DROPPED.sub("", unicodedata.normalize("NFKC", text[:_MAX_READ]).lower())
    slug = unicodedata.normalize("NFC", _GAPS.sub("-", plain)).strip("-_")
    return _cut(_whole_words(slug, slug[:MAX_SLUG_LENGTH]), max_bytes)


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
    return _cut(slug[: MAX_SLUG_LENGTH - len(ending)].rstrip("-_"), MAX_SLUG_BYTES - len(ending)) + ending


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
        beginning = beginning.rpartition("-")[0] or beginning
    return beginning.rstrip("-_")
