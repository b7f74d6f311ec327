"""Changed addresses: an entry is still found at its old ones."""

import re
from typing import TYPE_CHECKING

import html5lib

from sitecms.actions.writing.save_entry import save_post
from sitecms.content.change import Origin, PostChange, Times
from sitecms.content.status import Status

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks


def target(works: "SiteWorks", path: str) -> str:
    """Return the target of a redirect page; "" if there is no such page."""
    file = works.public / path / "index.html"
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', file.read_text()) if file.is_file() else None
    return found[1] if found else ""


def hosted(works: "SiteWorks") -> set[str]:
    file = works.public / "_redirects"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {line for line in lines if not line.startswith("#")}


def test_every_old_address_of_a_post_redirects_to_the_new_one(works: "SiteWorks") -> None:
    """The redirect pages are not indexed and not in the sitemap."""
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


def test_a_post_that_gets_its_first_slug_back_has_one_address(works: "SiteWorks") -> None:
    """The first slug is a page again, and the slug in between redirects to it."""
    works.make()
    at = "2026-02-03T08:00:00Z"
    for slug in ("ebbing", "ebb"):
        works.post("ebb", "Out.", published=at, created=at, updated=at, slug=slug)
        works.make()
    assert target(works, "blog/ebb") == ""
    assert "Out." in works.text("blog/ebb/index.html")
    assert target(works, "blog/ebbing") == "/blog/ebb/"


def test_an_old_address_that_another_post_has_is_no_redirect(works: "SiteWorks") -> None:
    """This holds also for posts that exchanged slugs: no redirect replaces a page."""
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
    """It is gone from pages, feeds, sitemap and old addresses."""
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


def test_old_addresses_of_a_page_redirect_in_each_locale(works: "SiteWorks") -> None:
    """This holds for Single Pages and pages of a type; the home page's own address still redirects to the root."""
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
    """The store remembers the old slug however it changes."""
    works.make()
    with works.database.writing() as transaction:
        row = transaction.sql("SELECT id FROM post WHERE slug = 'calm'")[0]
        change = PostChange(
            locale="en", title="Calm", slug="calmer", status=Status.PUBLISHED, times=Times(), id=int(row[0])
        )
        save_post(transaction, change, owner="ann-ray", origin=Origin.API, at=works.now)
    works.build()
    assert target(works, "blog/calm") == "/blog/calmer/"


def test_an_alias_with_the_address_of_a_page_is_left_out_with_a_note(works: "SiteWorks") -> None:
    """The page stays, and the site is built."""
    works.post("moved", published="2026-02-01T08:00:00Z", aliases=["/about/", "/old"])
    works.load()
    report = works.build()
    assert target(works, "about") == ""
    assert target(works, "old") == "/blog/moved/"
    assert any("is left out: /about/ is the page" in note for note in report.notes)


def test_a_site_in_a_folder_redirects_within_it(works: "SiteWorks") -> None:
    """Both addresses start with the path of the site's url."""
    works.settings_are(url="https://x.example/mag")
    works.post("moved", published="2026-02-01T08:00:00Z", aliases=["/old"])
    works.make()
    assert target(works, "old") == "/mag/blog/moved/"
    assert hosted(works) == {"/mag/old/ /mag/blog/moved/ 301"}
    assert '"/mag/old/" "/mag/blog/moved/";' in works.text("nginx-redirects.map")
