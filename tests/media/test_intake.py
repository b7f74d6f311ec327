"""Intake of uploads: published form and thumbnail from file to file, with the guards of remote media."""

import hashlib
import io
import struct
import zlib
from datetime import UTC, datetime
from tempfile import SpooledTemporaryFile

import pytest
from PIL import Image

from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia
from sitecms.media.intake import SMALL, taken_in
from tests.support.pictures import image_bytes

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def photo(size: tuple[int, int] = (900, 600)) -> bytes:
    """A picture that lies on its side and tells its place."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[29] = "Secret day"
    return image_bytes(Image.effect_noise(size, 60).convert("RGB"), "JPEG", exif=exif)


def bomb() -> bytes:
    """The beginning of a PNG of 400 megapixels."""
    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(100))))
    png = b"\x89PNG\r\n\x1a\n"
    for kind, data in chunks:
        png += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return png


@pytest.mark.parametrize("is_spooled", [False, True])
def test_a_picture_is_encoded_anew_with_a_thumbnail(*, is_spooled: bool) -> None:
    """Its name and content say that it is a PDF and a JPEG: the content counts. Place and orientation are gone."""
    with SpooledTemporaryFile(10) as spooled:
        given = spooled if is_spooled else io.BytesIO()
        given.write(photo())
        with taken_in(given, "sea.pdf", NOON) as taken:
            data, path = taken.path.read_bytes(), taken.path
        assert not path.exists()
    name = f"{hashlib.sha256(data).hexdigest()[:32]}.jpg"
    assert taken.media == MediaFile(name, "sea.pdf", "image/jpeg", len(data), NOON, 600, 900)
    assert b"Secret" not in data
    thumbnail = Image.open(io.BytesIO(taken.thumbnail))
    assert (thumbnail.format, thumbnail.size) == ("WEBP", (SMALL, SMALL * 3 // 2))


def test_other_files_are_taken_as_they_are() -> None:
    """A PDF has no thumbnail; neither has a picture that is small."""
    small = io.BytesIO()
    Image.new("RGB", (40, 30)).save(small, "PNG")
    for data, kind in ((b"%PDF-1.4\n", "application/pdf"), (small.getvalue(), "image/png")):
        with taken_in(io.BytesIO(data), "any", NOON) as taken:
            assert (taken.media.content_type, taken.thumbnail) == (kind, b"")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"MZ", "not a JPEG"),
        (b"", "not a JPEG"),
        (photo()[:2000], "broken"),
        (bomb(), "megapixels"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "script"),
    ],
    ids=["program", "empty", "torn", "bomb", "script"],
)
def test_faults_are_told_without_the_name(data: bytes, words: str) -> None:
    """The caller names the file."""
    with pytest.raises(InvalidMedia, match=words) as raised, taken_in(io.BytesIO(data), "bad.png", NOON):
        pass
    assert "bad.png" not in str(raised.value)
