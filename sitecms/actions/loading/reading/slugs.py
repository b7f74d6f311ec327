"""Slugs of posts and pages in files."""

from collections.abc import Sequence

from sitecms.content.text.slug import RESERVED_SLUGS, slugify
from sitecms.documents import Locate
from sitecms.errors import FileError, InvalidFiles


def read_slug(path: str, given: str | None, otherwise: Sequence[str], locate: Locate) -> str:
    """Return the given slug, or else the first one that can be made of the other texts.

    Raises InvalidFiles where no address can be made of the given slug or of any text, and for reserved slugs.
    """
    slug = slugify(given or "", max_bytes=None)
    if not slug and not given:
        slug = next(filter(None, map(slugify, otherwise)), "")
    if slug and slug not in RESERVED_SLUGS:
        return slug
    if not slug:
        problem, remedy = f'is "{given or otherwise[0]}", of which no address can be made', "give it letters or digits"
    else:
        problem, remedy = f'is "{slug}", which is an address of the API itself', "choose another slug"
    raise InvalidFiles([FileError(path, "slug", problem, remedy, locate(("slug",)))])
