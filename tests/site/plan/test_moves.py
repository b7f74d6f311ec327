"""Moves: an entry that got another address is still found under its old ones."""

import re
from typing import TYPE_CHECKING

import html5lib

from sitecms.actions.writing.save_entry import save_post
from sitecms.content.change import Origin, PostChange, Times
from sitecms.content.status import Status

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks


def target(works: "SiteWorks", path: str) -> str:
    """Where a redirect page leads; "" if there is no such page."""
    file = works.public / path / "index.html"
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', file.read_text()) if file.is_file() else None
    return found[1] if found else ""


def hosted(works: "SiteWorks") -> set[str]:
    file = works.public / "_redirects"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {line for line in lines if not line.startswith("#")}


def test_a_post_that_moved_is_found_under_every_old_address(works: "SiteWorks") -> None:
    """Each leads straight to where it is now; the page is kept out of search engines and of the sitemap."""
    works.make()
    at = "2026-02-03T08:00:00Z"
    front = {"published": at, "created": at, "updated": at}
    works.post("ebb", "Out.", **{**front, "slug": "ebbing"})
    works.make()
    works.post("ebb", "Out.", **{**front, "slug": "ebb-tide"})
    works.make()
    for old in ("ebb", "ebbing"):
        assert target(works, f"blog/{old}") == "/blog/ebb-tide/"
        text = works.text(f"blog/{old}/index.html")
        assert '<link rel="canonical" href="https://tide.example/blog/ebb-tide/">' in text
        assert '<meta name="robots" content="noindex">' in text
        html5lib.HTMLParser(strict=True).parse(text)
    assert hosted(works) == {f"/blog/{old}/ /blog/ebb-tide/ 301" for old in ("ebb", "ebbing")}
    assert '"/blog/ebb/" "/blog/ebb-tide/";' in works.text("nginx-redirects.map")
    assert "/blog/ebbing/" not in works.text("sitemap.xml")
    assert works.tree() == works.clean_tree()


def test_a_post_that_came_back_has_one_address(works: "SiteWorks") -> None:
    """Its first slug is a page again, and the one it had meanwhile leads there."""
    works.make()
    at = "2026-02-03T08:00:00Z"
    for slug in ("ebbing", "ebb"):
        works.post("ebb", "Out.", published=at, created=at, updated=at, slug=slug)
        works.make()
    assert target(works, "blog/ebb") == ""
    assert "Out." in works.text("blog/ebb/index.html")
    assert target(works, "blog/ebbing") == "/blog/ebb/"


def test_an_address_that_another_post_took_is_that_posts(works: "SiteWorks") -> None:
    """Also where two traded theirs: no redirect ever covers a page."""
    works.make()
    for name, slug, day in (("ebb", "flow", 3), ("flow", "ebb", 4)):
        at = f"2026-02-{day:02}T08:00:00Z"
        works.post(name, f"Now {slug}.", published=at, created=at, updated=at, slug=slug)
    works.make()
    assert "Now flow." in works.text("blog/flow/index.html")
    assert "Now ebb." in works.text("blog/ebb/index.html")
    assert hosted(works) == set()
    assert works.tree() == works.clean_tree()


def test_a_deleted_post_vanishes_with_its_redirects(works: "SiteWorks") -> None:
    """From pages, feeds, sitemap and old addresses alike."""
    works.make()
    at = "2026-02-03T08:00:00Z"
    works.post("ebb", "Out.", published=at, created=at, updated=at, slug="ebbing", aliases=["/old/"])
    works.make()
    assert target(works, "old") == target(works, "blog/ebb") == "/blog/ebbing/"
    works.remove("content/posts/ebb.md")
    works.remove("content/posts/es/marea.md")
    works.make()
    for path, data in works.tree().items():
        assert b"ebbing" not in data, path
    assert not {"blog/ebb/index.html", "old/index.html", "_redirects", "nginx-redirects.map"} & works.tree().keys()


def test_a_page_that_moved_is_found_in_each_locale(works: "SiteWorks") -> None:
    """Single Pages and pages of a type; the home page's own address goes on leading to the root."""
    page = {"title": "Us", "status": "published", "fields": {"en": {"body": "We."}, "es": {"body": "Nos."}}}
    works.write("content/pages/_single/us.yaml", page)
    works.make()
    works.write("content/pages/_single/us.yaml", {**page, "slug": "people"})
    guide = (works.folder / "content/pages/guide/knots.yaml").read_text("utf-8")
    works.write("content/pages/guide/knots.yaml", guide.replace('"title"', '"slug": "ropes", "title"'))
    works.make()
    assert target(works, "us") == "/people/"
    assert target(works, "es/us") == "/es/people/"
    assert target(works, "guide/knots") == "/guide/ropes/"
    works.settings_are(build={"home": "people"})
    works.make()
    assert target(works, "us") == target(works, "people") == "/"
    assert works.tree() == works.clean_tree()


def test_a_request_that_renames_a_post_leaves_a_redirect_too(works: "SiteWorks") -> None:
    """However the slug changes, the store remembers the old one."""
    works.make()
    with works.database.writing() as transaction:
        row = transaction.sql("SELECT id FROM post WHERE slug = 'calm'")[0]
        change = PostChange(
            locale="en", title="Calm", slug="calmer", status=Status.PUBLISHED, times=Times(), id=int(row[0])
        )
        save_post(transaction, change, owner="ann-ray", origin=Origin.API, at=works.now)
    works.build()
    assert target(works, "blog/calm") == "/blog/calmer/"


def test_an_alias_that_is_taken_is_left_out_and_told(works: "SiteWorks") -> None:
    """The page that stands there stays, and the site is built."""
    works.post("moved", published="2026-02-01T08:00:00Z", aliases=["/about/", "/old"])
    works.load()
    report = works.build()
    assert target(works, "about") == ""
    assert target(works, "old") == "/blog/moved/"
    assert any("is left out: /about/ is the page" in note for note in report.notes)


def test_a_site_in_a_folder_redirects_within_it(works: "SiteWorks") -> None:
    """Its path stands before both addresses."""
    works.settings_are(url="https://x.example/mag")
    works.post("moved", published="2026-02-01T08:00:00Z", aliases=["/old"])
    works.make()
    assert target(works, "old") == "/mag/blog/moved/"
    assert hosted(works) == {"/mag/old/ /mag/blog/moved/ 301"}
    assert '"/mag/old/" "/mag/blog/moved/";' in works.text("nginx-redirects.map")
