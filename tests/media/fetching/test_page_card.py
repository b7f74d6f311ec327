"""What pages of other hosts say about themselves: read from their heads, within limits, and never trusted."""

import gzip
from collections.abc import Callable

import pytest

from sitecms.errors import FetchRefused, FetchRejected
from sitecms.media.fetching.fetch import FetchRules
from sitecms.media.fetching.page_card import MAX_PAGE_BYTES, PageCard, read_card
from tests.media.conftest import Remote

Start = Callable[..., Remote]
RULES = FetchRules(allow_hosts=("127.0.0.1",), connect_seconds=20.0)


def page(head: str, content_type: str = "text/html; charset=utf-8", **headers: str) -> bytes:
    """Return the answer with a page."""
    body = f"<!doctype html><html><head>{head}</head><body><meta name=og:title content=no>".encode()
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n{lines}\r\n".encode() + body


@pytest.mark.parametrize(
    ("head", "card"),
    [
        ("<title>Neap\n tides &amp; more</title>", PageCard("Neap tides & more")),
        (
            """<title>T</title><meta property='og:title' content="It's > all"><meta content='D' name=description>
            <meta property="og:image" content="../sea.jpg"><META PROPERTY=og:site_name CONTENT=Tide>""",
            PageCard("It's > all", "D", "http://127.0.0.1:{port}/sea.jpg", "Tide"),
        ),
        (f"<title>{'long ' * 60}</title>", PageCard(f"{('long ' * 40).strip()}…")),
        ('<meta name="twitter:image" content="javascript:alert(1)"><title>\x07A</title>', PageCard("A")),
        ("<title>A</title>" + '<meta "' * 50_000, PageCard("A")),
        ("<title>A</title>" + f"<meta {'a' * 3_900}>" * 200, PageCard("A")),
        ("<p>nothing", PageCard()),
    ],
)
def test_a_page_is_described_by_its_head(head: str, card: PageCard, remote: Start) -> None:
    """The best of each kind of names, on one line, cut at a word; a picture only at an address of the web."""
    server = remote({"/a/page": page(head)})
    found = read_card(f"http://127.0.0.1:{server.port}/a/page", RULES)
    assert found == PageCard(card.title, card.description, card.image.replace("{port}", str(server.port)), card.site)
    assert not any(word in server.requests[0].lower() for word in ("cookie", "authorization", "referer"))


def test_encodings_of_pages(remote: Start) -> None:
    """As the header or the page names them, compressed or not; an unknown one is read as UTF-8."""
    latin = page("<title>\xe9t\xe9</title>", "text/html; charset=iso-8859-1").replace("é".encode(), b"\xe9")
    body = gzip.compress("<title>été</title>".encode())
    packed = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n" + body
    server = remote({"/latin": latin, "/packed": packed, "/odd": page("<title>été</title>", "text/html; charset=x-y")})
    for path in ("latin", "packed", "odd"):
        assert read_card(f"http://127.0.0.1:{server.port}/{path}", RULES).title == "été"


@pytest.mark.parametrize("name", ["idna", "undefined", "punycode", "unicode_escape", "hex", "utf-8\0"])
def test_codecs_that_are_no_encodings_of_pages(name: str, remote: Start) -> None:
    """Python has codecs that fail, or that take a minute for such a page; it is read as UTF-8."""
    text = "<title>été\\x41</title>" + "a" * 100_000 + "-" + "9a" * 100_000
    server = remote({"/": page(text, f"text/html; charset={name}")})
    assert read_card(f"http://127.0.0.1:{server.port}/", RULES).title == "été\\x41"


def test_only_the_beginning_of_a_page_is_read(remote: Start) -> None:
    """A page may be longer than the limit, and what it says behind it does not count."""
    server = remote({"/": page(f"<title>A</title>{' ' * MAX_PAGE_BYTES}<meta name=description content=late>")})
    assert read_card(f"http://127.0.0.1:{server.port}/", RULES) == PageCard("A")


def test_no_page_is_read_elsewhere(remote: Start) -> None:
    """Neither what is no HTML, nor a host that is not public, directly or by a redirect."""
    server = remote({"/pdf": page("", "application/pdf")})
    server.scripts["/to"] = b"HTTP/1.1 302 Found\r\nLocation: http://localhost:%d/\r\n\r\n" % server.port
    with pytest.raises(FetchRejected, match="leads to no page"):
        read_card(f"http://127.0.0.1:{server.port}/pdf", RULES)
    for address, rules in (
        (f"http://127.0.0.1:{server.port}/to", RULES),
        (f"http://127.0.0.1:{server.port}/pdf", FetchRules()),
    ):
        with pytest.raises(FetchRefused):
            read_card(address, rules)
