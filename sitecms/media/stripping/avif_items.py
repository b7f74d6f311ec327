"""Metadata items of AVIF pictures: the location of their bytes, and removal of their entries."""

import struct
from collections.abc import Iterator, Mapping
from typing import Protocol

_METADATA_ITEMS = frozenset({b"Exif", b"mime", b"uri "})


class Place(Protocol):
    """Box in the file: the offsets of its payload and of its end."""

    @property
    def inner(self) -> int:
        """Offset of the payload."""

    @property
    def end(self) -> int:
        """Offset after the box."""


def void_metadata_entries(made: bytearray, entries: Mapping[int, Place]) -> frozenset[int]:
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


def item_extents(data: bytearray, table: Place, items: frozenset[int], idat: Place | None) -> Iterator[tuple[int, int]]:
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
