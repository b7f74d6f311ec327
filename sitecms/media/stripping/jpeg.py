"""JPEG files: segments that decoding needs stay, all others are removed."""

import re
import struct
from collections.abc import Iterator

from sitecms.media.stripping.orientation import UPRIGHT, minimal_exif, orientation_of

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_APP0, _APP1, _APP2, _APP14 = 0xE0, 0xE1, 0xE2, 0xEE
_BARE = frozenset({0x00, 0x01, *range(0xD0, 0xD9)})  # markers without a length: stuffing, TEM, RSTn, SOI
_DECODING = frozenset({*range(0xC0, 0xD0), _SOS, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF}) - {0xC8}
_EXIF = b"Exif\x00"
_JFIF_BYTES, _ADOBE_BYTES = 12, 12  # without the thumbnail, and without anything behind the fields
_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


def strip_jpeg(data: bytes) -> bytes:
    """Return the JPEG with its colour profile and orientation, and no other metadata.

    Everything after the first picture is removed, such as the further pictures of a phone's file (MPF).
    """
    kept: list[bytes] = []
    orientation, exif_at, has_exif = UPRIGHT, 0, False
    for marker, payload, scan in _segments(data):
        if marker == _APP1 and payload.startswith(_EXIF) and not has_exif:
            orientation, has_exif = orientation_of(payload[6:]), True
        elif (wanted := _wanted(marker, payload, is_first=not kept)) is not None:
            kept.append(_segment(marker, wanted) + scan)
            exif_at = exif_at or int(marker == _APP0)
    if orientation != UPRIGHT:
        kept.insert(exif_at, _segment(_APP1, _EXIF + b"\x00" + minimal_exif(orientation)))
    return b"".join((b"\xff\xd8", *kept))


def _segments(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield marker, payload and, for a scan, the coded data after it. Bytes between segments are skipped.

    A truncated file ends without its end marker.
    """
    position = 2
    while (position := data.find(b"\xff", position)) != -1 and position + 1 < len(data):
        marker = data[position + 1]
        position += 1 if marker == 0xFF else 2  # 0xFF may be repeated before a marker
        if marker in _BARE or marker == 0xFF:
            continue
        if marker == _EOI:
            yield marker, b"", b""
            return
        (length,) = struct.unpack_from(">H", data, position)
        end = position + length
        if length < 2 or end > len(data):
            raise ValueError("a segment that is longer than the file")
        payload, scan = data[position + 2 : end], b""
        if marker == _SOS:
            found = _END_OF_SCAN.search(data, end)
            start, end = end, found.start() if found else len(data)
            scan = data[start:end]
        yield marker, payload, scan
        position = end


def _wanted(marker: int, payload: bytes, *, is_first: bool) -> bytes | None:
    """Return the part of a segment's payload that stays; None for a segment that is removed."""
    if marker in _DECODING or marker == _EOI:
        return payload
    if marker == _APP2 and payload.startswith(b"ICC_PROFILE\x00"):
        return payload
    if marker == _APP0 and is_first and payload.startswith(b"JFIF\x00") and len(payload) >= _JFIF_BYTES:
        return payload[:_JFIF_BYTES] + b"\x00\x00"
    if marker == _APP14 and payload.startswith(b"Adobe") and len(payload) >= _ADOBE_BYTES:
        return payload[:_ADOBE_BYTES]
    return None


def _segment(marker: int, payload: bytes) -> bytes:
    length = b"" if marker == _EOI else struct.pack(">H", len(payload) + 2)
    return bytes((0xFF, marker)) + length + payload
