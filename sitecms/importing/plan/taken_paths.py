"""The addresses that the new site has already: no two of its files may stand at one place.

The rules are those of a build (`site.plan.conflicts`): file systems that ignore case have one file for two spellings,
and a file is no folder for others.
"""

import re
from collections.abc import Iterable

from sitecms.content.addresses import BUILT_FILES, output_problem
from sitecms.content.permalink import folded_path

_INDEX = "index.html"
_GENERATED = ("/sitemap.xml", "/sitemap-index.xml", "/rss.xml", "/atom.xml", "/feed.json", "/robots.txt")
_NUMBERED = re.compile(r"/page/\d+/\Z")


class TakenPaths:
    """Addresses that are taken, one of a page as `/about/`, one of a file as `/about.html`.

    `lists` are the addresses of lists, whose further pages stand below them.
    """

    def __init__(self, own: Iterable[str], lists: Iterable[str] = ()) -> None:
        self._names: set[str] = set()
        self._folders: set[str] = set()
        self._lists = frozenset(map(folded_path, lists))
        for path in (*own, *_GENERATED, *map("/{}".format, BUILT_FILES), *self._lists):
            self.take(path)

    def take(self, path: str) -> None:
        """Take an address."""
        name = _name(path)
        self._names.add(name)
        self._folders.update(_folders(name))

    def is_free(self, path: str) -> bool:
        """Return whether a page can stand at an address, in whatever letter case."""
        name = _name(path)
        further = _NUMBERED.search(name)
        is_further = further is not None and f"{name[: further.start()]}/" in self._lists
        return name not in self._names and not is_further and self.fits(path)

    def fits(self, path: str) -> bool:
        """Return whether the built site can have a file at an address, or has it already."""
        name = _name(path)
        if output_problem(path):
            return False
        is_file = not name.endswith("/")
        inside = (folder for folder in _folders(name) if folder in self._names)
        return not (is_file and name in self._folders) and not any(inside)


def _name(path: str) -> str:
    """Return the address as file systems compare it; that of an index file is the one of its folder."""
    return folded_path(path.removesuffix(_INDEX) if path.endswith(f"/{_INDEX}") else path)


def _folders(name: str) -> Iterable[str]:
    """Yield the folders in which a file or an index file stands, without the slash at their end."""
    end = name.rstrip("/").rfind("/") if not name.endswith("/") else len(name) - 1
    while end > 0:
        yield name[:end]
        end = name.rfind("/", 0, end)
