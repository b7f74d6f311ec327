"""One action on several media files: each is checked and changed by itself, and a refusal of one stops no other."""

from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from sitecms.actions.editing.bulk import BulkResult, Steps, attempt
from sitecms.actions.editing.edited import NOT_FOUND
from sitecms.actions.editing.entries import Outcome
from sitecms.actions.editing.media import MediaPlace, delete_file, describe
from sitecms.content.media import MediaFile, clean_tags, tag_key
from sitecms.content.user import User
from sitecms.errors import NotFound
from sitecms.store.database import Database
from sitecms.store.entries.media_files import find_media


def delete_files(place: MediaPlace, user: User, names: Iterable[str], at: datetime) -> tuple[BulkResult, ...]:
    """Delete the files that nothing uses."""

    def change(name: str) -> Steps:
        file = _get_file(place.database, name)
        yield _shown_name(file)
        delete_file(place, user, file, at)
        yield Outcome.WRITTEN

    return tuple(attempt(name, change(name)) for name in names)


def tag_files(
    database: Database, user: User, names: Iterable[str], tag: str, at: datetime, *, removes: bool = False
) -> tuple[BulkResult, ...]:
    """Add a tag to files, or remove it from them."""

    def change(name: str) -> Steps:
        file = _get_file(database, name)
        yield _shown_name(file)
        others = tuple(each for each in file.details.tags if tag_key(each) != tag_key(tag))
        has_tag = len(others) < len(file.details.tags)
        if has_tag != removes:
            return
        tags = others if removes else clean_tags((*others, tag))
        describe(database, user, name, replace(file.details, tags=tags), at)
        yield Outcome.WRITTEN

    return tuple(attempt(name, change(name)) for name in names)


def _get_file(database: Database, name: str) -> MediaFile:
    file = database.read(find_media, [name]).get(name)
    if file is None:
        raise NotFound(NOT_FOUND)
    return file


def _shown_name(file: MediaFile) -> str:
    return file.original_name or file.name
