"""The recipe of a write-back: each change that is noted becomes edits of files, which are done one change at a time.

A change is planned in one snapshot of the store; the digests of what is about to be written are committed, then the
files are exchanged, then the record of the file is saved and the change removed. A process that is killed in between
leaves each file as it was or as planned; the next one recognises what is written already by its digest.
"""

import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from sitecms.actions.loading.reading.files import find_file
from sitecms.actions.syncing.edits import (
    REMOVED_FOLDER,
    NotWritten,
    Plan,
    carry_out,
    check_links,
    digests_of,
    put,
    undo,
)
from sitecms.actions.syncing.git import FILES_LOCK, note_change
from sitecms.actions.syncing.git.description import WrittenFile, describe
from sitecms.actions.syncing.git.incoming import find_move
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.references import items_in
from sitecms.documents.comparison import CannotRewrite
from sitecms.errors import InvalidFields, InvalidFiles, MediaUnusable, NotFound
from sitecms.files import why_not_writable
from sitecms.media.library import MediaLibrary, open_library
from sitecms.settings.files import GitMode, WriteBack
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.engines.locks import LockFiles, try_lock
from sitecms.store.entries import entry_state
from sitecms.store.entries.authors import has_unlisted_authors
from sitecms.store.entries.entry_state import find_former_addresses
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.file_changes import (
    FileChange,
    ListKind,
    all_file_changes,
    count_drafts_over,
    count_file_problems,
    end_file_change,
    note_file_change,
    open_file_changes,
    retry_file_changes,
    save_file_problem,
    save_planned,
)
from sitecms.store.site_state.loaded_files import (
    LoadedFile,
    delete_loaded_file,
    find_undated,
    has_loaded_files,
    packed_texts,
    save_loaded_file,
    save_loaded_texts,
)

AT_ONCE = 200
BUSY = "another process writes files of this site now"
MOVING = "a pull into the site folder was interrupted; a worker finishes it first (sitecms serve, sitecms worker)"
_REFUSED = (NotWritten, CannotRewrite, InvalidFiles, InvalidFields, MediaUnusable, NotFound, OSError)


class WriteBackReport(Struct, frozen=True):
    """The result of a write-back. `problems` are changes that no file has, with the reason.

    `stopped` says why nothing was tried, as in a folder that cannot be written; "" if the changes were tried.
    """

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    stopped: str = ""

    def __bool__(self) -> bool:
        return bool(self.written or self.removed or self.problems or self.stopped)


def is_on(session: Session, settings: SiteSettings) -> bool:
    """Return whether the settings let changes be written into files."""
    mode = settings.files.write_back
    return mode is WriteBack.ON or (mode is WriteBack.AUTO and has_loaded_files(session))


class FileState(Struct, frozen=True):
    """The number of changes that files wait for, and of those that could not be written, by the reason.

    `drafts` are drafts over published entries, which stay in the store. `is_on`: the settings let changes be written.
    """

    is_on: bool
    waiting: int
    problems: Mapping[str, int]
    drafts: int


def file_state(session: Session, settings: SiteSettings) -> FileState:
    """Return what of the store is not in the files."""
    waiting, problems = _waiting_and_problems(session, settings)
    return FileState(is_on(session, settings), waiting, problems, count_drafts_over(session))


def file_problems(session: Session, settings: SiteSettings) -> Mapping[str, int]:
    """Return the number of changes that could not be written, by the reason; {} where nothing is to be written."""
    _waiting, problems = _waiting_and_problems(session, settings)
    return problems if problems and is_on(session, settings) else {}


def _waiting_and_problems(session: Session, settings: SiteSettings) -> tuple[int, dict[str, int]]:
    problems = count_file_problems(session)
    waiting = problems.pop("", 0)
    if waiting and (problem := why_not_writable(settings.folder)):
        return 0, {f"{settings.folder} cannot be written: {problem}": waiting, **problems}
    return waiting, problems


def note_unwritten(database: Database) -> None:
    """Note the entries of which only the store knows the time of publication or a former address.

    Also the list of authors, if posts belong to one that no file lists: a clone refuses such posts.
    """
    with database.writing(counts_as_change=False) as transaction:
        pairs = {(EntryKind(kind), entry_id) for kind, entry_id in find_undated(transaction)}
        pairs |= {(each.kind, each.entry_id) for each in find_former_addresses(transaction)}
        for kind, entry_id in sorted(pairs):
            note_file_change(transaction, kind, entry_id)
        if has_unlisted_authors(transaction):
            note_file_change(transaction, ListKind.AUTHORS)


