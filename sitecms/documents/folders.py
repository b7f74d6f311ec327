"""Listings of the folders of a site, with errors for everything that cannot be read."""

import os
import re
import stat
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from msgspec import Struct, field

from sitecms.errors import FileError

STATIC_FOLDER = "static"
"""The folder of files that are published as they are."""
NODE_PACKAGES = "node_modules"
"""The folder of packages for commands, of which a site reads nothing."""
_LEFTOVERS = frozenset({".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"})
"""Files of macOS and Windows."""
_EDITORS = (".swp", ".swo", ".swx", "~")
_SETTINGS = "site.toml"
_OWN_NAMES = ".sitecms"
"""Beginning of the names of sitecms's own files in an output folder."""
LINK_REMEDY = "put the file itself there, or remove the link"
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


def is_temporary(name: str) -> bool:
    """Return whether an operating system or a text editor left a file of this name, as `.DS_Store` or `.a.md.swp`."""
    is_copy = name.startswith(".#") or (name.startswith("#") and name.endswith("#"))
    return is_copy or name in _LEFTOVERS or name.endswith(_EDITORS)


def is_published_name(path: str) -> bool:
    """Return whether a file of `static` is published: not what an operating system, a text editor or Git put there."""
    return not any(is_temporary(part) or part.lower().startswith(".git") for part in path.split("/"))


def link_out(site: Path | str, path: str) -> str:
    """Return where a path in a site folder leads if links take it out of the folder; "" for any other path.

    Links are followed within the folder only, in all its parts, and not to its hidden folders: `.git` and `.sitecms`
    contain secrets. A scratch site consists of links to the parts of another one, within which links are followed.
    """
    target = os.path.realpath(f"{site}/{path}")
    return "" if any(_is_within(target, base) for base in _shown_sites(str(site))) else target


def part_out(site: Path, part: str) -> str:
    """Return where a part of a site, such as `assets`, leads if it is a link out of the folder; "" for any other."""
    target = os.path.realpath(site / part)
    return "" if _is_within(target, os.path.realpath(site)) else target


def _shown_sites(site: str) -> Iterator[str]:
    """Yield the folder of the site, and of a scratch site that of the site which it shows.

    A site whose `site.toml` is a link out of its folder is no other: `part_out` refuses it.
    """
    yield os.path.realpath(site)
    settings = f"{site}/{_SETTINGS}"
    if os.path.islink(settings):  # noqa: PTH114  # called for every link
        yield os.path.realpath(Path(site, os.readlink(settings)).parent)  # noqa: PTH115


def link_problem(target: str) -> str:
    """Return the problem of a link out of the site folder."""
    return f"is a link to {shown_name(target)}, outside of the files of the site, so it is not followed"


def _is_within(target: str, base: str) -> bool:
    """Return whether a path lies in the folder, and not in a hidden folder of it. `..` begins a mounted volume."""
    inner = target.removeprefix(base.rstrip("/") + "/")
    return target == base or (inner != target and not re.match(r"\.(?!\.)", inner))


class Listing(Struct):
    """A search of folders of a site, given with a slash at the end as `root`.

    `errors` are errors about files and folders that cannot be read, and `unread` their paths. `refused` are those of
    the errors that the build does not report: unfit names, and links out of the site folder.
    """

    root: str
    errors: list[FileError] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    refused: list[FileError] = field(default_factory=list)

    def files(self, folder: str, *, hidden: bool = False) -> Iterator[str]:
        """Yield the paths of the files in the folder and below it, by name; hidden ones only if `hidden` is set.

        Links to files of the site are followed (`link_out`), links to folders are errors.
        """
        if self._leads_out(folder):
            return
        yield from self._files(folder, hidden=hidden)

    def _files(self, folder: str, *, hidden: bool) -> Iterator[str]:
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
            if entry.name.startswith(".") and not hidden:
                continue
            if not is_fit_name(entry.name):
                self._refuse_name(path)
            elif entry.is_dir(follow_symlinks=False):
                yield from self._files(path, hidden=hidden)
            elif entry.is_symlink() and self._leads_out(path):
                continue
            elif self._is_readable_file(path):
                yield path

    def static_files(self) -> Iterator[str]:
        """Yield the paths of the files to publish as they are, hidden ones included.

        A name that sitecms uses is an error.
        """
        for path in self.files(STATIC_FOLDER, hidden=True):
            if not is_published_name(path):
                continue
            if path.startswith(f"{STATIC_FOLDER}/{_OWN_NAMES}"):
                self.refuse(path, "has a name that sitecms uses itself in the built site", "rename it")
                continue
            yield path

    def has_file(self, path: str) -> bool:
        """Return whether there is a file; anything else of that name is an error."""
        if not os.path.lexists(self.root + path):
            return False
        return not self._leads_out(path) and self._is_readable_file(path)

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
        self.refused.append(self.errors[-1])

    def _leads_out(self, path: str) -> bool:
        """Return whether links take the path out of the site folder, which is an error."""
        target = link_out(self.root, path)
        if target:
            self.refuse(path, link_problem(target), LINK_REMEDY)
            self.refused.append(self.errors[-1])
        return bool(target)

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
