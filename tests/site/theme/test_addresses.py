"""Addresses in HTML: below the path of the site, and resolved where a text leaves its own page."""

import pytest

from sitecms.site.theme.addresses import absolute, resolved
from sitecms.site.theme.html import rewrite

PAGE = "https://tide.example/mag/blog/rel/"
ROOTED = (
    ('<form action="/send" method="post">', '<form action="/mag/send" method="post">'),
    ('<button formaction="/send">', '<button formaction="/mag/send">'),
    ('<input src="/a.png" formaction="/send">', '<input src="/mag/a.png" formaction="/mag/send">'),
    ('<object data="/a.pdf"></object>', '<object data="/mag/a.pdf"></object>'),
    ('<embed src="/a.pdf">', '<embed src="/mag/a.pdf">'),
    ('<a href="/x/" ping="/p /q https://x.example/">', '<a href="/mag/x/" ping="/mag/p /mag/q https://x.example/">'),
    ('<q cite="/x/">', '<q cite="/mag/x/">'),
    ('<video src="/a.mp4" poster="/a.png">', '<video src="/mag/a.mp4" poster="/mag/a.png">'),
    ('<img srcset="/a.png 1x, /b,c.png 2x">', '<img srcset="/mag/a.png 1x, /mag/b,c.png 2x">'),
    ('<p style="background: url(&#x27;/a.png&#x27;)">', '<p style="background: url(&#x27;/mag/a.png&#x27;)">'),
    ('<span class="x" style="background:url(/a.png)">', '<span class="x" style="background:url(/mag/a.png)">'),
    ('<style>p { background: URL( "/a.png" ) } b { cursor: url(/c.cur) }</style>',
     '<style>p { background: URL( "/mag/a.png" ) } b { cursor: url(/mag/c.cur) }</style>'),
    ("<noscript><img src='/a.png'><IMG SRC=/b.png></noscript>",
     '<noscript><img src="/mag/a.png"><IMG SRC="/mag/b.png"></noscript>'),
    ('<noscript><meta http-equiv="refresh" content="5; url=/x/"></noscript>',
     '<noscript><meta http-equiv="refresh" content="5; url=/mag/x/"></noscript>'),
    ('<svg><image\n  xlink:href="/a.png"/></svg>', '<svg><image\n  xlink:href="/mag/a.png"/></svg>'),
    ('<img srcset="https://x.example/w_1,h_2/a 1x,/b 2x">', '<img srcset="https://x.example/w_1,h_2/a 1x,/mag/b 2x">'),
    ('<a class="y" href="/">', '<a class="y" href="/mag/">'),
    ('<a data-x="/y" href="/z">', '<a data-x="/y" href="/mag/z">'),
    ('<a href="/?a=1&amp;b=%22">', '<a href="/mag/?a=1&amp;b=%22">'),
)  # fmt: skip
UNTOUCHED = (
    '<a href="//x.example/">', '<a href="https://x.example/">', '<a href="x/">', '<a href="#x">', '<a href="">',
    '<a title=" href=/x" data-href="/x">', '<img alt="it is src=\'/x\'">', '<p title="a" lang="en">', "a < b /c",
    '<p>Write href="/x/" here</p>', '<meta name="description" content="5; /x/">', '<rect fill="url(#shade)">',
)  # fmt: skip
RESOLVED = (
    ("../x/", "https://tide.example/mag/blog/x/"),
    ("?a=1", f"{PAGE}?a=1"),
    ("#h", f"{PAGE}#h"),
    ("", PAGE),
    ("sub/page.html", f"{PAGE}sub/page.html"),
    ("/blog/x/", "https://tide.example/mag/blog/x/"),
    ("//x.example/a", "https://x.example/a"),
    ("mailto:a@x.example", "mailto:a@x.example"),
    ("http://[", "http://["),
)


@pytest.mark.parametrize(("written", "expected"), ROOTED)
def test_every_address_gets_the_path_of_the_site(written: str, expected: str) -> None:
    """In whatever attribute it stands, also in a frame of trusted HTML as its author wrote it."""
    assert rewrite(written, prefix="/mag") == expected
    assert rewrite(expected, prefix="") == expected


@pytest.mark.parametrize("html", UNTOUCHED)
def test_what_is_no_address_at_the_root_stays(html: str) -> None:
    """Other hosts, relative addresses, words."""
    assert rewrite(html, prefix="/mag") == html


@pytest.mark.parametrize(("written", "expected"), RESOLVED)
@pytest.mark.parametrize(
    "tag", ['<a href="{}">', '<img src="{}">', '<blockquote cite="{}">', '<a rel="x" href="{}" class="y">']
)
def test_a_text_elsewhere_has_addresses_that_lead_to_the_same_place(tag: str, written: str, expected: str) -> None:
    """Resolved as a browser resolves them on the text's own page."""
    if written.startswith("#") and "<a" not in tag:
        expected = written  # a part of the same drawing
    assert resolved(tag.format(written), PAGE, "/mag") == tag.format(expected)


def test_candidates_and_styles_are_resolved_too() -> None:
    """Each address of a srcset, and those of CSS; a shade of the same drawing stays."""
    html = '<img srcset="a.png 1x, ../b.png 2x"><p style="fill:url(#s);background:url(a.png)">'
    assert resolved(html, PAGE) == (
        f'<img srcset="{PAGE}a.png 1x, https://tide.example/mag/blog/b.png 2x">'
        f'<p style="fill:url(#s);background:url({PAGE}a.png)">'
    )


def test_without_an_address_of_the_site_addresses_start_at_the_root() -> None:
    """There is nothing else to begin them with."""
    html = '<a href="../x/"><a href="#h"><a href="/y/">'
    assert resolved(html, "/blog/rel/") == '<a href="/blog/x/"><a href="/blog/rel/#h"><a href="/y/">'


def test_the_filter_gives_scheme_and_host() -> None:
    """To an address, or to all in a text."""
    assert absolute("/mag/x/", "https://tide.example/mag") == "https://tide.example/mag/x/"
    assert (
        absolute('<form action="/mag/x/">', "https://tide.example/mag") == '<form action="https://tide.example/mag/x/">'
    )
    assert absolute("//cdn.example/x", "https://tide.example") == "//cdn.example/x"
    assert absolute("/x/", "") == "/x/"
    assert absolute('<a href="/x/">', "") == '<a href="/x/">'
