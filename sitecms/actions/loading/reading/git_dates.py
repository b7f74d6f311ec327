"""Dates of content files in the history of a Git work tree: of the first commit of each file, and of the last one.

Git is asked once for a commit, and its answer is kept in the state folder; commits on top of it are added to it. Author
dates count: they stay when a commit is rebased.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson
from msgspec import Struct

from sitecms.errors import GitFailed
from sitecms.files import write_atomically
from sitecms.git_program import Git
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.loaded_files import NO_DATES, FileDates

CONTENT = "content"
_CACHE = "git-dates.json"
_LOG = (
    "log", "--reverse", "--topo-order", "--format=%x01%at %P", "-z", "--name-status",
    "--find-renames", "-l1000", "--no-ext-diff", "--relative",
)  # fmt: skip
_OF_CONTENT = ("--", CONTENT)
_COMMIT = "\x01"
MOST_NEW = 1000
"""Commits on top of the last one that are added; for more, Git is asked for all."""
SHALLOW = (
    "This Git clone is shallow, so files of its oldest commit have no dates from Git. Fetch the whole history: "
    "git fetch --unshallow, or fetch-depth: 0 for actions/checkout."
)


class GitDates(Struct, frozen=True):
    """Dates of files by their paths in the site folder; `notes` say why some are missing."""

    files: Mapping[str, FileDates]
    notes: tuple[str, ...] = ()

    def of(self, path: str) -> FileDates:
        """Return the dates of a file."""
        return self.files.get(path, NO_DATES)


def read_git_dates(settings: SiteSettings) -> GitDates:
    """Return the dates of all content files of a work tree; none where Git fails or is not installed."""
    folder = settings.folder.resolve()
    try:
        git = Git(folder)
        answer = git.run("rev-parse", "--is-shallow-repository", "--show-prefix", "HEAD")
        is_shallow, prefix, head = answer.decode("utf-8", "replace").split("\n")[:3]
        cache = settings.state_dir / _CACHE
        key = [head, prefix, is_shallow]
        before, files = _cached(cache)
        if before != key:
            kept = _with_new_commits(git, before[0], head, files) if before[1:] == key[1:] else None
            files = (
                _dates(git.run(*_LOG, head, *_OF_CONTENT), {}, is_shallow=is_shallow == "true")
                if kept is None
                else kept
            )
            cache.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(
                cache, orjson.dumps({"key": key, "files": {path: [*dates] for path, dates in files.items()}})
            )
    except (GitFailed, OSError, ValueError) as error:
        is_empty = "unknown revision" in str(error)  # there is no commit yet
        return GitDates({}, notes=() if is_empty else (f"Git gives no dates of files: {error}",))
    return GitDates(files, notes=(SHALLOW,) if is_shallow == "true" else ())


def _cached(cache: Path) -> tuple[list[str], dict[str, FileDates]]:
    """Return the dates that Git gave last, and for what: a commit, the place of the folder, whether it is shallow."""
    try:
        kept = orjson.loads(cache.read_bytes())
        commit, prefix, is_shallow = kept["key"]
        return [commit, prefix, is_shallow], {path: FileDates(*dates) for path, dates in kept["files"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return [], {}


def _with_new_commits(git: Git, before: str, head: str, files: dict[str, FileDates]) -> dict[str, FileDates] | None:
    """Return the dates with the commits since `before`; None unless they stand on top of it, one after the other."""
    try:
        parents = git.text("rev-list", "--reverse", "--parents", f"--max-count={MOST_NEW}", f"{before}..{head}")
        last = before
        for line in parents.split("\n"):
            commit, *own = line.split(" ")
            if own != [last]:
                return None
            last = commit
        if last != head:
            return None
        log = git.run(*_LOG, f"{before}..{head}", *_OF_CONTENT)
    except GitFailed:  # the commit is gone
        return None
    return _dates(log, files, is_shallow=False)


def _dates(log: bytes, files: dict[str, FileDates], *, is_shallow: bool) -> dict[str, FileDates]:
    """Return the dates of files from a log, oldest commit first; a renamed file keeps the date of its first commit.

    The oldest commits of a shallow clone seem to add all files, so their dates do not count.
    """
    files = dict(files)
    time = 0
    tokens = iter(log.decode("utf-8", "replace").split("\0"))
    for token in tokens:
        if token.startswith(_COMMIT):
            written, _, parents = token[1:].strip().partition(" ")
            time = 0 if is_shallow and not parents else int(written)
        elif status := token.strip("\n"):
            _apply(files, status, tokens, time)
    return {path: dates for path, dates in files.items() if dates != NO_DATES}


def _apply(files: dict[str, FileDates], status: str, tokens: Iterator[str], time: int) -> None:
    path = next(tokens)
    if status.startswith("R"):
        first = files.pop(path, FileDates(time)).first
        files[next(tokens)] = FileDates(first, time)
    elif status.startswith("D"):
        files.pop(path, None)
    elif path in files:
        before = files[path]
        files[path] = FileDates(before.first, max(before.last, time))
    else:
        files[path] = FileDates(time, time)
