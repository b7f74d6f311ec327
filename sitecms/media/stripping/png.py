"""PNG and APNG files: chunks that decide how the picture is displayed stay, all others are removed."""

import struct
import zlib
from collections.abc import Iterator

from sitecms.media.stripping.orientation import UPRIGHT, minimal_exif, orientation_of

_SIGNATURE_BYTES = 8
_KEPT = frozenset(
    {
        b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"acTL", b"fcTL", b"fdAT",
        b"cHRM", b"gAMA", b"sRGB", b"iCCP", b"cICP", b"mDCV", b"cLLI", b"sBIT", b"bKGD", b"pHYs",
    }
)  # fmt: skip


def strip_png(data: bytes) -> bytes:
    """Return the PNG with its colour information and orientation, and no other metadata, ended by IEND."""
    kept: list[bytes] = []
    orientation = UPRIGHT
    for kind, whole in _chunks(data):
        if kind in _KEPT:
            kept.append(whole)
        elif kind == b"eXIf":
            orientation = orientation_of(whole[8:-4])
    if orientation != UPRIGHT:
        kept.insert(1, _chunk(b"eXIf", minimal_exif(orientation)))
    return data[:_SIGNATURE_BYTES] + b"".join(kept)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and bytes of each chunk up to IEND; the last chunk of a truncated file is shorter."""
    position = _SIGNATURE_BYTES
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        yield kind, data[position : position + length + 12]
        position += length + 12
        if kind == b"IEND":
            return


def _chunk(kind: bytes, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", zlib.crc32(kind + payload))
