"""Orientation of a picture: the only EXIF value that decides how the picture is displayed."""

import struct

UPRIGHT = 1
_TAG = 0x0112
_BYTE_ORDERS = {b"II": "<", b"MM": ">"}
_TYPES = {3: "H", 4: "I"}


def orientation_of(tiff: bytes) -> int:
    """Return the orientation, 1 to 8, in EXIF data that begin with their TIFF header; 1 if there is none."""
    order = _BYTE_ORDERS.get(tiff[:2])
    if order is None:
        return UPRIGHT
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, start)
        for number in range(count):
            tag, kind = struct.unpack_from(f"{order}HH", tiff, start + 2 + 12 * number)
            if tag == _TAG and kind in _TYPES:
                (value,) = struct.unpack_from(order + _TYPES[kind], tiff, start + 10 + 12 * number)
                return value if 1 <= value <= 8 else UPRIGHT
    except struct.error:
        return UPRIGHT
    return UPRIGHT


def minimal_exif(orientation: int) -> bytes:
    """Return EXIF data, beginning with the TIFF header, that hold only the orientation."""
    return struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, _TAG, 3, 1, orientation, 0, 0)
