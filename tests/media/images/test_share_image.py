"""Share images: their size, what they say, in which letters, and that nothing runs over the edge."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from sitecms.media.images.share_fonts import can_draw, chosen, share_fonts
from sitecms.media.images.share_image import ShareCard, draw_share_image, one_line, set_text

FONTS = share_fonts(())
STRONG = FONTS.strong[-1]
CARD = ShareCard("Tide", "What the harbour says", "Ann Ray · 1 March 2026", False, "#0b3d5c", "#ffffff", "#b0c4d0")
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung"


def drawn(card: ShareCard) -> Image.Image:
    """The card as an image."""
    data = draw_share_image(card, FONTS)
    assert data is not None
    assert len(data) < 60_000
    return Image.open(io.BytesIO(data))


def inked(image: Image.Image) -> tuple[int, int, int, int]:
    """The box around everything drawn, the rule aside."""
    image = Image.frombytes("L", image.size, image.tobytes())  # numbers of colours: 0 is the background
    for left in (112, 1200 - 115):
        image.paste(0, (left, 0, left + 3, 630))
    box = image.getbbox()
    assert box is not None
    return box


@pytest.mark.parametrize(
    "title", ["Fog", "What the harbour says", "word " * 60, LONG, LONG * 4, "“Ábc” – Ытво Ωμ", "i"]
)
@pytest.mark.parametrize("is_from_right", [False, True])
def test_a_card_is_a_small_png_of_the_usual_size_with_its_text_inside(title: str, is_from_right: bool) -> None:
    """1200x630, and a margin all around, whatever the title."""
    image = drawn(replace(CARD, title=title, is_from_right=is_from_right))
    assert (image.format, image.size) == ("PNG", (1200, 630))
    left, top, right, bottom = inked(image)
    assert left > 60
    assert top > 40
    assert right < 1140
    assert bottom < 590


def test_a_card_has_few_bytes() -> None:
    """They are written and published for each post. Processors and zlib make different sizes."""
    data = draw_share_image(CARD, FONTS)
    assert data is not None
    assert len(data) < 10_000


def test_equal_cards_have_equal_bytes_and_others_do_not() -> None:
    """Each part of the card is seen in its picture."""
    first = draw_share_image(CARD, FONTS)
    assert first == draw_share_image(CARD, FONTS)
    others = (
        replace(CARD, site_name="Ebb"), replace(CARD, title="Another"), replace(CARD, line="Bo"),
        replace(CARD, is_from_right=True), replace(CARD, background="#5c0b3d"),
    )  # fmt: skip
    for other in others:
        assert draw_share_image(other, FONTS) != first


def test_the_colours_are_those_of_the_card() -> None:
    """The background keeps its colour, and the title reaches the full ink; a fourth colour smooths the edges."""
    colors = {color for _, color in drawn(CARD).convert("RGB").getcolors() or ()}
    assert {(11, 61, 92), (255, 255, 255), (176, 196, 208)} <= colors
    assert len(colors) == 4


def test_a_title_in_letters_that_no_font_has_is_not_drawn() -> None:
    """Better no picture than one of empty boxes."""
    assert draw_share_image(replace(CARD, title="七十二候"), FONTS) is None
    assert draw_share_image(replace(CARD, title="   "), FONTS) is None


def test_signs_that_the_font_lacks_are_left_out_letters_never() -> None:
    """An emoji goes; a word does not go without one of its letters."""
    assert chosen("Fog 🌫️ again", FONTS.strong) == ("Fog again", STRONG)
    assert chosen("Fog 霧", FONTS.strong) is None
    assert chosen("🌫️", FONTS.strong) is None


def test_titles_that_can_be_drawn_are_known_without_drawing() -> None:
    """Every sign of Latin-1 is in the built-in font; other titles are looked at."""
    letters = "".join(map(chr, (*range(0x21, 0x7F), *range(0xA1, 0x100))))
    assert chosen(letters, FONTS.strong) == (letters, STRONG)
    for title in ("Fog", "Ábc", "Žluťoučký kůň", "ŋ", "!", "七十二候", "   ", "", "🌫️", "Fog 霧", "Туман"):
        assert can_draw(title, FONTS) == (
            draw_share_image(replace(CARD, site_name=title, title=title), FONTS) is not None
        )


def test_a_font_of_the_site_comes_first() -> None:
    """It is taken where it has the letters."""
    own = STRONG.with_name("SourceSerifPro-It.ttf")  # Latin and Greek alone
    assert chosen("Fog", share_fonts((own,)).strong) == ("Fog", own)
    assert chosen("Туман", share_fonts((own,)).strong) == ("Туман", STRONG)


def test_lines_are_as_large_as_fits_and_as_even_as_can_be() -> None:
    """A short title is large; a long one is set in lines of nearly one width; one too long ends with an ellipsis."""
    sizes = (100, 50)
    assert set_text("Fog", STRONG, sizes, 900, 300, 1.2).size == 100
    setting = set_text("one two three four five six seven eight nine ten", STRONG, sizes, 900, 130, 1.2)
    assert setting.size == 50
    assert len(setting.lines) == 2
    shorter, longer = sorted(map(len, setting.lines))
    assert longer - shorter < 8
    cut = set_text("word " * 100, STRONG, sizes, 900, 130, 1.2)
    assert len(cut.lines) == 2
    assert cut.lines[-1].endswith("…")


@pytest.mark.parametrize(
    ("text", "lines"),
    [("一二三四五。六七八九十", ("一二三四", "五。六七", "八九十")), ("「一二」三四五六", ("「一二」", "三四五六"))],
)
def test_text_without_spaces_breaks_between_signs_but_not_before_a_full_stop(text: str, lines: tuple[str, ...]) -> None:
    """As Japanese and Chinese are set: no line begins with what closes, or ends with what opens."""
    width = _no_letter_width() * 4.5
    assert set_text(text, STRONG, (50,), round(width * 50), 1000, 1.2).lines == lines


def _no_letter_width() -> float:
    from sitecms.media.images.share_fonts import font

    return font(STRONG, 100).getlength("一") / 100


def test_one_line_is_cut_where_it_ends() -> None:
    """With an ellipsis in place of what is left out."""
    assert one_line("Ann Ray", STRONG, 30, 900) == "Ann Ray"
    cut = one_line("Ann Ray " * 40, STRONG, 30, 900)
    assert cut.endswith("…")
    assert len(cut) < 100


def test_the_font_is_there() -> None:
    """The package that carries it is installed."""
    assert all(Path(path).is_file() for path in FONTS.strong + FONTS.plain)
