"""Checks of content files: their data, their slugs, and notes about removed markup."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.content.addresses import (
    ANY_LOCALE,
    NO_ADDRESSES,
    OwnAddresses,
    alias_path,
    output_problem,
    own_path,
    own_path_problem,
    paths_by_locale,
)
from sitecms.content.locale import Locales
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.slug import RESERVED_SLUGS, slugify
from sitecms.content.text.trusted_html import REMEDY, keeps
from sitecms.documents import Locate, Step, place_of, schema_errors, unfit_character
from sitecms.errors import FileError, InvalidFiles

ALIASES = "aliases"
_CLEANED_LATER = frozenset({"fields", "draft"})
MAX_NOTES = 5


def file_errors(data: object, schema_name: str, path: str, locate: Locate) -> list[FileError]:
    """Return the violations of the schema, or else text with control characters, which no page or feed can show."""
    return schema_errors(data, schema_name, path, locate) or [
        FileError(path, place_of(here), f"holds the control character {found}", "remove it", locate(here))
        for here, found in _control_characters(data, ())
    ]


def _control_characters(value: object, here: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], str]]:
    if isinstance(value, dict):
        for key, held in value.items():
            if key not in _CLEANED_LATER:
                yield from _control_characters(held, (*here, key))
    elif isinstance(value, list):
        for number, held in enumerate(value):
            yield from _control_characters(held, (*here, number))
    elif isinstance(value, str) and (found := unfit_character(value)):
        yield here, found


def read_slug(path: str, given: str | None, otherwise: Sequence[str], locate: Locate) -> str:
    """Return the given slug, or else the first one that can be made of the other texts.

    Raises InvalidFiles as `check_slug`.
    """
    slug = slugify(given or "", max_bytes=None)
    if not slug and not given:
        slug = next(filter(None, map(slugify, otherwise)), "")
    return check_slug(path, slug, given or otherwise[0], locate)


def check_slug(path: str, slug: str, text: str, locate: Locate) -> str:
    """Return the slug, which was made from the text. Raises InvalidFiles for none, and for reserved ones."""
    if slug and slug not in RESERVED_SLUGS:
        return slug
    if not slug:
        problem, remedy = f'is "{text}", from which no address can be made', "give it letters or digits"
    else:
        problem, remedy = f'is "{slug}", which is an address of the API itself', "choose another slug"
    raise InvalidFiles([FileError(path, "slug", problem, remedy, locate(("slug",)))])


def read_aliases(
    path: str, given: Sequence[str], locate: Locate, place: tuple[Step, ...] = (ALIASES,)
) -> tuple[str, ...]:
    """Return the former addresses. Raises InvalidFiles for each that the site cannot have."""
    errors = []
    for number, text in enumerate(given):
        if problem := output_problem(alias_path(text)):
            here, remedy = (*place, number), "write an address that this site had, such as /old/page/"
            errors.append(FileError(path, place_of(here), problem, remedy, locate(here)))
    if errors:
        raise InvalidFiles(errors)
    return tuple(given)


def read_own_path(path: str, text: str, locate: Locate, place: Sequence[Step] = ("path",)) -> str:
    """Return the own path of an entry, "" for none. Raises InvalidFiles for one that no page can have."""
    if not text:
        return ""
    if problem := own_path_problem(text):
        remedy = "write an address of this site, such as /about/team/"
        raise InvalidFiles([FileError(path, place_of(tuple(place)), problem, remedy, locate(tuple(place)))])
    return own_path(text)


def read_addresses(
    path: str, data: Mapping[str, Any], locales: Locales, locate: Locate, place: tuple[Step, ...] = ()
) -> OwnAddresses:
    """Return the own paths and former addresses of a page or item. Raises InvalidFiles."""
    given, former = data.get("path"), data.get(ALIASES)
    for name, value in (("path", given), (ALIASES, former)):
        for locale in value if isinstance(value, dict) else ():
            if locale not in locales.codes:
                here = (*place, name, locale)
                known = f"locales: {', '.join(locales.codes)}"
                raise InvalidFiles(
                    [FileError(path, place_of(here), "is not a locale of the site", known, locate(here))]
                )
    for locale, text in given.items() if isinstance(given, dict) else ():
        read_own_path(path, text, locate, (*place, "path", locale))
    if isinstance(given, str):
        read_own_path(path, given, locate, (*place, "path"))
    aliases = former if isinstance(former, dict) else {ANY_LOCALE: former or ()}
    for locale, listed in aliases.items():
        read_aliases(path, listed or (), locate, (*place, ALIASES, *((locale,) if locale else ())))
    paths = paths_by_locale(given, locales.codes, locales.default)
    found = {code: tuple(map(alias_path, listed)) for code, listed in aliases.items() if listed}
    return OwnAddresses(paths, found) if paths or found else NO_ADDRESSES


class RemovedMarkup(Struct, frozen=True):
    """Markup that was removed from the text at a place of a file; `line` is that of the place, where it is known."""

    place: str
    dropped: Dropped
    line: int | None = None


def removed_notes(file: ContentFile, found: Iterable[RemovedMarkup]) -> Iterator[str]:
    """Yield a note for each of the first MAX_NOTES kinds of removed markup, and one with the number of the others."""
    removed = removed_warnings(file, found)
    yield from map(str, removed[:MAX_NOTES])
    if (rest := len(removed) - MAX_NOTES) > 0:
        yield f"{file.path}: {rest} more kinds of markup were removed (sitecms check lists those of texts)."


def removed_warnings(file: ContentFile, found: Iterable[RemovedMarkup]) -> list[FileError]:
    """Return each kind of removed markup with its line, and the way to keep it if there is one.

    Comments are skipped: they are meant for readers of the file, and stay there.
    """
    removed = [each for each in found if not each.dropped.is_comment]
    lines = file.file.read_text(encoding="utf-8-sig").split("\n") if removed else []
    warnings = []
    for each in removed:
        times = f" ({each.dropped.count} times)" if each.dropped.count > 1 else ""
        message = f"{each.dropped.message}{times} {each.dropped.snippet}"
        line = _line_of(each.dropped.snippet, lines) or each.line
        warnings.append(FileError(file.path, each.place, message, REMEDY if keeps(each.dropped) else "", line))
    return warnings


def _line_of(snippet: str, lines: list[str]) -> int | None:
    """Return the number of the first line that holds the snippet."""
    text = snippet.removesuffix("…")
    return next((number for number, line in enumerate(lines, 1) if text in line), None)
