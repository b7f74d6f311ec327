"""Changes of files that wait for their commit: one small file each in the state folder, so that none is lost."""

import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from sitecms.actions.syncing.git.commits import commit_files
from sitecms.actions.syncing.git.people import Person
from sitecms.actions.syncing.git.work_tree import WorkTree, open_work_tree
from sitecms.clock import to_microseconds
from sitecms.content.kinds import EntryKind
from sitecms.errors import GitFailed
from sitecms.files import make_private_folder, write_atomically
from sitecms.plurals import counted
from sitecms.settings.files import GitMode
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.file_changes import ListKind

FILES_LOCK = "write-back"
"""Name of the lock, in `workers_dir`, of who changes files of the site folder."""
WINDOW = timedelta(seconds=30)
LONGEST_SUBJECT = 72
PICTURE = "picture"
_MAIN_KIND = EntryKind.POST.value
_LISTS = {ListKind.MEDIA.value: "Describe pictures"}
_FOLDER = "git/changes"
_ENDING = ".json"


class Verb(StrEnum):
    """The verbs by which subjects of commits begin."""

    ADD = "Add"
    ADD_DRAFT = "Add draft"
    UPDATE = "Update"
    UPDATE_DRAFT = "Update draft"
    PUBLISH = "Publish"
    SCHEDULE = "Schedule"
    UNPUBLISH = "Unpublish"
    RENAME = "Rename"
    REORDER = "Reorder"
    RESTORE = "Restore"
    DELETE = "Delete"


_MINOR = frozenset((Verb.UPDATE, Verb.UPDATE_DRAFT, Verb.REORDER))
"""Verbs that say less than the one before, where one commit has both."""


class AuthoredChange(Struct, frozen=True):
    """The change of an entry by a person, as `Update`, `post`, `Spring tide`, and the files of it.

    `paths` are relative to the site folder: files that were written, or removed. Lists that entries share, such as
    `authors`, have neither title nor id, and pictures no id. `slug` is the new one of a renamed entry.
    """

    person: Person
    verb: Verb
    kind: str
    title: str
    paths: tuple[str, ...]
    at: datetime
    entry_id: int = 0
    slug: str = ""

    @property
    def line(self) -> str:
        """The change in words: `Publish “Spring tide”`, `Update page “About”`, `Add picture sea.jpg`."""
        title = _in_one_line(self.title)
        if not title:
            return _LISTS.get(self.kind, f"{self.verb} {self.kind}")
        if self.kind == PICTURE:
            return f"{self.verb} {PICTURE} {title}"
        noun = "" if self.kind == _MAIN_KIND else f"{self.kind} "
        return f"{self.verb} {noun}“{title}”" + (f" to {self.slug}" if self.slug else "")


class WaitingChange(Struct, frozen=True):
    """A change, and the file in which it waits."""

    file: Path
    change: AuthoredChange


Group = tuple[WaitingChange, ...]


class CommitReport(Struct, frozen=True):
    """Subjects of new commits, notes about files that are never committed, and problems of those that wait."""

    subjects: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def note_change(settings: SiteSettings, change: AuthoredChange) -> None:
    """Note a change, before its files are written, for a commit half a minute later; nothing where Git is off.

    A change of the same files by another person is committed first, since a commit takes files as they are. Noting a
    change again is harmless. Raises OSError.
    """
    if settings.files.git is GitMode.OFF:
        return
    folder = settings.state_dir / _FOLDER
    others = [
        group
        for group in groups_of(waiting_changes(settings))
        if group[0].change.person != change.person and not {*change.paths}.isdisjoint(_paths(group))
    ]
    if others:
        with suppress(GitFailed):  # it is committed with the next one then
            tree = open_work_tree(settings.folder)
            for group in others:
                tree, _report = _commit(tree, group)
    make_private_folder(folder)
    name = f"{to_microseconds(change.at):020d}-{time.monotonic_ns():020d}-{secrets.token_hex(4)}{_ENDING}"
    write_atomically(folder / name, msgspec.json.encode(change), is_durable=True)


def waiting_changes(settings: SiteSettings) -> tuple[WaitingChange, ...]:
    """Return the changes that wait, oldest first. Raises GitFailed for a file that is none."""
    files = sorted((settings.state_dir / _FOLDER).glob(f"[!.]*{_ENDING}"))
    return tuple(WaitingChange(file, _read(file)) for file in files)


