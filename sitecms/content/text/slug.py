"""Slugs: last parts of addresses, made from titles."""

import re
import unicodedata

MAX_SLUG_LENGTH = 100
MAX_SLUG_BYTES = 200
"""Most bytes of a slug: file systems allow 255 for a name, and a build adds to it."""
RESERVED_SLUGS = frozenset({"search"})
"""Slugs that no post or page can have: `/v2/posts/search/` and `/v2/pages/search/` are other addresses."""
_MAX_READ = 2_000  # normalising takes quadratic time on long runs of combining marks
_DROPPED = re.compile(r"[^\w\s-]")
_LEADING_DATE = re.compile(r"\A\d{4}-\d{2}-\d{2}[-_. ]*")
_GAPS = re.compile(r"[-\s]+")


def slugify(text: str, *, max_length: int = MAX_SLUG_LENGTH, max_bytes: int | None = MAX_SLUG_BYTES) -> str:
    """Return lower-case letters and digits of any script joined by hyphens; "" if the text has none.

    Unicode letters stay (API reference, Writes), in composed form, so that two
    spellings of one word give one slug. Only the first 2,000 characters of the text are read. `max_bytes`
    None is for a slug that someone chose: it stays as given.
    """
    plain = _DROPPED.sub("", unicodedata.normalize("NFKC", text[:_MAX_READ]).lower())
    return _cut(unicodedata.normalize("NFC", _GAPS.sub("-", plain)[:max_length]).strip("-_"), max_bytes)


def slug_of_post_file(given: str, title: str, stem: str, *, from_title: bool) -> str:
    """Return the slug of a post file: the one it gives, else one made of its name without a leading date.

    With `from_title` the title comes before the name.
    """
    titled = slugify(title) if from_title else ""
    return slugify(given, max_bytes=None) or titled or slugify(_LEADING_DATE.sub("", stem)) or slugify(stem)


def numbered(slug: str, number: int) -> str:
    """Return the slug with `-<number>` added, shortened to stay within the limit."""
    ending = f"-{number}"
    return _cut(slug[: MAX_SLUG_LENGTH - len(ending)].rstrip("-_"), MAX_SLUG_BYTES - len(ending)) + ending


def _cut(slug: str, max_bytes: int | None) -> str:
    """Return as many whole characters as fit."""
    if max_bytes is None or len(slug) * 4 <= max_bytes:
        return slug
    return slug.encode()[:max_bytes].decode(errors="ignore").rstrip("-_")
