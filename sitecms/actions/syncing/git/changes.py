"""Changes of files that wait for their commit: one small file each in the state folder, so that none is lost."""

import secrets
import time
from collections import Counter
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
from sitecms.errors import GitFailed
from sitecms.files import make_private_folder, write_atomically
from sitecms.plurals import counted
from sitecms.settings.files import GitMode
from sitecms.settings.site import SiteSettings

FILES_LOCK = "write-back"
"""Name of the lock, in `workers_dir`, of who changes files of the site folder."""
WINDOW = timedelta(seconds=30)
LONGEST_SUBJECT = 72
_FOLDER = "git/changes"
_ENDING = ".json"


class Verb(StrEnum):
    """The verbs by which subjects of commits begin."""

    ADD = "Add"
    UPDATE = "Update"
    DELETE = "Delete"


class AuthoredChange(Struct, frozen=True):
    """The change of an entry by a person, as `Update`, `post`, `Spring tide`, and the files of it.

    `paths` are relative to the site folder: files that were written, or removed. Lists that entries share, such as
    `authors`, have neither title nor id, and pictures no id.
    """

    person: Person
    verb: Verb
    kind: str
    title: str
    paths: tuple[str, ...]
    at: datetime
    entry_id: int = 0


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
    """Return the message of a commit: `Update post Spring tide`, or `Add 3 pictures` with a line for each."""
    last: dict[tuple[str, int, tuple[str, ...]], AuthoredChange] = {}
    for change in changes:
        entry = change.kind, change.entry_id, change.paths
        is_new = entry in last and last[entry].verb is Verb.ADD and change.verb is Verb.UPDATE
        last[entry] = replace(change, verb=Verb.ADD) if is_new else change
    lines = [f"{each.verb} {each.kind} {_in_one_line(each.title)}".strip() for each in last.values()]
    if len(lines) == 1:
        return f"{_shortened(lines[0])}\n"
    counts = Counter((each.verb, each.kind, bool(each.title)) for each in last.values())
    texts = [f"{verb} {counted(count, kind) if is_entry else kind}" for (verb, kind, is_entry), count in counts.items()]
    subject = ", ".join([texts[0], *(text[0].lower() + text[1:] for text in texts[1:])])
    if len(subject) > LONGEST_SUBJECT:
        subject = f"Change {counted(len(lines), 'entry', 'entries')}"
    return f"{subject}\n\n" + "".join(f"{line}\n" for line in lines)


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
