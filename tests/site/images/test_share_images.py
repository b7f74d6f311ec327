"""Share images of pages: their own image or a drawn card, named in the <head> and published."""

import io
import re
from pathlib import Path

import pytest
from PIL import Image

from sitecms.errors import ConfigurationError
from sitecms.media.images.share_image import SHADES, shade, share_fonts
from sitecms.resources import resource_dir
from sitecms.site.images.share_cards import CardText, make_share_cards
from sitecms.site.theme.style import contrast
from tests.support.sites import ExampleSite

HOST = "https://tide.example"


@pytest.fixture
def shared(example: ExampleSite) -> ExampleSite:
    """The small site with drawn cards; the post `flow` and the page `knots` have images of their own."""
    example.settings_are(build={"page_size": 3}, description="On the sea.", share_images={"enabled": True})
    example.make()
    return example


def meta(example: ExampleSite, path: str) -> dict[str, str]:
    """Return the properties and names in a page's <head>."""
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', example.text(path))
    return dict(found)


def test_a_post_without_an_image_has_a_drawn_card(shared: ExampleSite) -> None:
    """It is named with its size and alternative text, and published."""
    tags = meta(shared, "blog/calm/index.html")
    assert tags["og:image"].startswith(f"{HOST}/media/")
    assert tags["twitter:image"] == tags["og:image"]
    assert (tags["og:image:width"], tags["og:image:height"], tags["og:image:alt"]) == ("1200", "630", "Calm")
    assert tags["twitter:card"] == "summary_large_image"
    data = (shared.public / tags["og:image"].removeprefix(f"{HOST}/")).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 60_000


def test_an_image_of_its_own_comes_first(shared: ExampleSite) -> None:
    """That of a post, and the first one of a page; a Spanish post without an image has a card of its own."""
    image = meta(shared, "blog/flow/index.html")["og:image"]
    assert image.endswith(".png")
    assert "-1200.png" not in image
    assert meta(shared, "guide/knots/index.html")["og:image"] == image
    assert meta(shared, "guide/knots/index.html")["og:image:alt"] == "The sea"
    spanish = meta(shared, "es/blog/marea-baja/index.html")["og:image"]
    assert spanish not in (image, meta(shared, "blog/ebb/index.html")["og:image"])


def test_lists_have_the_card_of_the_site(shared: ExampleSite) -> None:
    """There is one for each locale; the 404 page has none."""
    found = {meta(shared, path)["og:image"] for path in ("index.html", "blog/index.html", "tags/moon/index.html")}
    assert len(found) == 1
    assert "og:image" not in meta(shared, "404.html")


