"""Changed addresses: an entry is still found at its old ones."""

import re

import html5lib

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import Origin, Times
from sitecms.content.status import Status
from tests.support.changes import post_change
from tests.support.sites import ExampleSite


def target(example: ExampleSite, path: str) -> str:
    """Return the target of a redirect page; "" if there is no such page."""
    file = example.public / path / "index.html"
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]*)"', file.read_text()) if file.is_file() else None
    return found[1] if found else ""


def hosted(example: ExampleSite) -> set[str]:
    file = example.public / "_redirects"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {line for line in lines if not line.startswith("#")}


def test_every_old_address_of_a_post_redirects_to_the_new_one(example: ExampleSite) -> None:
    """The redirect pages are not indexed and not in the sitemap."""
    example.make()
    at = "2026-02-03T08:00:00Z"
    front = {"published": at, "created": at, "updated": at}
    example.post("ebb", "Out.", **{**front, "slug": "ebbing"})
    example.make()
    example.post("ebb", "Out.", **{**front, "slug": "ebb-tide"})
    example.make()
    for old in ("ebb", "ebbing"):
        assert target(example, f"blog/{old}") == "/blog/ebb-tide/"
        text = example.text(f"blog/{old}/index.html")
        assert '<link rel="canonical" href="https://tide.example/blog/ebb-tide/">' in text
        assert '<meta name="robots" content="noindex">' in text
        html5lib.HTMLParser(strict=True).parse(text)
    assert hosted(example) == {f"/blog/{old}/ /blog/ebb-tide/ 301" for old in ("ebb", "ebbing")}
    assert '"/blog/ebb/" "/blog/ebb-tide/";' in example.text("nginx-redirects.map")
    assert "/blog/ebbing/" not in example.text("sitemap.xml")
    assert example.tree() == example.clean_tree()


def test_a_post_that_gets_its_first_slug_back_has_one_address(example: ExampleSite) -> None:
    """The first slug is a page again, and the slug in between redirects to it."""
    example.make()
    at = "2026-02-03T08:00:00Z"
    for slug in ("ebbing", "ebb"):
        example.post("ebb", "Out.", published=at, created=at, updated=at, slug=slug)
        example.make()
    assert target(example, "blog/ebb") == ""
    assert "Out." in example.text("blog/ebb/index.html")
    assert target(example, "blog/ebbing") == "/blog/ebb/"


def test_an_old_address_that_another_post_has_is_no_redirect(example: ExampleSite) -> None:
    """This holds also for posts that exchanged slugs: no redirect replaces a page."""
    example.make()
    for name, slug, day in (("ebb", "flow", 3), ("flow", "ebb", 4)):
        at = f"2026-02-{day:02}T08:00:00Z"
        example.post(name, f"Now {slug}.", published=at, created=at, updated=at, slug=slug)
    example.make()
    assert "Now flow." in example.text("blog/flow/index.html")
    assert "Now ebb." in example.text("blog/ebb/index.html")
    assert hosted(example) == set()
    assert example.tree() == example.clean_tree()


def test_a_deleted_post_vanishes_with_its_redirects(example: ExampleSite) -> None:
    """It is gone from pages, feeds, sitemap and old addresses."""
    example.make()
    at = "2026-02-03T08:00:00Z"
    example.post("ebb", "Out.", published=at, created=at, updated=at, slug="ebbing", aliases=["/old/"])
    example.make()
    assert target(example, "old") == target(example, "blog/ebb") == "/blog/ebbing/"
    example.remove("content/posts/ebb.md")
    example.remove("content/posts/es/marea.md")
    example.make()
    for path, data in example.tree().items():
        assert b"ebbing" not in data, path
    assert not {"blog/ebb/index.html", "old/index.html", "_redirects", "nginx-redirects.map"} & example.tree().keys()


def test_old_addresses_of_a_page_redirect_in_each_locale(example: ExampleSite) -> None:
    """This holds for Single Pages and pages of a type; the home page's own address still redirects to the root."""
    page = {"title": "Us", "status": "published", "fields": {"en": {"body": "We."}, "es": {"body": "Nos."}}}
    example.write("content/pages/_single/us.yaml", page)
    example.make()
    example.write("content/pages/_single/us.yaml", {**page, "slug": "people"})
    guide = (example.folder / "content/pages/guide/knots.yaml").read_text("utf-8")
    example.write("content/pages/guide/knots.yaml", guide.replace('"title"', '"slug": "ropes", "title"'))
    example.make()
    assert target(example, "us") == "/people/"
    assert target(example, "es/us") == "/es/people/"
    assert target(example, "guide/knots") == "/guide/ropes/"
    example.settings_are(build={"home": "people"})
    example.make()
    assert target(example, "us") == target(example, "people") == "/"
    assert example.tree() == example.clean_tree()


def test_a_request_that_renames_a_post_leaves_a_redirect_too(example: ExampleSite) -> None:
    """The store remembers the old slug however it changes."""
    example.make()
    with example.database.writing() as transaction:
        row = transaction.sql("SELECT id FROM entry WHERE kind = 'post' AND slug = 'calm'")[0]
        change = post_change(
            locale="en", title="Calm", slug="calmer", status=Status.PUBLISHED, times=Times(), id=int(row[0])
        )
        save_entry(SaveContext(transaction, Origin.API, example.now, owner="ann-ray"), change)
    example.build()
    assert target(example, "blog/calm") == "/blog/calmer/"


def test_a_site_in_a_folder_redirects_within_it(example: ExampleSite) -> None:
    """Both addresses start with the path of the site's url."""
    example.settings_are(url="https://x.example/mag")
    example.post("moved", published="2026-02-01T08:00:00Z", aliases=["/old"])
    example.make()
    assert target(example, "old") == "/mag/blog/moved/"
    assert hosted(example) == {"/mag/old/ /mag/blog/moved/ 301"}
    assert '"/mag/old/" "/mag/blog/moved/";' in example.text("nginx-redirects.map")
