"""Conflicts of a merge of trees: content files are merged as documents, and what stays is said."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from sitecms.actions.syncing.git.merged_data import CannotMerge
from sitecms.actions.syncing.git.merged_files import ThreeFiles, is_document, merge_file
from sitecms.actions.syncing.git.work_tree import WorkTree
from sitecms.errors import GitFailed
from sitecms.temporary_folders import temporary_folder

MOST_NAMED = 3
_BASE, _OURS, _THEIRS = "1", "2", "3"
_REGULAR = ("100644", "100755")


class ItemIds(Struct):
    """Other ids for items of own commits whose ids items at the remote have, too: by the path of their file."""

    by_path: dict[str, Mapping[int, int]] = field(default_factory=dict)


class _Stage(Struct, frozen=True):
    """A version of a file in conflict: its mode and object."""

    mode: str
    object: str


def merge_documents(tree: WorkTree, merged: str, stages: Sequence[str], ids: ItemIds) -> str:
    """Return the tree of a merge, in which files in conflict are merged as documents. Raises GitFailed with the rest.

    `stages` are the versions of files in conflict as `merge-tree` lists them.
    """
    if not stages:
        return merged
    done, problems = dict[str, _Stage](), list[str]()
    for name, versions in _by_name(stages).items():
        try:
            done[name] = _merged(tree, name, versions, ids)
        except CannotMerge as error:
            place = f" ({error})" if str(error) else ""
            problems.append(f"{name} changed both here and at the remote, in the same place{place}")
    if problems:
        raise GitFailed("; ".join(problems[:MOST_NAMED]))
    with temporary_folder("git") as folder:
        index = {"GIT_INDEX_FILE": str(folder / "index")}
        tree.git.run("read-tree", merged, environment=index)
        lines = "".join(f"{stage.mode} {stage.object}\t{name}\0" for name, stage in done.items())
        data = lines.encode("utf-8", "surrogateescape")
        tree.git.run("update-index", "-z", "--index-info", data=data, environment=index)
        return tree.git.run("write-tree", environment=index).decode().strip()


def _by_name(stages: Iterable[str]) -> dict[str, dict[str, _Stage]]:
    """Return the versions of each file in conflict by their number."""
    files: dict[str, dict[str, _Stage]] = {}
    for line in stages:
        facts, _, name = line.partition("\t")
        mode, entry, stage = facts.split(" ")
        files.setdefault(name, {})[stage] = _Stage(mode, entry)
    return files


def _merged(tree: WorkTree, name: str, versions: Mapping[str, _Stage], ids: ItemIds) -> _Stage:
    """Return a file with the changes of both sides. Raises CannotMerge."""
    path = name.removeprefix(tree.prefix)
    if versions.keys() != {_BASE, _OURS, _THEIRS}:
        raise CannotMerge
    modes = {each.mode for each in versions.values()}
    if not (name.startswith(tree.prefix) and is_document(path) and len(modes) == 1 and modes <= {*_REGULAR}):
        raise CannotMerge
    contents = (tree.git.run("cat-file", "blob", versions[stage].object) for stage in (_BASE, _OURS, _THEIRS))
    result = merge_file(path, ThreeFiles(*contents), ids.by_path.get(path, {}))
    ids.by_path[path] = result.ids
    written = tree.git.run("hash-object", "-w", "--stdin", data=result.content).decode().strip()
    return _Stage(modes.pop(), written)
