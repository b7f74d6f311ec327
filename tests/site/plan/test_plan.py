"""The plan: addresses, prefixes, and what a fingerprint covers."""

import re

import pytest
from msgspec.structs import replace

from sitecms.errors import InvalidFiles
from sitecms.site.plan.plan import PageJob, Plan, make_plan
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.site.theme.theme import load_theme
from sitecms.store.entries.bodies import bodies_of
from tests.support.sites import ExampleSite

ADDRESS = re.compile(r'\s(?:href|src|srcset|poster|content|url)="([^"]*)"')
STANDARD: dict[str, object] = {"build": {"page_size": 3}, "description": "On the sea."}


def planned(example: ExampleSite) -> Plan:
    settings = example.settings
    return make_plan(snapshot_of(example), settings, load_theme(settings.folder, settings.theme))


def snapshot_of(example: ExampleSite) -> Snapshot:
    return example.database.read(take_snapshot)


def context_of(example: ExampleSite, job: PageJob) -> dict[str, object]:
    context = job.context(example.database.read(bodies_of, job.bodies))
    return {name: value for name, value in context.items() if not callable(value)}


def test_equal_content_gives_an_equal_plan(example: ExampleSite) -> None:
    """Paths, contexts and fingerprints are equal."""
    example.load()
    assert planned(example).pages == planned(example).pages


def test_no_two_pages_share_a_fingerprint_and_a_template(example: ExampleSite) -> None:
    """Different pages have different fingerprints."""
    example.load()
    pages = planned(example).pages
    assert len({(page.template, page.fingerprint) for page in pages}) == len(pages)


def test_a_site_in_a_folder_prefixes_every_address_once(example: ExampleSite) -> None:
    """This holds for theme, menu, bodies, Markdown fields, link fields, images, pagination, feeds and sitemap."""
    example.settings_are(**STANDARD, url="https://x.example/mag/")
    example.make()
    assert "blog/ebb/index.html" in example.tree()
    addresses = [
        (path, address)
        for path, data in example.tree().items()
        if path.endswith((".html", ".xml"))
        for address in ADDRESS.findall(data.decode())
        if address.startswith(("/", "https://x.example")) and address != "/not-a-link/"  # text: see below
    ]
    assert len(addresses) > 500
    for path, address in addresses:
        local = address.removeprefix("https://x.example")
        assert local.startswith("/mag/"), (path, address)
        assert not local.startswith("/mag/mag/"), (path, address)
    for path, shown in (
        ("index.html", '<a href="/mag/blog/">Posts</a>'),
        ("blog/drift/index.html", '<a href="/mag/blog/calm/">calm</a>'),
        ("guide/knots/index.html", '<a href="/mag/blog/ebb/">the ebb</a>'),
        ("guide/knots/index.html", '<a href="/mag/blog/ebb/">/blog/ebb/</a>'),
        ("blog/flow/index.html", '<meta property="og:image" content="https://x.example/mag/media/'),
        ("blog/flow/index.html", '<link rel="canonical" href="https://x.example/mag/blog/flow/">'),
        ("rss.xml", "&lt;a href=&#34;https://x.example/mag/blog/calm/&#34;"),
        ("sitemap.xml", "<loc>https://x.example/mag/blog/ebb/</loc>"),
        ("robots.txt", "Sitemap: https://x.example/mag/sitemap.xml"),
    ):
        assert shown in example.text(path), path


def test_text_that_looks_like_an_address_is_unchanged(example: ExampleSite) -> None:
    """The prefix is added to addresses in tags, not to code in a post."""
    example.settings_are(**STANDARD, url="https://x.example/mag")
    example.make()
    assert '<code>&lt;a href="/not-a-link/"&gt;</code>' in example.text("blog/haul/index.html")
    assert "x.example/not-a-link" not in example.text("atom.xml") + example.text("rss.xml")


def test_a_site_without_a_url_has_only_relative_links(example: ExampleSite) -> None:
    """It has no canonical address, no sitemap, and no link with a host."""
    example.settings_are(**STANDARD, url="")
    example.make()
    tree = example.tree()
    assert "sitemap.xml" not in tree
    assert "Sitemap" not in example.text("robots.txt")
    for path, data in tree.items():
        if path.endswith(".html"):
            text = data.decode()
            assert 'rel="canonical"' not in text
            assert "og:url" not in text
            assert "og:image" not in text
            assert not any(address.startswith(("http:", "https:", "//")) for address in ADDRESS.findall(text)), path


def test_moving_the_site_to_a_folder_changes_all_pages(example: ExampleSite) -> None:
    """An incremental build equals a clean one."""
    example.make()
    for url in ("https://x.example/mag", "", "https://y.example"):
        example.settings_are(**STANDARD, url=url)
        example.make()
        assert example.tree() == example.clean_tree()


