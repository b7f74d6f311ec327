"""GIF files: frames, timing and loop count stay; comments, texts and other extensions are removed."""

import struct

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL, _TEXT, _APPLICATION = 0xF9, 0x01, 0xFF
_APPLICATIONS = (b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012")  # loops, and a colour profile


def strip_gif(data: bytes) -> bytes:
    """Return the GIF without comments and XMP, ended by its trailer."""
    position = 13 + _table_bytes(data[10])
    kept = [data[:position]]
    control = b""
    while position < len(data) and data[position] in (_EXTENSION, _IMAGE):
        start, label = position, data[position + 1]
        if data[start] == _IMAGE:
            position = _after_blocks(data, start + 11 + _table_bytes(data[start + 9]))
            kept += (control, data[start:position])
            control = b""
            continue
        position = _after_blocks(data, start + 2)
        if label == _CONTROL:
            control = data[start:position]
        elif label == _TEXT:  # what controls a text must not come to control the next picture
            control = b""
        elif label == _APPLICATION and data[start + 3 : start + 14] in _APPLICATIONS:
            kept.append(data[start:position])
    if data[position : position + 1] == struct.pack("B", _TRAILER):
        kept.append(data[position : position + 1])
    return b"".join(kept)


def _table_bytes(flags: int) -> int:
    """Return the size of the colour table that the flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _after_blocks(data: bytes, position: int) -> int:
    """Return the offset after a sequence of sub-blocks; in a truncated file, the end of the file."""
    while position < len(data) and data[position]:
        position += 1 + data[position]
    return min(position + 1, len(data))
