"""The branch at the remote: fetched, own commits put on top of it, and pushed.

Own commits are put on top by merges of trees beside the folder, so that a conflict changes nothing and a killed worker
leaves no rebase that has begun.
"""

from msgspec import Struct

from sitecms.actions.syncing.git.commits import Authorship, make_commit
from sitecms.actions.syncing.git.conflicts import ItemIds, merge_documents
from sitecms.actions.syncing.git.people import Person
from sitecms.actions.syncing.git.work_tree import HEADS, WorkTree
from sitecms.errors import GitFailed
from sitecms.git_program import split

NETWORK_SECONDS = 60.0
OLDEST_GIT = (2, 38)
_FETCHED, _SYNCED = "refs/worktree/sitecms/fetched/", "refs/worktree/sitecms/synced/"
_NO_BRANCH = "couldn't find remote ref"
_COMMIT_FORMAT = "--format=%an%x00%ae%x00%ad%x00%B"


class Remote(Struct, frozen=True):
    """The remote of a branch, by the name that the repository has for it, and the branch there."""

    name: str
    branch: str

    def __str__(self) -> str:
        """Return `origin/main`."""
        return f"{self.name}/{self.branch}"


def find_remote(tree: WorkTree) -> Remote:
    """Return the remote that the branch is set to, else the only one, with the same branch. Raises GitFailed."""
    key = f"branch.{tree.branch}"
    name, merged = (tree.git.find("config", "--get", f"{key}.{part}") for part in ("remote", "merge"))
    if name and name != "." and merged.startswith(HEADS):
        return Remote(name, merged.removeprefix(HEADS))
    names = tree.git.text("remote").split("\n")
    if len(names) == 1 and names[0]:
        return Remote(names[0], tree.branch)
    if names[0]:
        raise GitFailed(f"the branch {tree.branch} has no remote: git push --set-upstream REMOTE {tree.branch}")
    raise GitFailed("the repository has no remote: git remote add origin ADDRESS")


def fetch(tree: WorkTree, remote: Remote, seconds: float = NETWORK_SECONDS) -> str:
    """Return the last commit of the branch at the remote, "" where there is none yet. Raises GitFailed.

    A branch there from which commits were removed is refused: they would be pushed again.
    """
    fetched = f"{_FETCHED}{tree.branch}"
    synced = _last_synced(tree)
    options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
    try:
        tree.git.run("fetch", *options, "--", remote.name, f"+{HEADS}{remote.branch}:{fetched}", seconds=seconds)
    except GitFailed as error:
        if _NO_BRANCH not in str(error):
            raise
        if synced:
            raise GitFailed(f"the branch {remote} is gone: push it again by hand, or set another one") from None
        return ""
    upstream = tree.git.text("rev-parse", "--verify", fetched)
    if synced and not tree.git.is_so("merge-base", "--is-ancestor", synced, upstream):
        raise GitFailed(
            f"{remote} was rewritten, and no longer has the commit {synced[:10]}: "
            f"make the branch here match it by hand, then git update-ref -d {_SYNCED}{tree.branch}"
        )
    return upstream


def on_top_of(tree: WorkTree, upstream: str) -> str:
    """Return the commit with all own commits on top of that of the remote; it may be the present one.

    Raises GitFailed for conflicts, for commits that are merges, and for a history that has nothing in common.
    """
    if not upstream or not tree.head:
        return upstream or tree.head
    base = tree.git.find("merge-base", tree.head, upstream)
    if not base:
        raise GitFailed("the branch here and at the remote have no commit in common: merge them by hand")
    if upstream == base or tree.head == base:
        return tree.head if upstream == base else upstream
    own = f"{upstream}..{tree.head}"
    if tree.git.text("rev-list", "--merges", "--max-count=1", own):
        raise GitFailed("commits here and at the remote differ, and one here is a merge: pull by hand")
    tip, ids = upstream, ItemIds()
    for commit in tree.git.text("rev-list", "--reverse", "--topo-order", own).split("\n"):
        tip = _pick(tree, commit, tip, ids)
    return tip


def push(tree: WorkTree, remote: Remote, seconds: float = NETWORK_SECONDS) -> None:
    """Push the branch, never by force. Raises GitFailed where the remote refuses it."""
    options = ("--quiet", "--no-verify", "--no-recurse-submodules", "--no-follow-tags", "--no-signed")
    tree.git.run("push", *options, "--", remote.name, f"{tree.head}:{HEADS}{remote.branch}", seconds=seconds)


def note_synced(tree: WorkTree) -> None:
    """Note that the remote has the branch as it is here."""
    tree.git.run("update-ref", f"{_SYNCED}{tree.branch}", tree.head)


def count_unpushed(tree: WorkTree) -> int | None:
    """Return how many commits the remote does not have, as far as is known here; None before the first push."""
    synced = _last_synced(tree)
    if not synced or not tree.head:
        return None
    return int(tree.git.text("rev-list", "--count", f"{synced}..{tree.head}"))


def _last_synced(tree: WorkTree) -> str:
    return tree.git.find("rev-parse", "--verify", "--quiet", f"{_SYNCED}{tree.branch}")


def _pick(tree: WorkTree, commit: str, tip: str, ids: ItemIds) -> str:
    """Return a commit on top of `tip` that changes what `commit` changes; `tip` where that is there already.

    Git merges commits whose base it finds itself. So the trees get commits of their own, with the base that is meant.
    What Git cannot merge by lines is merged as documents.
    """
    git = tree.git
    author, email, date, message = git.run("show", "--no-patch", "--date=raw", _COMMIT_FORMAT, commit).split(b"\0", 3)
    authorship = Authorship(Person(_text(author), _text(email)), _text(date))
    base = make_commit(tree, f"{commit}^^{{tree}}", "", authorship, b"base\n")
    ours, theirs = (make_commit(tree, f"{each}^{{tree}}", base, authorship, b"side\n") for each in (tip, commit))
    output = git.run("merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs, answers=(0, 1))
    merged, *stages = split(output)
    merged = merge_documents(tree, merged, stages, ids)
    if merged == git.text("rev-parse", f"{tip}^{{tree}}"):
        return tip
    return make_commit(tree, merged, tip, authorship, message.removesuffix(b"\n"))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
