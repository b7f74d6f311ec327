"""The work of a worker with Git: it commits what waits, takes what came, and pushes, each at its time."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import structlog
from msgspec.structs import replace

from sitecms.actions.syncing.git.changes import FILES_LOCK, WINDOW, commit_due
from sitecms.actions.syncing.git.incoming import end_move, entries_between, find_move, move_folder
from sitecms.actions.syncing.git.remote import NETWORK_SECONDS, fetch, find_remote, note_synced, on_top_of, push
from sitecms.actions.syncing.git.state import (
    GitState,
    ask_for_pull,
    forget_asked_pull,
    is_pull_asked,
    read_state,
    save_state,
)
from sitecms.actions.syncing.git.work_tree import WorkTree, head_of, open_work_tree
from sitecms.errors import GitFailed
from sitecms.settings.files import GitMode
from sitecms.settings.site import SiteSettings
from sitecms.store.engines.locks import LockFiles, try_lock

PULL_EVERY = timedelta(minutes=5)
EXCHANGE_EVERY = timedelta(minutes=1)
LOOK_EVERY = timedelta(seconds=10)
RETRY_AFTER = timedelta(minutes=1)
GIT_LOCK = "git"
SHORT = 10
"""Digits of a commit in the log, which hides longer ones as it hides secrets."""
LoadFiles = Callable[[Sequence[str]], None]
_log = structlog.get_logger("sitecms.git")


class GitSync:
    """Git of one site, for one thread of a worker at a time. `load` reads the files of the folder into the store.

    It gets the paths of the files that came, or were removed. Each step goes by `settings`. Of several
    workers one at a time does this work.
    """

    def __init__(self, settings: SiteSettings, load: LoadFiles, network_seconds: float = NETWORK_SECONDS) -> None:
        self.settings = settings
        self._load = load
        self._network_seconds = network_seconds
        self._locks = LockFiles(settings.workers_dir)
        self._retry_at: datetime | None = None
        self._look_at: datetime | None = None

    def step(self, at: datetime) -> None:
        """Do what is due. A problem is noted and logged once, and tried again after a minute. Raises OSError."""
        if self.settings.files.git is GitMode.OFF or (self._retry_at is not None and at < self._retry_at):
            return
        with try_lock(self._locks, GIT_LOCK) as is_alone:
            if is_alone:
                self._step(at)

    def _step(self, at: datetime) -> None:
        state = read_state(self.settings.state_dir)
        try:
            problems = self._commit(at)
            if self.settings.files.git is GitMode.PUSH and self._is_exchange_due(at):
                self._exchange(at)
        except GitFailed as error:
            problems = (str(error),)
        self._retry_at = at + RETRY_AFTER if problems else None
        problem = problems[0] if problems else ""
        if problem and problem != state.problem:
            _log.warning("git_failed", problem=problem)
        if problem != state.problem:
            self._save(problem=problem)

    def _commit(self, at: datetime) -> tuple[str, ...]:
        """Commit what waits, and return the problems of files that no commit took."""
        with try_lock(self._locks, FILES_LOCK) as is_alone:
            if not is_alone:
                return ()
            if find_move(self.settings.state_dir) is not None:
                self._finish_move(open_work_tree(self.settings.folder))
            self._load_moved(at)
            return self._commit_due(at, at)

    def _load_moved(self, at: datetime) -> None:
        """Load what a merge, a pull or a commit of somebody brought into the folder, once it has ended.

        Raises GitFailed while it has not. Where there is no repository, the next commit says so.
        """
        if self._look_at is not None and self._look_at - LOOK_EVERY <= at < self._look_at:
            return
        self._look_at = at + LOOK_EVERY
        known, head = read_state(self.settings.state_dir).head, ""
        with suppress(GitFailed):
            head = head_of(self.settings.folder)
        if head in ("", known):
            return
        if known:
            tree = open_work_tree(self.settings.folder)
            _log.info("git_moved", commit=head[:SHORT])
            self._load_between(tree, known)
        self._save(head=head)

    def _load_between(self, tree: WorkTree, before: str) -> None:
        """Load the files that differ between a commit and the folder: all, if the commit is there no more."""
        if before and not tree.git.is_so("cat-file", "-e", before):
            self._load(())
            return
        entries = entries_between(replace(tree, head=before), tree.head)
        names = [entry.path for entry in entries if entry.path.startswith(tree.prefix)]
        if names:
            self._load([name.removeprefix(tree.prefix) for name in names])

    def _commit_due(self, at: datetime, until: datetime) -> tuple[str, ...]:
        """Commit the changes that are complete at the time `until`, by who holds the lock of the files."""
        report = commit_due(self.settings, until)
        for subject in report.subjects:
            _log.info("git_committed", subject=subject)
        for note in report.notes:
            _log.warning("git_ignored", problem=note)
        if report.subjects:
            self._save(committed_at=at, head=head_of(self.settings.folder))
        return report.problems

    def _is_exchange_due(self, at: datetime) -> bool:
        """Return whether to pull and push now: there is something to push, a request, or five minutes have passed."""
        folder = self.settings.state_dir
        state = read_state(folder)
        if state.tried_at is not None and state.tried_at <= at < state.tried_at + EXCHANGE_EVERY:
            return False
        if state.pulled_at is None or not state.pulled_at <= at < state.pulled_at + PULL_EVERY or state.problem:
            return True
        is_unpushed = state.committed_at is not None and state.committed_at > state.pulled_at
        return is_unpushed or is_pull_asked(folder)

    def _exchange(self, at: datetime) -> None:
        """Fetch, put own commits on top, move the folder, load what came, and push. Raises GitFailed."""
        self._save(tried_at=at)
        forget_asked_pull(self.settings.state_dir)
        tree = open_work_tree(self.settings.folder)
        remote = find_remote(tree)
        upstream = fetch(tree, remote, self._network_seconds)
        with try_lock(self._locks, FILES_LOCK) as is_alone:
            if not is_alone:
                ask_for_pull(self.settings.state_dir)
                return
            tree = self._take(tree.renewed(), upstream, at)
        if tree.head and tree.head != upstream:
            push(tree, remote, self._network_seconds)
            _log.info("git_pushed", branch=str(remote), commit=tree.head[:SHORT])
            self._save(pushed_at=at)
        if tree.head:
            note_synced(tree)
        self._save(pulled_at=at)

    def _take(self, tree: WorkTree, upstream: str, at: datetime) -> WorkTree:
        """Move the folder to what came, with own commits on top, and load it.

        Changes that wait are committed before, complete or not: what came may be in the same files.
        """
        if on_top_of(tree, upstream) == tree.head:
            return tree
        self._commit_due(at, at + WINDOW)
        tree = tree.renewed()
        commit = on_top_of(tree, upstream)
        tree = move_folder(tree, commit, self.settings.state_dir)
        _log.info("git_pulled", commit=commit[:SHORT])
        self._finish_move(tree)
        return tree

    def _finish_move(self, tree: WorkTree) -> None:
        """Finish a move that was begun, also by a worker that was killed: load the files that came."""
        folder = self.settings.state_dir
        move = find_move(folder)
        if move is None:
            return
        if move.before == tree.head:
            tree = move_folder(tree, move.after, folder)
        self._load_between(tree, move.before)
        self._save(head=tree.head)
        end_move(folder)

    def _save(self, **values: object) -> None:
        folder = self.settings.state_dir
        state: GitState = replace(read_state(folder), **values)
        save_state(folder, state)