def test_an_svg_is_not_a_share_image(shared: ExampleSite) -> None:
    """The page shows the SVG, and shares a drawn card."""
    shared.write("media/sea.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>')
    shared.post("calm", featured_image="media/sea.svg", published="2026-02-01T08:00:00Z")
    shared.make()
    assert ".svg" in shared.text("blog/calm/index.html")
    assert meta(shared, "blog/calm/index.html")["og:image"].endswith("-1200.png")


def test_only_the_card_of_a_changed_title_is_drawn_again(shared: ExampleSite) -> None:
    """The old card is pruned; the site equals a clean build."""
    before = {path.name: path.stat().st_mtime_ns for path in shared.public.glob("media/*-1200.png")}
    old = meta(shared, "blog/calm/index.html")["og:image"].removeprefix(f"{HOST}/")
    front = {"published": "2026-02-01T08:00:00Z", "created": "2026-02-01T08:00:00Z", "author": "ann-ray"}
    shared.post("calm", title="Dead calm", **front)
    report = shared.make()
    after = {path.name: path.stat().st_mtime_ns for path in shared.public.glob("media/*-1200.png")}
    assert len(after.items() - before.items()) == 1
    assert old in report.orphaned
    assert shared.tree() == shared.clean_tree()


@pytest.mark.parametrize(
    "change", [{"name": "Ebb"}, {"theme": {"accent": "#aa2200"}}, {"timezone": "Pacific/Auckland"}, {"url": ""}]
)
def test_a_changed_setting_draws_every_card_again(shared: ExampleSite, change: dict[str, object]) -> None:
    """Name, colour and time zone; a site without a url has no cards, since share addresses are absolute."""
    old = meta(shared, "blog/calm/index.html")["og:image"]
    shared.settings_are(build={"page_size": 3}, description="On the sea.", share_images={"enabled": True}, **change)
    shared.build()
    assert meta(shared, "blog/calm/index.html").get("og:image") != old
    assert shared.tree() == shared.clean_tree()
    if change.get("url") == "":
        assert not list(shared.public.glob("media/*-1200.png"))


def card(example: ExampleSite, title: str = "Calm") -> Image.Image:
    """A card of the site as it is now, drawn."""
    text = CardText("en", title)
    cards = make_share_cards([text], example.settings)
    assert text in cards.names
    return Image.open(io.BytesIO(cards.draw(text))).convert("RGB")


def title_of(image: Image.Image) -> bytes:
    """The part of a card with the title."""
    return image.crop((0, 150, 1200, 500)).tobytes()


def colors_of(image: Image.Image) -> set[str]:
    """The colours of an image."""
    parts = image.tobytes()
    return {f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in set(zip(*[iter(parts)] * 3, strict=True))}


def cards_are(example: ExampleSite, fonts: tuple[dict[str, str], ...] = (), /, **theme: object) -> None:
    """Write site.toml with these options and fonts of the theme."""
    example.settings_are(build={"page_size": 3}, share_images={"enabled": True}, theme=theme)
    tables = ("\n".join(["[[theme.fonts]]", *(f'{key} = "{value}"' for key, value in font.items())]) for font in fonts)
    example.write("site.toml", "\n".join([(example.folder / "site.toml").read_text("utf-8"), *tables]))


FONT_FILES = {
    "fonts/own.ttf": lambda: share_fonts(()).plain[-1].path.with_name("SourceSerifPro-It.ttf"),
    "fonts/own.woff2": lambda: resource_dir("templates") / "themes" / "default" / "assets" / "fonts" / "text.woff2",
}


@pytest.mark.parametrize("use", ["heading_font", "text_font"])
@pytest.mark.parametrize("name", FONT_FILES)
def test_the_font_of_the_headings_is_that_of_the_cards(shared: ExampleSite, use: str, name: str) -> None:
    """Headings without a font of their own have that of texts. Another file of the same name draws all cards again."""
    before, old = card(shared), meta(shared, "blog/calm/index.html")["og:image"]
    shared.write(f"assets/{name}", FONT_FILES[name]().read_bytes())
    cards_are(shared, ({"family": "Own", "file": name},), **{use: "Own"})
    shared.make()
    assert title_of(card(shared)) != title_of(before)
    new = meta(shared, "blog/calm/index.html")["og:image"]
    assert new != old
    shared.write(f"assets/{name}", share_fonts(()).strong[-1].path.read_bytes())
    shared.make()
    assert title_of(card(shared)) == title_of(before)
    assert meta(shared, "blog/calm/index.html")["og:image"] not in (old, new)
    assert shared.tree() == shared.clean_tree()


def test_of_several_files_that_next_to_the_weight_of_headings_is_taken(shared: ExampleSite) -> None:
    """An italic one never, nor one that cannot be read."""
    before = card(shared)
    files = share_fonts(()).strong[-1].path.parent
    for name in ("Light", "Semibold", "It"):
        shared.write(f"assets/{name}.ttf", (files / f"SourceSerifPro-{name}.ttf").read_bytes())
    shared.write("assets/broken.woff2", b"no font")
    fonts = (
        {"family": "Own", "file": "Light.ttf", "weight": "300"},
        {"family": "Own", "file": "broken.woff2", "weight": "600"},
        {"family": "Own", "file": "Semibold.ttf", "weight": "650"},
        {"family": "Own", "file": "It.ttf", "weight": "600", "style": "italic"},
    )
    cards_are(shared, fonts, heading_font="Own")
    assert title_of(card(shared)) == title_of(before)


@pytest.mark.parametrize(
    "accent", ["#0b6e99", "#b4452c", "#ffe680", "#f2f2f2", "#111111", "#777777", "#2e8b57", "#ff0000", "#00ff00"]
)
def test_the_ground_is_the_accent_and_texts_can_be_read_on_it(shared: ExampleSite, accent: str) -> None:
    """Both the title and the small print have the contrast that WCAG asks of text."""
    cards_are(shared, accent=accent)
    image = card(shared)
    used = colors_of(image)
    assert colors_of(image.crop((0, 0, 100, 630))) == {accent}
    ink = max(used, key=lambda color: contrast(color, accent))
    assert ink in ("#ffffff", "#000000")
    name = colors_of(image.crop((150, 60, 1150, 130)))
    assert max(contrast(color, accent) for color in name) >= 4.5
    assert used <= {shade(accent, ink, number) for number in range(SHADES)}


def write_logo(path: Path, color: str, form: str = "PNG") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGBA", (300, 60), color).convert("RGBA" if form == "PNG" else "RGB").save(path, form)


def test_the_logo_is_that_for_the_ground(shared: ExampleSite) -> None:
    """On a dark accent it is the logo of dark pages; that of light pages stands on a plate there."""
    write_logo(shared.folder / "assets" / "light.png", "#203040")
    write_logo(shared.folder / "media" / "dark.png", "#ffd000")
    place = (168 + 30, 42 + 14 + 20)
    both = {"logo": "light.png", "dark_logo": "media/dark.png"}
    cards_are(shared, accent="#0b6e99", **both)
    assert card(shared).getpixel(place) == (0xFF, 0xD0, 0x00)
    cards_are(shared, accent="#ffe680", **both)
    assert card(shared).getpixel(place) == (0x20, 0x30, 0x40)
    cards_are(shared, accent="#0b6e99", logo="light.png")
    assert card(shared).getpixel(place) == (0x20, 0x30, 0x40)
    assert card(shared).getpixel((168 + 7, 42 + 30)) == (255, 255, 255)


def test_another_logo_draws_every_card_again(shared: ExampleSite) -> None:
    """Also under the same name."""
    cards_are(shared, logo="logo.png")
    found = []
    for color in ("#203040", "#ffd000"):
        write_logo(shared.folder / "assets" / "logo.png", color)
        shared.make()
        found.append(meta(shared, "blog/calm/index.html")["og:image"])
    assert found[0] != found[1]
    assert shared.tree() == shared.clean_tree()


def test_a_logo_that_cannot_be_drawn_leaves_the_name(shared: ExampleSite) -> None:
    """An SVG: Pillow draws none."""
    cards_are(shared)
    plain = card(shared)
    shared.write("assets/logo.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    cards_are(shared, logo="logo.svg")
    assert card(shared).tobytes() == plain.tobytes()


def test_a_title_that_a_locale_writes_in_other_letters_is_left_out(shared: ExampleSite) -> None:
    """The title is judged as it is drawn."""
    shared.settings_are(name={"en": "Tide", "es": "潮"}, share_images={"enabled": True})
    report = shared.make()
    assert "og:image" in meta(shared, "index.html")
    assert "og:image" not in meta(shared, "es/index.html")
    assert 'No share image is drawn for "潮"' in "\n".join(report.notes)


def test_a_title_without_glyphs_has_the_card_of_the_site(shared: ExampleSite) -> None:
    """A card never shows replacement boxes; the build says what to do."""
    shared.post("calm", title="七十二候", slug="calm", published="2026-02-01T08:00:00Z")
    report = shared.make()
    assert any("七十二候" in note and "[share_images] fonts" in note for note in report.notes)
    assert meta(shared, "blog/calm/index.html")["og:image"] == meta(shared, "blog/index.html")["og:image"]


@pytest.mark.parametrize("content", [b"no font", None])
def test_an_unreadable_font_is_an_error(shared: ExampleSite, content: bytes | None) -> None:
    """The message names the file and what to do."""
    if content:
        shared.write("assets/mine.ttf", content)
    shared.settings_are(share_images={"enabled": True, "fonts": ["assets/mine.ttf"]})
    with pytest.raises(ConfigurationError, match=r"share_images.fonts names mine.ttf, which cannot be read as a font"):
        shared.build()


def test_cards_can_be_switched_off(example: ExampleSite) -> None:
    """A page's own image is still named."""
    example.make()
    assert "og:image" not in meta(example, "blog/calm/index.html")
    assert "og:image" in meta(example, "blog/flow/index.html")
    assert not list(example.public.glob("media/*-1200.png"))


def test_feeds_do_not_show_drawn_cards(shared: ExampleSite) -> None:
    """They are not part of the post."""
    assert "-1200.png" not in shared.text("rss.xml")