def groups_of(changes: Iterable[WaitingChange]) -> tuple[Group, ...]:
    """Return the changes of each commit: those of one person that begin within half a minute."""
    groups: list[list[WaitingChange]] = []
    for waiting in changes:
        change = waiting.change
        mine = next((group for group in reversed(groups) if group[0].change.person == change.person), None)
        if mine is not None and change.at - mine[0].change.at < WINDOW:
            mine.append(waiting)
        else:
            groups.append([waiting])
    return tuple(map(tuple, groups))


def commit_due(settings: SiteSettings, at: datetime) -> CommitReport:
    """Commit the groups that are complete at that time; a change of a time to come is of a clock that was wrong.

    Raises GitFailed; what could not be committed waits.
    """
    groups = groups_of(waiting_changes(settings))
    due = [group for group in groups if not at - WINDOW < group[0].change.at <= at]
    if not due:
        return CommitReport()
    tree = open_work_tree(settings.folder)
    report = CommitReport()
    for group in due:
        tree, of_group = _commit(tree, group)
        report = CommitReport(*(mine + more for mine, more in zip(astuple(report), astuple(of_group), strict=True)))
    return report


def message_of(changes: Sequence[AuthoredChange]) -> str:
    """Return the message of a commit: `Update “Spring tide”`, or `Add 3 pictures` with a line for each."""
    last: dict[tuple[str, int, tuple[str, ...]], AuthoredChange] = {}
    for change in changes:
        key = change.kind, change.entry_id, change.paths if not change.entry_id else ()
        before = last.get(key)
        is_less = before is not None and (
            change.verb in _MINOR if before.verb in _MINOR else change.verb in (*_MINOR, Verb.RENAME)
        )
        is_kept = before is not None and is_less and before.verb is not Verb.DELETE
        last[key] = replace(change, verb=before.verb, slug=before.slug) if before and is_kept else change
    lines = [each.line for each in last.values()]
    if len(lines) == 1:
        return f"{_shortened(lines[0])}\n"
    subject = _subject(last.values(), names_single=True)
    if len(subject) > LONGEST_SUBJECT:
        subject = _subject(last.values(), names_single=False)
    if len(subject) > LONGEST_SUBJECT:
        subject = f"Change {counted(len(lines), 'entry', 'entries')}"
    return f"{subject}\n\n" + "".join(f"{line}\n" for line in lines)


def _subject(changes: Iterable[AuthoredChange], *, names_single: bool) -> str:
    """Return the subject of several changes, those of a kind by their number; `names_single`: a single one by name."""
    groups: dict[tuple[str, str, bool], list[AuthoredChange]] = {}
    for change in changes:
        groups.setdefault((change.verb.partition(" ")[0], change.kind, bool(change.title)), []).append(change)
    texts = [
        group[0].line if not is_entry or (names_single and len(group) == 1) else f"{verb} {counted(len(group), kind)}"
        for (verb, kind, is_entry), group in groups.items()
    ]
    return ", ".join([texts[0], *(text[0].lower() + text[1:] for text in texts[1:])])


def _commit(tree: WorkTree, group: Group) -> tuple[WorkTree, CommitReport]:
    """Commit a group, and forget its changes but for the files that Git refused. Raises GitFailed."""
    changes = [waiting.change for waiting in group]
    message = message_of(changes)
    result = commit_files(tree, dict.fromkeys(_paths(group)), changes[0].person, message, changes[-1].at)
    for waiting in group:
        left = tuple(path for path in waiting.change.paths if path in result.refused)
        if left:
            write_atomically(waiting.file, msgspec.json.encode(replace(waiting.change, paths=left)), is_durable=True)
        else:
            waiting.file.unlink(missing_ok=True)
    subjects = (message.partition("\n")[0],) if result.tree.head != tree.head else ()
    notes = tuple(f"{path} is ignored by .gitignore, and was not committed" for path in result.ignored)
    problems = tuple(f"{path} cannot be committed: {problem}" for path, problem in result.refused.items())
    return result.tree, CommitReport(subjects, notes, problems)


def _paths(group: Group) -> Iterator[str]:
    return (path for waiting in group for path in waiting.change.paths)


def _read(file: Path) -> AuthoredChange:
    try:
        return msgspec.json.decode(file.read_bytes(), type=AuthoredChange)
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        raise GitFailed(f"{file} cannot be read; if it is damaged, remove it: {error}") from None


def _in_one_line(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _shortened(text: str) -> str:
    """Return a subject of at most 72 characters."""
    return text if len(text) <= LONGEST_SUBJECT else f"{text[: LONGEST_SUBJECT - 1].rstrip()}…"
