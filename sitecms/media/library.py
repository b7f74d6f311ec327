"""The media library in a local folder: files named by their content, written once, never changed."""

import hashlib
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
        """Keep the bytes, durably; equal bytes are one file, and adding them again writes nothing.

        Raises InvalidMedia for what `decoding.identify` refuses.
        """
        identified = identify(data, original_name)
        name = f"{hashlib.sha256(data).hexdigest()[:_DIGITS]}.{identified.extension}"
        if not self.exists(name):
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


def _sync_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
