"""Addresses in responses: media on the API's server, posts on the site."""

import pytest
from msgspec.structs import replace

from sitecms.api.addresses import Addresses
from sitecms.settings.site import SiteSettings

A = "/media/" + "a" * 32 + ".jpg"
B = "/media/" + "b" * 32 + ".webp"
HERE = "https://api.tide.example"


@pytest.mark.parametrize(
    ("stored", "answered"),
    [
        (f'<img src="{A}" alt="">', f'<img src="{HERE}{A}" alt="">'),
        (f'<a href="{A}">x</a>', f'<a href="{HERE}{A}">x</a>'),
        (f'<video src="{A}" poster="{B}">', f'<video src="{HERE}{A}" poster="{HERE}{B}">'),
        (
            f'<img srcset="{A} 1x, {B} 2x,{A} 3x" src="{B}">',
            f'<img srcset="{HERE}{A} 1x, {HERE}{B} 2x,{HERE}{A} 3x" src="{HERE}{B}">',
        ),
        (f'<object data="{A}"></object>', f'<object data="{HERE}{A}"></object>'),
        (f'<img src="https://other.example{A}">', f'<img src="https://other.example{A}">'),
        (f'<p>src="{A}" and {A}</p>', f'<p>src="{A}" and {A}</p>'),
        (f'<code>&lt;img src="{A}"&gt;</code>', f'<code>&lt;img src="{A}"&gt;</code>'),
        (f'<img alt="see {A}" src="/other.jpg">', f'<img alt="see {A}" src="/other.jpg">'),
        ('<a href="/media/readme.txt">x</a>', '<a href="/media/readme.txt">x</a>'),
        ("plain", "plain"),
    ],
)
def test_media_addresses_in_a_body_become_absolute(site: SiteSettings, stored: str, answered: str) -> None:
    """Text and other addresses stay as they are."""
    assert Addresses(site, HERE).body(stored) == answered


def test_image_addresses_become_absolute(site: SiteSettings) -> None:
    """Remote addresses stay, and no image is None."""
    addresses = Addresses(site, HERE)
    assert addresses.image(A) == HERE + A
    assert addresses.image("https://images.example/a.jpg") == "https://images.example/a.jpg"
    assert addresses.image("") is None


def test_post_without_site_url_has_a_path_only(site: SiteSettings) -> None:
    """The site's address precedes the path if the settings name it."""
    assert Addresses(replace(site, url=""), HERE).settings.url == ""
