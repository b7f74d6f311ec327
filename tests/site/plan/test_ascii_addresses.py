"""A site whose host and path are not ASCII: every address is written as the web has it."""

import json
import re

import pytest

from sitecms.api.addresses import Addresses
from sitecms.content.kinds import EntryKind
from sitecms.site.check.check import CheckOptions, check_site
from sitecms.site.check.finding import CheckKind
from sitecms.store.entries.versions import VERSIONS
from tests.support.sites import ExampleSite

WRITTEN = "https://Müller.example/ü/"
URL = "https://xn--mller-kva.example/%C3%BC"


@pytest.fixture
def umlaut(example: ExampleSite) -> ExampleSite:
    """The site at such an address, with redirects, and a post that names it as people do."""
    frames = ["https://müller.example", "*.müller.example"]
    example.settings_are(url=WRITTEN, **{"delivery.csp": {"frame-src": frames}})
    rules = [{"from": "/old/", "to": "/blog/"}, {"from": "/away/", "to": "https://müller.example/x/ä"}]
    example.write("redirects.yaml", [*rules, {"from": "/many/*", "to": "/blog/*"}])
    example.post("ä", f"[Here]({WRITTEN}blog/calm/) and [there](/blog/calm/).", published="2026-02-20T08:00:00Z")
    example.make()
    return example


def test_no_output_holds_the_raw_host_or_path(umlaut: ExampleSite) -> None:
    """Neither sitemap, feeds, canonical address, JSON-LD, robots.txt nor redirects; what an author wrote stays."""
    written = WRITTEN.encode()
    for path, data in umlaut.tree().items():
        if path.startswith(("nginx-", "assets/", "media/", "away/")):  # decoded for nginx; a title to read
            continue
        kept = data.replace(written + b"blog/calm/", b"")
        assert "müller".encode() not in kept.lower(), path
        assert "/ü".encode() not in kept.lower(), path
    page = umlaut.text("blog/ä/index.html")
    assert f'<link rel="canonical" href="{URL}/blog/%C3%A4/">' in page
    assert f'<meta property="og:url" content="{URL}/blog/%C3%A4/">' in page
    (graph,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    assert {str(each.get("url", URL))[: len(URL)] for each in json.loads(graph)["@graph"]} == {URL}
    assert f"Sitemap: {URL}/sitemap.xml" in umlaut.text("robots.txt")
    assert f"<loc>{URL}/blog/%C3%A4/</loc>" in umlaut.text("sitemap.xml")
    assert f"<link>{URL}/blog/%C3%A4/</link>" in umlaut.text("rss.xml")


def test_redirects_and_headers_fit_their_servers(umlaut: ExampleSite) -> None:
    """Hosts compare encoded addresses, nginx decoded ones; headers are ASCII."""
    hosted = umlaut.text("_redirects")
    assert hosted.isascii()
    assert "/%C3%BC/old/ /%C3%BC/blog/ 301" in hosted
    assert "/%C3%BC/away/ https://xn--mller-kva.example/x/%C3%A4 301" in hosted
    assert "/%C3%BC/many/* /%C3%BC/blog/:splat 301" in hosted
    assert umlaut.text("_headers").isascii()
    assert "https://xn--mller-kva.example *.xn--mller-kva.example" in umlaut.text("_headers")
    assert '"/ü/old/" "/%C3%BC/blog/";' in umlaut.text("nginx-redirect-maps.conf")
    assert r'"~^/%C3%BC/many/' in umlaut.text("nginx-redirect-maps.conf").replace("\\", "")
    assert '$uri ~ "^/ü/(assets' in umlaut.text("nginx-headers.conf")


def test_links_to_the_site_are_links_within_the_site(umlaut: ExampleSite) -> None:
    """As people write them, encoded or not."""
    umlaut.post("ä", f"[x]({WRITTEN}blog/none/) [y](/blog/nowhere/)", published="2026-02-20T08:00:00Z")
    report = check_site(umlaut.settings, umlaut.now, CheckOptions())
    found = [each.what for each in report.findings if each.kind is CheckKind.LINK_BROKEN]
    assert sorted(found) == [
        "/%C3%BC/blog/nowhere/ leads nowhere on the site",
        "https://xn--Mller-kva.example/%C3%BC/blog/none/ leads nowhere on the site",
    ]


def test_the_api_answers_the_same_addresses(umlaut: ExampleSite) -> None:
    """Those of posts."""
    post = next(each for each in umlaut.database.read(VERSIONS[EntryKind.POST].published) if each.slug == "ä")
    assert Addresses(umlaut.settings, "").post(post) == f"{URL}/blog/%C3%A4/"
