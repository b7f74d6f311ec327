"""Files of a site folder: those that sitecms reads, and those that a backup packs."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from pathspec import GitIgnoreSpec

from sitecms.documents.folders import STATIC_FOLDER, Listing, link_out, link_problem
from sitecms.settings.site import REDIRECTS_FILE, SETTINGS_FILE, SITE_FOLDERS, STATE_FOLDER

_GIT_FOLDER = ".git"
GIT_IGNORE = ".gitignore"


def site_files(folder: Path, without: Path) -> Iterator[str]:
    """Yield the paths of the files that sitecms reads, relative to `folder`, sorted.

    The folder `without` (the built site) and what a load reports are left out, and hidden files but in `static`.
    """
    yield SETTINGS_FILE
    if (folder / REDIRECTS_FILE).is_file():
        yield REDIRECTS_FILE
    listing, built = Listing(f"{folder}/"), f"{without}/"
    for name in SITE_FOLDERS:
        paths = listing.static_files() if name == STATIC_FOLDER else listing.files(name)
        yield from (path for path in paths if not str(folder / path).startswith(built))


class FolderFiles(Struct, frozen=True):
    """Files to pack, as paths relative to the site folder.

    `ignored` are files and folders (with a trailing slash) that Git does not track by its rules; `unpackable` are
    descriptions of what a backup cannot hold: links to folders, devices, names that are not UTF-8.
    """

    paths: tuple[str, ...]
    ignored: tuple[str, ...]
    unpackable: tuple[str, ...]


class _Ignore(Struct, frozen=True):
    """Rules of one `.gitignore`, which apply below the folder `base` ("" for the site folder, else "a/b/")."""

    base: str
    rules: GitIgnoreSpec

    def decides(self, path: str) -> bool | None:
        """Return True for an ignored path, False for one that a rule takes back, None where no rule applies."""
        return self.rules.check_file(path.removeprefix(self.base)).include


class FolderScan:
    """Search of a site folder for everything that cannot be rebuilt.

    Built sites, the folders in which builds prepare them, and the state folder `.sitecms` are skipped. What Git
    ignores is skipped unless `with_ignored`, but never a file that sitecms reads.
    """

    def __init__(self, folder: Path, output: Path, skipped: Sequence[Path], *, with_ignored: bool) -> None:
        self._folder = folder
        self._skipped = {output, output.with_name(f".{output.name}{STATE_FOLDER}"), *skipped}
        self._with_ignored = with_ignored
        self._paths: list[str] = []
        self._ignored: list[str] = []
        self._unpackable: list[str] = []

    def run(self) -> FolderFiles:
        """Return the files that were found. Raises OSError for a folder that cannot be read."""
        self._scan("", ())
        return FolderFiles(tuple(self._paths), tuple(self._ignored), tuple(self._unpackable))

    def _scan(self, base: str, rules: tuple[_Ignore, ...]) -> None:
        with os.scandir(self._folder / base) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        rules += _rules_of(self._folder, base)
        names = {entry.name for entry in entries}
        for entry in entries:
            path = base + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            is_built = is_folder and _is_rebuilt(entry.name, names)
            if is_built or self._folder / path in self._skipped or path == STATE_FOLDER:
                continue
            shown = f"{path}/" if is_folder else path
            if problem := _problem(entry, self._folder, path):
                self._unpackable.append(f"{shown!r} {problem}")
            elif self._is_ignored(shown, rules):
                self._ignored.append(shown)
            elif is_folder:
                self._scan(shown, rules)
            else:
                self._paths.append(path)

    def _is_ignored(self, path: str, rules: tuple[_Ignore, ...]) -> bool:
        if self._with_ignored or path == SETTINGS_FILE or path.partition("/")[0] in SITE_FOLDERS:
            return False
        if path.split("/")[-2:] == [_GIT_FOLDER, ""]:
            return True
        decisions = (each.decides(path) for each in reversed(rules))
        return next((decision for decision in decisions if decision is not None), False)


def _rules_of(folder: Path, base: str) -> tuple[_Ignore, ...]:
    try:
        lines = (folder / base / GIT_IGNORE).read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, IsADirectoryError):
        return ()
    return (_Ignore(base, GitIgnoreSpec.from_lines(lines)),)


def _is_rebuilt(name: str, siblings: set[str]) -> bool:
    """Return whether a build made the folder: an output `x`, or `.x.sitecms`, in which its next version is prepared."""
    is_staging = name.startswith(".") and name.endswith(STATE_FOLDER) and name != STATE_FOLDER
    return is_staging or f".{name}{STATE_FOLDER}" in siblings


def _problem(entry: os.DirEntry[str], folder: Path, path: str) -> str:
    """Return why a backup cannot hold the entry; "" if it can."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8"
    if "\\" in path:
        return "has a backslash in its name"
    if entry.is_dir(follow_symlinks=False):
        return ""
    try:
        mode = entry.stat().st_mode
    except FileNotFoundError:
        return "is a link to nothing"
    if stat.S_ISREG(mode):
        target = link_out(folder, path) if entry.is_symlink() else ""
        return link_problem(target) if target else ""
    return "is a link to a folder" if stat.S_ISDIR(mode) else "is not a plain file"
