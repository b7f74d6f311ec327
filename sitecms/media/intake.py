"""Intake of uploaded files: their published form and a thumbnail, made in a sandbox.

The bytes go from file to file, and are never held by the process that takes the file in.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import orjson
from msgspec import Struct

from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.sandbox import REFUSED, SandboxLimits, run_in_sandbox
from sitecms.temporary_folders import temporary_folder

MAX_UPLOAD_BYTES = 100 * 1024 * 1024
SMALL, LARGE = 480, 1280
"""Widths of thumbnails: in lists, and on the page of a file."""
_PROCESS = "sitecms.media.intake_process"
_LIMITS = SandboxLimits(output_bytes=MAX_UPLOAD_BYTES)
_MAX_REASON_BYTES = 500
_UPLOADS, _THUMBNAILS = threading.BoundedSemaphore(2), threading.BoundedSemaphore(2)
"""Processes at once, for each purpose: an upload does not wait for the thumbnails of a whole list."""


class Taken(Struct, frozen=True):
    """A file that was taken in: its description, the file of its published form, and a small thumbnail (b"": none)."""

    media: MediaFile
    path: Path
    thumbnail: bytes


@contextmanager
def taken_in(upload: IO[bytes], name: str, at: datetime) -> Iterator[Taken]:
    """Give the published form of a file until the block ends. Raises InvalidMedia, which does not name the file.

    Pictures are decoded and encoded anew, without metadata; other files lose theirs as those of the site folder do.
    """
    with temporary_folder("upload") as folder:
        paths = [folder / part for part in ("published", "facts", "thumbnail")]
        with paths[0].open("wb") as content, paths[1].open("wb") as facts, paths[2].open("wb") as small, _UPLOADS:
            descriptors = (facts.fileno(), small.fileno())
            upload.seek(0)
            with _as_file(upload) as file:
                arguments = ("take", *map(str, descriptors), str(SMALL), name)
                code = run_in_sandbox(_PROCESS, file, content, _LIMITS, arguments, descriptors)
        if code != 0:
            raise InvalidMedia(_reason(paths[0], code, name))
        media = MediaFile(created_at=at, **orjson.loads(paths[1].read_bytes()))
        yield Taken(media, paths[0], paths[2].read_bytes())


def thumbnail_of(path: Path, width: int) -> bytes:
    """Return a thumbnail of a picture of the library, made in a sandbox; b"" if it cannot be made."""
    with path.open("rb") as source, TemporaryFile() as thumbnail, _THUMBNAILS:
        code = run_in_sandbox(_PROCESS, source, thumbnail, SandboxLimits(), ("thumbnail", str(width)))
        thumbnail.seek(0)
        return thumbnail.read() if code == 0 else b""


def _reason(path: Path, code: int | None, name: str) -> str:
    if code == REFUSED:
        with path.open("rb") as file:
            return file.read(_MAX_REASON_BYTES).decode(errors="replace").removeprefix(f"{name[:100]}: ")
    return "the file is broken, or takes too much time or memory to decode"


@contextmanager
def _as_file(upload: IO[bytes]) -> Iterator[IO[bytes]]:
    """Give a file that a process can inherit: small uploads are in memory."""
    if not isinstance(upload, BytesIO):
        upload.fileno()  # a spooled file is written to the disk
        yield upload
        return
    with TemporaryFile() as file:
        file.write(upload.getbuffer())
        file.seek(0)
        yield file
