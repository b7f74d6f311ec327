"""Listings of the folders of a site, with errors for everything that cannot be read."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import field
from operator import attrgetter
from pathlib import Path

from sitecms.errors import FileError
from sitecms.values import dataclass

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_fit_name(path: str) -> bool:
    """Return whether a path can be stored and shown: it is UTF-8, without line breaks and control characters."""
    return not _UNFIT.search(path)


def shown_name(path: str) -> str:
    r"""Return the path on one line of plain text: `caf\\xe9.md` for bytes that are not UTF-8, `a\\nb.md`."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _UNFIT.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def reason_of(error: OSError) -> str:
    """Return the operating system's reason in lower case."""
    return (error.strerror or str(error)).lower()


@dataclass(slots=True)
class Listing:
    """A search of folders of a site, given with a slash at the end as `root`.

    `errors` are errors about files and folders that cannot be read, and `unread` their paths. `misnamed` are the errors
    about names alone.
    """

    root: str
    errors: list[FileError] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    misnamed: list[FileError] = field(default_factory=list)

    def files(self, folder: str) -> Iterator[str]:
        """Yield the paths of the files in the folder and below it, by name; hidden ones are left out.

        Links to files are followed, links to folders are errors.
        """
        try:
            with os.scandir(self.root + folder) as entries:
                by_name = sorted(entries, key=attrgetter("name"))
        except FileNotFoundError:
            self._check_link(folder)
            return
        except OSError as error:
            self.refuse(folder, f"cannot be read: {reason_of(error)}", "make the folder readable")
            return
        for entry in by_name:
            path = f"{folder}/{entry.name}"
            if entry.name.startswith("."):
                continue
            if not is_fit_name(entry.name):
                self._refuse_name(path)
            elif entry.is_dir(follow_symlinks=False):
                yield from self.files(path)
            elif self._is_readable_file(path):
                yield path

    def has_file(self, path: str) -> bool:
        """Return whether there is a file; anything else of that name is an error."""
        if not os.path.lexists(self.root + path):
            return False
        return self._is_readable_file(path)

    def refuse(self, path: str, problem: str, remedy: str) -> None:
        """Note a file or folder that cannot be read."""
        self.unread.append(path)
        self.errors.append(FileError(shown_name(path), "", problem, remedy))

    def is_below_unread(self, path: str) -> bool:
        """Return whether the path is, or lies in, something that cannot be read."""
        return any(path == each or path.startswith(f"{each}/") for each in self.unread)

    def _refuse_name(self, path: str) -> None:
        is_utf8 = not any("\ud800" <= sign <= "\udfff" for sign in path)
        problem = "has a name with a line break or control character" if is_utf8 else "has a name that is not UTF-8"
        self.refuse(path, f"{problem}, so it is not read", "rename it")
        self.misnamed.append(self.errors[-1])

    def _check_link(self, folder: str) -> None:
        """Note a link in the path to a folder that does not exist."""
        for each in (folder, *(parent.as_posix() for parent in Path(folder).parents if parent.name)):
            if Path(self.root, each).is_symlink() and not Path(self.root, each).exists():
                self.refuse(each, "is a link to a folder that does not exist", "restore the folder, or remove the link")

    def _is_readable_file(self, path: str) -> bool:
        try:
            mode = os.stat(self.root + path).st_mode  # noqa: PTH116  # called per file
        except FileNotFoundError:
            self.refuse(path, "is a link to a file that does not exist", "restore the file, or remove the link")
            return False
        except OSError as error:
            self.refuse(path, f"cannot be read: {reason_of(error)}", "make the file readable")
            return False
        if stat.S_ISDIR(mode):
            self.refuse(path, "is a link to a folder, which is not followed", "put the folder itself there")
        elif not stat.S_ISREG(mode):
            self.refuse(path, "is not a file", "remove it")
        return stat.S_ISREG(mode)
