"""What pages are shared with: their own image, or a drawn one, named in their head and published."""

import re
from typing import TYPE_CHECKING

import pytest

from sitecms.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks

HOST = "https://tide.example"


@pytest.fixture
def shared(works: "SiteWorks") -> "SiteWorks":
    """The small site, its share images drawn; a post `flow` and a page `knots` have an image of their own."""
    works.settings_are(build={"page_size": 3}, description="On the sea.", share_images={"enabled": True})
    works.make()
    return works


def meta(works: "SiteWorks", path: str) -> dict[str, str]:
    """The properties and names of a page's head."""
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', works.text(path))
    return dict(found)


def test_a_post_without_an_image_is_shared_with_a_drawn_one(shared: "SiteWorks") -> None:
    """Named with its size and words for those who do not see it, and published."""
    tags = meta(shared, "blog/calm/index.html")
    assert tags["og:image"].startswith(f"{HOST}/media/")
    assert tags["twitter:image"] == tags["og:image"]
    assert (tags["og:image:width"], tags["og:image:height"], tags["og:image:alt"]) == ("1200", "630", "Calm")
    assert tags["twitter:card"] == "summary_large_image"
    data = (shared.public / tags["og:image"].removeprefix(f"{HOST}/")).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 60_000


def test_an_image_of_its_own_comes_first(shared: "SiteWorks") -> None:
    """That of a post, and the first one of a page; in Spanish the post without one has a card of its own."""
    image = meta(shared, "blog/flow/index.html")["og:image"]
    assert image.endswith(".png")
    assert "-1200.png" not in image
    assert meta(shared, "guide/knots/index.html")["og:image"] == image
    assert meta(shared, "guide/knots/index.html")["og:image:alt"] == "The sea"
    spanish = meta(shared, "es/blog/marea-baja/index.html")["og:image"]
    assert spanish not in (image, meta(shared, "blog/ebb/index.html")["og:image"])


def test_lists_are_shared_with_the_card_of_the_site(shared: "SiteWorks") -> None:
    """One for all lists of a locale; the page for unknown addresses has none."""
    found = {meta(shared, path)["og:image"] for path in ("index.html", "blog/index.html", "tags/moon/index.html")}
    assert len(found) == 1
    assert "og:image" not in meta(shared, "404.html")


def test_a_drawing_shows_a_vector_image_no_other_site_would(shared: "SiteWorks") -> None:
    """An SVG is shown on the page, and not named to others."""
    shared.write("media/sea.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>')
    shared.post("calm", featured_image="media/sea.svg", published="2026-02-01T08:00:00Z")
    shared.make()
    assert ".svg" in shared.text("blog/calm/index.html")
    assert meta(shared, "blog/calm/index.html")["og:image"].endswith("-1200.png")


def test_a_changed_title_is_drawn_anew_and_nothing_else_is(shared: "SiteWorks") -> None:
    """The old picture goes; the site is that of a clean build."""
    before = {path.name for path in shared.settings.derived_dir.glob("*.png")}
    old = meta(shared, "blog/calm/index.html")["og:image"].removeprefix(f"{HOST}/")
    front = {"published": "2026-02-01T08:00:00Z", "created": "2026-02-01T08:00:00Z", "author": "ann-ray"}
    shared.post("calm", title="Dead calm", **front)
    report = shared.make()
    assert len({path.name for path in shared.settings.derived_dir.glob("*.png")} - before) == 1
    assert old in report.orphaned
    assert shared.tree() == shared.clean_tree()


@pytest.mark.parametrize(
    "change", [{"name": "Ebb"}, {"theme": {"accent": "#aa2200"}}, {"timezone": "Pacific/Auckland"}, {"url": ""}]
)
def test_a_changed_setting_reaches_every_card(shared: "SiteWorks", change: dict[str, object]) -> None:
    """Name, colour, the day where people live; a site without an address has none, as they must be whole."""
    old = meta(shared, "blog/calm/index.html")["og:image"]
    shared.settings_are(build={"page_size": 3}, description="On the sea.", share_images={"enabled": True}, **change)
    shared.build()
    assert meta(shared, "blog/calm/index.html").get("og:image") != old
    assert shared.tree() == shared.clean_tree()
    if change.get("url") == "":
        assert not list(shared.public.glob("media/*-1200.png"))


def test_a_title_that_no_font_can_show_is_shared_with_the_card_of_the_site(shared: "SiteWorks") -> None:
    """Better than boxes."""
    shared.post("calm", title="七十二候", slug="calm", published="2026-02-01T08:00:00Z")
    shared.make()
    assert meta(shared, "blog/calm/index.html")["og:image"] == meta(shared, "blog/index.html")["og:image"]


@pytest.mark.parametrize("content", [b"no font", None])
def test_a_font_that_cannot_be_read_is_told(shared: "SiteWorks", content: bytes | None) -> None:
    """With its name, and what to do."""
    if content:
        shared.write("assets/mine.ttf", content)
    shared.settings_are(share_images={"enabled": True, "fonts": ["assets/mine.ttf"]})
    with pytest.raises(ConfigurationError, match=r"share_images.fonts names mine.ttf, which cannot be read as a font"):
        shared.build()


def test_without_share_images_pages_name_none(works: "SiteWorks") -> None:
    """The setting switches them off; a page's own image is named all the same."""
    works.make()
    assert "og:image" not in meta(works, "blog/calm/index.html")
    assert "og:image" in meta(works, "blog/flow/index.html")
    assert not list(works.public.glob("media/*-1200.png"))


def test_feeds_do_not_show_drawn_pictures(shared: "SiteWorks") -> None:
    """They are for sharing, not part of the post."""
    assert "-1200.png" not in shared.text("rss.xml")