def test_the_size_of_an_image_is_part_of_the_fingerprint(example: ExampleSite) -> None:
    """A Markdown field has only the address; the size is looked up when the page is rendered."""
    example.image("media/only.png", "red")
    example.post("secret", "![Only](media/only.png)", status="draft")
    example.load()
    files = snapshot_of(example).media.values()
    (name,) = (file.name for file in files if file.original_name == "only.png")
    page = example.folder / "content/pages/guide/knots.yaml"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("See [", f"![Only](/media/{name}) ["), encoding="utf-8")
    example.make()
    path = "guide/knots/index.html"
    assert re.search(rf'src="/media/{name}" alt="Only"[^>]* width="3"', example.text(path))
    before, snapshot = planned(example).pages, snapshot_of(example)
    media = {**snapshot.media, name: replace(snapshot.media[name], width=30)}
    theme = load_theme(example.folder, example.settings.theme)
    after = make_plan(replace(snapshot, media=media), example.settings, theme).pages
    pairs = [(job, old) for job, old in zip(after, before, strict=True) if job != old]
    assert [job.path for job, _ in pairs] == [path]
    assert context_of(example, pairs[0][0]) == context_of(example, pairs[0][1])


def test_a_menu_nests_and_ends_at_a_cycle(example: ExampleSite) -> None:
    """Entries are below those that refer to them; a reference back to an upper entry is ignored."""
    example.write("schema/collections/menu.yaml", {"key": "menu", "label": "label", "fields": [
        {"slug": "label", "type": "short_text"}, {"slug": "url", "type": "short_text"},
        {"slug": "children", "type": "reference", "targets": ["menu"], "many": True},
    ]})  # fmt: skip
    example.write("content/collections/menu.yaml", [
        {"id": 1, "fields": {"label": "One", "url": "/1/", "children": [2]}},
        {"id": 2, "fields": {"label": "Two", "url": "/2/", "children": [3]}},
        {"id": 3, "fields": {"label": "Three", "url": "/3/", "children": [2]}},
    ])  # fmt: skip
    example.load(prune=True)
    site = context_of(example, planned(example).pages[0])["site"]
    (top,) = site.menu  # type: ignore[attr-defined]
    assert (top.label, [child.label for child in top.children]) == ("One", ["Two"])
    assert [child.label for child in top.children[0].children] == ["Three"]
    assert top.children[0].children[0].children == ()


def test_a_site_without_a_menu_shows_few_pages_in_it(example: ExampleSite) -> None:
    """At most six, near the root first; none without text, and none that visitors come to in other ways."""
    example.remove("content/collections/menu.yaml")
    others = ("404", "search-results", "thank-you", "thanks-for-writing", "page-not-found", "danke")
    for slug in (*others, "zebra", "team", "terms", "prices", "contact", "jobs"):
        example.write(f"content/pages/_single/{slug}.md", f"---\ntitle: Page {slug}\nstatus: published\n---\nText.\n")
    example.write("content/pages/_single/blank.md", "---\ntitle: Blank\nstatus: published\n---\n")
    example.write("content/pages/_single/drawn.md", "---\ntitle: Drawn\nstatus: published\n---\n")
    example.write("templates/page/_single/drawn.html", "drawn")
    deep = "---\ntitle: Deep\nstatus: published\npath: /about/deep/\n---\nText.\n"
    example.write("content/pages/_single/a-deep.md", deep)
    example.load(prune=True)
    site = context_of(example, planned(example).pages[0])["site"]
    labels = [entry.label for entry in site.menu]  # type: ignore[attr-defined]
    assert labels == ["All posts", "About", "Page contact", "Drawn", "Page jobs", "Page prices", "Page team"]


def test_the_order_of_fields_is_part_of_the_fingerprint(example: ExampleSite) -> None:
    """Templates iterate over fields in the order of the schema."""
    fields = [{"slug": slug, "name": slug.title(), "type": "short_text"} for slug in ("link", "place")]
    example.write("schema/page_types/guide.yaml", {"slug": "guide", "name": "Guide", "fields": fields})
    guide = {"title": "Knots", "status": "published", "fields": {"link": "/blog/ebb/", "place": "On deck"}}
    example.write("content/pages/guide/knots.yaml", guide)
    example.make()
    shown = example.text("guide/knots/index.html")
    assert shown.index("<dt>Link") < shown.index("<dt>Place")
    example.write("schema/page_types/guide.yaml", {"slug": "guide", "name": "Guide", "fields": fields[::-1]})
    report = example.make()
    assert "guide/knots/index.html" in report.stale
    shown = example.text("guide/knots/index.html")
    assert shown.index("<dt>Place") < shown.index("<dt>Link")
    assert example.tree() == example.clean_tree()


