"""The state of Git as `status`, `doctor` and `check` report it: what happened last, and what is wrong now."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from sitecms.actions.syncing.git.changes import waiting_changes
from sitecms.actions.syncing.git.remote import OLDEST_GIT, count_unpushed, find_remote
from sitecms.actions.syncing.git.work_tree import open_work_tree
from sitecms.errors import GitFailed
from sitecms.files import make_private_folder, write_atomically
from sitecms.findings import Finding, ok, warning
from sitecms.git_program import Git
from sitecms.plurals import counted
from sitecms.settings.files import HOOK_SECRET, SHORTEST_SECRET, GitMode, hook_secret
from sitecms.settings.site import SiteSettings

KIND = "git"
REMEDY = "nothing is lost: it is tried again each minute"
_STATE, _PULL = "git/state.json", "git/pull"


class GitState(Struct, frozen=True):
    """The last actions of the worker, and the problem that it met since; times are None for what never happened.

    `head` is the commit of the folder whose files the store has.
    """

    problem: str = ""
    committed_at: datetime | None = None
    tried_at: datetime | None = None
    pulled_at: datetime | None = None
    pushed_at: datetime | None = None
    head: str = ""


def read_state(state: Path) -> GitState:
    """Return the state that the worker noted."""
    try:
        return msgspec.json.decode((state / _STATE).read_bytes(), type=GitState)
    except (OSError, msgspec.MsgspecError):
        return GitState()


def save_state(state: Path, value: GitState) -> None:
    """Note the state. Raises OSError."""
    make_private_folder((state / _STATE).parent)
    write_atomically(state / _STATE, msgspec.json.encode(value))


def git_problem(settings: SiteSettings) -> str:
    """Return the problem that the worker met last, "" without one or where the settings turn Git off."""
    return "" if settings.files.git is GitMode.OFF else read_state(settings.state_dir).problem


def ask_for_pull(state: Path) -> None:
    """Ask the worker on this machine for a pull; it follows within a minute. Raises OSError."""
    make_private_folder((state / _PULL).parent)
    (state / _PULL).touch()


def is_pull_asked(state: Path) -> bool:
    """Return whether a pull was asked for since the last one."""
    return (state / _PULL).exists()


def forget_asked_pull(state: Path) -> None:
    """Note that a pull begins; who asks from now on asks for the next one."""
    (state / _PULL).unlink(missing_ok=True)


def examine_git(settings: SiteSettings) -> Iterator[Finding]:
    """Yield the state in a line where the settings turn Git on, without asking the remote."""
    if settings.files.git is GitMode.OFF:
        return
    try:
        yield ok(KIND, _state_line(settings))
    except GitFailed as error:
        yield warning(KIND, str(error), REMEDY)
    if settings.files.git is GitMode.PUSH and os.environ.get(HOOK_SECRET) and not hook_secret():
        what = f"{HOOK_SECRET} has fewer than {SHORTEST_SECRET} characters, so there is no /hooks/git"
        yield warning(KIND, what, "set a longer one: openssl rand -hex 32")


def _state_line(settings: SiteSettings) -> str:
    """Return what is done and what waits. Raises GitFailed with what is wrong."""
    state = read_state(settings.state_dir)
    tree = open_work_tree(settings.folder)
    waiting = counted(len(waiting_changes(settings)), "change")
    line = f"commits to {tree.branch}; {waiting} to commit"
    if settings.files.git is GitMode.PUSH:
        _check_version(tree.git)
        remote, unpushed = find_remote(tree), count_unpushed(tree)
        line = f"pushes {tree.branch} to {remote}; {waiting} to commit"
        line += ", never pushed" if unpushed is None else f", {counted(unpushed, 'commit')} to push"
    if state.problem:
        raise GitFailed(f"{state.problem}; {waiting} to commit")
    return line


def _check_version(git: Git) -> None:
    """Raise GitFailed if Git cannot merge trees, which pulls need."""
    version = git.text("version").removeprefix("git version ").split()[0]
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if numbers < OLDEST_GIT:
        raise GitFailed(f'git {version} is too old: git = "push" needs {".".join(map(str, OLDEST_GIT))}')
