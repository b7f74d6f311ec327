"""PNG encoder for images with a plain background: background rows are compressed once, not for each image.

All images have a width that four divides, such as 1200 pixels, and at most four colours. Each row is stored as its
difference from the row above it (filter "Up"), so that compressed runs of rows can follow one another in any order if
the first and the last row of each run are background.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sitecms.media.stripping.pictures import png_chunk

if TYPE_CHECKING:
    from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BITS, _PALETTE = 2, 3
_UP = 2
_ZLIB_HEADER = b"\x78\x01"
_LAST_BLOCK = b"\x03\x00"  # empty
_ADLER = 65521


class Rows(NamedTuple):
    """Compressed rows: `size` bytes before the compression, and their Adler-32 checksum."""

    data: bytes
    size: int
    checksum: int


def top_row(row: "Image.Image") -> Rows:
    """Return the first row of a picture, a background row."""
    return _compressed(bytes([_UP]) + row.tobytes("raw", f"P;{_BITS}"))


@lru_cache(1_000)
def background_rows(width: int, count: int) -> Rows:
    """Return background rows."""
    return _compressed((bytes([_UP]) + bytes(width * _BITS // 8)) * count)


def drawn_rows(image: "Image.Image") -> Rows:
    """Return the rows of a palette image, of which the first and the last are background."""
    from PIL import Image, ImageChops

    size = (image.width * _BITS // 8, image.height)
    packed = Image.frombytes("L", size, image.tobytes("raw", f"P;{_BITS}"))
    above = packed.copy()
    above.paste(packed, (0, 1))
    filtered = Image.new("L", (size[0] + 1, size[1]), _UP)
    filtered.paste(ImageChops.subtract_modulo(packed, above), (1, 0))
    return _compressed(filtered.tobytes())


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


def _compressed(data: bytes) -> Rows:
    """Compress whole rows without the header and the end, so that more can follow. Runs of equal bytes are enough."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_RLE)
    return Rows(compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH), len(data), zlib.adler32(data))


def _joined_checksum(before: int, part: Rows) -> int:
    """Return the Adler-32 checksum of two consecutive parts."""
    low, high = before & 0xFFFF, before >> 16
    own_low, own_high = part.checksum & 0xFFFF, part.checksum >> 16
    joined_low = (low + own_low - 1) % _ADLER
    joined_high = (high + own_high + part.size * (low - 1)) % _ADLER
    return joined_high << 16 | joined_low
