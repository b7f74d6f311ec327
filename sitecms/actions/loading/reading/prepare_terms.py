"""Author and term files to authors and terms."""

from collections.abc import Iterator
from typing import Any

from sitecms.actions.loading.reading.file_errors import file_errors
from sitecms.actions.loading.reading.files import ContentFile, FileKind
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.content.author import Author
from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.text.slug import slugify
from sitecms.documents import Locate, locator, read_yaml
from sitecms.errors import FileError, InvalidFiles

_KINDS = {FileKind.CATEGORIES: TermKind.CATEGORY, FileKind.TAGS: TermKind.TAG}


def prepare_authors(file: ContentFile, media: FileMedia) -> tuple[Author, ...]:
    """The authors in the file. Raises InvalidFiles."""
    entries = _entries(file, "authors")
    given = [{key: str(value) for key, value in entry.items() if value is not None} for entry in entries]
    for entry in given:
        entry["profile_image"] = media.address(entry.get("profile_image", ""))
    return tuple(Author(**entry) for entry in given)


def prepare_terms(file: ContentFile) -> tuple[Term, ...]:
    """Return the categories or tags in the file; the slug is "" where it gives none. Raises InvalidFiles."""
    kind = _KINDS[file.kind]
    return tuple(Term(kind, entry["slug"], entry["name"]) for entry in _entries(file, "terms"))


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
    return entries


def _unfit_slugs(given: Any, entries: list[dict[str, Any]], path: str, locate: Locate) -> Iterator[FileError]:
    """Yield an error for each entry of which no address can be made."""
    for number, (before, entry) in enumerate(zip(given, entries, strict=True)):
        if not entry["slug"] and (before.get("slug") or not slugify(entry.get("name") or "")):
            problem = f'is "{before.get("slug") or entry.get("name")}", of which no address can be made'
            yield FileError(path, f"[{number}].slug", problem, "give it letters or digits", locate((number,)))


def _repeated(entries: list[dict[str, Any]], path: str, locate: Locate) -> Iterator[FileError]:
    """Yield an error for each slug and each name that an entry above has already."""
    first: dict[tuple[str, str], str] = {}
    for number, entry in enumerate(entries):
        for key, text in (("slug", entry["slug"]), ("name", name_key(entry.get("name") or ""))):
            if text and (key, text) in first:
                problem = f'is "{entry[key]}", as that of another one above ("{first[key, text]}")'
                yield FileError(path, f"[{number}].{key}", problem, "each needs its own", locate((number, key)))
            first.setdefault((key, text), str(entry[key]) if text else "")
