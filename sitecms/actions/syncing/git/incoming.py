"""Commits that came: the folder is moved to them, if no file that they change has other changes in the folder.

There is no stash. Putting one back can conflict, and leaves marks of the conflict in files that the site is made from.
So nothing is touched until every file to change is as it was committed; the owner, or the next commit of the worker,
makes it so. A move that was killed is finished by the next one, from a note in the state folder: a file of it
is as before, as after, missing, or the beginning of what it will be.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from sitecms.actions.syncing.git.commits import RAW, TreeEntry, move_branch, stage, tree_entries
from sitecms.actions.syncing.git.work_tree import WorkTree
from sitecms.errors import GitFailed
from sitecms.files import write_atomically
from sitecms.git_program import split
from sitecms.settings.site import STATE_FOLDER

_NOTE = "git/move.json"
_REASON = "sitecms: pull"
_SUBMODULE = "160000"


class Move(Struct, frozen=True):
    """A move of the folder from one commit to another, until what came was loaded."""

    before: str
    after: str


def find_move(state: Path) -> Move | None:
    """Return the move that was begun and not ended."""
    try:
        return msgspec.json.decode((state / _NOTE).read_bytes(), type=Move)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def end_move(state: Path) -> None:
    """Forget a move, when the files that came were loaded."""
    (state / _NOTE).unlink(missing_ok=True)


def move_folder(tree: WorkTree, commit: str, state: Path) -> WorkTree:
    """Move folder, index and branch to a commit, and return the work tree. Raises GitFailed; then nothing is changed.

    Files that are not in either commit, and changes of files that do not differ between them, stay.
    """
    entries = entries_between(tree, commit)
    if any(tree.is_state(entry.path) for entry in entries):
        raise GitFailed(
            f"a commit that came has {STATE_FOLDER}, the state of a server: git rm -r --cached {STATE_FOLDER}"
        )
    unfinished = find_move(state)
    tree.git.run("update-index", "-q", "--refresh", answers=(0, 1))
    _make_ready(tree, entries, is_unfinished=unfinished is not None and unfinished.before == tree.head)
    write_atomically(state / _NOTE, msgspec.json.encode(Move(tree.head, commit)), is_durable=True)
    before = (tree.head,) if tree.head else ()
    tree.git.run("read-tree", "-m", "-u", *before, commit)
    move_branch(tree, commit, _REASON)
    return msgspec.structs.replace(tree, head=commit)


def entries_between(tree: WorkTree, commit: str) -> tuple[TreeEntry, ...]:
    """Return the files that differ between the branch and a commit."""
    return tree_entries(tree.git.run("diff-tree", "-r", *RAW, tree.base, commit))


def _make_ready(tree: WorkTree, entries: Iterable[TreeEntry], *, is_unfinished: bool) -> None:
    """Stage files that are as the commit has them already. Raises GitFailed for files with other changes."""
    changed = {*split(tree.git.run("diff-index", "-z", "--name-only", tree.base))}
    staged = {*split(tree.git.run("diff-index", "--cached", "-z", "--name-only", tree.base))}
    ready, begun, blocked = [], [], []
    for entry in entries:
        if _SUBMODULE in (entry.mode_before, entry.mode):
            continue
        is_untracked = not entry.mode_before.strip("0") and os.path.lexists(tree.top / entry.path)
        if entry.path not in changed | staged and not is_untracked:
            continue
        present = _object_of(tree, entry.path)
        if present == ("" if entry.is_removed else entry.object):
            ready.append(entry)
        elif is_unfinished and entry.path not in staged and _is_beginning(tree, entry):
            begun.append(entry)
        else:
            blocked.append(entry.path)
    if blocked:
        raise GitFailed(f"{', '.join(blocked[:3])} came from the remote, and is changed in the folder: commit it")
    for entry in begun:
        (tree.top / entry.path).unlink(missing_ok=True)
        if entry.mode_before.strip("0"):
            tree.git.run("checkout-index", "--force", "--index", "--", entry.path)
    stage(tree.git, ready)


def _object_of(tree: WorkTree, name: str) -> str | None:
    """Return the object of a file in the folder; "" where there is none, None for what is no file."""
    path = tree.top / name
    if not os.path.lexists(path):
        return ""
    if path.is_symlink() or not path.is_file():
        return None
    return tree.git.text("hash-object", "--", name)


def _is_beginning(tree: WorkTree, entry: TreeEntry) -> bool:
    """Return whether a file is missing, or the beginning of what a move that was killed was writing."""
    path = tree.top / entry.path
    if not os.path.lexists(path):
        return True
    if entry.is_removed or path.is_symlink() or not path.is_file():
        return False
    after = tree.git.run("cat-file", "--filters", f"--path={entry.path}", entry.object)
    return after.startswith(path.read_bytes())
