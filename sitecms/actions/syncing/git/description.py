"""Files that were written for one entry or list, as changes that commits name: who, what, and to which."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath

from msgspec import Struct

from sitecms.actions.syncing.git.changes import AuthoredChange, Verb
from sitecms.actions.syncing.git.people import person_of
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.store.database import Session
from sitecms.store.entries import entry_state
from sitecms.store.listings.entries import titles_of
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.loaded_files import file_of_entry

PICTURE = "picture"


class WrittenFile(Struct, frozen=True):
    """A file that is about to be written or removed, and whether it was there and will be there."""

    path: str
    was_there: bool
    is_there: bool


def describe(
    session: Session, by: str, entry: tuple[str, int], files: Iterable[WrittenFile], at: datetime
) -> Iterator[AuthoredChange]:
    """Yield the changes of an entry (kind and id) or a list of the site (`authors`, 0) by a user or token.

    Pictures that are put into the folder are changes of their own, so that a commit says how many there are.
    """
    person = person_of(session, by)
    pictures = [file for file in files if not file.was_there and file.path.startswith("media/")]
    others = [file for file in files if file not in pictures]
    if others:
        paths = tuple(file.path for file in others)
        title = _title(session, entry, paths[0])
        yield AuthoredChange(person, _verb(session, entry, others), entry[0], title, paths, at, entry[1])
    for file in pictures:
        yield AuthoredChange(person, Verb.ADD, PICTURE, PurePosixPath(file.path).name, (file.path,), at)


def _verb(session: Session, entry: tuple[str, int], files: Sequence[WrittenFile]) -> Verb:
    """Return what happens to an entry: items share a file, so theirs follows from the store and the file's record."""
    kind, entry_id = entry
    was_there, is_there = any(file.was_there for file in files), any(file.is_there for file in files)
    if kind in set(EntryKind) and not KINDS[EntryKind(kind)].has_slug:
        file = file_of_entry(session, EntryKind(kind), entry_id)
        was_there = file is not None and entry in file.present
        is_there = entry_state.is_there(session, kind, entry_id)
    if not is_there:
        return Verb.DELETE
    return Verb.UPDATE if was_there else Verb.ADD


def _title(session: Session, entry: tuple[str, int], path: str) -> str:
    """Return the title of an entry, in the trash or not, else the name of its file; "" for a list."""
    if entry[0] not in set(EntryKind):
        return ""
    key = EntryKind(entry[0]), entry[1]
    return titles_of(session, [key], load_content_schema(session)).get(key) or PurePosixPath(path).stem
