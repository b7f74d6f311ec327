"""Images above the limits of [images] are not published themselves: their largest variant replaces them."""

import io
import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageFilter

from sitecms.site.check.check import CheckOptions, check_site
from sitecms.site.dry_run import plan_dry_run
from tests.support.pictures import image_bytes
from tests.support.reading import select
from tests.support.sites import ExampleSite

BOUNDS = {"widths": [160, 320], "original_max_pixels": 500}
BODY = (
    '<p><a href="media/large.jpg">whole</a></p><img src="media/large.jpg" alt="a">'
    '<picture><source srcset="media/large.jpg 800w, media/small.jpg 200w"><img src="media/large.jpg" alt="b"></picture>'
    '<video poster="media/large.jpg" src="https://else.example/a.mp4"></video>'
    '<img src="https://else.example/media/0123456789abcdef0123456789abcdef.jpg" alt="c">'
)


@cache
def photo(size: tuple[int, int], form: str = "JPEG", **options: Any) -> bytes:
    """Return an image with many bytes."""
    noise = Image.frombytes("RGB", size, random.Random(1).randbytes(size[0] * size[1] * 3))
    return image_bytes(noise.filter(ImageFilter.GaussianBlur(1)), form, **options)


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of derived images for the sites of all tests here."""
    return tmp_path_factory.mktemp("derived")


@pytest.fixture(autouse=True)
def share_derived(example: ExampleSite, derived: Path) -> None:
    """Derive the images, which are the same everywhere, once."""
    (example.folder / ".sitecms" / "derived").symlink_to(derived)


@pytest.fixture
def album(example: ExampleSite) -> ExampleSite:
    """A post with a large image in every place for images, and a small one."""
    example.settings_are(images=BOUNDS)
    example.write("media/large.jpg", photo((800, 600), quality=95))
    example.write("media/small.jpg", photo((200, 150)))
    example.post("album", BODY, format="html", published="2026-02-20T08:00:00Z", featured_image="media/large.jpg")
    example.write(
        "content/pages/guide/knots.yaml",
        {"title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z",
         "fields": {"cover": {"url": "media/large.jpg", "alt": ""}, "text": "![x](media/large.jpg)"}},
    )  # fmt: skip
    return example


LARGE = {"url": "media/large.jpg", "alt": "a"}
GALLERY = '::: gallery columns=2\n![a](media/large.jpg "One")\n:::\n'
IN_HTML = '<figure><img src="media/large.jpg" alt="a"></figure>'
PUBLISHED = {"status": "published", "published": "2026-01-01T08:00:00Z"}


def page_with(value: object, **field: object) -> dict[str, object]:
    """Return the files of a page with one field."""
    return {
        "schema/page_types/place.yaml": {"name": "Place", "fields": [{"slug": "x", **field}]},
        "content/pages/place/one.yaml": {"title": "One", **PUBLISHED, "fields": {"x": value}},
    }


def markdown(path: str, body: str, **front: object) -> dict[str, object]:
    """Return a Markdown file."""
    return {path: f"---\n{json.dumps({'title': 'One', **PUBLISHED, **front})}\n---\n{body}"}


def items_with(value: object, route: str = "", **field: object) -> dict[str, object]:
    """Return the files of a collection whose items have one field."""
    fields = [{"slug": "slug", "type": "short_text"}, {"slug": "x", **field}]
    schema = {"label": "slug", "fields": fields, **({"route": route} if route else {})}
    return {
        "schema/collections/crew.yaml": schema,
        "content/collections/crew.yaml": [{"id": 7, "fields": {"slug": "bo", "x": value}}],
    }


FRAME = {"schema/components/frame.yaml": {"slug": "frame", "fields": [{"slug": "image", "type": "media"}]}}
SEO = {"schema/components/seo.yaml": {"slug": "seo", "fields": [{"slug": "image", "type": "media"}]}}
TEMPLATE = '{% extends "base.html" %}{% block content %}{{ <> }}{% endblock %}'
PLACES: dict[str, dict[str, object]] = {
    "body of a page": markdown("content/pages/_single/one.md", "![a](media/large.jpg)"),
    "gallery on a page": markdown("content/pages/_single/one.md", GALLERY),
    "HTML of a page": markdown("content/pages/_single/one.md", IN_HTML, format="html"),
    "image of a page": markdown("content/pages/_single/one.md", "A.", fields={"image": "media/large.jpg"}),
    "media field": page_with(LARGE, type="media"),
    "wysiwyg field": page_with(IN_HTML, type="wysiwyg"),
    "html field": page_with(IN_HTML, type="html"),
    "long_text field": page_with("![a](media/large.jpg)", type="long_text"),
    "repeater": page_with([{"y": LARGE}], type="repeater", fields=[{"slug": "y", "type": "media"}]),
    "component": FRAME | page_with({"image": LARGE}, type="component", component="frame"),
    "component picker": FRAME
    | page_with([{"type": "frame", "fields": {"image": LARGE}}], type="component_picker", components=["frame"]),
    "share image of a page": SEO
    | {
        "schema/page_types/place.yaml": {"fields": [{"slug": "seo", "type": "component", "component": "seo"}]},
        "content/pages/place/one.yaml": {"title": "One", **PUBLISHED, "fields": {"seo": {"image": LARGE}}},
    },
    "home page": SEO
    | {
        "schema/single_pages/home.yaml": {"fields": [{"slug": "seo", "type": "component", "component": "seo"}]},
        "content/pages/_single/home.yaml": {"title": "One", **PUBLISHED, "fields": {"seo": {"image": LARGE}}},
    },
    "page of an item": items_with(LARGE, "/crew/{slug}/", type="media"),
    "text of an item": items_with("![a](media/large.jpg)", "/crew/{slug}/", type="long_text"),
    "referenced item": items_with(LARGE, type="media")
    | page_with([7], type="reference", targets=["crew"], many=True)
    | {"templates/page/place.html": TEMPLATE.replace("<>", "page.fields.x[0].fields.x.src")},
    "collection in a template": items_with(LARGE, type="media")
    | page_with("a", type="short_text")
    | {"templates/page/place.html": TEMPLATE.replace("<>", "collections.crew[0].fields.x.sources[0].srcset")},
    "text of a collection in a template": items_with("![a](media/large.jpg)", type="long_text")
    | page_with("a", type="short_text")
    | {"templates/page/place.html": TEMPLATE.replace("<>", "collections.crew[0].fields.x | markdown")},
    "body of a post": markdown("content/posts/one.md", "![a](media/large.jpg)"),
    "gallery in a post": markdown("content/posts/one.md", GALLERY),
    "featured image": markdown("content/posts/one.md", "A.", featured_image="media/large.jpg"),
    "field of a post": {"schema/post.yaml": {"fields": [{"slug": "x", "type": "media"}]}}
    | {"templates/post.html": TEMPLATE.replace("<>", "post.fields.x.src")}
    | markdown("content/posts/one.md", "A.", fields={"x": LARGE}),
    "text in a field of a post": {"schema/post.yaml": {"fields": [{"slug": "x", "type": "wysiwyg"}]}}
    | {"templates/post.html": TEMPLATE.replace("<>", "post.fields.x")}
    | markdown("content/posts/one.md", "A.", fields={"x": IN_HTML}),
    "author": {"content/authors.yaml": [{"slug": "ann-ray", "first_name": "Ann", "profile_image": "media/large.jpg"}]}
    | markdown("content/posts/one.md", "A."),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "limits", [BOUNDS, {**BOUNDS, "original_max_pixels": 5000}], ids=["above the limits", "below them"]
)
def test_every_image_that_a_page_names_is_published(
    example: ExampleSite, place: str, limits: dict[str, object]
) -> None:
    """This holds in every place where an image can stand, when nothing else on the site shows the image."""
    for file in example.folder.rglob("content/**/*.*"):
        file.unlink()
    example.settings_are(images=limits, build={"home": "home"} if place == "home page" else {})
    example.write("media/large.jpg", photo((800, 600), quality=95))
    example.write("content/authors.yaml", [{"slug": "ann-ray", "first_name": "Ann"}])
    for path, content in PLACES[place].items():
        example.write(path, content)
    example.make()
    tree = example.tree()
    named = set(re.findall(rb"/(media/[0-9a-f]{32}[^\s\"&<>\\,)']*)", b"".join(tree.values())))
    assert {name for name in named if name.decode() not in tree} == set()
    assert named


def name_of(example: ExampleSite, original: str) -> str:
    return str(select(example.database, "SELECT name FROM media_file WHERE original_name = ?", original)[0][0])


def test_a_large_original_is_nowhere_on_the_site(album: ExampleSite) -> None:
    """No page, feed or share tag names it, it is not copied, and its stand-in is published."""
    album.make()
    tree, name = album.tree(), name_of(album, "large.jpg")
    assert f"media/{name}" not in tree
    assert [path for path, data in tree.items() if name.encode() in data] == []
    assert f"media/{name_of(album, 'small.jpg')}" in tree
    for page in ("blog/album/index.html", "guide/knots/index.html", "rss.xml", "atom.xml", "feed.json"):
        found = re.findall(r"(?<!else\.example)/(media/[0-9a-f]{32}[^\s\"&<\\]*)", tree[page].decode())
        assert found, page
        assert {path for path in found if path not in tree} == set(), page
    assert "https://else.example/media/0123456789abcdef0123456789abcdef.jpg" in tree["blog/album/index.html"].decode()


def test_the_stand_in_is_a_jpeg(album: ExampleSite) -> None:
    """It has the largest width; share tags, structured data and feeds have its size."""
    album.make()
    html = album.text("blog/album/index.html")
    (path,) = set(re.findall(r'<meta property="og:image" content="https://tide\.example/(media/[^"]*)"', html))
    with Image.open(album.public / path) as image:
        assert (image.format, image.size) == ("JPEG", (320, 240))
    assert '<meta property="og:image:width" content="320">' in html
    assert f'src="/{path}" alt="a"' in html
    assert f'url="https://tide.example/{path}" medium="image" width="320" height="240"' in album.text("rss.xml")
    assert any(path in str(item.get("image")) for item in json.loads(album.text("feed.json"))["items"])


def test_an_original_with_many_bytes_is_replaced(example: ExampleSite) -> None:
    """An image of few pixels and many bytes is replaced, unless every variant is larger."""
    example.settings_are(images={"widths": [160, 320], "original_max_mb": 0.02})
    example.write("media/heavy.png", photo((300, 200), "PNG"))
    example.write("media/light.png", photo((30, 20), "PNG"))
    example.post("album", "![a](media/heavy.png) ![b](media/light.png)", published="2026-02-20T08:00:00Z")
    example.make()
    assert f"media/{name_of(example, 'heavy.png')}" not in example.tree()
    assert f"media/{name_of(example, 'light.png')}" in example.tree()


def test_transparent_images_stay_transparent(example: ExampleSite) -> None:
    """Their stand-in is a PNG."""
    example.settings_are(images=BOUNDS)
    faded = Image.open(io.BytesIO(photo((800, 600), "PNG"))).convert("RGBA")
    faded.putalpha(Image.linear_gradient("L").resize(faded.size))
    example.write("media/faded.png", image_bytes(faded, "PNG"))
    example.post("album", "A.", published="2026-02-20T08:00:00Z", featured_image="media/faded.png")
    example.make()
    (path,) = set(
        re.findall(r'og:image" content="https://tide\.example/(media/[^"]*)"', example.text("blog/album/index.html"))
    )
    with Image.open(example.public / path) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGBA", (320, 240))


def test_animations_are_published_themselves(example: ExampleSite) -> None:
    """They have no variants."""
    example.settings_are(images=BOUNDS)
    example.write("media/moving.gif", gif())
    example.post("album", "![a](media/moving.gif)", published="2026-02-20T08:00:00Z")
    example.make()
    assert f"media/{name_of(example, 'moving.gif')}" in example.tree()


def gif() -> bytes:
    noise = [Image.frombytes("L", (600, 400), random.Random(number).randbytes(240_000)) for number in range(2)]
    return image_bytes(noise[0], "GIF", save_all=True, append_images=noise[1:], duration=100)


def test_builds_with_stand_ins_are_incremental(album: ExampleSite) -> None:
    """A second build writes nothing, a clean one is equal, and a higher limit publishes the original again."""
    album.make()
    assert album.make().written == 0
    assert album.clean_tree() == album.tree()
    stand_ins = {path for path in album.tree() if path.endswith("-320.jpg")}
    album.settings_are(images={**BOUNDS, "original_max_pixels": 1000})
    report = album.make()
    assert {"blog/album/index.html", "guide/knots/index.html", "rss.xml"} <= report.stale.keys()
    assert f"media/{name_of(album, 'large.jpg')}" in album.tree()
    assert not stand_ins & album.tree().keys()


def test_a_site_that_links_to_its_media_names_stand_ins(album: ExampleSite) -> None:
    """Pages name the stand-in on the site, and no large original."""
    album.settings_are(images=BOUNDS, media={"public_url": "https://cdn.example", "in_build": "link"})
    album.make()
    html = album.text("blog/album/index.html")
    assert name_of(album, "large.jpg") not in html
    assert f"https://cdn.example/media/{name_of(album, 'small.jpg')}" in html
    assert re.search(r'src="/media/[0-9a-f]{32}-320\.jpg" alt="a"', html)


def test_previews_and_checks_name_the_published_images(album: ExampleSite) -> None:
    """No image is missing."""
    album.load()
    site = album.database.read(plan_dry_run, album.settings)
    outputs = {job.path for job in site.plan.files}
    page = f'<img src="/media/{name_of(album, "large.jpg")}">'.encode()
    (path,) = re.findall(r'src="/([^"]*)"', site.finish(page).decode())
    assert path in outputs
    broken = [each for each in check_site(album.settings, album.now, CheckOptions()).findings if "media/" in each.what]
    assert broken == []
