"""Files of a Notion export: pages, databases and attachments, by path without the ids in names."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from msgspec import Struct, field

from sitecms.importing.formats.tables import read_table
from sitecms.importing.source import Source, SourceFile
from sitecms.web_address import split_address

_ID = re.compile(r"(?<=[^/])[ -]([0-9a-f]{32})(?=(?:_all)?(?:\.[a-z]+)?$)")
_ANY_ID = re.compile(r"(?<![0-9a-f])([0-9a-f]{32})(?![0-9a-f])")
_HOSTS = re.compile(r"(?:^|\.)notion\.(?:so|site)$")
_PAGES = (".md", ".html")


class NotionPage(Struct, frozen=True):
    """A page: `name` is that of its file without id and extension; `path` its folder and name, without ids."""

    id: str
    path: str
    file: SourceFile

    @property
    def name(self) -> str:
        """The name of the file, without id and extension."""
        return self.path.rpartition("/")[2]


class NotionDatabase(Struct, frozen=True):
    """A database: `columns` in order, `rows` as the CSV has them. Its pages are the files in the folder `path`."""

    id: str
    path: str
    file: SourceFile
    columns: Sequence[str] = ()
    rows: Sequence[Mapping[str, str]] = field(default=())

    @property
    def name(self) -> str:
        """The name of the database."""
        return self.path.rpartition("/")[2]


class Tree:
    """Pages and databases of an export, by id and by path; other files are attachments."""

    def __init__(self, source: Source) -> None:
        self.pages: dict[str, NotionPage] = {}
        self.databases: dict[str, NotionDatabase] = {}
        self.attachments: dict[str, SourceFile] = {}
        self._by_file: dict[str, str] = {}
        for file in source.files:
            self._add(file)
        self._page_at = {page.path: page for page in self.pages.values()}

    def _add(self, file: SourceFile) -> None:
        match = _ID.search(file.name)
        name = file.name.lower()
        if match and name.endswith(_PAGES):
            page = NotionPage(match[1], plain_path(file.name), file)
            if self.pages.setdefault(page.id, page) is page:
                self._by_file[file.name] = page.id
        elif match and name.endswith(".csv"):
            self._by_file[file.name] = match[1]
            known = self.databases.get(match[1])
            if known is None or file.name.endswith("_all.csv"):  # that one has all columns
                self.databases[match[1]] = _database(match[1], file)
        elif name.rpartition("/")[2] != "index.html":  # the table of contents of an export in HTML
            self.attachments[file.name] = file

    def parent(self, path: str) -> NotionPage | None:
        """Return the page in whose folder a path stands, through folders that are none of a page."""
        folder = posixpath.dirname(path)
        while folder:
            if page := self._page_at.get(folder):
                return page
            folder = posixpath.dirname(folder)
        return None

    def database_of(self, page: NotionPage) -> NotionDatabase | None:
        """Return the database of which a page is a row."""
        folder = posixpath.dirname(page.path)
        return next((each for each in self.databases.values() if each.path == folder), None) if folder else None

    def target(self, address: str, folder: str) -> str:
        """Return the id of the page or database, or the name of the attachment, that a link in a folder leads to."""
        parts = split_address(address)
        if parts.netloc:
            ids = _ANY_ID.findall(parts.path.replace("-", "")[-32:]) if _HOSTS.search(parts.hostname or "") else []
            return ids[-1] if ids and (ids[-1] in self.pages or ids[-1] in self.databases) else ""
        name = posixpath.normpath(posixpath.join(folder, unquote(parts.path))).lstrip("/")
        if name in self.attachments:
            return name
        if known := self._by_file.get(name):
            return known
        match = _ID.search(name)
        return match[1] if match and (match[1] in self.pages or match[1] in self.databases) else ""


def plain_path(name: str) -> str:
    """Return the path of a page or database without ids and extension."""
    folder, _, last = name.rpartition("/")
    stem = _ID.sub("", last).rpartition(".")[0].removesuffix("_all")
    return "/".join((*_parts(folder), stem))


def plain_folder(name: str) -> str:
    """Return the path of an attachment without ids."""
    folder, _, last = name.rpartition("/")
    return "/".join((*_parts(folder), last))


def _parts(folder: str) -> Iterator[str]:
    return (_ID.sub("", part) or part for part in folder.split("/") if part)


def has_ids(source: Source) -> bool:
    """Return whether most names of pages and tables in the source end in ids, as those of Notion do."""
    names = [file.name for file in source.with_suffix(*_PAGES, ".csv")]
    return sum(bool(_ID.search(name)) for name in names) * 2 > len(names)


def _database(number: str, file: SourceFile) -> NotionDatabase:
    columns, rows = read_table(file)
    return NotionDatabase(number, plain_path(file.name), file, columns, [row for _line, row in rows])
