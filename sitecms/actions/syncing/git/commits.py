"""Commits of named files: nothing else that is staged or changed gets into them, or is lost.

The commit is made beside the folder, in an index of its own. Then the files are staged, and at last the branch is
moved, if it is where it was. Killed in between, the same call makes the same commit, or finds nothing to commit.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.syncing.git.people import Person
from sitecms.actions.syncing.git.work_tree import WorkTree
from sitecms.errors import GitFailed
from sitecms.git_program import Git, split
from sitecms.temporary_folders import temporary_folder

RAW = ("--raw", "-z", "--no-renames", "--no-abbrev")
"""Options of comparisons whose output `tree_entries` reads."""


class TreeEntry(Struct, frozen=True):
    """A file that differs between two trees: modes and objects before and after, zeros for none."""

    path: str
    mode_before: str
    mode: str
    object_before: str
    object: str

    @property
    def is_removed(self) -> bool:
        """True if the file is not in the later tree."""
        return not self.mode.strip("0")


class CommitResult(Struct, frozen=True):
    """The work tree after a commit. `ignored` files, and those that Git `refused` for a reason, are not in it."""

    tree: WorkTree
    ignored: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def commit_files(tree: WorkTree, paths: Iterable[str], person: Person, message: str, at: datetime) -> CommitResult:
    """Commit these files of the site folder as they are there, or are not there any more.

    No commit is made where they are as in the last one. Raises GitFailed; branch and other files are then unchanged.
    """
    names = {name: path for path in paths if not tree.is_state(name := f"{tree.prefix}{path}")}
    with temporary_folder("git") as folder:
        index = {"GIT_INDEX_FILE": str(folder / "index")}
        tree.git.run("read-tree", tree.head or "--empty", environment=index)
        ignored, refused = _add(tree.git, index, [*names])
        entries = tree_entries(tree.git.run("diff-index", "--cached", *RAW, tree.base, environment=index))
        written = tree.git.run("write-tree", environment=index).decode().strip()
    left_out = tuple(names[name] for name in ignored)
    problems = {names[name]: problem for name, problem in refused.items()}
    if not entries:
        return CommitResult(tree, left_out, problems)
    stage(tree.git, entries)
    authorship = Authorship(person, f"{int(at.timestamp())} +0000")
    commit = make_commit(tree, written, tree.head, authorship, message.encode("utf-8", "replace"))
    move_branch(tree, commit, f"sitecms: {message.partition(chr(10))[0]}")
    return CommitResult(replace(tree, head=commit), left_out, problems)


class Authorship(Struct, frozen=True):
    """Author of a commit, and its date as Git writes it: seconds and zone."""

    person: Person
    date: str


def make_commit(tree: WorkTree, written: str, parent: str, authorship: Authorship, message: bytes) -> str:
    """Make a commit of a tree that was written, which no branch has yet, and return its name."""
    parents = ("-p", parent) if parent else ()
    environment = {
        "GIT_AUTHOR_DATE": f"@{authorship.date}",
        **authorship.person.variables("AUTHOR"),
        **tree.committer.variables("COMMITTER"),
    }
    return tree.git.run("commit-tree", written, *parents, data=message, environment=environment).decode().strip()


def move_branch(tree: WorkTree, commit: str, reason: str) -> None:
    """Move the branch to a commit. Raises GitFailed where it is not where it was when the work tree was opened."""
    before, committer = tree.head or "0" * len(commit), tree.committer.variables("COMMITTER")
    tree.git.run("update-ref", "-m", reason, "HEAD", commit, before, environment=committer)


def tree_entries(output: bytes) -> tuple[TreeEntry, ...]:
    """Return the files that differ, from the output of a comparison with the options RAW."""
    parts = split(output)
    return tuple(
        TreeEntry(path, *facts.removeprefix(":").split()[:4])
        for facts, path in zip(parts[::2], parts[1::2], strict=True)
    )


def stage(git: Git, entries: Iterable[TreeEntry]) -> None:
    """Put the later state of the files into the index; all else in it stays. Raises GitFailed if it is locked."""
    lines = "".join(f"{entry.mode} {entry.object}\t{entry.path}\0" for entry in entries)
    git.run("update-index", "-z", "--index-info", data=lines.encode("utf-8", "surrogateescape"))


def _add(git: Git, index: Mapping[str, str], names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Put files into an index, and return those that .gitignore names, and the problems of others.

    One file that Git refuses does not stop others.
    """
    try:
        ignored = _ignored(git, names)
        data = _lines(name for name in names if name not in ignored)
        git.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", data=data, environment=index)
    except GitFailed as error:
        if len(names) == 1:
            return [], {names[0]: str(error)}
        results = [_add(git, index, [name]) for name in names]
        return [name for found, _ in results for name in found], {
            k: v for _, problems in results for k, v in problems.items()
        }
    return ignored, {}


def _ignored(git: Git, names: Iterable[str]) -> list[str]:
    """Return the files that .gitignore names and no commit has. A name after `./` is no pattern for this command."""
    data, plain = _lines(f"./{name}" for name in names), {"GIT_LITERAL_PATHSPECS": "0"}
    output = git.run("check-ignore", "-z", "--stdin", data=data, environment=plain, answers=(0, 1))
    return [name.removeprefix("./") for name in split(output)]


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\0" for name in names).encode("utf-8", "surrogateescape")
