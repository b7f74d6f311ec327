"""PNG files of mostly background: a reader gets every pixel back."""

import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sitecms.media.images import flat_png
from sitecms.media.images.flat_png import MARGIN, compressed_rows, png

WIDTH = 32
PALETTE = [part for number in range(4) for part in (number * 64, 255 - number * 64, number)]


def image_of(pixels: list[bytes]) -> Image.Image:
    """A palette image of these rows, with the margin that becomes their filter bytes."""
    return Image.frombytes("P", (MARGIN + WIDTH, len(pixels)), b"".join(bytes(MARGIN) + row for row in pixels))


ROW = st.binary(min_size=WIDTH, max_size=WIDTH).map(lambda row: bytes(value % 4 for value in row))


@given(
    st.lists(
        st.lists(ROW, min_size=1, max_size=5) | st.builds(lambda row, n: [row] * n, ROW, st.integers(1, 300)),
        min_size=1,
        max_size=5,
    )
)
def test_all_pixels_come_back(runs: list[list[bytes]]) -> None:
    """Runs of rows follow one another in any order; checksums are right."""
    expected = [row for run in runs for row in run]
    image = Image.open(io.BytesIO(png(WIDTH, PALETTE, [compressed_rows(image_of(run)) for run in runs])))
    assert image.size == (WIDTH, len(expected))
    colors = [bytes(PALETTE[3 * value : 3 * value + 3]) for value in range(4)]
    assert image.convert("RGB").tobytes() == b"".join(colors[value] for row in expected for value in row)


def test_nothing_is_drawn_into_the_margin() -> None:
    """It would be read as the filter of a row."""
    image = image_of([bytes(WIDTH)] * 3)
    image.paste(3, (0, 0, MARGIN + 1, 3))
    shown = Image.open(io.BytesIO(png(WIDTH, PALETTE, [compressed_rows(image)])))
    assert shown.tobytes() == (b"\3" + bytes(WIDTH - 1)) * 3


def test_a_drawing_is_the_same_with_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines for which ISA-L has no package use zlib."""
    rows = [bytes((row * column) % 4 for column in range(WIDTH)) for row in range(50)]
    monkeypatch.setattr(flat_png, "fast_zlib", zlib)
    image = Image.open(
        io.BytesIO(png(WIDTH, PALETTE, [compressed_rows(image_of(rows)), compressed_rows(image_of(rows))]))
    )
    assert image.tobytes() == b"".join(rows * 2)


@pytest.mark.parametrize("damage", [-20, -30])
def test_a_damaged_file_is_noticed(damage: int) -> None:
    """Readers check the checksums."""
    data = bytearray(png(WIDTH, PALETTE, [compressed_rows(image_of([bytes(WIDTH)] * 41))]))
    data[damage] ^= 1
    with pytest.raises((OSError, SyntaxError)):
        Image.open(io.BytesIO(bytes(data))).load()
