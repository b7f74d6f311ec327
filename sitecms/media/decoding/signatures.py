"""Recognition of documents, sound and video by their first bytes."""

_EBML = b"\x1a\x45\xdf\xa3"
_VIDEO_BRANDS = frozenset(
    {b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"dash", b"M4V ", b"M4VH", b"MSNV"}
)
_AUDIO_BRANDS = frozenset({b"M4A ", b"M4B "})
_VIDEO_STREAMS = (b"\x80theora", b"BBCD\x00")
_AUDIO_STREAMS = (b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   ")


def recognise(data: bytes, original_name: str) -> tuple[str, str] | None:
    """Return content type and extension of a PDF, MP3, Ogg, MP4 or WebM file; None for anything else."""
    if data.startswith(b"%PDF-"):
        return "application/pdf", "pdf"
    if data.startswith(b"OggS"):
        return _ogg(data)
    if data[4:8] == b"ftyp":
        return _mp4(data[8:12])
    if data.startswith(_EBML) and b"\x42\x82\x84webm" in data[:128]:  # element DocType, four bytes, "webm"
        return "video/webm", "webm"
    if data.startswith(b"ID3") or (original_name.lower().endswith(".mp3") and _is_layer_three(data[:4])):
        return "audio/mpeg", "mp3"
    return None


def _ogg(data: bytes) -> tuple[str, str] | None:
    head = data[:1024]  # the first page of each stream names its codec
    if any(mark in head for mark in _VIDEO_STREAMS):
        return "video/ogg", "ogv"
    return ("audio/ogg", "ogg") if any(mark in head for mark in _AUDIO_STREAMS) else None


def _mp4(brand: bytes) -> tuple[str, str] | None:
    if brand in _AUDIO_BRANDS:
        return "audio/mp4", "m4a"
    return ("video/mp4", "mp4") if brand in _VIDEO_BRANDS else None


def _is_layer_three(header: bytes) -> bool:
    """Return True for a valid MPEG audio frame header of layer III (ISO 11172-3, 2.4.1.3)."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return False
    version, bitrate, rate = header[1] >> 3 & 3, header[2] >> 4, header[2] >> 2 & 3
    return version != 1 and 0 < bitrate < 15 and rate != 3
