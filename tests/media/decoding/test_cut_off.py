"""Pictures that end too early: they are known by their structure, and none is read as longer than it may be."""

import io
import random
from pathlib import Path

import pytest
from PIL import Image

from sitecms.clock import EPOCH
from sitecms.media.decoding.cut_off import is_cut_off, padded
from sitecms.media.decoding.file_types import identify
from sitecms.media.published_form import published
from tests.support.pictures import image_bytes

FORMS = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp", "AVIF": "image/avif"}


def picture(form: str) -> bytes:
    """A picture with metadata, where the format has them."""
    exif = Image.Exif()
    exif[0x010E] = "secret"
    image = Image.frombytes("RGB", (60, 40), random.Random(1).randbytes(60 * 40 * 3))
    return image_bytes(image, form, **({"exif": exif} if form != "GIF" else {}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_a_picture_that_is_cut_off_is_published_as_far_as_it_goes(form: str, share: float, tmp_path: Path) -> None:
    """It has its size, no metadata and no bytes more than there were; a whole picture is not taken for one."""
    data = picture(form)
    cut = data[: int(len(data) * share)]
    media, stripped = published(cut, "a", EPOCH)
    assert (media.content_type, media.width, media.height) == (FORMS[form], 60, 40)
    assert b"secret" not in stripped
    assert len(stripped) <= len(cut)
    path = tmp_path / "a"
    path.write_bytes(stripped)
    assert is_cut_off(path, FORMS[form]) == (share < 1)
    assert published(stripped, "a", EPOCH)[1] == stripped


def test_a_size_that_is_claimed_is_not_believed_without_end() -> None:
    """Four gigabytes of zeros are not made."""
    data = b"RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff" + bytes(20)
    assert padded(data) is data
    data = b"\0\0\0\x10ftypavif" + bytes(4) + b"\0\0\0\x01mdat" + b"\x7f" + bytes(7)
    assert padded(data) is data


@pytest.mark.parametrize("form", ["MP4", "text", "loop"])
def test_other_files_are_not_padded(form: str) -> None:
    """Nor are boxes followed that lead nowhere."""
    data = {
        "MP4": b"\0\0\0\x14ftypisom" + bytes(8) + b"\0\1\0\0mdat",
        "text": b"A text.",
        "loop": b"\0\0\0\x10ftypavif" + bytes(4) + b"\0\0\0\0mdat" + bytes(30),
    }[form]
    assert padded(data) is data


def test_a_whole_picture_has_its_metadata_removed_as_before() -> None:
    """A cut within the metadata at the end leaves the picture whole."""
    data = picture("WEBP")
    assert b"secret" in data
    place = data.index(b"secret")
    media, stripped = published(data[:place], "a", EPOCH)
    with Image.open(io.BytesIO(stripped)) as image:
        image.load()
    assert identify(stripped, "a").width == media.width == 60
