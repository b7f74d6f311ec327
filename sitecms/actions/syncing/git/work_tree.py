"""The work tree that the site folder is in: the whole of it or a part, with its repository inside or elsewhere."""

import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.syncing.git.people import NOBODY, Person
from sitecms.errors import GitFailed
from sitecms.git_program import Git, git_in, split
from sitecms.settings.site import STATE_FOLDER

HEADS = "refs/heads/"
_IN_PROGRESS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "BISECT_LOG": "bisect",
}


class WorkTree(Struct, frozen=True):
    """A work tree with a branch checked out. `git` runs at its top; `prefix` leads from there to the site folder.

    `head` is the last commit of the branch, "" before the first one. `committer` is whom the configuration names.
    """

    git: Git
    prefix: str
    branch: str
    head: str
    committer: Person

    @property
    def base(self) -> str:
        """The tree that changes are compared with: of the last commit, or the empty one."""
        return self.head or self.git.run("mktree").decode().strip()

    def renewed(self) -> "WorkTree":
        """Return the work tree with the commit that its branch has by now."""
        return replace(self, head=_head(self.git))

    def is_state(self, name: str) -> bool:
        """Return whether a path of the repository is in the state folder of the site, which no commit may have.

        With it a push could make this server publish its store.
        """
        first, _, _rest = name.removeprefix(self.prefix).partition("/")
        return name.startswith(self.prefix) and first.casefold() == STATE_FOLDER

    @property
    def top(self) -> Path:
        """The folder that paths of the repository are relative to."""
        return self.git.folder


def open_work_tree(folder: Path) -> WorkTree:
    """Return the work tree of a site folder, with nothing begun in it. Raises GitFailed with what is wrong."""
    git = git_in(folder.resolve())
    questions = [word for name in _IN_PROGRESS for word in ("--git-path", name)]
    try:
        top, prefix, *paths = git.text("rev-parse", "--show-toplevel", "--show-prefix", *questions).split("\n")
    except GitFailed as error:
        if "not a git repository" in str(error):
            raise GitFailed("the folder is not in a Git repository: git init") from None
        raise
    for path, name in zip(paths, _IN_PROGRESS.values(), strict=True):
        if os.path.lexists(git.folder / path):
            raise GitFailed(f"a {name} has begun and not ended: finish or abort it")
    reference = git.find("symbolic-ref", "--quiet", "HEAD")
    if not reference.startswith(HEADS):
        raise GitFailed("no branch is checked out (detached HEAD): git switch BRANCH")
    git = Git(Path(top), git.drivers)
    if unmerged := sorted({line.partition("\t")[2] for line in split(git.run("ls-files", "--unmerged", "-z"))}):
        raise GitFailed(f"{unmerged[0]} has conflicts: correct it, then git add or git restore")
    committer = Person(git.find("config", "user.name") or NOBODY, git.find("config", "user.email"))
    return WorkTree(git, prefix, reference.removeprefix(HEADS), _head(git), committer)


def head_of(folder: Path) -> str:
    """Return the commit of the folder, "" without one. Raises GitFailed where there is no repository."""
    return _head(git_in(folder.resolve()))


def _head(git: Git) -> str:
    return git.find("rev-parse", "--verify", "--quiet", "HEAD")
