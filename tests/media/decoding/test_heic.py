"""HEIC pictures of phones: converted upright, without the place where they were taken."""

import io
import sys
from datetime import UTC, datetime

import pytest
from PIL import Image

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import identify, is_heic
from sitecms.media.decoding.heic import as_jpeg
from sitecms.media.intake import taken_in
from tests.support.pictures import image_bytes

pillow_heif = pytest.importorskip("pillow_heif", reason="not installed; pip install -e '.[test]'")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def heic(size: tuple[int, int] = (64, 32), mode: str = "RGB") -> bytes:
    """A picture that lies on its side, blue at the left and red at the right, and tells its place."""
    image = Image.new(mode, size, "red")
    image.paste("blue", (0, 0, size[0] // 2, size[1]))
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "secret place"
    exif.get_ifd(0x8825)[29] = "Secret day"
    made, buffer = pillow_heif.from_pillow(image), io.BytesIO()
    made.info.update({"exif": exif.tobytes(), "xmp": b"<x:xmpmeta>Secret town</x:xmpmeta>"})
    made.save(buffer, quality=90)
    return buffer.getvalue()


def test_picture_is_taken_upright_and_without_its_place() -> None:
    """As a JPEG with a name that says so; equal pictures are one file of the library."""
    data = heic()
    assert b"secret place" in data
    assert b"Secret town" in data
    names = set()
    for _ in range(2):
        with taken_in(io.BytesIO(data), "Strand.2026.HEIC", NOON) as taken:
            stored, media = taken.path.read_bytes(), taken.media
        names.add(media.name)
    assert (media.original_name, media.content_type) == ("Strand.2026.jpg", "image/jpeg")
    assert (media.width, media.height) == (32, 64)
    assert b"ecret" not in stored
    picture = Image.open(io.BytesIO(stored)).convert("RGB")
    (red, _green, blue), (red_below, _green_below, blue_below) = (picture.getpixel((16, y)) for y in (5, 58))  # type: ignore[misc]
    assert (blue > 200 > red, red_below > 200 > blue_below) == (True, True)
    assert dict(picture.getexif()) == {}
    assert len(names) == 1


def test_photo_of_a_phone_fits_the_limits() -> None:
    """Twelve megapixels, with a thumbnail for the studio."""
    with taken_in(io.BytesIO(heic((4032, 3024))), "IMG_1.HEIC", NOON) as taken:
        assert (taken.media.width, taken.media.height) == (3024, 4032)
        assert Image.open(io.BytesIO(taken.thumbnail)).format == "WEBP"


def test_transparent_picture_becomes_png() -> None:
    """A JPEG would show the colours that lie behind."""
    data, name = as_jpeg(heic(mode="RGBA"), "sign.heic")
    assert (name, Image.open(io.BytesIO(data)).mode) == ("sign.png", "RGBA")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_broken_picture_is_refused(part: float) -> None:
    """With the reason, in the process that decodes it."""
    data = heic()
    with (
        pytest.raises(InvalidMedia, match="the HEIC picture is broken"),
        taken_in(io.BytesIO(data[: int(len(data) * part)]), "x.heic", NOON),
    ):
        pass


@pytest.mark.parametrize("name", [b"hvcC", b"pitm", b"ispe"])
def test_picture_without_one_of_its_parts_is_refused(name: bytes) -> None:
    """Without the settings of its codec, the package finds no picture in the file."""
    with pytest.raises(InvalidMedia, match="the HEIC picture is broken"):
        as_jpeg(heic().replace(name, b"none"), "x.heic")


def test_other_files_stay_as_they_are() -> None:
    """An AVIF has the same kind of box, and is no HEIC."""
    for data in (image_bytes(Image.new("RGB", (8, 8)), "AVIF"), b"", b"\0\0\0\x20ftypmp42", b"\xff\xd8\xff"):
        assert not is_heic(data)
        assert as_jpeg(data, "x.heic") == (data, "x.heic")
    assert is_heic(b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic")


def test_files_of_the_folder_are_refused_with_what_to_do() -> None:
    """The studio converts pictures; a load takes files as they are."""
    with pytest.raises(InvalidMedia, match="upload it there, or save it as JPEG"):
        identify(heic(), "sea.heic")


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it, and what to do without it."""
    data = heic()
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(InvalidMedia, match=r"A HEIC picture needs .*install.*hei[cf].*; or save the picture"):
        as_jpeg(data, "sea.heic")