def test_the_order_of_a_referenced_entrys_fields_is_part_of_the_fingerprint(example: ExampleSite) -> None:
    """A page shows the first image of an entry, so it is stale when another becomes the first."""
    name = {"slug": "name", "type": "short_text"}
    pictures = [{"slug": "one", "type": "media"}, {"slug": "two", "type": "media"}]
    example.write("schema/collections/team.yaml", {"key": "team", "label": "name", "fields": [name, *pictures]})
    item = {"name": "Ann", "one": {"url": "media/ann.png", "alt": "A"}, "two": {"url": "media/sea.png", "alt": "B"}}
    example.write("content/collections/team.yaml", [{"id": 7, "fields": item}])
    crew = {"slug": "crew", "name": "Crew", "type": "reference", "targets": ["team"], "many": True}
    example.write("schema/page_types/list.yaml", {"slug": "list", "name": "List", "fields": [crew]})
    page = {"title": "Crew", "status": "published", "published": "2026-01-01T08:00:00Z", "fields": {"crew": [7]}}
    example.write("content/pages/list/crew.yaml", page)
    example.make()
    assert 'alt="A"' in example.text("list/crew/index.html")
    reordered = {"key": "team", "label": "name", "fields": [name, *pictures[::-1]]}
    example.write("schema/collections/team.yaml", reordered)
    example.make()
    assert 'alt="B"' in example.text("list/crew/index.html")
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize("home", ["guide/knots", "about"])
def test_the_home_page_is_only_at_the_root(example: ExampleSite, home: str) -> None:
    """Its own address redirects to the root."""
    example.settings_are(url="https://tide.example", build={"page_size": 3, "home": home})
    example.make()
    old = example.text(f"{home}/index.html")
    assert 'http-equiv="refresh" content="0; url=/"' in old
    assert 'rel="canonical" href="https://tide.example/"' in old
    assert f"https://tide.example/{home}/" not in example.text("sitemap.xml")


def test_pages_link_to_their_translations(example: ExampleSite) -> None:
    """Posts are matched by their group, lists by their subject; a page in one locale has no links."""
    example.make()
    english, spanish = example.text("blog/ebb/index.html"), example.text("es/blog/marea-baja/index.html")
    for text in (english, spanish):
        assert 'hreflang="en" href="https://tide.example/blog/ebb/"' in text
        assert 'hreflang="es" href="https://tide.example/es/blog/marea-baja/"' in text
        assert 'hreflang="x-default" href="https://tide.example/blog/ebb/"' in text
    assert "hreflang" not in example.text("blog/calm/index.html")
    assert 'hreflang="es"' in example.text("categories/tides/index.html")
    assert "hreflang" not in example.text("categories/boats/index.html")


def test_aliases_redirect_to_their_post(example: ExampleSite) -> None:
    """The redirect is not in the sitemap; an alias with the address of a page is left out with a note."""
    example.post("moved", published="2026-02-01T08:00:00Z", aliases=["/old/moved", "/2024/moved.html"])
    example.make()
    for name in ("old/moved/index.html", "2024/moved.html"):
        assert 'content="0; url=/blog/moved/"' in example.text(name)
    assert "/old/moved" not in example.text("sitemap.xml")
    example.post("moved", published="2026-02-01T08:00:00Z", aliases=["/blog/"])
    assert any("redirect from /blog/ to the post moved is left out" in note for note in example.make().notes)


def test_a_missing_home_page_is_noted(example: ExampleSite) -> None:
    """The site is built."""
    example.settings_are(build={"home": "zzz"})
    assert any('build.home is "zzz"' in note for note in example.make().notes)


def test_a_single_page_may_have_a_template_of_its_own(example: ExampleSite) -> None:
    """It is named by the slug; others have the one of Single Pages."""
    example.write("templates/page/_single/about.html", "<html><head></head><body>{{ page.title }}!</body></html>")
    example.make()
    assert "About!" in example.text("about/index.html")


def test_a_layout_in_the_place_of_the_home_page_is_explained(example: ExampleSite) -> None:
    """`home` is a key of two tables; a name that no page has may be the layout of the other one."""
    example.settings_are(build={"home": "cards"})
    example.load()
    (note,) = (note for note in example.build().notes if "build.home" in note)
    assert note == (
        'site.toml: build.home is "cards", but there is no published page of that name; for the layout of the home '
        'page, write home = "cards" under [theme] (theme.home)'
    )
    example.settings_are(build={"home": "welcome"})
    (note,) = (note for note in example.build().notes if "build.home" in note)
    assert note.endswith("there is no published page of that name")


def test_the_choices_of_a_setting_are_named_without_the_empty_one(example: ExampleSite) -> None:
    """The layout of the home page may be empty, which is no word to write."""
    example.settings_are(theme={"home": "welcome"})
    with pytest.raises(InvalidFiles, match=r"theme\.home: is \"welcome\" \(.*choices: magazine, cards, list\)"):
        _ = example.settings
