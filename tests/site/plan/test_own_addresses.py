"""Addresses with dates, own paths of entries, and the redirects from addresses that entries had before."""

import pytest

from sitecms.actions.loading import load_site
from sitecms.site.plan.redirect_files import HOSTED
from tests.support.sites import ExampleSite

DATED = {"post": "/{year}/{month}/{day}/{slug}.html"}
NAME = {"slug": "name", "type": "short_text"}
BOATS = {"key": "boats", "label": "name", "route": "/boats/{slug}/", "fields": [NAME]}
pytestmark = pytest.mark.parametrize("engine", ["sqlite", "postgres"], indirect=True)


def redirects(example: ExampleSite) -> dict[str, str]:
    """Return the targets of all redirects by address."""
    lines = example.text(HOSTED).splitlines() if (example.public / HOSTED).exists() else []
    return {line.split()[0]: line.split()[1] for line in lines if not line.startswith("#")}


def test_addresses_contain_the_day_of_publication_in_the_time_zone_of_the_site(example: ExampleSite) -> None:
    """Pages, cards, feeds, sitemap and alternates have the same address; a late evening in UTC is the next day."""
    example.settings_are(permalinks=DATED, timezone="Asia/Tokyo")
    example.post("calm", "Nothing.", published="2026-02-28T20:00:00Z")
    example.make()
    path = "/2026/03/01/calm.html"
    assert path[1:] in example.tree()
    address = f"https://tide.example{path}"
    for name in ("rss.xml", "atom.xml", "feed.json", "sitemap.xml"):
        assert address in example.text(name), name
    assert f'<link rel="canonical" href="{address}">' in example.text(path[1:])
    assert f'href="{path}"' in example.text("blog/index.html")
    spanish = example.text("es/2026/02/03/marea-baja.html")
    assert 'hreflang="en" href="https://tide.example/2026/02/03/ebb.html"' in spanish


def test_entries_set_an_address_of_their_own(example: ExampleSite) -> None:
    """Posts, nested pages in several locales and items; every link leads there."""
    example.post("calm", "See [about](/about/team/).", published="2026-02-01T08:00:00Z", path="/2019/old post.html")
    example.write("content/pages/_single/team.yaml", {
        "title": "Team", "slug": "team", "status": "published", "path": "/about/team",
        "fields": {"en": {"body": "<p>We.</p>"}, "es": {"body": "<p>Nosotros.</p>"}},
    })  # fmt: skip
    example.write("content/pages/guide/knots.yaml", {
        "title": "Knots", "status": "published", "path": {"en": "/ropes/knots/", "es": "/cuerdas/nudos/"},
        "fields": {"en": {"summary": "Two."}, "es": {"summary": "Dos."}},
    })  # fmt: skip
    example.write("schema/collections/boats.yaml", BOATS)
    items = [{"id": 91, "path": "/fleet/ann.html", "fields": {"name": "Ann"}}, {"id": 92, "fields": {"name": "Bo"}}]
    example.write("content/collections/boats.yaml", items)
    example.make()
    tree = example.tree()
    expected = ("2019/old post.html", "about/team/index.html", "es/about/team/index.html", "ropes/knots/index.html")
    assert {*expected, "cuerdas/nudos/index.html", "fleet/ann.html", "boats/bo/index.html"} <= tree.keys()
    assert not {"blog/calm/index.html", "team/index.html", "guide/knots/index.html", "boats/ann/index.html"} & set(tree)
    assert "https://tide.example/2019/old%20post.html" in example.text("sitemap.xml")
    assert 'hreflang="es" href="https://tide.example/cuerdas/nudos/"' in example.text("ropes/knots/index.html")
    assert tree == example.clean_tree()


def test_of_two_entries_with_one_address_the_older_stays(example: ExampleSite) -> None:
    """The other one is left out and named with both files; all else is built, and each build says so again."""
    example.post("nets", "Mended.", published="2026-02-01T08:00:00Z")
    example.write("content/pages/_single/nets.md", "---\ntitle: Nets\nstatus: published\n---\nNew.\n")
    example.make()
    example.settings_are(permalinks={"post": "/{slug}/"})
    said = (
        "content/pages/_single/nets.md:2 slug: the page */nets (en) would be written to nets/index.html, which is the "
        "post nets (content/posts/nets.md), so it is left out (give one another slug or path)"
    )
    for _again in range(2):
        report = example.build()
        assert list(map(str, report.left_out)) == [said]
        assert "Mended." in example.text("nets/index.html")
        assert (example.public / "calm/index.html").is_file()
        assert report.to_json()["counts"]["failed"] == 1


