"""Letters of share images: measured and drawn once, and put together as the library puts them together."""

import pytest
from PIL import Image, ImageChops, ImageDraw

from sitecms.media.images.share_fonts import font, is_shaping, letters_of, share_fonts

STRONG = share_fonts(()).strong[-1]
LETTERS = letters_of(STRONG)
TONES = range(1, 256)


def put_together(text: str, size: int) -> Image.Image:
    """The text from the pictures of its letters."""
    image = Image.new("L", (1200, 200))
    for picture, distance in LETTERS.pictures(text, size, TONES):
        drawn = Image.new("L", image.size)
        drawn.paste(
            Image.frombytes("L", picture.image.size, picture.image.tobytes()),
            (50 + distance + picture.left, 100 + picture.top),
        )
        image = ImageChops.lighter(image, drawn)
    return image


@pytest.mark.parametrize("size", [34, 56, 112])
@pytest.mark.parametrize(
    "text", ["To the Wavy AV", "Fog", "“Ábc” – Ытво", "office fjord", "2 March 2026 · €5", "مرحبا"]
)
def test_a_text_looks_as_the_library_draws_it(text: str, size: int) -> None:
    """With kerning and ligatures; a letter may stand one pixel aside, since distances are measured in one size."""
    image = Image.new("L", (1200, 200))
    ImageDraw.Draw(image).text((50, 100), text, font=font(STRONG, size), fill=255, anchor="ls")
    difference = ImageChops.difference(image, put_together(text, size))
    assert sum(difference.tobytes()) < 0.2 * sum(image.tobytes())
    assert LETTERS.width(text) * size == pytest.approx(font(STRONG, size).getlength(text), abs=1.5)


@pytest.mark.skipif(not is_shaping(), reason="ligatures need Raqm")
def test_a_ligature_is_one_letter() -> None:
    """As the font has it."""
    assert len(list(LETTERS.pictures("fi", 50, TONES))) == 1
    assert len(list(LETTERS.pictures("ab", 50, TONES))) == 2


def test_each_letter_is_drawn_once() -> None:
    """Many titles cost no more drawing than their alphabet; long texts that are drawn as a whole are not kept."""
    words = [f"{first}{second}a" for first in "bcdlmnprst" for second in "aeiou"]
    list(LETTERS.pictures("aeioubcdlmnprst ", 77, TONES))
    before = LETTERS._kept.cache_info().misses
    for first in words:
        list(LETTERS.pictures(f"{first} {words[-1]}", 77, TONES))
    list(LETTERS.pictures("مرحبا بكم في الميناء", 77, TONES))
    assert LETTERS._kept.cache_info().misses == before
