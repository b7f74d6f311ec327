"""Actions of users on the media library: upload of files, alt texts and focal points."""

from collections.abc import Sequence
from datetime import datetime
from typing import IO

from sitecms.actions.accounts.permissions import require
from sitecms.content.media import FOCUS_PARTS, MediaDetails, MediaFile
from sitecms.content.status import Status
from sitecms.content.user import Action, User
from sitecms.errors import Forbidden, InvalidFields, InvalidMedia, NotFound
from sitecms.media.intake import taken_in
from sitecms.media.library import MediaLibrary
from sitecms.media.thumbnails import Thumbnails
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Database, Session
from sitecms.store.entries.media_files import find_media, keep_upload, save_details, save_media
from sitecms.store.entries.posts import get_post_by_id
from sitecms.store.maintenance.media_usage import find_holders
from sitecms.store.site_state.site_builds import count_site_change
from sitecms.values import dataclass

MAX_NAME_LENGTH = 200
MAX_ALT_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The files that were stored, and the reason for each that was refused, by its name."""

    files: tuple[MediaFile, ...]
    refused: dict[str, str]


@dataclass(frozen=True, slots=True)
class MediaPlace:
    """Where media files are kept: the store, the library, and the thumbnails of the studio."""

    database: Database
    library: MediaLibrary
    thumbnails: Thumbnails


def upload(place: MediaPlace, user: User, files: Sequence[tuple[str, IO[bytes]]], at: datetime) -> Uploaded:
    """Store files, given as name and open file; their names do not matter for what they are.

    As remote media, pictures are decoded in a process of their own and encoded without metadata. A file that is stored
    already keeps its name and details.

    Raises Forbidden and MediaUnusable.
    """
    require(user, Action.UPLOAD)
    stored: list[MediaFile] = []
    refused: dict[str, str] = {}
    for name, data in files:
        shown = _shown_name(name)
        try:
            stored.append(_take_in(place, user, shown, data, at))
        except InvalidMedia as error:
            refused[shown] = str(error)
    return Uploaded(tuple(stored), refused)


def _take_in(place: MediaPlace, user: User, name: str, data: IO[bytes], at: datetime) -> MediaFile:
    with taken_in(data, name, at) as taken:
        place.library.add_file(taken.media.name, taken.path)
        if taken.thumbnail:
            place.thumbnails.keep(taken.media.name, taken.thumbnail)
    with place.database.writing(counts_as_change=False) as transaction:
        save_media(transaction, taken.media)
        keep_upload(transaction, taken.media.name)
        record_action(transaction, user, "upload", f"media {taken.media.name}", at, name)
        return find_media(transaction, [taken.media.name])[taken.media.name]


def _shown_name(name: str) -> str:
    plain = name.replace("\\", "/").rpartition("/")[2]
    return "".join(sign for sign in plain if sign.isprintable())[-MAX_NAME_LENGTH:] or "file"


def may_describe(session: Session, user: User, name: str) -> bool:
    """Return whether the user may describe a file: writers one that only drafts of their own show."""
    if user.may(Action.CHANGE_MEDIA):
        return True
    holders = find_holders(session, name)
    posts = [get_post_by_id(session, post_id) for post_id in holders.posts]
    own = [post for post in posts if post.status is Status.DRAFT and user.may(Action.EDIT, post.author.slug)]
    return user.may(Action.UPLOAD) and len(own) == len(holders)


def describe(database: Database, user: User, name: str, details: MediaDetails, at: datetime) -> bool:
    """Change alt text and focal point of a file; return whether they differ from the stored ones.

    Readers see the change with the next build. Raises Forbidden, NotFound and InvalidFields.
    """
    require(user, Action.UPLOAD)
    errors: dict[str, list[str]] = {}
    if len(details.alt) > MAX_ALT_LENGTH:
        errors["alt"] = [f"Ensure this field has no more than {MAX_ALT_LENGTH} characters."]
    if details.alt and details.is_decorative:
        errors["alt"] = ["A decorative picture has no description. Empty it, or say that the picture is described."]
    for key in ("focus_x", "focus_y"):
        if not 0 <= getattr(details, key) <= FOCUS_PARTS:
            errors[key] = [f"Choose a number from 0 to {FOCUS_PARTS}."]
    if errors:
        raise InvalidFields(errors)
    with database.writing() as transaction:
        file = find_media(transaction, [name]).get(name)
        if file is None:
            raise NotFound("Not found.")
        if not may_describe(transaction, user, name):
            raise Forbidden("What is published, or belongs to others, shows this file. Ask an editor to describe it.")
        if file.details == details:
            return False
        save_details(transaction, name, details)
        count_site_change(transaction)
        record_action(transaction, user, "describe", f"media {name}", at, file.original_name)
    return True