def test_a_list_gives_way_to_an_entry_at_its_address(example: ExampleSite) -> None:
    """The entry stays, the list is named; its feeds and the other lists are built."""
    example.write("content/pages/_single/tag.md", "---\ntitle: Moon\nstatus: published\npath: /tags/moon/\n---\nUp.\n")
    example.post("calm", "Nothing.", published="2026-02-01T08:00:00Z", tags=["Moon", "Sun"])
    example.load()
    report = example.build()
    page = "the page */tag (en) (content/pages/_single/tag.md)"
    problem = f"would be written to tags/moon/index.html, which is {page}, so it is left out"
    assert [(each.place, each.problem) for each in report.left_out] == [("the moon, page 1 (en)", problem)]
    assert "Up." in example.text("tags/moon/index.html")
    assert "Calm" in example.text("tags/sun/index.html")


def test_a_page_in_the_place_of_a_file_of_the_site_is_left_out(example: ExampleSite) -> None:
    """A file system has either a file or a folder of one name."""
    example.post("calm", "Nothing.", published="2026-02-01T08:00:00Z", path="/rss.xml/x.html")
    example.load()
    report = example.build()
    assert [each.file for each in report.left_out] == ["content/posts/calm.md"]
    assert "rss.xml" in example.tree()


def test_a_former_own_path_leads_to_the_present_address(example: ExampleSite) -> None:
    """This holds for a path that was added, changed and removed; a draft never had an address."""
    front = {"published": "2026-02-01T08:00:00Z"}
    example.make()
    for path in ("/one/", "/two/"):
        example.post("calm", "Nothing.", **front, path=path)
        example.make()
    assert redirects(example) == {"/blog/calm/": "/two/", "/one/": "/two/"}
    example.post("calm", "Nothing.", **front)
    example.post("secret", "Unfinished.", status="draft", path="/secret/")
    example.make()
    example.post("secret", "Unfinished.", status="draft", path="/hidden/")
    example.make()
    assert redirects(example) == {"/one/": "/blog/calm/", "/two/": "/blog/calm/"}
    assert example.tree() == example.clean_tree()


def test_new_entries_with_own_paths_have_no_former_address(example: ExampleSite) -> None:
    """They never stood at the address of the permalink."""
    example.post("fresh", "New.", published="2026-02-01T08:00:00Z", path="/fresh/")
    page = {"title": "New", "status": "published", "path": "/new-page/", "fields": {"summary": "New."}}
    example.write("content/pages/guide/new.yaml", page)
    example.make()
    assert redirects(example) == {}


def test_former_paths_of_pages_and_items_lead_to_their_present_ones(example: ExampleSite) -> None:
    """Each in its locale."""
    example.write("schema/collections/boats.yaml", BOATS)
    for folder in ("ropes", "knots"):
        example.write("content/collections/boats.yaml", [{"id": 91, "path": f"/{folder}/a/", "fields": {"name": "A"}}])
        example.write("content/pages/guide/knots.yaml", {
            "title": "Knots", "status": "published", "path": f"/{folder}/",
            "fields": {"en": {"summary": "Two."}, "es": {"summary": "Dos."}},
        })  # fmt: skip
        example.make()
    assert redirects(example) == {"/ropes/": "/knots/", "/es/ropes/": "/es/knots/", "/ropes/a/": "/knots/a/"}


def test_another_day_of_publication_leaves_a_redirect(example: ExampleSite) -> None:
    """So does a slug that changed at the same time; the address of the new slug at the old day never was."""
    example.settings_are(permalinks=DATED)
    example.make()
    example.post("calm", "Nothing.", published="2026-02-11T08:00:00Z")
    example.make()
    example.post("calm", "Nothing.", published="2026-02-12T08:00:00Z", slug="still")
    example.make()
    assert redirects(example) == dict.fromkeys(
        ("/2026/02/01/calm.html", "/2026/02/11/calm.html"), "/2026/02/12/still.html"
    )


