"""Share images of pages: their own image or a drawn card, named in the <head> and published."""

import re
from typing import TYPE_CHECKING

import pytest

from sitecms.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.support.sites import ExampleSite

HOST = "https://tide.example"


@pytest.fixture
def shared(example: "ExampleSite") -> "ExampleSite":
    """The small site with drawn cards; the post `flow` and the page `knots` have images of their own."""
    example.settings_are(build={"page_size": 3}, description="On the sea.", share_images={"enabled": True})
    example.make()
    return example


def meta(example: "ExampleSite", path: str) -> dict[str, str]:
    """Return the properties and names in a page's <head>."""
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', example.text(path))
    return dict(found)


def test_a_post_without_an_image_has_a_drawn_card(shared: "ExampleSite") -> None:
    """It is named with its size and alternative text, and published."""
    tags = meta(shared, "blog/calm/index.html")
    assert tags["og:image"].startswith(f"{HOST}/media/")
    assert tags["twitter:image"] == tags["og:image"]
    assert (tags["og:image:width"], tags["og:image:height"], tags["og:image:alt"]) == ("1200", "630", "Calm")
    assert tags["twitter:card"] == "summary_large_image"
    data = (shared.public / tags["og:image"].removeprefix(f"{HOST}/")).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 60_000


def test_an_image_of_its_own_comes_first(shared: "ExampleSite") -> None:
    """That of a post, and the first one of a page; a Spanish post without an image has a card of its own."""
    image = meta(shared, "blog/flow/index.html")["og:image"]
    assert image.endswith(".png")
    assert "-1200.png" not in image
    assert meta(shared, "guide/knots/index.html")["og:image"] == image
    assert meta(shared, "guide/knots/index.html")["og:image:alt"] == "The sea"
    spanish = meta(shared, "es/blog/marea-baja/index.html")["og:image"]
    assert spanish not in (image, meta(shared, "blog/ebb/index.html")["og:image"])


def test_lists_have_the_card_of_the_site(shared: "ExampleSite") -> None:
    """There is one for each locale; the 404 page has none."""
    found = {meta(shared, path)["og:image"] for path in ("index.html", "blog/index.html", "tags/moon/index.html")}
    assert len(found) == 1
    assert "og:image" not in meta(shared, "404.html")


def test_an_svg_is_not_a_share_image(shared: "ExampleSite") -> None:
    """The page shows the SVG, and shares a drawn card."""
    shared.write("media/sea.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>')
    shared.post("calm", featured_image="media/sea.svg", published="2026-02-01T08:00:00Z")
    shared.make()
    assert ".svg" in shared.text("blog/calm/index.html")
    assert meta(shared, "blog/calm/index.html")["og:image"].endswith("-1200.png")


def test_only_the_card_of_a_changed_title_is_drawn_again(shared: "ExampleSite") -> None:
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
def test_a_changed_setting_draws_every_card_again(shared: "ExampleSite", change: dict[str, object]) -> None:
    """Name, colour and time zone; a site without a url has no cards, since share addresses are absolute."""
    old = meta(shared, "blog/calm/index.html")["og:image"]
    shared.settings_are(build={"page_size": 3}, description="On the sea.", share_images={"enabled": True}, **change)
    shared.build()
    assert meta(shared, "blog/calm/index.html").get("og:image") != old
    assert shared.tree() == shared.clean_tree()
    if change.get("url") == "":
        assert not list(shared.public.glob("media/*-1200.png"))


def test_a_title_without_glyphs_has_the_card_of_the_site(shared: "ExampleSite") -> None:
    """A card never shows replacement boxes."""
    shared.post("calm", title="七十二候", slug="calm", published="2026-02-01T08:00:00Z")
    shared.make()
    assert meta(shared, "blog/calm/index.html")["og:image"] == meta(shared, "blog/index.html")["og:image"]


@pytest.mark.parametrize("content", [b"no font", None])
def test_an_unreadable_font_is_an_error(shared: "ExampleSite", content: bytes | None) -> None:
    """The message names the file and what to do."""
    if content:
        shared.write("assets/mine.ttf", content)
    shared.settings_are(share_images={"enabled": True, "fonts": ["assets/mine.ttf"]})
    with pytest.raises(ConfigurationError, match=r"share_images.fonts names mine.ttf, which cannot be read as a font"):
        shared.build()


def test_cards_can_be_switched_off(example: "ExampleSite") -> None:
    """A page's own image is still named."""
    example.make()
    assert "og:image" not in meta(example, "blog/calm/index.html")
    assert "og:image" in meta(example, "blog/flow/index.html")
    assert not list(example.public.glob("media/*-1200.png"))


def test_feeds_do_not_show_drawn_cards(shared: "ExampleSite") -> None:
    """They are not part of the post."""
    assert "-1200.png" not in shared.text("rss.xml")
