"""Dates of content files in the history of a Git work tree: of the first commit of each file, and of the last one.

Git is asked once for a commit, and its answer is kept in the state folder. Author dates count: they stay when a
commit is rebased.
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
    "--find-renames", "-l1000", "--no-ext-diff", "--relative", "HEAD", "--", CONTENT,
)  # fmt: skip
_COMMIT = "\x01"
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
        files = _cached(cache, key)
        if files is None:
            files = _dates(git.run(*_LOG), is_shallow=is_shallow == "true")
            cache.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(
                cache, orjson.dumps({"key": key, "files": {path: [*dates] for path, dates in files.items()}})
            )
    except (GitFailed, OSError, ValueError) as error:
        is_empty = "unknown revision" in str(error)  # there is no commit yet
        return GitDates({}, notes=() if is_empty else (f"Git gives no dates of files: {error}",))
    return GitDates(files, notes=(SHALLOW,) if is_shallow == "true" else ())


def _cached(cache: Path, key: list[str]) -> dict[str, FileDates] | None:
    """Return the dates that Git gave for the same commit, or None."""
    try:
        kept = orjson.loads(cache.read_bytes())
        return {path: FileDates(*dates) for path, dates in kept["files"].items()} if kept["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _dates(log: bytes, *, is_shallow: bool) -> dict[str, FileDates]:
    """Return the dates of files from a log, oldest commit first; a renamed file keeps the date of its first commit.

    The oldest commits of a shallow clone seem to add all files, so their dates do not count.
    """
    files: dict[str, FileDates] = {}
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