def test_neighbours_are_rendered_again_when_an_address_changes(example: ExampleSite) -> None:
    """An incremental build equals a clean one."""
    example.make()
    example.post("drift", "We drift.", published="2026-02-02T08:00:00Z", path="/drifting/", author="bo-lind")
    example.make()
    assert 'href="/drifting/"' in example.text("blog/ebb/index.html")
    assert example.tree() == example.clean_tree()


def test_pages_items_authors_and_terms_have_aliases(example: ExampleSite) -> None:
    """A list leads to the default locale, else to the first one, a key to its locale, an archive to its own locale."""
    page = {"title": "Knots", "status": "published", "fields": {"en": {"summary": "Two."}, "es": {"summary": "Dos."}}}
    example.write("content/pages/guide/knots.yaml", {**page, "aliases": {"en": ["/k/"], "es": ["/es/k"]}})
    spanish = {"title": "Redes", "status": "published", "aliases": ["/nets.php"], "fields": {"es": {"summary": "Una."}}}
    example.write("content/pages/guide/redes.yaml", spanish)
    example.write("schema/collections/boats.yaml", BOATS)
    example.write("content/collections/boats.yaml", [{"id": 91, "aliases": ["/ship/ann/"], "fields": {"name": "Ann"}}])
    example.write(
        "content/authors.yaml",
        [{"slug": "ann-ray", "aliases": ["/author/ann", "/es/author/ann/", "/esta/"]}, {"slug": "bo-lind"}],
    )
    example.post("marea", "Sube.", locale="es", author="ann-ray")
    terms = [{"slug": "tides", "name": "Tides", "aliases": ["/category/tides/"]}, {"name": "Empty", "aliases": ["/e/"]}]
    example.write("content/categories.yaml", terms)
    example.make()
    assert redirects(example) == {
        "/k/": "/guide/knots/", "/es/k/": "/es/guide/knots/", "/nets.php": "/es/guide/redes/",
        "/ship/ann/": "/boats/ann/", "/author/ann/": "/authors/ann-ray/", "/es/author/ann/": "/es/authors/ann-ray/",
        "/esta/": "/authors/ann-ray/", "/category/tides/": "/categories/tides/",
    }  # fmt: skip
    assert 'href="/authors/ann-ray/"' in example.text("author/ann/index.html")
    example.write("content/authors.yaml", [{"slug": "ann-ray"}, {"slug": "bo-lind"}])
    example.write("content/categories.yaml", [{"slug": "tides", "name": "Tides"}])
    example.make()
    assert {"/author/ann/", "/category/tides/"}.isdisjoint(redirects(example))


def test_an_alias_that_is_a_page_is_left_out_with_a_note(example: ExampleSite) -> None:
    """This holds for aliases of pages as for those of posts."""
    page = {"title": "Knots", "status": "published", "aliases": ["/about/"], "fields": {"summary": "Two."}}
    example.write("content/pages/guide/knots.yaml", page)
    report = example.make()
    assert [note for note in report.notes if "/about/" in note] == [
        "the redirect from /about/ to the page guide/knots (en) is left out: /about/ is the page */about (en)"
    ]


def test_a_long_name_of_a_file_has_room_for_compressed_copies(example: ExampleSite) -> None:
    """A slug is shortened before the extension; a path of more bytes is an error of its file."""
    example.settings_are(permalinks={"post": "/log/{slug}.html"}, delivery={"precompress": ["gz"]})
    example.post("long", slug="候" * 100, published="2026-02-01T08:00:00Z")
    example.post("own", published="2026-02-01T08:00:00Z", path=f"/{'x' * 247}.html")
    example.make()
    (path,) = (each for each in example.tree() if each.startswith("log/候") and each.endswith(".html"))
    assert 240 < len(path.removeprefix("log/").encode()) <= 252
    example.post("own", published="2026-02-01T08:00:00Z", path=f"/{'x' * 248}.html")
    (error,) = load_site(example.database, example.settings, example.now).errors
    assert error.problem == "has a file name of more than 252 bytes"
