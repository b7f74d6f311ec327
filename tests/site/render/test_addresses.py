"""Addresses of a built site: one that the build made and that leads to no file fails its page by name."""

import json

import pytest
from msgspec.structs import replace

from sitecms.settings.site import SiteSettings
from sitecms.site.render.addresses import OutputAddresses
from tests.support.sites import ExampleSite

OUTPUTS = ("index.html", "a b/index.html", "größe/index.html", "x.html", "media/a.png", "rss.xml", "assets/s.css")


@pytest.mark.parametrize(
    ("html", "missing"),
    [
        ('<meta property="og:title" content="/mag/ on Tide">', ()),
        ('<a href="/mag/"><a href="/mag/a%20b/#x"><a href="/mag/a%20b"><a href="/mag/gr%C3%B6%C3%9Fe/?q=1">', ()),
        ('<a href="/mag/no/?x#y">', ("/mag/no/?x#y",)),
        ('<img src="/mag/media/a.png" srcset="/mag/media/a.png 1x, /mag/media/b.png 2x">', ("/mag/media/b.png",)),
        ('<source srcset="/mag/media/c.png 2x"><video poster="/mag/p.jpg">', ("/mag/media/c.png", "/mag/p.jpg")),
        ('<link rel="next" href="/mag/blog/page/2/">', ("/mag/blog/page/2/",)),
        ('<meta property="og:image" content="https://x.example/mag/o.png">', ("https://x.example/mag/o.png",)),
        ('<enclosure url="https://x.example/mag/media/a.png"/><id>https://x.example/mag/q/</id>',
         ("https://x.example/mag/q/",)),
        ('{"url":"https://x.example/mag/x.html","content":"<a href=\\"https://x.example/mag/n/\\">"}',
         ("https://x.example/mag/n/",)),
        ("<content>&lt;a href=&#34;https://x.example/mag/x.html&#34;&gt; (https://x.example/mag/rss.xml).", ()),
        ('<a href="//cdn.example/y"><a href="/other/"><a href="https://y.example/z"><p title="/mag/no/">', ()),
        ('<a href="/mag/pagefind/pagefind.js">', ()),
    ],
)  # fmt: skip
def test_addresses_that_lead_to_no_file(site: SiteSettings, html: str, missing: tuple[str, ...]) -> None:
    """Of links, pictures, feeds and metadata, whole or from the root; others mean nothing on the site."""
    addresses = OutputAddresses(OUTPUTS, replace(site, url="https://x.example/mag"))
    for _again in range(2):
        assert addresses.missing("page.html", html.encode()) == missing
    assert addresses.missing("page.bin", html.encode()) == ()


def test_addresses_in_a_stylesheet(site: SiteSettings) -> None:
    """They start at its folder, at the root, or elsewhere."""
    css = b"a{b:url(../media/a.png) url(\"/media/a.png\") url(#x) url(data:,) url(no.woff2) url('https://y.example/z')}"
    assert OutputAddresses(OUTPUTS, site).missing("assets/s.css", css) == ("no.woff2",)


def test_an_address_that_the_build_made_without_its_file_fails_the_page(example: ExampleSite) -> None:
    """It is named once, in each build until it is corrected; links that people wrote are left to a check."""
    links = '<a href="/nowhere/">a</a> <a href="../up/">b</a> <a href="below/?x=1">c</a> [/x/](/x/)'
    example.post("calm", links, published="2026-02-01T08:00:00Z", format="html")
    example.make()
    example.write("templates/parts/footer.html", '<img src="/media/{{ "no" }}.webp" srcset="/media/{{ "y" }}.webp 2x">')
    for _again in range(2):
        report = example.build()
        assert report.failed["blog/calm/index.html"] == (
            "names /media/no.webp and 1 more, which the build has no file for, and which stands in no text of the site"
        )
        assert "/media/no.webp" in example.text("blog/calm/index.html")
    (example.public / "media").mkdir(exist_ok=True)
    for name in ("no", "y"):
        (example.public / f"media/{name}.webp").write_bytes(b"mine")
    assert example.build().failed == {}
    example.write("templates/parts/footer.html", '<img src="/media/no.webp"><a href="/composed/{{ "x" }}/">')
    for name in ("no", "y"):
        (example.public / f"media/{name}.webp").unlink()
    assert example.build().failed == {}


def test_a_page_that_stays_and_names_a_removed_file_fails(example: ExampleSite) -> None:
    """It is not rendered, but searched for what the build removes."""
    example.post("moon", "Up.", published="2026-02-01T08:00:00Z", tags=["Full"])
    example.write("templates/parts/footer.html", '<link href="/tags/{{ "full" }}/rss.xml">')
    example.make()
    example.post("moon", "Up.", published="2026-02-01T08:00:00Z", tags=[])
    example.load()
    report = example.build()
    assert report.failed["blog/calm/index.html"].startswith("names /tags/full/rss.xml, which")
    assert "blog/calm/index.html" not in report.stale
    assert example.build().failed.keys() >= {"blog/calm/index.html"}


def test_an_address_with_quotation_marks_that_people_wrote_is_left_to_a_check(example: ExampleSite) -> None:
    """Pages have them as `&#34;`, entries as they are."""
    authors = json.loads((example.folder / "content/authors.yaml").read_text("utf-8"))
    example.write(
        "content/authors.yaml", [*authors, {"slug": "mira", "first_name": "Mira", "linkedin_url": '/x" y="z'}]
    )
    example.post("calm", author="mira", published="2026-02-01T08:00:00Z")
    example.make()
    assert any(b'"/x&#34; y=' in data for data in example.tree().values())
