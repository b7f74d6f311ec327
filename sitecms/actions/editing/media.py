"""Actions of users on the media library: upload, alt texts and focal points, replacement and deletion of files.

Files are named by their content, so a replacement is another file: all entries that show the former one get its
address, live versions, drafts and working copies alike, each with a revision of what it was before.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import IO

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.actions.syncing.write_back import is_on
from sitecms.actions.writing.accept import WriteContext
from sitecms.actions.writing.entry_events import EventCause, record_saved
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import Origin, VersionChange, change_of_version, change_of_versions
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.kinds import BODY, FORMAT, KINDS, MARKDOWN, EntryKind
from sitecms.content.media import (
    FOCUS_PARTS,
    MAX_TAG_LENGTH,
    MAX_TAGS,
    NO_DETAILS,
    MediaDetails,
    MediaFile,
)
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.status import Status
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.user import Action, User
from sitecms.errors import Forbidden, InvalidFields, InvalidInput, InvalidMedia, NotFound
from sitecms.media.intake import taken_in
from sitecms.media.library import MediaLibrary, may_remove_media
from sitecms.media.thumbnails import Thumbnails
from sitecms.messages import N_, Text, text_of
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries import authors
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.media_files import (
    find_media,
    forget_media,
    is_media_known,
    is_upload,
    keep_upload,
    save_details,
    save_media,
)
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.entries.working_copies import change_copy, copied_values
from sitecms.store.maintenance.media_usage import entry_label, find_holders, find_places
from sitecms.store.site_state.documents import load_deleted_media, save_deleted_media
from sitecms.store.site_state.file_changes import ListKind, note_author_change, note_file_change
from sitecms.store.site_state.site_builds import count_site_change

MAX_NAME_LENGTH = 200
MAX_ALT_LENGTH = 255
OTHER_KIND = N_(
    "The file is of another kind (%(new)s instead of %(old)s), so it cannot take its place. Nothing was replaced."
)
REPEATED = N_("You have this file already.")
REPEATED_AS = "You have this file already, as {name}."
SAME = N_("It is the same file: nothing was replaced.")
_IMAGE = re.compile(r"<img [^>]*>")
_SHOWN_PLACES = 5


class Uploaded(Struct, frozen=True):
    """The files that were stored, and messages by names: why a file was refused, or that it was there before."""

    files: tuple[MediaFile, ...]
    refused: dict[str, str]
    repeated: dict[str, str]


class MediaPlace(Struct, frozen=True):
    """Where media files are kept: the store, the library, and the thumbnails of the studio."""

    settings: SiteSettings
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
    repeated: dict[str, str] = {}
    for name, data in files:
        shown = _shown_name(name)
        try:
            file, is_new = _take_in(place, user, shown, data, at)
        except InvalidMedia as error:
            refused[shown] = text_of(error)
            continue
        stored.append(file)
        if not is_new:
            repeated[shown] = REPEATED if file.original_name == shown else REPEATED_AS.format(name=file.original_name)
    return Uploaded(tuple(stored), refused, repeated)


def _take_in(place: MediaPlace, user: User, name: str, data: IO[bytes], at: datetime) -> tuple[MediaFile, bool]:
    """Store a file; return it as the library has it, and whether the library did not have it before."""
    with taken_in(data, name, at) as taken:
        place.library.storage.put_file(taken.media.name, taken.path)
        if taken.thumbnail:
            place.thumbnails.keep(taken.media.name, taken.thumbnail)
    with place.database.writing(counts_as_change=False) as transaction:
        is_new = not is_media_known(transaction, taken.media.name)
        save_media(transaction, taken.media)
        keep_upload(transaction, taken.media.name)
        deleted = load_deleted_media(transaction)
        save_deleted_media(transaction, {name: was for name, was in deleted.items() if name != taken.media.name})
        note_file_change(transaction, ListKind.MEDIA, editor=user.name)
        record_action(transaction, user, "upload", f"media {taken.media.name}", at, name)
        return find_media(transaction, [taken.media.name])[taken.media.name], is_new


def _shown_name(name: str) -> str:
    plain = name.replace("\\", "/").rpartition("/")[2]
    return "".join(sign for sign in plain if sign.isprintable())[-MAX_NAME_LENGTH:] or "file"


def may_describe(session: Session, user: User, name: str) -> bool:
    """Return whether the user may describe a file: writers one that only drafts of their own show."""
    if user.may(Action.CHANGE_MEDIA):
        return True
    holders = find_holders(session, name)
    with_authors = [(kind, ids) for kind, ids in holders.entries.items() if KINDS[kind].has_author]
    entries = [entry for kind, ids in with_authors for entry in VERSIONS[kind].of(session, ids)]
    own = [entry for entry in entries if entry.status is Status.DRAFT and user.may(Action.EDIT, entry.author.slug)]
    return user.may(Action.UPLOAD) and len(own) == len(holders)


def describe(database: Database, user: User, name: str, details: MediaDetails, at: datetime) -> bool:
    """Change alt text, focal point and tags of a file; return whether they differ from the stored ones.

    Readers see the change with the next build. Raises Forbidden, NotFound and InvalidFields.
    """
    require(user, Action.UPLOAD)
    errors: dict[str, list[str]] = {}
    if len(details.alt) > MAX_ALT_LENGTH:
        errors["alt"] = [Text("Ensure this field has no more than %(limit)s characters.", limit=MAX_ALT_LENGTH)]
    if details.alt and details.is_decorative:
        errors["alt"] = [
            N_("A decorative picture has no description: empty it, or do not mark the picture as decorative.")
        ]
    for key in ("focus_x", "focus_y"):
        if not 0 <= getattr(details, key) <= FOCUS_PARTS:
            errors[key] = [Text("Choose a number from 0 to %(num)s.", num=FOCUS_PARTS)]
    if len(details.tags) > MAX_TAGS or any(len(tag) > MAX_TAG_LENGTH for tag in details.tags):
        errors["tags"] = [
            Text("A file has %(num)s tags at most, of %(limit)s characters each.", num=MAX_TAGS, limit=MAX_TAG_LENGTH)
        ]
    if errors:
        raise InvalidFields(errors)
    with database.writing() as transaction:
        file = find_media(transaction, [name]).get(name)
        if file is None:
            raise NotFound("Not found.")
        if not may_describe(transaction, user, name):
            raise Forbidden(
                N_("Published entries, or entries of other authors, show this file. Ask an editor to describe it.")
            )
        if file.details == details:
            return False
        save_details(transaction, name, details)
        note_file_change(transaction, ListKind.MEDIA, editor=user.name)
        if replace(details, tags=()) != replace(file.details, tags=()):  # readers do not see tags
            count_site_change(transaction)
        record_action(transaction, user, "describe", f"media {name}", at, file.original_name)
    return True


class Replaced(Struct, frozen=True):
    """The number of entries that have the new file, and labels of those that keep the old one, with the reason."""

    count: int
    left: tuple[str, ...]


def find_replaceable(database: Database, user: User, old: MediaFile, new: MediaFile) -> tuple[str, ...]:
    """Return labels of the entries that show the old file. Raises Forbidden, and InvalidInput for an unfit file."""
    require(user, Action.CHANGE_MEDIA)
    _check(old, new)
    with database.reading() as session:
        holders = find_holders(session, old.name)
        named = [entry_label(session, kind, entry_id) for kind, ids in holders.entries.items() for entry_id in ids]
    return (*named, *(f"author {slug}" for slug in holders.authors))


def replace_everywhere(context: WriteContext, user: User, old: MediaFile, new: MediaFile) -> Replaced:
    """Replace the file in all entries, in one transaction; the new file gets description and focal point of the old.

    A post whose Markdown cannot be rendered any more, or shows the file by other means, keeps the old one. Raises
    Forbidden and InvalidInput.
    """
    require(user, Action.CHANGE_MEDIA)
    _check(old, new)
    at = context.clock()
    with context.database.writing() as transaction:
        if new.details == NO_DETAILS != old.details:
            save_details(transaction, new.name, old.details)
            note_file_change(transaction, ListKind.MEDIA, editor=user.name)
        replacement = _Replacement(context, transaction, user, old, new, at)
        holders = find_holders(transaction, old.name)
        for kind, ids in holders.entries.items():
            for entry_id in ids:
                replacement.in_entry(kind, entry_id)
        for author in authors.find_authors(transaction):
            if author.slug in holders.authors:
                authors.save_author(transaction, replace(author, profile_image=new.url))
                note_author_change(transaction, editor=user.name)
        count_site_change(transaction)
        record_action(transaction, user, "replace", f"media {old.name}", at, f"by {new.name}")
    return Replaced(len(holders) - len(replacement.left), tuple(replacement.left))


def _check(old: MediaFile, new: MediaFile) -> None:
    if old.name == new.name:
        raise InvalidInput(SAME)
    if old.content_type.partition("/")[0] != new.content_type.partition("/")[0]:
        raise InvalidInput(Text(OTHER_KIND, new=new.content_type, old=old.content_type))


class _Replacement(Struct):
    """A replacement in one transaction. `left` are the entries that keep the old file."""

    context: WriteContext
    transaction: Transaction
    user: User
    old: MediaFile
    new: MediaFile
    at: datetime
    left: list[str] = field(default_factory=list)

    @property
    def saves(self) -> SaveContext:
        """The context in which the changes are stored."""
        cause = ChangeCause(ChangeSource.USER, self.user.name)
        return SaveContext(self.transaction, Origin.API, self.at, cause, self.context.settings.owner)

    @property
    def events(self) -> EventCause:
        """The source of the changes, for webhooks."""
        return EventCause(self.context.settings.default_locale, self.at, self.user.name)

    def in_entry(self, kind: EntryKind, entry_id: int) -> None:
        """Replace the file in all versions of an entry."""
        stored = versions_of(self.transaction, kind, entry_id)
        own = [each for each in stored if not each.saved_by]
        try:
            changes = tuple(map(self._changed, own))
        except InvalidInput as error:
            self.left.append(f"{entry_label(self.transaction, kind, entry_id)}: {error}")
            return
        save_entry(self.saves, change_of_versions(own[0], changes))
        for before, after in zip(own, changes, strict=True):
            if after != change_of_version(before):
                record_saved(self.transaction, kind, entry_id, before.locale, before.status, self.events)
        for draft in stored:
            if draft.saved_by:
                self._in_copy(own[0], draft)

    def _changed(self, entry: Entry) -> VersionChange:
        """Return a version with the new file. Raises InvalidInput where its Markdown does not come to show it."""
        change = change_of_version(entry)
        fields, image = self.in_fields(entry.fields), self.in_text(entry.featured_image)
        changed = replace(change, fields=fields, featured_image=image, body=self.in_text(entry.body))
        if entry.markdown is not None and self.old.name in entry.body:
            markdown = replace_media(entry.markdown, self._address_in(entry))
            resolve = resolver_of(self.transaction, (entry.kind, entry.id))
            body = render_body(self.context.settings, markdown, entry.locale, resolve, title=entry.title)
            if self.old.name in body:
                raise InvalidInput("a shortcode or template shows it")
            changed = replace(changed, body=body, markdown=markdown)
        return changed if changed == change else replace(changed, times=replace(change.times, updated_at=None))

    def _in_copy(self, live: Entry, draft: Entry) -> None:
        """Replace the file in the working copy of a post."""
        values = copied_values(*(change_of_versions(each, (change_of_version(each),)) for each in (live, draft)))
        copied = self.in_fields(values)
        if isinstance(text := copied.get(BODY), str) and copied[FORMAT] == MARKDOWN:
            copied = {**copied, BODY: replace_media(text, self._address_in(draft))}
        if copied != values:
            change_copy(self.transaction, draft.id, copied, self.in_text(draft.body))

    def in_fields(self, fields: Fields) -> Fields:
        """Return fields with the new file."""
        return {name: self.in_value(value) for name, value in fields.items()}

    def in_value(self, value: FieldValue) -> FieldValue:
        """Return a value with the new file, whatever holds it."""
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, dict):
            return {name: self.in_value(each) for name, each in value.items()}
        return [self.in_value(each) for each in value] if isinstance(value, list) else value

    def in_text(self, text: str) -> str:
        """Return a text with the address of the new file; images in HTML get its size, if they had that of the old."""
        if self.old.name not in text:
            return text
        return _IMAGE.sub(lambda tag: self._sized(tag[0]), text).replace(self.old.url, self.new.url)

    def _sized(self, tag: str) -> str:
        if self.old.url not in tag or not (self.new.width and self.new.height):
            return tag
        former = f' width="{self.old.width}"', f' height="{self.old.height}"'
        if not all(each in tag for each in former):
            return tag
        return tag.replace(former[0], f' width="{self.new.width}"').replace(former[1], f' height="{self.new.height}"')

    def _address_in(self, entry: Entry) -> Callable[[str], str | None]:
        """Return the function that maps an address in the Markdown of an entry to that of the new file."""
        resolve = resolver_of(self.transaction, (entry.kind, entry.id))

        def address(written: str) -> str | None:
            found = resolve(written)
            return self.new.url if found and found.src == self.old.url else None

        return address


def delete_file(place: MediaPlace, user: User, file: MediaFile, at: datetime) -> None:
    """Delete a file that nothing in the store names. Raises Forbidden, and InvalidInput for one that is used.

    The site folder loses the file of an upload, too.
    """
    require(user, Action.CHANGE_MEDIA)
    with may_remove_media(place.library) as is_free:
        if not is_free:
            raise InvalidInput(N_("A backup is running. Nothing was deleted; try again when it is done."))
        with place.database.writing(counts_as_change=False) as transaction:
            is_unlisted = is_on(transaction, place.settings)
            if places := find_places(transaction, file.name, _SHOWN_PLACES, but_listed=is_unlisted):
                raise InvalidInput(
                    Text("The file was not deleted, because this uses it: %(places)s.", places=", ".join(places))
                )
            place.library.storage.remove([file.name], at + timedelta(days=1))
            deleted = {file.name: is_upload(transaction, file.name)}
            save_deleted_media(transaction, load_deleted_media(transaction) | deleted)
            forget_media(transaction, file.name)
            note_file_change(transaction, ListKind.MEDIA, editor=user.name)
            record_action(transaction, user, "delete", f"media {file.name}", at, file.original_name)
