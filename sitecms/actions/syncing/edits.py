"""Edits of files: each file whole, as before or as planned, whenever the process is killed."""

from collections.abc import Callable, Mapping
from glob import escape
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from sitecms.content.fingerprint import digest
from sitecms.documents.folders import link_out, link_problem
from sitecms.files import TEMPORARY_SUFFIX, make_private_folder, sync_folder, write_atomically
from sitecms.store.database import Session, Transaction
from sitecms.store.site_state.loaded_files import LoadedFile

REMOVED_FOLDER = "removed"
InTransaction: TypeAlias = Callable[[Transaction], None]


class NotWritten(Exception):
    """A change that no file has, with the reason as a sentence without a full stop."""


class Edit(Struct, frozen=True):
    """The new bytes of a file, None for one that goes; `before` are the bytes that it must have, None for no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def is_change(self) -> bool:
        """Return whether there is anything to do."""
        return self.before != self.after


class Plan(Struct, frozen=True):
    """The edits for one change, and what the store notes after them.

    `copies` are media files to put into the folder, names in the library by path. Files that go are kept below the
    name `keep_as`, so that an entry that is restored gets its file again. `row` reads the written file for its record;
    `gone` is the path of a record that goes. `note_others` notes other entries whose files follow, before anything is
    written; `finish` saves what else the store keeps, afterwards. Entries of `with_drafts` have
    drafts that the files do not have, so that a load keeps what it replaces of them.
    """

    edits: tuple[Edit, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    keep_as: str = ""
    row: Callable[[Session], LoadedFile | None] | None = None
    gone: str = ""
    note_others: InTransaction | None = None
    finish: InTransaction | None = None
    with_drafts: frozenset[int] = frozenset()

    @property
    def changes(self) -> tuple[Edit, ...]:
        """The edits that change a file."""
        return tuple(edit for edit in self.edits if edit.is_change)


def digests_of(plan: Plan) -> str:
    """Return the digests of the bytes that a plan writes."""
    return " ".join(digest(edit.after) for edit in plan.changes if edit.after is not None)


def check_links(folder: Path, plan: Plan) -> None:
    """Raise NotWritten if links take a file of the plan out of the site folder: a load does not follow them either."""
    for path in (*(edit.path for edit in plan.edits), *plan.copies):
        if target := link_out(folder, path):
            raise NotWritten(f"{path} {link_problem(target)}")


def carry_out(folder: Path, state: Path, plan: Plan) -> None:
    """Do the edits of a plan. Raises NotWritten if a file changed since the plan was made, and OSError."""
    for edit in plan.edits:
        if read_bytes(folder / edit.path) != edit.before:
            raise NotWritten(f"{edit.path} changed on disk while it was written")
    for edit in plan.changes:
        path = folder / edit.path
        if edit.after is None:
            _put_aside(path, state / REMOVED_FOLDER / plan.keep_as / edit.path)
        else:
            put(path, edit.after)


def put(path: Path, data: bytes) -> None:
    """Write a file of the site folder, with the permissions that it has; a link leads to the file that changes.

    What a killed process left beside it goes: this process alone writes files. Raises OSError.
    """
    target = path.resolve() if path.is_symlink() else path
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{escape(target.name)}.*{TEMPORARY_SUFFIX}"):
        left.unlink(missing_ok=True)
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    write_atomically(target, data, is_durable=True, mode=mode)


def undo(folder: Path, plan: Plan) -> None:
    """Give the files of a plan the bytes that they had before."""
    for edit in plan.changes:
        path = folder / edit.path
        if edit.before is not None:
            write_atomically(path, edit.before, is_durable=True)
        elif edit.after is not None and read_bytes(path) == edit.after:
            path.unlink(missing_ok=True)


def read_bytes(path: Path) -> bytes | None:
    """Return the bytes of a file, None where there is none. Raises OSError."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def removed_files(state: Path, keep_as: str) -> dict[str, bytes]:
    """Return the files that were put aside under a name, by their paths in the site folder."""
    place = state / REMOVED_FOLDER / keep_as
    found = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else ()
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


def _put_aside(path: Path, kept: Path) -> None:
    make_private_folder(kept.parent)
    write_atomically(kept, path.read_bytes(), is_durable=True)
    path.unlink()
    sync_folder(path.parent)
