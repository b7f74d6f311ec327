"""Sources: files, folders and archives as one list of named files, opened within limits.

Nothing in a source is executed. Archives within archives are files like any other, but for the parts into which Notion
divides a large export, which are unpacked to a temporary folder.
"""

import gzip
import io
import re
import shutil
import stat
import weakref
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from msgspec import Struct

from sitecms.errors import InvalidRequest
from sitecms.temporary_folders import temporary_folder

MAX_FILES = 500_000
MAX_BYTES = 64 * 1024**3
MAX_RATIO = 300
"""Largest ratio of unpacked to packed size; that of text is about ten, that of pictures one."""
RATIO_FROM_BYTES = 8 * 1024 * 1024
MAX_TEXT_BYTES = 64 * 1024 * 1024
BROKEN = (OSError, EOFError, zipfile.BadZipFile, zlib.error)
"""Errors of a file that cannot be read, or whose archive is damaged or cut off."""
_PART = re.compile(r"(?:Export|ExportBlock)-[0-9a-f-]{8,}(?:-Part-\d+)?\.zip|Part-\d+\.zip", re.I)
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__MACOSX", ".venv"})


class SourceFile(Struct, frozen=True):
    """One file: `name` is its path in the source, with slashes. A `.gz` is read unpacked, under its name without it."""

    name: str
    size: int
    _path: Path
    _member: str = ""
    _is_gzip: bool = False

    @property
    def stored_name(self) -> str:
        """The path under which the file is stored: that of a `.gz` with its ending."""
        return f"{self.name}.gz" if self._is_gzip else self.name

    def open(self, *, stored: bool = False) -> BinaryIO:
        """Open the file for reading; a `.gz` as it is if `stored`. Raises InvalidRequest if it cannot be read."""
        try:
            if self._member:
                with zipfile.ZipFile(self._path) as archive:  # the member keeps the file open
                    opened = cast(BinaryIO, archive.open(self._member))
            else:
                opened = self._path.open("rb")
        except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise InvalidRequest(f"{self.name} cannot be read: {error}.") from error
        return cast(BinaryIO, _Unpacked(opened, self)) if self._is_gzip and not stored else opened

    def read(self, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
        """Return the bytes. Raises InvalidRequest if there are more than `max_bytes` of them."""
        try:
            with self.open() as file:
                data = file.read(max_bytes + 1)
        except BROKEN as error:
            raise InvalidRequest(f"{self.name} cannot be read: {error}.") from error
        if len(data) > max_bytes:
            raise InvalidRequest(f"{self.name} is larger than {max_bytes // 1024**2} MB.")
        return data

    def text(self, max_bytes: int = MAX_TEXT_BYTES) -> str:
        """Return the text, UTF-8 with or without byte order mark; invalid bytes become U+FFFD."""
        return self.read(max_bytes).decode("utf-8-sig", errors="replace")

    def beginning(self, count: int = 64 * 1024) -> bytes:
        """Return the first bytes, for recognition; b"" if the file cannot be read."""
        try:
            with self.open() as file:
                return file.read(count)
        except (*BROKEN, InvalidRequest):
            return b""


class _Unpacked(io.RawIOBase):
    """Reader of a gzip file that raises an error if the unpacked content is too large."""

    def __init__(self, packed: BinaryIO, file: SourceFile) -> None:
        self._packed, self._file = packed, file
        self._inner = gzip.GzipFile(fileobj=packed)
        self._done = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self._inner.read(size if size >= 0 else MAX_BYTES)
        self._done += len(data)
        if self._done > RATIO_FROM_BYTES and self._done > MAX_RATIO * max(1, self._file.size):
            raise InvalidRequest(f"{self._file.name} unpacks to more than {MAX_RATIO} times its size.")
        return data

    def close(self) -> None:
        """Close both files."""
        self._inner.close()
        self._packed.close()
        super().close()


class Source:
    """The files, folders, archives and addresses given for one import. `links` are those in it, which are not read."""

    def __init__(self, given: Sequence[str]) -> None:
        self.urls = tuple(each for each in given if each.startswith(("https://", "http://")))
        self.paths = tuple(Path(each) for each in given if each not in self.urls)
        self._unpacked: Path | None = None
        self.links: list[str] = []
        missing = next((path for path in self.paths if not path.exists()), None)
        if missing is not None:
            raise InvalidRequest(f"{missing} does not exist.")
        special = next((path for path in self.paths if not (path.is_file() or path.is_dir())), None)
        if special is not None:  # a device or a pipe, which may never end
            raise InvalidRequest(f"{special} is neither a file nor a folder.")

    def __str__(self) -> str:
        """Return the source as it was given."""
        return ", ".join((*self.urls, *map(str, self.paths)))

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """All files, in order of their names. Raises InvalidRequest for refused archives."""
        found = [file for path in self.paths for file in self._files_of(path)]
        if len(found) > MAX_FILES:
            raise InvalidRequest(f"The source has more than {MAX_FILES} files.")
        return tuple(sorted(found, key=lambda file: file.name))

    @cached_property
    def _by_name(self) -> dict[str, SourceFile]:
        return {file.name: file for file in self.files}

    def find(self, name: str) -> SourceFile | None:
        """Return the file of that name."""
        return self._by_name.get(name)

    def with_suffix(self, *suffixes: str) -> tuple[SourceFile, ...]:
        """Return the files whose names end in one of the suffixes, such as `.xml`, in any letter case."""
        return tuple(file for file in self.files if file.name.lower().endswith(suffixes))

    def _files_of(self, path: Path) -> Iterator[SourceFile]:
        prefix = f"{path.name}/" if len(self.paths) > 1 and (path.is_dir() or zipfile.is_zipfile(path)) else ""
        if path.is_dir():
            yield from _folder_files(path, prefix, self.links)
        elif zipfile.is_zipfile(path):
            for file in archive_files(path, prefix):
                if _PART.fullmatch(file.name.removeprefix(prefix)):
                    yield from archive_files(self._part(file), prefix)
                else:
                    yield file
        else:
            yield _plain(path, path.name)

    def _part(self, file: SourceFile) -> Path:
        """Unpack a part of an export, and return its path; the temporary folder goes with the source."""
        if self._unpacked is None:
            temporary = ExitStack()
            self._unpacked = temporary.enter_context(temporary_folder("import"))
            weakref.finalize(self, temporary.close)
        path = self._unpacked / PurePosixPath(file.name).name
        try:
            with file.open() as packed, path.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
        except BROKEN as error:
            raise InvalidRequest(f"{file.name} cannot be read: {error}.") from error
        return path


def _plain(path: Path, name: str) -> SourceFile:
    is_gzip = name.lower().endswith(".gz") and not name.lower().endswith(".tar.gz")
    return SourceFile(name[:-3] if is_gzip else name, path.stat().st_size, path, _is_gzip=is_gzip)


def _folder_files(folder: Path, prefix: str, links: list[str]) -> Iterator[SourceFile]:
    """Yield the files below a folder. Links are not followed, but added to `links`."""
    for path in sorted(folder.iterdir()):
        if path.name in SKIPPED_FOLDERS:
            continue
        if path.is_symlink():
            links.append(prefix + path.name)
        elif path.is_dir():
            yield from _folder_files(path, f"{prefix}{path.name}/", links)
        elif path.is_file():
            yield _plain(path, prefix + path.name)


def archive_files(path: Path, prefix: str = "") -> Iterator[SourceFile]:
    """Yield the files of a zip archive. Raises InvalidRequest for a broken or malicious one."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (OSError, zipfile.BadZipFile) as error:
        raise InvalidRequest(f"{path} is not a readable zip archive: {error}.") from error
    total = sum(member.file_size for member in members)
    if len(members) > MAX_FILES or total > MAX_BYTES:
        raise InvalidRequest(f"{path} holds more than {MAX_FILES} files or {MAX_BYTES // 1024**3} GB.")
    for member in members:
        if problem := _problem(member):
            raise InvalidRequest(f"{path} is refused: {member.filename[:200]!r} {problem}.")
        if not member.is_dir() and not SKIPPED_FOLDERS & set(member.filename.split("/")):
            name = member.filename
            is_gzip = name.lower().endswith(".gz") and not name.lower().endswith(".tar.gz")
            shown = prefix + (name[:-3] if is_gzip else name)
            yield SourceFile(shown, member.file_size, path, member.filename, is_gzip)


def _problem(member: zipfile.ZipInfo) -> str:
    """Return the reason to refuse a member of an archive; "" if there is none."""
    name = PurePosixPath(member.filename)
    if name.is_absolute() or ".." in name.parts or "\\" in member.filename or member.filename[1:2] == ":":
        return "is a path outside of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link"
    if member.flag_bits & 0x1:
        return "is encrypted; unpack the archive and name the folder"
    if member.file_size > RATIO_FROM_BYTES and member.file_size > MAX_RATIO * max(1, member.compress_size):
        return f"unpacks to more than {MAX_RATIO} times its size"
    return ""
