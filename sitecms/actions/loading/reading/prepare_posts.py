"""Reader of post files: checks the front matter, renders the body, takes images into the library."""

from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from functools import cache
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from sitecms.actions.loading.reading.bodies import render_body
from sitecms.actions.loading.reading.file_checks import (
    ALIASES,
    check_slug,
    file_errors,
    read_aliases,
    read_own_path,
)
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.clock import format_local_time, from_microseconds, parse_timestamp
from sitecms.content.change import PostChange, Times
from sitecms.content.post import FIELDS
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import composed, name_of_post_file, slug_of_post_file, slugify
from sitecms.documents import Locate, Step, load_schema, locator, nearest, place_of, read_front_matter
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings, SlugSource
from sitecms.store.site_state.loaded_files import FileDates

POST_SCHEMA = "schema/post.yaml"
UNKNOWN_KEY = "is not a known key"  # the words of documents.validation


def prepare_post(
    file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia, notes: list[str]
) -> PostChange:
    """Return the post in the file, its fields as they are written; add notes about likely mistakes to `notes`.

    Raises InvalidFiles with all errors of the file.
    """
    front = read_front_matter(file.file, file.path)
    locate = locator(file.file)
    data, fields = split_fields(file.path, front.data, schema, locate)
    errors = file_errors(data, "post", file.path, locate)
    if errors:
        raise InvalidFiles([_with_own_fields(error, schema) for error in errors])
    _check_fields(file.path, data, schema, locate)
    data = without_aliases(file.path, data, locate)
    locale = data.get("locale") or settings.default_locale
    if locale not in settings.locales:
        known = ", ".join(settings.locales)
        raise InvalidFiles([FileError(file.path, "locale", f'is "{locale}"', f"locales: {known}", locate(["locale"]))])
    slug = _slug(data, file, settings, locate)
    aliases = read_aliases(file.path, data.get(ALIASES) or (), locate)
    path = read_own_path(file.path, data.get("path") or "", locate)
    _check_terms(file.path, data, locate)
    times = read_times(data, settings.zone)
    status = read_status(data.get("status"), times)
    check_schedule(file.path, status, times, locate)
    notes += _notes(file.path, data, status, times, media.at, settings.zone)
    status, times = at_load(media.at, status, times, file.dates)
    body = render_body(file, front, settings, media, locale, notes)
    return PostChange(
        locale=locale,
        slug=slug,
        title=data["title"],
        status=status,
        id=data.get("id"),
        categories=tuple(data.get("categories") or ()),
        tags=tuple(data.get("tags") or ()),
        featured_image=media.address(data.get("featured_image") or ""),
        body=body,
        aliases=aliases,
        path=path,
        guid=data.get("guid") or "",
        markdown=None if data.get("format") == "html" else front.body,
        times=times,
        author=composed(data.get("author") or ""),
        featured_image_alt=data.get("featured_image_alt") or "",
        summary=data.get("summary") or "",
        seo_title=data.get("seo_title") or "",
        meta_description=data.get("meta_description") or "",
        translation_of=composed(data.get("translation_of") or ""),
        adopt=bool(data.get("adopt")),
        fields=fields,
    )


