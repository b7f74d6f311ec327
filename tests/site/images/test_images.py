"""Images of pages: variants, sizes and colours, in fields, in bodies and in the published folder."""

import random
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image, ImageFilter

from sitecms.content.media import MediaFile
from sitecms.media.images.derive_cache import CacheEntry, DerivedFile
from sitecms.site.images.images import ImageVariants, tone_of
from sitecms.site.theme.html import rewrite
from tests.support.pictures import image_bytes
from tests.support.sites import ExampleSite

NAME, KEY = f"{'a' * 32}.jpg", "b" * 32
SEA = MediaFile(NAME, "sea.jpg", "image/jpeg", 90_000, datetime(2026, 1, 1, tzinfo=UTC), 900, 600)
FILES = tuple(
    DerivedFile(f"{KEY}-{width}.{form}", width, width * 2 // 3, 100)
    for form, widths in (("avif", (320, 640)), ("webp", (320, 640, 900)))
    for width in widths
)
PICTURES = ImageVariants({NAME: SEA}, {NAME: CacheEntry(KEY, "#204080", FILES)}, ("avif", "webp"), 1600, "/mag", Path())


def test_a_field_has_every_format_and_the_original_instead_of_a_larger_variant() -> None:
    """AVIF has no variant in the image's own width, so the srcset has the original."""
    view = PICTURES.view(SEA.url, "The sea")
    assert view is not None
    assert (view.src, view.alt, view.width, view.height) == (f"/mag/media/{NAME}", "The sea", 900, 600)
    avif, webp = view.sources
    assert avif.type == "image/avif"
    assert avif.srcset == f"/mag/media/{KEY}-320.avif 320w, /mag/media/{KEY}-640.avif 640w, /mag/media/{NAME} 900w"
    assert webp.srcset.endswith(f"/mag/media/{KEY}-900.webp 900w")
    assert view.tone == "tone r2 g4 b8"


def test_unknown_images_are_unchanged() -> None:
    """This holds for a remote address, and for a file that is gone."""
    for address in ("https://else.example/a.png", "/media/none.png"):
        view = PICTURES.view(address)
        assert view is not None
        assert (view.src, view.sources, view.width) == (address, (), None)
    assert PICTURES.view("") is None


def test_an_image_in_a_body_becomes_a_picture() -> None:
    """It keeps its attributes, and gets its size and colour; the rest of the text is unchanged."""
    html = f'<p>One</p><figure><img class="wide" src="{SEA.url}" alt="Sea" loading="lazy"></figure><p>Two</p>'
    made = rewrite(html, image=PICTURES.tag_in_text)
    assert made.startswith('<p>One</p><figure><picture><source type="image/avif" srcset="/media/')
    assert made.endswith("></picture></figure><p>Two</p>")
    (image,) = re.findall("<img[^>]*>", made)
    attributes = dict(re.findall(r'(\S+)="([^"]*)"', image))
    assert attributes == {
        "class": "wide tone r2 g4 b8", "src": SEA.url, "alt": "Sea", "loading": "lazy", "decoding": "async",
        "width": "900", "height": "600",
    }  # fmt: skip


@pytest.mark.parametrize(
    "html",
    [
        '<img src="https://else.example/a.png" alt="">',
        f'<img src="{SEA.url}" srcset="{SEA.url} 2x" alt="">',
        f'<picture><source srcset="{SEA.url}"><img src="{SEA.url}" alt=""></picture>',
        f'<a href="{SEA.url}">sea</a>',
        "<p>&lt;img src=</p>",
    ],
)
def test_other_images_only_load_lazily(html: str) -> None:
    """Images of other hosts, and <picture> elements of the author."""
    lazy = html.replace(' alt="">', ' alt="" loading="lazy" decoding="async">')
    assert rewrite(html, image=PICTURES.tag_in_text) == lazy


def test_images_load_lazily_unless_the_author_chose() -> None:
    """This holds with and without variants."""
    html = '<img src="a.png" loading="eager"><img src="b.png" decoding="sync" alt="a loading=">'
    lazy = html.replace('eager"', 'eager" decoding="async"').replace('loading=">', 'loading=" loading="lazy">')
    assert rewrite(html, image=PICTURES.tag_in_text) == lazy
    assert rewrite(html, image=replace(PICTURES, entries={}).tag_in_text) == lazy


def test_an_authors_own_size_is_kept() -> None:
    """A width without a height is a size too."""
    assert 'width="90"' in rewrite(f'<img src="{SEA.url}" alt="" width="90">', image=PICTURES.tag_in_text)
    assert "height" not in rewrite(f'<img src="{SEA.url}" alt="" width="90">', image=PICTURES.tag_in_text)


def test_an_image_as_high_as_wide_has_no_colour_in_a_text() -> None:
    """Its box may be wider than the image, and would show the colour beside it."""
    tall = replace(PICTURES, media={NAME: replace(SEA, width=600, height=900)})
    assert "tone" not in rewrite(f'<img src="{SEA.url}" alt="">', image=tall.tag_in_text)


def test_the_stylesheet_has_each_step_of_each_colour(repo: Path) -> None:
    """Every colour that an image can have is in style.css."""
    css = (repo / "templates/themes/default/assets/style.css").read_text("utf-8")
    for step in range(0, 256, 17):
        for part in tone_of(f"#{step:02x}{step:02x}{step:02x}").split()[1:]:
            assert f".{part} {{ --{part[0]}: {step}; }}" in css


def textured(color: str, size: tuple[int, int] = (400, 300), form: str = "PNG") -> bytes:
    """Return an image with many bytes."""
    rng = random.Random(color)
    noise = Image.frombytes("RGB", size, rng.randbytes(size[0] * size[1] * 3)).filter(ImageFilter.GaussianBlur(1))
    return image_bytes(Image.blend(noise, Image.new("RGB", size, color), 0.5), form)


@pytest.fixture
def images(example: ExampleSite) -> ExampleSite:
    """The small site with images worth making smaller: `sea` at a post, in a body and a page, `ann` at an author."""
    for name in ("ann", "sea"):
        example.write(f"media/{name}.png", textured({"ann": "teal", "sea": "navy"}[name]))
    example.settings_are(images={"widths": [160, 320]})
    return example


def sources(html: str) -> list[str]:
    """Return every address in a srcset."""
    return [part.split()[0] for found in re.findall(r'srcset="([^"]*)"', html) for part in found.split(", ")]


def test_pages_offer_variants_that_are_published(images: ExampleSite) -> None:
    """In fields, bodies and Markdown fields; each variant is smaller than the original."""
    images.write("content/pages/guide/knots.yaml", {
        "title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z",
        "fields": {"text": 'A knot.\n\n![Sea](media/sea.png)\n\n<p><img src="media/ann.png" alt="Ann"></p>'},
    })  # fmt: skip
    images.make()
    for page in ("blog/flow/index.html", "blog/ebb/index.html", "guide/knots/index.html", "blog/index.html"):
        html = images.text(page)
        assert len(set(sources(html))) >= 3, page
        for address in sources(html):
            assert (images.public / address[1:]).is_file()
        for original in re.findall(r'<img[^>]* src="/(media/[^"]*)"', html):
            assert (images.public / original).is_file()
        assert "style=" not in html
    assert images.text("guide/knots/index.html").count("<picture>") == 2


def test_feeds_show_plain_images(images: ExampleSite) -> None:
    """Feeds have one absolute address for each image."""
    images.make()
    for feed in ("rss.xml", "atom.xml"):
        assert "srcset" not in images.text(feed)
        assert "https://tide.example/media/" in images.text(feed)


def test_a_second_build_decodes_nothing(images: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variants come from the cache, also for another output folder."""
    images.make()
    first = images.tree()
    before = {path: path.stat().st_mtime_ns for path in images.settings.derived_dir.iterdir()}
    monkeypatch.setattr(Image, "open", None)
    assert images.build().written == 0
    assert images.clean_tree() == first
    assert {path: path.stat().st_mtime_ns for path in images.settings.derived_dir.iterdir()} == before | {
        images.settings.derived_dir / "lock": (images.settings.derived_dir / "lock").stat().st_mtime_ns
    }


@pytest.mark.parametrize(
    "change",
    [
        {"widths": [200]},
        {"formats": ["webp"]},
        {"webp_quality": 30},
        {"enabled": False},
        {"original_max_pixels": 300},
        {"original_max_mb": 0.01},
    ],
)
def test_a_changed_setting_renews_the_pages_with_images(images: ExampleSite, change: dict[str, object]) -> None:
    """Old variants are pruned, and the site equals a clean build."""
    images.make()
    about = images.text("about/index.html")
    images.settings_are(images={"widths": [160, 320], **change})
    report = images.build()
    assert "blog/flow/index.html" in report.stale
    assert "blog/ebb/index.html" in report.stale
    assert images.text("about/index.html") == about
    assert images.tree() == images.clean_tree()
    if not change.get("enabled", True):
        assert "<picture>" not in images.text("blog/flow/index.html")


def test_a_missing_or_damaged_cache_is_renewed(images: ExampleSite) -> None:
    """The site stays equal after the cache is deleted or a file of it is cut short."""
    images.make()
    first = images.tree()
    derived = images.settings.derived_dir
    cut = next(derived.glob("*.webp"))
    cut.write_bytes(b"x")
    assert images.clean_tree() == first
    for path in derived.iterdir():
        path.unlink()
    images.load()
    assert images.clean_tree() == first


def test_only_images_of_published_content_are_derived(images: ExampleSite) -> None:
    """A draft's image is neither derived nor published."""
    images.make()
    before = len(list(images.settings.derived_dir.glob("*.webp")))
    images.write("media/draft.png", textured("red"))
    images.post("secret", "![x](media/draft.png)", status="draft", featured_image="media/draft.png")
    images.make()
    assert len(list(images.settings.derived_dir.glob("*.webp"))) == before


@pytest.mark.parametrize(("written", "expected"), [
    ('width="560" height="315" src="x"', 'width="560" height="315" src="x" class="ratio-16-9"'),
    ('class="a" width="640px" height="480px"', 'class="a ratio-4-3" width="640px" height="480px"'),
    ('class="" width="600" height="600"', 'class="ratio-1-1" width="600" height="600"'),
])  # fmt: skip
def test_a_wide_frame_keeps_its_ratio(written: str, expected: str) -> None:
    """Its class says it to the stylesheet, since phones have no room for its width."""
    assert rewrite(f"<iframe {written}></iframe>", image=PICTURES.tag_in_text) == f"<iframe {expected}></iframe>"


@pytest.mark.parametrize("attributes", [
    'width="900" height="300"', 'width="100%" height="400"', 'width="320" height="180"', 'width="560"', 'id="x"',
    'width="560" height="0"', 'class="ratio-21-9" width="560" height="315"',
])  # fmt: skip
def test_other_frames_stay(attributes: str) -> None:
    """Of another shape, without a size, small enough, or with a ratio of their own."""
    html = f"<iframe {attributes}></iframe>"
    assert rewrite(html, image=PICTURES.tag_in_text) == html
