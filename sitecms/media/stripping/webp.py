"""WebP files, animated ones too: chunks of the picture and its colour profile stay, all others are removed."""

import struct
from collections.abc import Iterator

from sitecms.media.stripping.orientation import UPRIGHT, minimal_exif, orientation_of

_PICTURE = frozenset({b"VP8 ", b"VP8L", b"ALPH"})
_KEPT = _PICTURE | {b"VP8X", b"ICCP", b"ANIM", b"ANMF"}
_HAS_EXIF = 0x08
_DEFINED_FLAGS = 0x3E
_METADATA_FLAGS = 0x0C
_FRAME_HEADER_BYTES = 16


def strip_webp(data: bytes) -> bytes:
    """Return the WebP with its colour profile and orientation, and no other metadata."""
    (size,) = struct.unpack_from("<I", data, 4)
    chunks = list(_chunks(data[: 8 + size], 12))
    orientation = next((_orientation(payload) for kind, payload in chunks if kind == b"EXIF"), UPRIGHT)
    kept = [(kind, _frame(payload) if kind == b"ANMF" else payload) for kind, payload in chunks if kind in _KEPT]
    if kept and kept[0][0] == b"VP8X":
        exif_flag = _HAS_EXIF if orientation != UPRIGHT else 0
        flags = kept[0][1][0] & _DEFINED_FLAGS & ~_METADATA_FLAGS | exif_flag
        kept[0] = (b"VP8X", bytes((flags,)) + kept[0][1][1:10])
        if exif_flag:
            kept.append((b"EXIF", minimal_exif(orientation)))
    body = b"".join(_chunk(kind, payload) for kind, payload in kept)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _orientation(exif: bytes) -> int:
    """Return the orientation; some programs write the prefix of JPEG files before the TIFF header."""
    return orientation_of(exif.removeprefix(b"Exif\x00\x00"))


def _frame(payload: bytes) -> bytes:
    """Return a frame of an animation without unknown chunks."""
    chunks = _chunks(payload, _FRAME_HEADER_BYTES)
    return payload[:_FRAME_HEADER_BYTES] + b"".join(_chunk(*each) for each in chunks if each[0] in _PICTURE)


def _chunks(data: bytes, position: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and payload of each chunk."""
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        if position + 8 + size > len(data):
            raise ValueError("a chunk that is longer than the file")
        yield kind, data[position + 8 : position + 8 + size]
        position += 8 + size + size % 2


def _chunk(kind: bytes, payload: bytes) -> bytes:
    return kind + struct.pack("<I", len(payload)) + payload + b"\x00" * (len(payload) % 2)
