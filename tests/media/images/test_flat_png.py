"""PNG files of mostly ground: a reader gets every pixel back."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sitecms.media.images.flat_png import background_rows, drawn_rows, png, top_row

WIDTH = 32
PALETTE = [part for number in range(4) for part in (number * 64, 255 - number * 64, number)]


def image_of(pixels: list[bytes]) -> Image.Image:
    """A palette image of these rows."""
    return Image.frombytes("P", (WIDTH, len(pixels)), b"".join(pixels))


@given(
    st.binary(min_size=WIDTH, max_size=WIDTH).map(lambda row: bytes(value % 4 for value in row)),
    st.lists(
        st.lists(st.binary(min_size=WIDTH, max_size=WIDTH).map(lambda row: bytes(v % 4 for v in row)), max_size=5)
        | st.integers(1, 5),
        max_size=5,
    ),
)
def test_all_pixels_come_back(ground: bytes, runs: list[list[bytes] | int]) -> None:
    """Runs of ground and drawings follow one another in any order; checksums are right."""
    parts, expected = [top_row(image_of([ground]))], [ground]
    for run in runs:
        rows = [ground] * run if isinstance(run, int) else [ground, *run, ground]
        parts.append(background_rows(WIDTH, run) if isinstance(run, int) else drawn_rows(image_of(rows)))
        expected += rows
    image = Image.open(io.BytesIO(png(WIDTH, PALETTE, parts)))
    assert image.size == (WIDTH, len(expected))
    colors = [bytes(PALETTE[3 * value : 3 * value + 3]) for value in range(4)]
    assert image.convert("RGB").tobytes() == b"".join(colors[value] for row in expected for value in row)


@pytest.mark.parametrize("damage", [-20, -30])
def test_a_damaged_file_is_noticed(damage: int) -> None:
    """Readers check the checksums."""
    data = bytearray(png(WIDTH, PALETTE, [top_row(image_of([bytes(WIDTH)])), background_rows(WIDTH, 40)]))
    data[damage] ^= 1
    with pytest.raises((OSError, SyntaxError)):
        Image.open(io.BytesIO(bytes(data))).load()
