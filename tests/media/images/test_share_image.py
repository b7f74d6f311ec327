"""Share images: their size, what they say, in which letters and colours, and that nothing runs over the edge."""

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image, ImageDraw

from sitecms.media.images.share_image import (
    SHADES,
    CardFile,
    ShareCard,
    can_draw,
    chosen,
    draw_share_image,
    font_at,
    is_shaping,
    set_title,
    share_fonts,
    shortened,
)

FONTS = share_fonts(())
STRONG = FONTS.strong[-1]
CARD = ShareCard("Tide", "What the harbour says", "Ann Ray · 1 March 2026", False, "#b4452c", "#ffffff", 13)
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung"


def drawn(card: ShareCard) -> Image.Image:
    """The card as an image."""
    data = draw_share_image(card, FONTS)
    assert data is not None
    assert len(data) < 60_000
    return Image.open(io.BytesIO(data))


def inked(image: Image.Image) -> tuple[int, int, int, int]:
    """The box around everything drawn, the rule aside."""
    image = Image.frombytes("L", image.size, image.tobytes())  # numbers of colours: 0 is the ground
    for left in (112, 1200 - 115):
        image.paste(0, (left, 0, left + 3, 630))
    box = image.getbbox()
    assert box is not None
    return box


@pytest.mark.parametrize(
    "title", ["Fog", "What the harbour says", "word " * 60, LONG, LONG * 40, "“Ábc” – Ытво Ωμ", "i", "i" * 5_000]
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
    assert (right > 1000) if is_from_right else (left < 200)


def test_a_card_has_few_bytes() -> None:
    """They are written and published for each post."""
    data = draw_share_image(CARD, FONTS)
    assert data is not None
    assert len(data) < 20_000


def test_equal_cards_have_equal_bytes_and_others_do_not(logo: CardFile) -> None:
    """Each part of the card is seen in its picture."""
    first = draw_share_image(CARD, FONTS)
    assert first == draw_share_image(CARD, FONTS)
    others = (
        replace(CARD, site_name="Ebb"), replace(CARD, title="Another"), replace(CARD, line="Bo"),
        replace(CARD, is_from_right=True), replace(CARD, ground="#5c0b3d"), replace(CARD, ink="#000000"),
        replace(CARD, tint=15), replace(CARD, logo=logo),
    )  # fmt: skip
    for other in others:
        assert draw_share_image(other, FONTS) != first


def test_the_colours_are_those_of_the_card_and_letters_are_smooth() -> None:
    """The ground is the accent itself, the title the full ink; the edges have every shade between them."""
    found = drawn(CARD).convert("RGB").getcolors() or []
    assert max(found)[1] == (0xB4, 0x45, 0x2C)
    assert (255, 255, 255) in {color for _, color in found}
    assert len(found) == SHADES


@pytest.fixture
def logo(tmp_path: Path) -> CardFile:
    """A wide logo of two colours with transparent corners."""
    picture = Image.new("RGBA", (840, 140))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((0, 0, 419, 139), "#2050c0")
    pen.ellipse((420, 0, 839, 139), "#ffd000")
    picture.save(tmp_path / "logo.png")
    return CardFile(tmp_path / "logo.png")


def test_the_logo_replaces_the_name_in_its_true_colours(logo: CardFile) -> None:
    """It is made smaller, and its transparent corners show the ground."""
    image = drawn(replace(CARD, logo=logo)).convert("RGB")
    assert image.getpixel((168 + 105, 42 + 14 + 35)) == (0x20, 0x50, 0xC0)
    assert image.getpixel((168 + 315, 42 + 14 + 35)) == (0xFF, 0xD0, 0x00)
    assert image.getpixel((169, 42 + 15)) == (0xB4, 0x45, 0x2C)
    words = image.crop((600, 0, 1200, 140)).getcolors()
    assert words == [(600 * 140, (0xB4, 0x45, 0x2C))]


def test_a_logo_of_a_light_page_stands_on_a_plate(logo: CardFile) -> None:
    """The plate has the colour of the ink; of a site in a script from the right it stands on the right."""
    image = drawn(replace(CARD, logo=logo, has_plate=True)).convert("RGB")
    assert image.getpixel((168 + 14 + 2, 42 + 14 + 2)) == (255, 255, 255)
    image = drawn(replace(CARD, logo=logo, has_plate=True, is_from_right=True)).convert("RGB")
    assert image.getpixel((1200 - 168 - 14 - 2, 42 + 14 + 2)) == (255, 255, 255)


def test_a_logo_that_cannot_be_read_leaves_the_name(tmp_path: Path) -> None:
    """As an SVG that has the name of a PNG."""
    broken = tmp_path / "logo.png"
    broken.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    assert draw_share_image(replace(CARD, logo=CardFile(broken)), FONTS) == draw_share_image(CARD, FONTS)


def test_a_title_in_letters_that_no_font_has_is_not_drawn() -> None:
    """Better no picture than one of empty boxes."""
    assert draw_share_image(replace(CARD, title="七十二候"), FONTS) is None
    assert draw_share_image(replace(CARD, title="   "), FONTS) is None


def test_signs_that_the_font_lacks_are_left_out_letters_never() -> None:
    """An emoji goes; a word does not go without one of its letters."""
    assert chosen("Fog 🌫️ again", FONTS.strong) == ("Fog again", STRONG)
    assert chosen("Fog 霧", FONTS.strong) is None
    assert chosen("Fog 👩\u200d💻 again", FONTS.strong) == ("Fog again", STRONG)
    assert chosen("🌫️", FONTS.strong) is None


def test_a_decomposed_letter_is_the_letter() -> None:
    """As file names of macOS have them."""
    assert chosen("Cafe\u0301", FONTS.strong) == ("Café", STRONG)


@pytest.mark.skipif(not is_shaping(), reason="only shaped text has use for them")
def test_signs_that_join_and_part_letters_stay() -> None:
    """Persian words need them, and no font has a picture of them."""
    assert chosen("na\u200cme\u200d", FONTS.strong) == ("na\u200cme\u200d", STRONG)


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
    own = CardFile(STRONG.path.with_name("SourceSerifPro-It.ttf"))  # Latin and Greek alone
    assert chosen("Fog", share_fonts((own,)).strong) == ("Fog", own)
    assert chosen("Туман", share_fonts((own,)).strong) == ("Туман", STRONG)


def test_lines_are_as_large_as_fits_and_as_even_as_can_be() -> None:
    """A short title is large; a long one is set in lines of nearly one width; one too long ends with an ellipsis."""
    assert set_title("Fog", STRONG) == (112, ["Fog"])
    size, lines = set_title("What the harbour says when nobody listens to it", STRONG)
    assert (size, lines) == (88, ["What the harbour", "says when nobody", "listens to it"])
    size, lines = set_title("word " * 100, STRONG)
    assert (size, len(lines)) == (50, 5)
    assert lines[-1].endswith("…")


def test_a_long_word_is_cut_where_the_line_ends() -> None:
    """No letter of it is lost, and none loses its combining mark."""
    _, lines = set_title(LONG * 2, STRONG)
    assert "".join(lines) == LONG * 2
    _, lines = set_title("o\u0325" * 40, STRONG)
    assert "".join(lines) == "o\u0325" * 40
    assert not [line for line in lines if line.startswith("\u0325")]


@pytest.mark.parametrize("title", ["一二三四五六七八九。十" * 2, "「一二三四五六七八」九十一二三四五六七"])
def test_text_without_spaces_breaks_between_signs_but_not_before_a_full_stop(title: str) -> None:
    """As Japanese and Chinese are set: no line begins with what closes, or ends with what opens."""
    _, lines = set_title(title, STRONG)
    assert "".join(lines) == title
    assert len(lines) > 1
    assert not [line for line in lines if line[0] in "。」" or line[-1] == "「"]


def test_one_line_is_cut_where_it_ends() -> None:
    """With an ellipsis in place of what is left out."""
    assert shortened("Ann Ray", STRONG, 34) == "Ann Ray"
    cut = shortened("Ann Ray " * 40, STRONG, 34)
    assert cut.endswith("…")
    assert len(cut) < 100
    assert font_at(STRONG, 34).getlength(cut) <= 952


def test_the_font_is_there() -> None:
    """The package that carries it is installed."""
    assert all(font.path.is_file() for font in FONTS.strong + FONTS.plain)
