"""Changes that the files of the site folder do not have yet: one row for each entry, term or author that changed.

The row is written in the transaction of the change, and removed when the file says the same (`actions.syncing`).
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from peewee import SQL, fn

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.content.term import TermKind
from sitecms.store.database import Session, Transaction
from sitecms.store.models.entries import AuthorRow, TermRow, VersionRow, VersionTermRow
from sitecms.store.models.site_state import FileChangeRow
from sitecms.store.prepared import prepared


class ListKind(StrEnum):
    """Kinds of the files that list what entries share: each has one row, with the id 0."""

    AUTHORS = "authors"
    CATEGORIES = "categories"
    TAGS = "tags"
    MEDIA = "media"


class FileAction(StrEnum):
    """Actions that histories of entries do not have: from the trash, and to another place among the items."""

    NONE = ""
    RESTORE = "restore"
    ORDER = "order"


class FileChange(NamedTuple):
    """A change that the files do not have yet.

    `number` grows with each change. `problem` says why it could not be written, "" before that was tried. `written` are
    digests of the bytes that were about to be written, which an interrupted process may have done.
    `editor` is the user or token that made the last change, by an `action` that the history does not have.
    """

    kind: str
    entry_id: int
    number: int
    problem: str = ""
    written: str = ""
    editor: str = ""
    action: str = FileAction.NONE


_COLUMNS = [getattr(FileChangeRow, name) for name in FileChange._fields]
_TERMS = {TermKind.CATEGORY: ListKind.CATEGORIES, TermKind.TAG: ListKind.TAGS}


@prepared
def _note(kind: str, entry_id: int, editor: str, action: str) -> Any:
    number = fn.COALESCE(FileChangeRow.select(fn.MAX(FileChangeRow.number)), 0) + 1
    row = FileChangeRow.insert(kind=kind, entry_id=entry_id, number=number, problem="", editor=editor, action=action)
    key = [FileChangeRow.kind, FileChangeRow.entry_id]
    preserved = [FileChangeRow.number, FileChangeRow.problem, FileChangeRow.editor, FileChangeRow.action]
    return row.on_conflict(conflict_target=key, preserve=preserved)


def note_file_change(
    transaction: Transaction,
    kind: EntryKind | ListKind,
    entry_id: int = 0,
    *,
    editor: str = "",
    action: FileAction = FileAction.NONE,
) -> None:
    """Note that an entry or a list changed by other means than its file: by a user or token, "" for a schedule."""
    transaction.run(_note(kind.value, entry_id, editor, action.value))


def note_term_change(transaction: Transaction, kind: TermKind, slug: str = "", *, editor: str = "") -> None:
    """Note that terms of a kind changed; with a slug also each entry of that term, whose file names it."""
    note_file_change(transaction, _TERMS[kind], editor=editor)
    entries = VersionRow.select(VersionRow.kind, VersionRow.entry_id).join(VersionTermRow).join(TermRow)
    entries = entries.where(TermRow.kind == kind.value, TermRow.slug == slug)
    for of_kind, entry_id in transaction.rows(entries) if slug else ():
        note_file_change(transaction, EntryKind(of_kind), entry_id, editor=editor)


def note_author_change(transaction: Transaction, slug: str = "", *, editor: str = "") -> None:
    """Note that authors changed; with a slug also each entry of that author, whose file names the author."""
    note_file_change(transaction, ListKind.AUTHORS, editor=editor)
    entries = VersionRow.select(VersionRow.kind, VersionRow.entry_id).join(AuthorRow).where(AuthorRow.slug == slug)
    for of_kind, entry_id in transaction.rows(entries) if slug else ():
        note_file_change(transaction, EntryKind(of_kind), entry_id, editor=editor)


def open_file_changes(session: Session, most: int) -> tuple[FileChange, ...]:
    """Return the first changes that nobody has tried to write yet."""
    query = FileChangeRow.select(*_COLUMNS).where(FileChangeRow.problem == "")
    rows = session.rows(query.order_by(FileChangeRow.number).limit(most))
    return tuple(map(FileChange._make, rows))


def all_file_changes(session: Session) -> tuple[FileChange, ...]:
    """Return all changes that the files do not have, those that could not be written included."""
    return tuple(map(FileChange._make, session.rows(FileChangeRow.select(*_COLUMNS).order_by(FileChangeRow.number))))


def count_file_problems(session: Session) -> dict[str, int]:
    """Return the number of changes that the files do not have, by the reason; "" for those that wait."""
    query = FileChangeRow.select(FileChangeRow.problem, fn.COUNT(SQL("*"))).group_by(FileChangeRow.problem)
    return {str(row[0]): int(row[1]) for row in session.rows(query.order_by(FileChangeRow.problem))}


def count_drafts_over(session: Session) -> int:
    """Return the number of drafts over published entries, which only the store has."""
    live = VersionRow.alias()
    is_over = (live.entry_id == VersionRow.entry_id) & (live.kind == VersionRow.kind)
    is_over &= (live.locale == VersionRow.locale) & (live.version == Version.LIVE.value)
    drafts = VersionRow.select().join(live, on=is_over).where(VersionRow.version == Version.DRAFT.value)
    return session.count(drafts)


def retry_file_changes(transaction: Transaction) -> None:
    """Let all changes be tried again."""
    transaction.run(FileChangeRow.update(problem="").where(FileChangeRow.problem != ""))


def save_planned(transaction: Transaction, changes: Sequence[FileChange], digests: str) -> None:
    """Keep the digests of the bytes that are about to be written for these changes."""
    for change in changes:
        transaction.run(FileChangeRow.update(written=digests).where(_is_row(change)))


def planned_digests(session: Session) -> frozenset[str]:
    """Return the digests of all bytes that a write-back was about to write, for changes that the files do not have."""
    rows = session.rows(FileChangeRow.select(FileChangeRow.written).where(FileChangeRow.written != ""))
    return frozenset(digest for row in rows for digest in row[0].split())


def save_file_problem(transaction: Transaction, change: FileChange, problem: str) -> None:
    """Keep the reason why a change could not be written, unless it changed again."""
    transaction.run(FileChangeRow.update(problem=problem).where(_is_same(change)))


def end_file_change(transaction: Transaction, change: FileChange) -> bool:
    """Remove a change that the files have; return False if it changed again meanwhile."""
    return transaction.run(FileChangeRow.delete().where(_is_same(change))) > 0


def _is_row(change: FileChange) -> Any:
    return (FileChangeRow.kind == change.kind) & (FileChangeRow.entry_id == change.entry_id)


def _is_same(change: FileChange) -> Any:
    return _is_row(change) & (FileChangeRow.number == change.number)