def split_fields(
    path: str, data: dict[str, Any], schema: ContentSchema, locate: Locate
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return front matter without the fields that schema/post.yaml declares, and these fields.

    They stand under `fields`, or at the top where no built-in key has their name. Raises InvalidFiles.
    """
    if not schema.post_fields:
        return data, {}
    built_in = load_schema("post")["properties"]
    slugs = {spec.slug for spec in schema.post_fields}
    at_top = {key: value for key, value in data.items() if key in slugs and key not in built_in}
    fields = data.get(FIELDS) or {}
    if not isinstance(fields, dict) or not at_top:
        return data, fields if isinstance(fields, dict) else {}
    errors = [
        FileError(path, key, f'is also given as "{FIELDS}.{key}"', "keep one of them", locate((key,)))
        for key in at_top
        if key in fields
    ]
    if errors:
        raise InvalidFiles(errors)
    return {key: value for key, value in data.items() if key not in at_top}, {**fields, **at_top}


def _check_fields(path: str, data: Mapping[str, Any], schema: ContentSchema, locate: Locate) -> None:
    """Raise InvalidFiles for fields of a post on a site whose posts have none."""
    if data.get(FIELDS) and not schema.post_fields:
        problem, remedy = "is given, but posts of this site have none", f"declare them in {POST_SCHEMA}"
        raise InvalidFiles([FileError(path, FIELDS, problem, remedy, locate((FIELDS,)))])


def _with_own_fields(error: FileError, schema: ContentSchema) -> FileError:
    """Return the error; for an unknown key it names the field that may be meant, or the way to declare one."""
    if error.problem != UNKNOWN_KEY:
        return error
    declared = [spec.slug for spec in schema.post_fields]
    if (meant := nearest(error.place, [*declared, *load_schema("post")["properties"]])) in declared:
        return replace(error, remedy=f'did you mean "{meant}"?')
    has_hint = meant or not error.remedy.startswith("keys here")
    return error if has_hint else replace(error, remedy=f"{error.remedy}; declare others in {POST_SCHEMA}")


@cache
def _key_aliases() -> Mapping[str, str]:
    """Return the keys that other generators use, with the keys that they stand for."""
    keys = load_schema("post")["properties"]
    return {name: rule["aliasOf"] for name, rule in keys.items() if "aliasOf" in rule}


def without_aliases(path: str, data: dict[str, Any], locate: Locate) -> dict[str, Any]:
    """Return the data with every value under its own key. Raises InvalidFiles where two keys say the same."""
    aliases = _key_aliases()
    if aliases.keys().isdisjoint(data):
        return data
    named = {key: value for key, value in data.items() if key not in aliases}
    errors = []
    for key, value in data.items():
        own = aliases.get(key)
        if own is None or value is None:
            continue
        if named.get(own) is not None:
            errors.append(FileError(path, key, f'is also given as "{own}"', "keep one of them", locate((key,))))
        elif key != "draft":
            named[own] = value
        elif value or not named.get("scheduled"):
            named[own] = str(Status.DRAFT if value else Status.PUBLISHED)
    if errors:
        raise InvalidFiles(errors)
    return named


def post_slug(data: Mapping[str, Any], file: ContentFile, settings: SiteSettings) -> str:
    """Return the slug of the post in the file."""
    is_from_title = settings.post_slug_from is SlugSource.TITLE
    return slug_of_post_file(
        str(data.get("slug") or ""), str(data.get("title") or ""), file.path, from_title=is_from_title
    )


def _slug(data: Mapping[str, Any], file: ContentFile, settings: SiteSettings, locate: Locate) -> str:
    """Return the slug of the post. Raises InvalidFiles as `check_slug`, also if the one that the file gives is none."""
    given = data.get("slug")
    slug = slugify(given, max_bytes=None) if given else post_slug(data, file, settings)
    return check_slug(file.path, slug, given or name_of_post_file(file.path), locate)


def _check_terms(path: str, data: Mapping[str, Any], locate: Locate) -> None:
    """Raise InvalidFiles for term names from which no address can be made."""
    remedy = "name it with letters or digits"
    errors = [
        FileError(
            path, f"{kind}[{number}]", f'is "{name}", from which no address can be made', remedy, locate((kind, number))
        )
        for kind in ("categories", "tags")
        for number, name in enumerate(data.get(kind) or ())
        if not base_slug(name)
    ]
    if errors:
        raise InvalidFiles(errors)


def _notes(
    path: str, data: Mapping[str, Any], status: Status, times: Times, at: datetime, zone: tzinfo
) -> Iterator[str]:
    if status is Status.DRAFT and not data.get("status"):
        today = at.astimezone(zone).date()
        yield f"{path}: is a draft, so it is not shown (add published: {today}, or status: published)"
    elif note := schedule_note(at, status, times, zone):
        yield f"{path}: {note}"


def read_times(data: Mapping[str, Any], zone: tzinfo, locale: str = "") -> Times:
    """Return the times that a file sets; those that it sets by locale, for this one.

    Raises ValueError for what is no time, which files that were checked have not.
    """

    def read(name: str) -> datetime | None:
        value = data.get(name)
        named = value.get(locale) if isinstance(value, dict) else value
        return parse_timestamp(named, zone) if named else None

    return Times(read("created"), read("updated"), read("published"), read("scheduled"))


def read_status(status: str | None, times: Times, otherwise: Status = Status.DRAFT) -> Status:
    """Return the stated status; else scheduled with a scheduled time, published with a published one."""
    if status:
        return Status(status)
    if times.scheduled_at:
        return Status.SCHEDULED
    return Status.PUBLISHED if times.published_at else otherwise


def is_to_come(at: datetime, status: Status, times: Times) -> bool:
    """Return whether an entry is stated to be published, at a time that has not come yet."""
    return status is Status.PUBLISHED and times.published_at is not None and times.published_at > at


def schedule_note(at: datetime, status: Status, times: Times, zone: tzinfo) -> str:
    """Return a note on an entry that is scheduled because its `published` time is to come; "" on any other."""
    if times.published_at is None or not is_to_come(at, status, times):
        return ""
    moment = format_local_time(times.published_at, zone)
    return f"is scheduled for {moment}, its published time (to show it now, state a time that has passed)"


def as_of(at: datetime, status: Status, times: Times) -> tuple[Status, Times]:
    """Return status and times at that moment.

    An entry that is scheduled for the moment or before is published at its time; one with a later published time is
    scheduled.
    """
    if is_to_come(at, status, times):
        return Status.SCHEDULED, replace(times, published_at=None, scheduled_at=times.published_at)
    due = times.scheduled_at
    if status is not Status.SCHEDULED or due is None or due > at:
        return status, times
    return Status.PUBLISHED, replace(times, published_at=due, scheduled_at=None)


def at_load(at: datetime, status: Status, times: Times, dates: FileDates) -> tuple[Status, Times]:
    """Return status and times at the moment of a load, with those that follow from the history of the file."""
    status, times = as_of(at, status, times)
    return status, with_history(at, status, times, dates)


def with_history(at: datetime, status: Status, times: Times, dates: FileDates) -> Times:
    """Return the times of a published entry with those that follow from the history of its file (reference, Times).

    It was published with the first commit, and updated with the last one or when it was published.
    """
    if status is not Status.PUBLISHED:
        return times
    published_at = times.published_at or _moment(dates.first, at)
    if published_at is None or times.updated_at is not None:
        return replace(times, published_at=published_at)
    updated_at = max(_moment(dates.last, at) or published_at, published_at)
    return replace(times, published_at=published_at, updated_at=updated_at)


def _moment(seconds: int, at: datetime) -> datetime | None:
    """Return the time of a commit; None without one, or of one that is to come."""
    return from_microseconds(seconds * 1_000_000) if 0 < seconds <= at.timestamp() else None


def check_schedule(path: str, status: Status, times: Times, locate: Locate, place: tuple[Step, ...] = ()) -> None:
    """Raise InvalidFiles for a scheduled entry without a time, which would never be published."""
    if status is Status.SCHEDULED and times.scheduled_at is None:
        here = (*place, "status")
        remedy = "add the time, as scheduled: 2026-03-01T08:00:00Z"
        raise InvalidFiles([FileError(path, place_of(here), "is scheduled, but for no time", remedy, locate(here))])


def media_errors(file: ContentFile, media: FileMedia) -> list[FileError]:
    """Return errors for the media that the file names and the site does not have."""
    return [
        FileError(file.path, "", problem.message, problem.remedy, *_place_of(problem.address, file))
        for problem in media.problems
    ]


def _place_of(address: str, file: ContentFile) -> tuple[int | None, int | None]:
    """Return the first line and column at which the address is written."""
    lines = file.file.read_text(encoding="utf-8-sig").split("\n")
    for written in (address, quote(address)):
        for number, line in enumerate(lines, 1):
            if (column := line.find(written)) >= 0:
                return number, column + 1
    return None, None
