"""Readers of page, collection, author and term files.

Fields of pages and items stay raw here; they are cleaned when references can be looked up.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from sitecms.actions.entry_paths import entry_at
from sitecms.actions.loading.reading.bodies import BODY, expanded_html, render_body
from sitecms.actions.loading.reading.file_checks import (
    ALIASES,
    file_errors,
    read_addresses,
    read_aliases,
    read_slug,
)
from sitecms.actions.loading.reading.files import TERM_KINDS, ContentFile, page_name
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.actions.loading.reading.page_variants import joined_page, untranslatable
from sitecms.actions.loading.reading.prepare_posts import check_schedule, read_status, read_times, schedule_note
from sitecms.actions.loading.reading.raw import RawItem, RawItems, RawPage, RawVersion
from sitecms.content.addresses import alias_path
from sitecms.content.author import Author
from sitecms.content.change import Times
from sitecms.content.fields import type_of
from sitecms.content.locale import Locales
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.term import Term, name_key
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import slugify
from sitecms.content.validation import split_locales
from sitecms.documents import FrontMatter, Locate, Step, locator, place_of, read_front_matter, read_yaml
from sitecms.errors import FileError, InvalidFields, InvalidFiles
from sitecms.settings.site import SiteSettings

_TIMES = ("published", "created", "updated", "scheduled")
_BY_LOCALE = ("status", *_TIMES)


def prepare_page(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia, notes: list[str]
) -> RawPage:
    """Return the page in the file, and in those of its other locales. Raises InvalidFiles.

    The body of a Markdown file is its field `body`. Markup that was removed from a Markdown body goes to `notes`; that
    of fields is noted when they are cleaned.
    """
    if not file.variants:
        return _page_in_file(file, settings, schema, media, notes)
    parts = (file._replace(path=path, variants=()) for path in (file.path, *file.variants))
    pages = {part.path: _page_in_file(part, settings, schema, media, notes) for part in parts}
    specs = schema.page_fields(file.group or None, pages[file.path].slug)
    return joined_page(file, pages, specs, Locales(settings.locales, settings.default_locale))


def _page_in_file(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia, notes: list[str]
) -> RawPage:
    """Return the page in one file, whose name may end with its locale. Raises InvalidFiles."""
    front = read_front_matter(file.file, file.path) if file.file.suffix == ".md" else None
    data: Any = dict(front.data) if front else read_yaml(file.file, file.path)
    locate = locator(file.file)
    errors = file_errors(data, "page", file.path, locate)
    if errors:
        raise InvalidFiles(errors)
    stem, named = page_name(file.path, settings.locales)
    if named:
        data = _of_locale(data, str(data.get("locale") or named))
    slug = read_slug(file.path, data.get("slug"), (stem,), locate)
    specs = schema.page_fields(file.group or None, slug)
    if front:
        locale = str(data.get("locale") or settings.default_locale)
        data["fields"] = {**(data.get("fields") or {}), BODY: _body(file, front, specs, settings, media, locale, notes)}
    versions = tuple(_versions(data, specs, settings, file.path, locate, Status.DRAFT))
    notes += _schedule_notes(file.path, versions, media.at, settings.zone)
    locales = Locales(settings.locales, settings.default_locale)
    addresses = read_addresses(file.path, data, locales, locate)
    if there := entry_at(settings, file.group or None, slug, addresses.path(settings.default_locale)):
        problem = f'is "{slug}", and {there} stands at that address'
        raise InvalidFiles([FileError(file.path, "slug", problem, "choose another slug", locate(("slug",)))])
    title, titles = _titles(data["title"], [each.locale for each in versions], settings, file.path, locate)
    return RawPage(slug, title, versions, locate, bool(data.get("adopt")), addresses, data.get("id"), titles)


def _of_locale(data: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """Return the data of a file of one locale, whose addresses are those in its locale."""
    own = {name: {locale: data[name]} for name in ("path", ALIASES) if isinstance(data.get(name), str | list)}
    return {**data, "locale": locale, **own}


def _titles(
    written: str | Mapping[str, str], locales: Sequence[str], settings: SiteSettings, path: str, locate: Locate
) -> tuple[str, dict[str, str]]:
    """Return the title of a page, and those of the locales that have another one. Raises InvalidFiles."""
    if isinstance(written, str):
        return written, {}
    for locale in written:
        if locale not in locales:
            here = ("title", locale)
            remedy = f"the page is written in {', '.join(locales)}"
            raise InvalidFiles([FileError(path, place_of(here), "is a locale without fields", remedy, locate(here))])
    title = written.get(settings.default_locale) or next(iter(written.values()))
    return title, {locale: text for locale, text in written.items() if text != title}


def prepare_items(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, at: datetime, notes: list[str]
) -> RawItems:
    """Return the items in the file, in its order. Raises InvalidFiles."""
    data: Any = read_yaml(file.file, file.path)
    locate = locator(file.file)
    errors = file_errors(data, "items", file.path, locate)
    if errors:
        raise InvalidFiles(errors)
    specs = schema.collection(file.group).fields
    locales = Locales(settings.locales, settings.default_locale)
    items = []
    for number, entry in enumerate(data or ()):
        versions = tuple(_versions(entry, specs, settings, file.path, locate, Status.PUBLISHED, (number,)))
        notes += _schedule_notes(file.path, versions, at, settings.zone, f"[{number}] ")
        addresses = read_addresses(file.path, entry, locales, locate, (number,))
        if addresses.paths and not schema.collection(file.group).route:
            notes.append(f"{file.path}: [{number}] has a path but no page, since the collection has no route")
        items.append(RawItem(entry.get("id"), tuple(versions), (number,), bool(entry.get("adopt")), addresses))
    return RawItems(tuple(items), locate)


def _schedule_notes(
    path: str, versions: Sequence[RawVersion], at: datetime, zone: tzinfo, place: str = ""
) -> list[str]:
    """Return what there is to note of published times to come, once for all locales that say the same."""
    found = dict.fromkeys(schedule_note(at, raw.status, raw.times, zone) for raw in versions)
    return [f"{path}: {place}{note}" for note in found if note]


def _body(
    file: ContentFile,
    front: FrontMatter,
    specs: Sequence[FieldSpec],
    settings: SiteSettings,
    media: FileMedia,
    locale: str,
    notes: list[str],
) -> str:
    """Return Markdown for a Markdown field, else rendered; HTML is returned unchanged, since its field cleans it."""
    spec = next((spec for spec in specs if spec.slug == BODY), None)
    if spec is None or not type_of(spec).is_html:
        return front.body.strip("\n")
    if front.data.get("format") == "html":
        return expanded_html(file, front, media, locale, notes).strip("\n")
    return render_body(file, front, settings, media, locale, notes)


def _versions(
    data: Mapping[str, Any],
    specs: Sequence[FieldSpec],
    settings: SiteSettings,
    path: str,
    locate: Locate,
    default_status: Status,
    place: tuple[Step, ...] = (),
) -> Iterator[RawVersion]:
    locales = Locales(settings.locales, settings.default_locale)
    statuses, written = data.get("status"), data.get("fields") or {}
    draft_data = data.get("draft") or {}
    over = draft_data.get("fields") or {}
    written_in = _written_in(data, locales, path, locate)
    try:
        by_locale = split_locales(written, locales, written_in)
        drafts = split_locales(over, locales, written_in)
    except InvalidFields as error:
        here = (*place, "fields")
        raise InvalidFiles([FileError(path, place_of(here), str(error), line=locate(here))]) from error
    by_locales = (("draft", drafts if data.get("draft") else {}), *((name, data.get(name)) for name in _BY_LOCALE))
    for name, named in by_locales:
        if isinstance(named, dict) and (unknown := sorted(named.keys() - by_locale.keys())):
            remedy = f"the entry is written in {', '.join(by_locale)}"
            here = (*place, name, unknown[0])
            raise InvalidFiles([FileError(path, place_of(here), "is a locale without fields", remedy, locate(here))])
    shared = untranslatable(by_locale, specs, locales)
    for locale, fields in by_locale.items():
        status = statuses.get(locale) if isinstance(statuses, dict) else statuses
        times = read_times(data, settings.zone, locale)
        known = read_status(status, times, default_status)
        check_schedule(path, known, times, locate, place)
        here = (*place, "fields", locale) if fields is not written else (*place, "fields")
        draft = drafts.get(locale) if data.get("draft") else None
        draft_here = (*place, "draft", "fields", *((locale,) if draft is not over else ()))
        draft_status, draft_times = _draft_state(data, settings.zone, locale)
        if draft is not None:
            check_schedule(path, draft_status, draft_times, locate, (*place, "draft"))
        whole = {**fields, **shared}
        yield RawVersion(locale, known, whole, draft, times, here, draft_here, draft_status, draft_times)


def _draft_state(data: Mapping[str, Any], zone: tzinfo, locale: str) -> tuple[Status, Times]:
    """Return status and times of the draft in the locale; a time that it does not set is that of the live version."""
    draft = data.get("draft") or {}
    status = draft.get("status")
    named = status.get(locale) if isinstance(status, dict) else status
    times = {name: draft[name] if name in draft else data.get(name) for name in _TIMES}
    return Status(named or Status.DRAFT), read_times(times, zone, locale)


def _written_in(data: Mapping[str, Any], locales: Locales, path: str, locate: Locate) -> str:
    """Return the locale of fields that name none."""
    locale: str = data.get("locale") or locales.default
    if locale not in locales.codes:
        known = ", ".join(locales.codes)
        raise InvalidFiles([FileError(path, "locale", f'is "{locale}"', f"locales: {known}", locate(("locale",)))])
    return locale


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
