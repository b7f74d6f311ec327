"""PNG encoder for images with a plain background: background rows are compressed once, not for each image.

All images have a width that four divides, such as 1200 pixels, and at most four colours. Rows are stored without a
filter, so compressed runs of rows can follow one another in any order.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sitecms.fast_zlib import fast_zlib
from sitecms.media.stripping.pictures import png_chunk

if TYPE_CHECKING:
    from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BITS, _PALETTE = 2, 3
MARGIN = 8 // _BITS
"""Pixels of colour 0 before each row: they become its first byte, which says that the row has no filter."""
_ZLIB_HEADER = b"\x78\x01"
_LAST_BLOCK = b"\x03\x00"  # empty
_ADLER = 65521


class Rows(NamedTuple):
    """Compressed rows: `size` bytes before the compression, and their Adler-32 checksum."""

    data: bytes
    size: int
    checksum: int


def compressed_rows(image: "Image.Image") -> Rows:
    """Compress all rows of a palette image, so that other rows can follow. What is drawn into its margin is erased."""
    image.paste(0, (0, 0, MARGIN, image.height))
    data = image.tobytes("raw", f"P;{_BITS}")
    compressor = fast_zlib.compressobj(1, fast_zlib.DEFLATED, -fast_zlib.MAX_WBITS)
    compressed = compressor.compress(data) + compressor.flush(fast_zlib.Z_SYNC_FLUSH)
    return Rows(compressed, len(data), fast_zlib.adler32(data))


def png(width: int, palette: Sequence[int], parts: Iterable[Rows]) -> bytes:
    """Return the PNG file of a picture of these rows, from top to bottom."""
    data, size, checksum = [_ZLIB_HEADER], 0, 1
    for part in parts:
        data.append(part.data)
        size += part.size
        checksum = _joined_checksum(checksum, part)
    data += [_LAST_BLOCK, struct.pack(">I", checksum)]
    height = size // (1 + width * _BITS // 8)
    header = struct.pack(">IIBBBBB", width, height, _BITS, _PALETTE, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", bytes(palette)), (b"IDAT", b"".join(data)), (b"IEND", b""))
    return b"".join((_SIGNATURE, *(png_chunk(kind, content) for kind, content in chunks)))


def _joined_checksum(before: int, part: Rows) -> int:
    """Return the Adler-32 checksum of two consecutive parts."""
    low, high = before & 0xFFFF, before >> 16
    own_low, own_high = part.checksum & 0xFFFF, part.checksum >> 16
    joined_low = (low + own_low - 1) % _ADLER
    joined_high = (high + own_high + part.size * (low - 1)) % _ADLER
    return joined_high << 16 | joined_low
