"""Readers of the files that list authors and terms."""

from collections.abc import Iterator
from typing import Any

from sitecms.actions.loading.reading.file_checks import ALIASES, file_errors, read_aliases
from sitecms.actions.loading.reading.files import TERM_KINDS, ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.content.addresses import alias_path
from sitecms.content.author import Author
from sitecms.content.term import Term, name_key
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import slugify
from sitecms.documents import Locate, locator, read_yaml
from sitecms.errors import FileError, InvalidFiles


def prepare_authors(file: ContentFile, media: FileMedia) -> tuple[Author, ...]:
    """Return the authors in the file. Raises InvalidFiles."""
    entries = _entries(file, "authors")
    authors = []
    for entry in entries:
        given = {key: str(value) for key, value in entry.items() if value is not None and key != ALIASES}
        given["profile_image"] = media.address(given.get("profile_image", ""))
        authors.append(Author(**given, aliases=tuple(map(alias_path, entry.get(ALIASES) or ()))))
    return tuple(authors)


def prepare_terms(file: ContentFile) -> tuple[Term, ...]:
    """Return the categories or tags in the file; the slug is "" where it gives none. Raises InvalidFiles."""
    kind = TERM_KINDS[file.kind]
    return tuple(
        Term(kind, entry["slug"], entry["name"], tuple(map(alias_path, entry.get(ALIASES) or ())))
        for entry in _entries(file, "terms")
    )


def _entries(file: ContentFile, schema_name: str) -> list[dict[str, Any]]:
    """Return the entries with their slugs as they stand in addresses."""
    data: Any = read_yaml(file.file, file.path)
    locate = locator(file.file)
    errors = file_errors(data, schema_name, file.path, locate)
    if errors:
        raise InvalidFiles(errors)
    entries = [{**entry, "slug": slugify(entry.get("slug") or "", max_bytes=None)} for entry in data or ()]
    errors = [*_unfit_slugs(data or (), entries, file.path, locate), *_repeated(entries, file.path, locate)]
    if errors:
        raise InvalidFiles(errors)
    for number, entry in enumerate(entries):
        read_aliases(file.path, entry.get(ALIASES) or (), locate, (number, ALIASES))
    return entries


def _unfit_slugs(given: Any, entries: list[dict[str, Any]], path: str, locate: Locate) -> Iterator[FileError]:
    """Yield an error for each entry from which no address can be made."""
    for number, (before, entry) in enumerate(zip(given, entries, strict=True)):
        if not entry["slug"] and (before.get("slug") or not base_slug(entry.get("name") or "")):
            problem = f'is "{before.get("slug") or entry.get("name")}", from which no address can be made'
            yield FileError(path, f"[{number}].slug", problem, "give it letters or digits", locate((number,)))


def _repeated(entries: list[dict[str, Any]], path: str, locate: Locate) -> Iterator[FileError]:
    """Yield an error for each slug and each name that an earlier entry has already."""
    first: dict[tuple[str, str], str] = {}
    for number, entry in enumerate(entries):
        for key, text in (("slug", entry["slug"]), ("name", name_key(entry.get("name") or ""))):
            if text and (key, text) in first:
                problem = f'is "{entry[key]}", as that of another one above ("{first[key, text]}")'
                yield FileError(path, f"[{number}].{key}", problem, "each needs its own", locate((number, key)))
            first.setdefault((key, text), str(entry[key]) if text else "")
