"""Pictures that end too early, as after a download or a copy that was interrupted.

Browsers show as much of them as there is. The readers of WebP and AVIF files take whole files only, so they get zeros
in place of what is missing.
"""

import struct
from io import BytesIO
from pathlib import Path
from typing import IO

CUT_OFF = "bytes are missing at its end"
_ENDS = {
    "image/jpeg": (b"\xff\xd9",),
    "image/png": (b"IEND\xaeB`\x82",),
    "image/gif": (b"\x00;", b"\x00"),  # the trailer after the last block, which some programs leave out
}
_LONGEST_END = 8
_WEBP_HEADER, _CHUNK_HEADER = 12, 8
_MOST_ADDED = 100 * 1024 * 1024


def is_cut_off(path: Path, content_type: str) -> bool:
    """Return whether the published form of a picture ends too early. Only its structure is read."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if content_type not in _ENDS:
            return _claimed_size(file) > size
        file.seek(max(0, size - _LONGEST_END))
        return not file.read().endswith(_ENDS[content_type])


def padded(data: bytes) -> bytes:
    """Return a WebP or AVIF file with zeros in place of the bytes that it lacks; the same object for other files."""
    claimed = _claimed_size(BytesIO(data))
    if not len(data) < claimed <= len(data) + _MOST_ADDED:
        return data
    whole = data + bytes(claimed - len(data))
    if not _is_webp(data):
        return whole
    end = _WEBP_HEADER
    while end + _CHUNK_HEADER <= len(data):
        (length,) = struct.unpack_from("<I", data, end + 4)
        end += _CHUNK_HEADER + length + length % 2
    return whole[:4] + struct.pack("<I", end - 8) + whole[8:end]


def _is_webp(head: bytes) -> bool:
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def _claimed_size(file: IO[bytes]) -> int:
    """Return the size of a WebP or AVIF file by its own account; 0 for other files, and where it gives none."""
    head = file.read(_WEBP_HEADER)
    if _is_webp(head):
        return 8 + int(struct.unpack_from("<I", head, 4)[0])
    if head[4:12] not in (b"ftypavif", b"ftypavis"):
        return 0
    end = 0
    while True:
        file.seek(end)
        header = file.read(16)
        if len(header) < _CHUNK_HEADER:
            return end
        (length,) = struct.unpack_from(">I", header)
        if length == 1 and len(header) == 16:
            (length,) = struct.unpack_from(">Q", header, 8)
        if length < _CHUNK_HEADER:  # 0: up to the end of the file
            return 0
        end += length