def write_back(
    database: Database, settings: SiteSettings, at: datetime, *, is_trial: bool = False, again: bool = False
) -> WriteBackReport:
    """Bring the files up to date; `again`: also for changes that could not be written before.

    A trial changes nothing and reports what would be written. A pull that was interrupted is finished before: half of
    its files may be missing, and would be written as the store has them.
    """
    with database.reading() as session:
        changes = all_file_changes(session) if again else open_file_changes(session, 1)
        if not changes or not is_on(session, settings):
            return WriteBackReport()
    if problem := why_not_writable(settings.folder):
        return WriteBackReport(stopped=f"{settings.folder} cannot be written: {problem}")
    with try_lock(LockFiles(settings.workers_dir), FILES_LOCK) as is_alone:
        if not is_alone:
            return WriteBackReport(stopped=BUSY)
        if settings.files.git is not GitMode.OFF and find_move(settings.state_dir) is not None:
            return WriteBackReport(stopped=MOVING)
        if again and not is_trial:
            with database.writing(counts_as_change=False) as transaction:
                retry_file_changes(transaction)
        return Writing(database, settings, open_library(settings), at, is_trial=is_trial).all(again=again)


class Writing(Struct):
    """One write-back."""

    database: Database
    settings: SiteSettings
    library: MediaLibrary
    at: datetime
    is_trial: bool

    def all(self, *, again: bool) -> WriteBackReport:
        """Write all changes, also those that come meanwhile."""
        report, seen = WriteBackReport(), set[FileChange]()
        while True:
            with self.database.reading() as session:
                is_whole = again and self.is_trial
                changes = all_file_changes(session) if is_whole else open_file_changes(session, AT_ONCE)
            left = [change for change in changes if change not in seen]
            if not left:
                return report
            seen |= {*left}
            for group in self.groups(left):
                done = self._group(group)
                report = WriteBackReport(
                    (*report.written, *done.written),
                    (*report.removed, *done.removed),
                    (*report.problems, *done.problems),
                )

    def groups(self, changes: Sequence[FileChange]) -> list[list[FileChange]]:
        """Return the changes, those of items of one file together."""
        from sitecms.actions.syncing.item_files import collection_file  # mostly nothing is to be written

        groups: dict[tuple[str, object], list[FileChange]] = {}
        with self.database.reading() as session:
            for change in changes:
                kind = _kind(change)
                is_listed = isinstance(kind, EntryKind) and not KINDS[kind].has_slug
                key = collection_file(session, change.entry_id) if is_listed else change.entry_id
                groups.setdefault((change.kind, key), []).append(change)
        order = [*ListKind, *EntryKind]  # posts name authors and terms
        return sorted(groups.values(), key=lambda group: order.index(_kind(group[0])))

    def _group(self, changes: Sequence[FileChange]) -> WriteBackReport:
        try:
            plan = self.database.read(self.plan, changes)
            check_links(self.settings.folder, plan)
            if not self.is_trial:
                self._carry_out(changes, plan)
        except _REFUSED as error:
            problem = _reason(error)
            if not self.is_trial:
                with self.database.writing(counts_as_change=False) as transaction:
                    for change in changes:
                        save_file_problem(transaction, change, problem)
            return WriteBackReport(problems=tuple(f"{_label(change)}: {problem}" for change in changes))
        edits = plan.changes
        return WriteBackReport(
            (*(edit.path for edit in edits if edit.after is not None), *plan.copies),
            tuple(edit.path for edit in edits if edit.after is None),
        )

    def plan(self, session: Session, changes: Sequence[FileChange]) -> Plan:
        """Return the edits of files for one change, or for those of items of one file."""
        from sitecms.actions.syncing.entry_files import plan_entry
        from sitecms.actions.syncing.item_files import plan_items
        from sitecms.actions.syncing.list_files import plan_list
        from sitecms.actions.syncing.site_files import SiteFiles

        written = frozenset(text for change in changes for text in change.written.split())
        site = SiteFiles(self.settings, load_content_schema(session), self.library, self.at, written)
        kind, ids = _kind(changes[0]), [change.entry_id for change in changes]
        if isinstance(kind, ListKind):
            return plan_list(site, session, kind)
        return plan_entry(site, session, kind, ids[0]) if KINDS[kind].has_slug else plan_items(site, session, kind, ids)

    def announce(self, changes: Sequence[FileChange], plan: Plan) -> None:
        """Note what is about to be written, and the entries whose files follow from it, whoever is killed afterwards.

        The file of an item to which something refers must say its id: a clone gives ids in the order of the files.
        """
        with self.database.writing(counts_as_change=False) as transaction:
            save_planned(transaction, changes, digests_of(plan))
            if plan.note_others:
                plan.note_others(transaction)
            for item_id in _new_targets(plan):
                note_file_change(transaction, EntryKind.ITEM, item_id, editor=changes[0].editor)

    def _carry_out(self, changes: Sequence[FileChange], plan: Plan) -> None:
        """Do a plan, and note that it is done."""
        if plan.changes:
            self.announce(changes, plan)
        self._note_for_git(changes, plan)
        for path, name in plan.copies.items():
            self._copy(path, name)
        carry_out(self.settings.folder, self.settings.state_dir, plan)
        try:
            with self.database.reading() as session:
                row = plan.row(session) if plan.row else None
                texts = self._texts(session, row) if row and row.entries else {}
        except (InvalidFiles, InvalidFields):  # a load could not read it: better the former file
            undo(self.settings.folder, plan)
            raise
        with self.database.writing(counts_as_change=False) as transaction:
            if plan.gone:
                delete_loaded_file(transaction, plan.gone)
            if row is not None:
                save_loaded_file(transaction, row)
                save_loaded_texts(transaction, texts)
            if plan.finish:
                plan.finish(transaction)
            for change in changes:
                is_done = end_file_change(transaction, change)
                kind = _kind(change)
                if is_done and isinstance(kind, EntryKind) and change.entry_id not in plan.with_drafts:
                    entry_state.set_origin(transaction, kind, change.entry_id, Origin.WRITTEN_BACK)
        if plan.keep_as and not any(edit.after is None for edit in plan.edits):
            shutil.rmtree(self.settings.state_dir / REMOVED_FOLDER / plan.keep_as, ignore_errors=True)

    def _texts(self, session: Session, row: LoadedFile) -> dict[str, str]:
        """Return what the written file says, with which the next load compares it."""
        file = find_file(self.settings, load_content_schema(session), row.path, self.at)
        paths = (file.path, *file.variants) if file else ()
        return {row.path: packed_texts({path: (self.settings.folder / path).read_bytes() for path in paths})}

    def _note_for_git(self, changes: Sequence[FileChange], plan: Plan) -> None:
        """Note who changes which files, for a commit."""
        edits = [WrittenFile(edit.path, edit.before is not None, edit.after is not None) for edit in plan.changes]
        files = (*edits, *(WrittenFile(path, was_there=False, is_there=True) for path in plan.copies))
        if self.settings.files.git is GitMode.OFF or not files:
            return
        with self.database.reading() as session:
            authored = [each for change in changes for each in describe(session, change, files, self.at)]
        for each in authored:
            note_change(self.settings, each)

    def _copy(self, path: str, name: str) -> None:
        """Put a file of the library into the folder."""
        with self.library.storage.held((name,), keep=False) as paths:
            source: Path | None = paths.get(name)
            if source is None:
                raise NotWritten(f"its file {name} is missing in the media library (sitecms verify)")
            put(self.settings.folder / path, source.read_bytes())


def _new_targets(plan: Plan) -> list[int]:
    """Return the items to which files of a plan refer by id, and did not before."""
    edits = [edit for edit in plan.changes if edit.after is not None]
    before, after = (
        {item for data in texts if data for item in items_in(data.decode("utf-8", "replace"))}
        for texts in ([edit.before for edit in edits], [edit.after for edit in edits])
    )
    return sorted(item.id for item in after - before)


def _kind(change: FileChange) -> EntryKind | ListKind:
    return ListKind(change.kind) if change.kind in set(ListKind) else EntryKind(change.kind)


def _label(change: FileChange) -> str:
    return f"{change.kind} {change.entry_id}" if change.entry_id else change.kind


def _reason(error: Exception) -> str:
    """Return why a change could not be written, as a sentence without a full stop."""
    if isinstance(error, InvalidFiles):
        return f"the file has errors: {'; '.join(map(str, error.errors[:3]))}"
    if isinstance(error, InvalidFields):
        return f"the file has errors: {'; '.join(text for texts in error.messages.values() for text in texts)}"
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'} cannot be written: {(error.strerror or str(error)).lower()}"
    return str(error)
