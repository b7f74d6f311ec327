"""Files that were written for one entry or list, as changes that commits name: who, what, and to which."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from sitecms.actions.syncing.git.changes import PICTURE, AuthoredChange, Verb
from sitecms.actions.syncing.git.people import Person, person_of
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.revision import ChangeKind, ChangeSource, Revision
from sitecms.content.status import Status
from sitecms.store.accounts.users import find_user_name
from sitecms.store.database import Session
from sitecms.store.entries import entry_state
from sitecms.store.entries.revisions import last_revision, last_scheduling
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.listings.entries import titles_of
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.file_changes import FileAction, FileChange
from sitecms.store.site_state.loaded_files import file_of_entry
from sitecms.store.writes.tokens import find_token_name
from sitecms.store.writes.writes import find_creator

_BY_HISTORY = {
    ChangeKind.SCHEDULE: Verb.SCHEDULE,
    ChangeKind.UNPUBLISH: Verb.UNPUBLISH,
    ChangeKind.RESTORE: Verb.RESTORE,
}
_DRAFTS = {Verb.ADD: Verb.ADD_DRAFT, Verb.UPDATE: Verb.UPDATE_DRAFT}


class WrittenFile(Struct, frozen=True):
    """A file that is about to be written or removed, and whether it was there and will be there."""

    path: str
    was_there: bool
    is_there: bool


class _Event(Struct, frozen=True):
    """The last change of an entry that its file does not have yet, and the slug that the entry had before."""

    revision: Revision
    slug: str

    @property
    def is_scheduled(self) -> bool:
        """True if the entry was published by its schedule."""
        return self.revision.ended.source is ChangeSource.SCHEDULE


def describe(
    session: Session, change: FileChange, files: Iterable[WrittenFile], at: datetime
) -> Iterator[AuthoredChange]:
    """Yield the changes of files that follow from a change of an entry or of a list of the site.

    Pictures that are put into the folder are changes of their own, so that a commit says how many there are.
    """
    files = tuple(files)
    event = _event(session, change) if change.kind in set(EntryKind) else None
    person = _person(session, change, event)
    pictures = [file for file in files if not file.was_there and file.path.startswith("media/")]
    others = [file for file in files if file not in pictures]
    if others:
        paths = tuple(file.path for file in others)
        title = _title(session, change, paths[0])
        verb = _verb(session, change, others, event)
        slug = _slug(session, change) if verb is Verb.RENAME else ""
        yield AuthoredChange(person, verb, change.kind, title, paths, at, change.entry_id, slug)
    for file in pictures:
        yield AuthoredChange(person, Verb.ADD, PICTURE, PurePosixPath(file.path).name, (file.path,), at)


def _event(session: Session, change: FileChange) -> _Event | None:
    """Return the last change of an entry in its history, unless its file was written after it."""
    kind = EntryKind(change.kind)
    last, file = last_revision(session, kind, change.entry_id), file_of_entry(session, kind, change.entry_id)
    if last is None or (file is not None and last[0].ended.at < file.loaded_at):
        return None
    state: dict[str, Any] = last[1].get("post") or last[1]
    return _Event(last[0], str(state.get("slug") or ""))


def _person(session: Session, change: FileChange, event: _Event | None) -> Person:
    """Return who made the change; of an entry that its schedule has published, who had scheduled it."""
    name = change.editor
    if not name and event and event.is_scheduled:
        kind = EntryKind(change.kind)
        scheduling = last_scheduling(session, kind, change.entry_id)
        name = scheduling.name if scheduling else _creator(session, kind, change.entry_id)
    return person_of(session, name)


def _creator(session: Session, kind: EntryKind, entry_id: int) -> str:
    """Return the name of the user or token that created an entry, "" where it is not known any more."""
    user_id, token_id = find_creator(session, kind, entry_id) or (None, None)
    name = find_user_name(session, user_id) if user_id else find_token_name(session, token_id) if token_id else None
    return name or ""


def _verb(session: Session, change: FileChange, files: Sequence[WrittenFile], event: _Event | None) -> Verb:
    """Return what happens to an entry or a list."""
    if change.kind not in set(EntryKind):
        return Verb.UPDATE
    was_there, is_there = _places(session, change, files)
    if not is_there:
        return Verb.DELETE
    is_draft = not any(status is not Status.DRAFT for status in _statuses(session, change))
    verb = Verb.UPDATE if was_there else Verb.ADD
    if change.action == FileAction.RESTORE:
        return Verb.RESTORE
    if change.action == FileAction.ORDER:
        return Verb.REORDER
    if event is None and not was_there and Status.SCHEDULED in _statuses(session, change):
        return Verb.SCHEDULE
    if event is None or not was_there:
        verb = verb if is_draft or was_there else Verb.PUBLISH
        return _DRAFTS[verb] if is_draft else verb
    kind = event.revision.ended.kind
    if kind is ChangeKind.PUBLISH and not event.revision.was_public:
        return Verb.PUBLISH
    if kind in _BY_HISTORY:
        return _BY_HISTORY[kind]
    if event.slug and event.slug != _slug(session, change):
        return Verb.RENAME
    return _DRAFTS[verb] if is_draft else verb


def _places(session: Session, change: FileChange, files: Sequence[WrittenFile]) -> tuple[bool, bool]:
    """Return whether an entry was and is in files: items share a file, so it follows from the store and its record."""
    if KINDS[EntryKind(change.kind)].has_slug:
        return any(file.was_there for file in files), any(file.is_there for file in files)
    file = file_of_entry(session, EntryKind(change.kind), change.entry_id)
    was_there = file is not None and (change.kind, change.entry_id) in file.present
    return was_there, entry_state.is_there(session, change.kind, change.entry_id)


def _statuses(session: Session, change: FileChange) -> set[Status]:
    """Return the statuses of the versions of an entry."""
    return {each.status for each in VERSIONS[EntryKind(change.kind)].of(session, (change.entry_id,))}


def _slug(session: Session, change: FileChange) -> str:
    """Return the slug of an entry; "" for an item."""
    entries = VERSIONS[EntryKind(change.kind)].of(session, (change.entry_id,))
    return next((each.slug for each in entries), "")


def _title(session: Session, change: FileChange, path: str) -> str:
    """Return the title of an entry, in the trash or not, else the name of its file; "" for a list."""
    if change.kind not in set(EntryKind):
        return ""
    key = EntryKind(change.kind), change.entry_id
    return titles_of(session, [key], load_content_schema(session)).get(key) or PurePosixPath(path).stem
