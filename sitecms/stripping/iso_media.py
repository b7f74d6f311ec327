"""Files of ISO base media boxes: MP4, M4A and AVIF.

Boxes refer to offsets in the file, so nothing is moved: a box with metadata becomes a `free` box of the same size, and
the data of metadata items and tracks are overwritten with zeros.

Metadata items of AVIF pictures: the location of their bytes, and removal of their entries.
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Protocol

from msgspec import Struct

_METADATA_ITEMS = frozenset({b"Exif", b"mime", b"uri "})
_KEPT_AT_TOP = frozenset(
    {b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"mfra", b"sidx", b"ssix", b"pdin", b"wide", b"meta"}
)
_METADATA = frozenset({b"udta", b"uuid", b"meta", b"free", b"skip"})
_FOLDERS = frozenset({b"trak", b"mdia", b"minf", b"dinf", b"edts", b"mvex"})
_PICTURE_BRANDS = frozenset({b"avif", b"avis", b"mif1"})
_TIMED = frozenset({b"mvhd", b"tkhd", b"mdhd"})
_DEEPEST = 8
_NAME_AT = 24  # in a whole `hdlr` box: the name follows


class BoxRange(Protocol):
    """Box in the file: the offsets of its payload and of its end."""

    @property
    def inner(self) -> int:
        """Offset of the payload."""

    @property
    def end(self) -> int:
        """Offset after the box."""


def void_metadata_entries(made: bytearray, entries: Mapping[int, BoxRange]) -> frozenset[int]:
    """Invalidate entries (`infe` boxes, by offset) of metadata items; return the ids of these items."""
    found = set()
    for box in entries.values():
        version = made[box.inner]
        wide = version >= 3
        (item,) = struct.unpack_from(">I" if wide else ">H", made, box.inner + 4)
        kind_at = box.inner + (10 if wide else 8)
        if version >= 2 and bytes(made[kind_at : kind_at + 4]) in _METADATA_ITEMS:
            found.add(item)
            made[kind_at : box.end] = b"free".ljust(box.end - kind_at, b"\x00")
    return frozenset(found)


def item_extents(
    data: bytearray, table: BoxRange, items: frozenset[int], idat: BoxRange | None
) -> Iterator[tuple[int, int]]:
    """Yield start and end in the file of all bytes of these items, as the `iloc` box states them."""
    reader = _Numbers(data, table.inner)
    version = reader.take(4) >> 24
    sizes = reader.take(2)
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version in (1, 2) else 0
    for _ in range(reader.take(4 if version == 2 else 2)):
        item = reader.take(4 if version == 2 else 2)
        method = reader.take(2) & 15 if version in (1, 2) else 0
        reader.take(2)
        base = reader.take(base_size)
        start = idat.inner if method == 1 and idat else 0
        for _ in range(reader.take(2)):
            reader.take(index_size)
            offset, length = reader.take(offset_size), reader.take(length_size)
            if item in items and method in (0, 1):
                place = start + base + offset
                yield place, place + (length or len(data))


class _Numbers:
    """Reader of consecutive big-endian numbers."""

    def __init__(self, data: bytearray, position: int) -> None:
        self._data = data
        self._position = position

    def take(self, size: int) -> int:
        """Return the next number of this many bytes; 0 for no bytes."""
        self._position += size
        if self._position > len(self._data):
            raise ValueError("a box that ends too early")
        return int.from_bytes(self._data[self._position - size : self._position], "big")


class Box(Struct, frozen=True):
    """One box: `start` and `end` are offsets in the file, `inner` is the offset of its payload."""

    kind: bytes
    start: int
    inner: int
    end: int


def strip_boxes(data: bytes) -> bytes:
    """Return the file without descriptions, places and times, cut after its last complete box."""
    made = bytearray(data)
    tops = list(boxes(data, 0, len(data)))
    is_picture = data[8:12] in _PICTURE_BRANDS
    for box in tops:
        if box.kind == b"meta" and is_picture:
            _strip_items(made, box)
        elif box.kind == b"moov":
            _strip_folder(made, box)
        elif box.kind not in _KEPT_AT_TOP or box.kind == b"meta":
            _empty(made, box)
    return bytes(made[: tops[-1].end])


def boxes(data: bytes | bytearray, start: int, end: int) -> Iterator[Box]:
    """Yield the boxes between two offsets, up to the first incomplete one; the last box may be truncated."""
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        inner = start + 8
        if size == 1 and start + 16 <= end:
            (size,) = struct.unpack_from(">Q", data, inner)
            inner += 8
        stop = end if size == 0 or (kind == b"mdat" and start + size > end) else start + size
        if stop < inner or stop > end:
            return
        yield Box(kind, start, inner, stop)
        start = stop


def _strip_folder(made: bytearray, folder: Box, depth: int = 0) -> None:
    """Strip the boxes in a box; a metadata track, such as a camera's GPS, is removed with all its samples."""
    if depth > _DEEPEST:
        raise ValueError("boxes nested too deeply")
    for box in list(boxes(made, folder.inner, folder.end)):
        if box.kind in _METADATA:
            _empty(made, box)
        elif box.kind == b"trak" and _handler(made, box) == b"meta":
            _erase_all(made, _samples(made, box))
            _empty(made, box)
        elif box.kind in _FOLDERS:
            _strip_folder(made, box, depth + 1)
        elif box.kind in _TIMED:
            size = 16 if made[box.inner] == 1 else 8
            _erase(made, box.inner + 4, box.inner + 4 + size)
        elif box.kind == b"hdlr":
            _erase(made, box.inner + _NAME_AT, box.end)


