"""A site without copies of its media: pages link to the media server."""

import re

import pytest
from PIL import Image

from sitecms.site.images.media_links import make_linker
from tests.support.pictures import image_bytes
from tests.support.sites import ExampleSite

CDN = "https://cdn.example/tide"
LINKED = {"public_url": CDN, "in_build": "link"}
NAME = re.compile(r"(?:[\w:./-]*)/media/[0-9a-f]{32}\.[a-z0-9]+")


@pytest.fixture
def large(example: ExampleSite) -> ExampleSite:
    """The small site with an image that is large enough for variants."""
    example.write("media/sea.png", image_bytes(Image.effect_noise((900, 600), 60), "PNG"))
    return example


@pytest.mark.parametrize("url", ["https://tide.example", "https://tide.example/sub/site", ""])
def test_every_media_address_is_replaced(large: ExampleSite, url: str) -> None:
    """In pages, feeds and structured data; variants stay part of the site, originals do not."""
    large.settings_are(url=url, media=LINKED)
    large.make()
    tree = large.tree()
    assert not [path for path in tree if re.fullmatch(r"media/[0-9a-f]{32}\.\w+", path)]
    smaller = [path for path in tree if re.fullmatch(r"media/[0-9a-f]{32}-\d+\.\w+", path)]
    assert smaller
    found = {
        address
        for path, data in tree.items()
        if path.endswith((".html", ".xml", ".json"))
        for address in NAME.findall(data.decode())
    }
    assert found
    assert all(address.startswith(f"{CDN}/media/") for address in found), found
    base = url.removeprefix("https://tide.example")
    assert f"{base}/{smaller[0]}".encode() in b"".join(data for path, data in tree.items() if path.endswith(".html"))


def test_the_setting_changes_all_pages_with_media(large: ExampleSite) -> None:
    """Built with copies, then with links, then with copies again: each equals a clean build."""
    large.make()
    copied = large.tree()
    large.settings_are(build={"page_size": 3}, description="On the sea.", media=LINKED)
    large.make()
    assert large.tree() == large.clean_tree() != copied
    large.settings_are(build={"page_size": 3}, description="On the sea.")
    large.make()
    assert large.tree() == copied


def test_other_addresses_are_unchanged(example: ExampleSite) -> None:
    """Another host's media, longer names, variants, and code that shows a path of another site."""
    example.settings_are(url="https://tide.example/sub", media=LINKED)
    link = make_linker(example.settings)
    name = "0" * 32 + ".png"
    for text in (
        f'"https://other.example/sub/media/{name}"', f'"/media/{name}"', f'"/sub/media/{name}-x"',
        f'"/sub/media/{"0" * 32}-320.webp"', f'"x/sub/media/{name}"', f'"/sub/media/0{name}"',
    ):  # fmt: skip
        assert link(text.encode()) == text.encode()
    for text in (f'"/sub/media/{name}"', f'"https://tide.example/sub/media/{name}"', f'"a, /sub/media/{name} 2x"'):
        assert f"{CDN}/media/{name}".encode() in link(text.encode())
