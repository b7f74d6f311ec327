"""The media library in a local folder: files named by their content, written once, never changed.

A file's time is when it was last added: what was added lately is about to be named by an entry, and not to be removed.
"""

import hashlib
import math
import os
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, MediaFile
from sitecms.errors import NotFound
from sitecms.media.decoding import identify

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class MediaLibrary:
    """Files below `folder`, which is made with the first file. Safe for several processes at once."""

    folder: Path

    def add(self, data: bytes, original_name: str, created_at: datetime) -> MediaFile:
        """Keep the bytes, durably; equal bytes are one file, and adding them again renews its time only.

        Raises InvalidMedia for what `decoding.identify` refuses.
        """
        identified = identify(data, original_name)
        name = f"{hashlib.sha256(data).hexdigest()[:_DIGITS]}.{identified.extension}"
        if not self._renew(name):
            self._write(name, data)
        return MediaFile(
            name=name,
            original_name=original_name,
            content_type=identified.content_type,
            size_bytes=len(data),
            created_at=created_at,
            width=identified.width,
            height=identified.height,
        )

    def put_back(self, name: str, data: bytes) -> None:
        """Have these bytes, which are those of the name, in place of what is there."""
        self._write(name, data)

    def names(self) -> tuple[str, ...]:
        """Every file there is, in order."""
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return tuple(sorted(path.name for path in found if self.exists(path.name)))

    def old_names(self, before: datetime) -> tuple[str, ...]:
        """The files that were not added since, in order of their names."""
        if not self.folder.is_dir():
            return ()
        moment = before.timestamp()
        found = (path for path in self.folder.iterdir() if self.exists(path.name))
        return tuple(sorted(path.name for path in found if _time(path) < moment))

    def remove_old(self, name: str, before: datetime) -> bool:
        """Remove the file unless it was added since: it is set aside first, and put back if it is wanted after all."""
        aside = self.folder / f".{name}.old"
        try:
            self.path(name).rename(aside)
            if aside.stat().st_mtime >= before.timestamp():
                aside.rename(self.folder / name)
                return False
            aside.unlink()
        except FileNotFoundError:
            return False
        return True

    def path(self, name: str) -> Path:
        """Where a file of that name lies or would lie; raises NotFound for what is no media name."""
        if not MEDIA_NAME.fullmatch(MEDIA_PREFIX + name):
            raise NotFound(f"No media file is called {name[:60]!r}.")
        return self.folder / name

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return bool(MEDIA_NAME.fullmatch(MEDIA_PREFIX + name)) and (self.folder / name).is_file()

    def open(self, name: str) -> BinaryIO:
        """The file, to be read and closed by the caller; raises NotFound if there is none."""
        try:
            return self.path(name).open("rb")
        except (FileNotFoundError, IsADirectoryError) as error:
            raise NotFound(f"There is no media file {name}.") from error

    def _renew(self, name: str) -> bool:
        """Give the file the time of now; False if there is none. One of another owner keeps its time."""
        if not self.exists(name):
            return False
        try:
            os.utime(self.folder / name)
        except FileNotFoundError:
            return False
        except PermissionError:
            return True
        return True

    def _write(self, name: str, data: bytes) -> None:
        """Under a temporary name first: a reader sees the whole file or none, a crash leaves at most a `.tmp`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(file.fileno(), 0o644)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self.folder / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync_folder(self.folder)


def _time(path: Path) -> float:
    """When the file was last added; a file that has just gone was, so to say, added now."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def _sync_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
