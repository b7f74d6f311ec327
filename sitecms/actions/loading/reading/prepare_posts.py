"""Reader of post files: checks the front matter, renders the body, takes images into the library."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sitecms.actions.loading.reading.file_checks import (
    RemovedMarkup,
    file_errors,
    read_own_path,
    read_slug,
    removed_notes,
)
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import MEDIA_REMEDY, FileMedia
from sitecms.clock import format_timestamp, parse_timestamp
from sitecms.content.change import PostChange, Times
from sitecms.content.status import Status
from sitecms.content.text import markdown
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.media_links import resolve_media
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.slug import slug_of_post_file, slugify
from sitecms.documents import Locate, Step, locator, place_of, read_front_matter
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings, SlugSource


def prepare_post(file: ContentFile, settings: SiteSettings, media: FileMedia, notes: list[str]) -> PostChange:
    """Return the post in the file; add notes about likely mistakes to `notes`.

    Raises InvalidFiles with all errors of the file.
    """
    front = read_front_matter(file.file, file.path)
    data, locate = front.data, locator(file.file)
    errors = file_errors(data, "post", file.path, locate)
    if errors:
        raise InvalidFiles(errors)
    locale = data.get("locale") or settings.default_locale
    if locale not in settings.locales:
        known = ", ".join(settings.locales)
        raise InvalidFiles([FileError(file.path, "locale", f'is "{locale}"', f"locales: {known}", locate(["locale"]))])
    removed: list[Dropped] = []
    if data.get("format") == "html":
        body = resolve_media(sanitize(front.body, removed.append), media.resolve)
    else:
        typographer = settings.markdown_typographer
        body = markdown.render(front.body, resolve_image=media.resolve, typographer=typographer, report=removed.append)
    if message := too_many_marks(count_marks(front.body if data.get("format") == "html" else body)):
        raise InvalidFiles([FileError(file.path, "body", message, "write several posts", front.body_line)])
    read_slug(file.path, data.get("slug"), (data["title"], file.file.stem), locate)
    path = read_own_path(file.path, data.get("path") or "", locate)
    _check_terms(file.path, data, locate)
    times = read_times(data)
    status = read_status(data.get("status"), times)
    check_schedule(file.path, status, times, locate)
    notes += _notes(file.path, data, status, times, media.at)
    status, times = as_of(media.at, status, times)
    notes += removed_notes(file, (RemovedMarkup("body", dropped) for dropped in removed))
    featured_image = data.get("featured_image") or ""
    return PostChange(
        locale=locale,
        slug=post_slug(data, file, settings),
        title=data["title"],
        status=status,
        id=data.get("id"),
        categories=tuple(data.get("categories") or ()),
        tags=tuple(data.get("tags") or ()),
        featured_image=media.address(featured_image),
        body=body,
        aliases=tuple(data.get("aliases") or ()),
        path=path,
        guid=data.get("guid") or "",
        markdown=None if data.get("format") == "html" else front.body,
        times=times,
        author=data.get("author") or "",
        featured_image_alt=data.get("featured_image_alt") or "",
        summary=data.get("summary") or "",
        seo_title=data.get("seo_title") or "",
        meta_description=data.get("meta_description") or "",
        translation_of=data.get("translation_of") or "",
        adopt=bool(data.get("adopt")),
    )


def post_slug(data: Mapping[str, Any], file: ContentFile, settings: SiteSettings) -> str:
    """Return the slug of the post in the file."""
    is_from_title = settings.post_slug_from is SlugSource.TITLE
    return slug_of_post_file(str(data.get("slug") or ""), data["title"], file.file.stem, from_title=is_from_title)


def _check_terms(path: str, data: Mapping[str, Any], locate: Locate) -> None:
    """Raise InvalidFiles for term names of which no address can be made."""
    remedy = "name it with letters or digits"
    errors = [
        FileError(
            path, f"{kind}[{number}]", f'is "{name}", of which no address can be made', remedy, locate((kind, number))
        )
        for kind in ("categories", "tags")
        for number, name in enumerate(data.get(kind) or ())
        if not slugify(name)
    ]
    if errors:
        raise InvalidFiles(errors)


def _notes(path: str, data: Mapping[str, Any], status: Status, times: Times, at: datetime) -> Iterator[str]:
    if status is Status.DRAFT and not data.get("status"):
        yield f"{path}: is a draft, so it is not shown (add published: {at.date()}, or status: published)"
    elif note := schedule_note(at, status, times):
        yield f"{path}: {note}"


def read_times(data: Mapping[str, Any], locale: str = "") -> Times:
    """Return the times that a file sets; those that it sets by locale, for this one."""

    def read(name: str) -> datetime | None:
        value = data.get(name)
        named = value.get(locale) if isinstance(value, dict) else value
        return parse_timestamp(named) if named else None

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


def schedule_note(at: datetime, status: Status, times: Times) -> str:
    """Return a note on an entry that is scheduled because its `published` time is to come; "" on any other."""
    if times.published_at is None or not is_to_come(at, status, times):
        return ""
    moment = format_timestamp(times.published_at)
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


def check_schedule(path: str, status: Status, times: Times, locate: Locate, place: tuple[Step, ...] = ()) -> None:
    """Raise InvalidFiles for a scheduled entry without a time, which would never be published."""
    if status is Status.SCHEDULED and times.scheduled_at is None:
        here = (*place, "status")
        remedy = "add the time, as scheduled: 2026-03-01T08:00:00Z"
        raise InvalidFiles([FileError(path, place_of(here), "is scheduled, but for no time", remedy, locate(here))])


def media_errors(file: ContentFile, media: FileMedia) -> list[FileError]:
    """Return errors for the media that the file names and the site does not have."""
    return [FileError(file.path, "", text, MEDIA_REMEDY, _line_of(text, file)) for text in media.problems]


def _line_of(problem: str, file: ContentFile) -> int | None:
    """Return the first line with the address that the problem begins with."""
    address = problem.split(" ", 1)[0]
    lines = file.file.read_text(encoding="utf-8-sig").split("\n")
    return next((number for number, line in enumerate(lines, 1) if address in line), None)