def _strip_items(made: bytearray, meta: Box) -> None:
    """Strip the box that describes a picture: its metadata items and unknown additions."""
    inner = {box.kind: box for box in boxes(made, meta.inner + 4, meta.end)}
    if entries := inner.get(b"iinf"):
        first = entries.inner + (6 if made[entries.inner] == 0 else 8)
        named = {box.start: box for box in boxes(made, first, entries.end) if box.kind == b"infe"}
        items = void_metadata_entries(made, named)
        if items and b"iloc" in inner:
            _erase_all(made, item_extents(made, inner[b"iloc"], items, inner.get(b"idat")))
    for kind, box in inner.items():
        if kind in _METADATA:
            _empty(made, box)
        elif kind == b"hdlr":
            _erase(made, box.inner + _NAME_AT, box.end)


def _empty(made: bytearray, box: Box) -> None:
    """Turn the box into a free box of the same size."""
    made[box.start + 4 : box.start + 8] = b"free"
    _erase(made, box.inner, box.end)


def _erase_all(made: bytearray, places: Iterator[tuple[int, int]]) -> None:
    """Overwrite all these ranges, which together are not larger than the file."""
    left = len(made)
    for start, end in tuple(places):
        left -= min(end, len(made)) - start
        if left < 0:
            raise ValueError("metadata that are larger than the file")
        _erase(made, start, end)


def _erase(made: bytearray, start: int, end: int) -> None:
    start, end = max(start, 0), min(end, len(made))
    if start < end:
        made[start:end] = bytes(end - start)


def _inside(made: bytearray, box: Box, *path: bytes) -> Box | None:
    """Return the first box at a path of kinds."""
    for kind in path:
        found = next((each for each in boxes(made, box.inner, box.end) if each.kind == kind), None)
        if found is None:
            return None
        box = found
    return box


def _handler(made: bytearray, track: Box) -> bytes:
    """Return the kind of a track: `vide`, `soun`, `meta` and so on."""
    found = _inside(made, track, b"mdia", b"hdlr")
    return bytes(made[found.inner + 8 : found.inner + 12]) if found else b""


def _samples(made: bytearray, track: Box) -> Iterator[tuple[int, int]]:
    """Yield start and end of each chunk of samples of a track, as far as they can be read."""
    table = _inside(made, track, b"mdia", b"minf", b"stbl")
    found = {box.kind: box for box in boxes(made, table.inner, table.end)} if table else {}
    offsets, chunks, sizes = found.get(b"stco") or found.get(b"co64"), found.get(b"stsc"), found.get(b"stsz")
    if not (offsets and chunks and sizes):
        return
    places = _numbers(made, offsets, "Q" if offsets.kind == b"co64" else "I", 1)
    runs = _numbers(made, chunks, "I", 3)
    (same, count) = struct.unpack_from(">II", made, sizes.inner + 4)
    single = [] if same else struct.unpack_from(f">{count}I", made, sizes.inner + 12)
    taken, run = 0, 0
    for number, place in enumerate(places, 1):
        while run + 3 < len(runs) and runs[run + 3] <= number:
            run += 3
        many = runs[run + 1] if runs else 0
        yield place, place + (same * many if same else sum(single[taken : taken + many]))
        taken += many


def _numbers(made: bytearray, box: Box, kind: str, width: int) -> tuple[int, ...]:
    """Return the entries of a full box that begins with their count."""
    (count,) = struct.unpack_from(">I", made, box.inner + 4)
    return struct.unpack_from(f">{count * width}{kind}", made, box.inner + 8)
