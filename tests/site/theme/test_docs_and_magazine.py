"""The themes docs and magazine: the tree of pages and the way through it, the front page and its sections."""

import re

from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.support.sites import ExampleSite


def as_docs(example: ExampleSite, **options: object) -> None:
    """The example with that theme, and three guides in two parts of the tree."""
    example.settings_are(theme={"name": "docs"}, **{"theme.options": options})
    fields = [{"slug": "title", "type": "short_text"}]
    pages = {"slug": "pages", "type": "reference", "targets": ["page:guide"], "many": True}
    example.write("schema/collections/contents.yaml", {"key": "contents", "label": "title", "fields": [*fields, pages]})
    for name in ("sails", "oars"):
        page = {"title": name.capitalize(), "status": "published", "fields": {"text": "## A\n\n## B\n"}}
        example.write(f"content/pages/guide/{name}.yaml", page)
    write_contents(example, ["knots", "sails"], ["oars"])


def write_contents(example: ExampleSite, ropes: list[str], boats: list[str]) -> None:
    """The tree: two parts and a third without pages, which is not shown."""
    parts = {"Ropes": ropes, "Boats": boats, "Nothing": []}
    entries = [{"fields": {"title": title, "pages": pages}} for title, pages in parts.items()]
    example.write("content/collections/contents.yaml", entries)


def links(html: str, selector: str) -> list[str]:
    return [" ".join(link.text().split()) for link in HTMLParser(html).css(f"{selector} a")]


def test_without_chapters_there_is_no_tree(example: ExampleSite) -> None:
    """A new site, whose list of chapters is empty, shows no list to open."""
    as_docs(example)
    write_contents(example, [], [])
    example.make()
    assert 'class="tree"' not in example.text("guide/sails/index.html")
    assert 'class="tree"' not in example.text("404.html")


def test_the_tree_has_the_parts_of_the_collection(example: ExampleSite) -> None:
    """On every page, with this page marked; previous and next follow it from part to part."""
    as_docs(example)
    example.make()
    page = example.text("guide/sails/index.html")
    assert links(page, ".tree") == ["Knots", "Sails", "Oars"]
    tree = HTMLParser(page).css_first(".tree")
    assert tree
    assert [each.text() for each in tree.css("li > details > summary")] == ["Ropes", "Boats"]
    assert [each.text() for each in tree.css("[aria-current]")] == ["Sails"]
    assert links(page, ".turn") == ["Previous Knots", "Next Oars"]
    assert links(example.text("guide/knots/index.html"), ".turn") == ["Next Sails"]
    blog = example.text("blog/index.html")
    assert (links(blog, ".tree"), links(blog, ".turn")) == (["Knots", "Sails", "Oars"], [])
    assert links(page, ".toc") == ["A", "B"]


def test_a_changed_tree_changes_each_page(example: ExampleSite) -> None:
    """An incremental build equals a clean one."""
    as_docs(example)
    example.make()
    write_contents(example, ["sails", "knots"], ["oars"])
    example.make()
    assert links(example.text("guide/sails/index.html"), ".turn") == ["Next Knots"]
    assert example.tree() == example.clean_tree()


def test_a_site_without_the_collection_has_its_menu_as_the_tree(example: ExampleSite) -> None:
    """Addresses of other sites are in the tree, and nobody is led there as to the next page."""
    example.settings_are(theme={"name": "docs"})
    example.write("content/collections/menu.yaml", [
        {"fields": {"label": "Posts", "url": "/blog/"}},
        {"fields": {"label": "Code", "url": "https://code.example/"}},
        {"fields": {"label": "About", "url": "/about/"}},
    ])  # fmt: skip
    example.make()
    page = example.text("blog/index.html")
    assert links(page, ".tree") == ["Posts", "Code", "About"]
    assert links(page, ".turn") == ["Next About"]


def test_a_long_tree_is_open_at_this_page_alone(example: ExampleSite) -> None:
    """A short one is open everywhere."""
    as_docs(example)
    example.make()
    assert example.text("guide/oars/index.html").count("<details open>") == 2
    more = [f"more-{number}" for number in range(24)]
    for name in more:
        example.write(f"content/pages/guide/{name}.yaml", {"title": name, "status": "published", "fields": {}})
    write_contents(example, ["knots", *more], ["oars"])
    example.make()
    (opened,) = re.findall(r"<details open>\s*<summary>(\w+)", example.text("guide/oars/index.html"))
    assert opened == "Boats"


def test_versions_are_a_list_above_the_tree(example: ExampleSite) -> None:
    """With the name of this one; without the option there is none."""
    as_docs(example)
    example.make()
    assert 'class="versions"' not in example.text("index.html")
    as_docs(example, version="2.1", versions=["2.1 https://docs.example/", "1.8 https://docs.example/1.8/"])
    example.make()
    page = example.text("es/index.html")
    assert "<summary>Versión 2.1</summary>" in page
    assert '<a href="https://docs.example/1.8/">1.8</a>' in page
    assert example.tree() == example.clean_tree()


def front(example: ExampleSite) -> HTMLParser:
    return HTMLParser(example.text("index.html"))


def test_the_front_page_has_a_section_for_each_category(example: ExampleSite) -> None:
    """Four stories stand above the sections, and none is there twice."""
    example.settings_are(theme={"name": "magazine"})
    example.make()
    page = front(example)
    assert [each.text() for each in page.css(".cover-story h3, .latest > .stories h3")] == [
        "Haul",
        "Gale",
        "Flow",
        "Ebb",
    ]
    heads = [each.text(strip=True) for each in page.css(".section-head h2")]
    assert heads == ["Tides", "Boats", "Authors"]
    assert [each.text() for each in page.css(".section h3")] == ["Calm", "Drift"]
    assert links(example.text("index.html"), ".writers ul") == ["Bo Lind", "Ann Ray"]


def test_the_options_of_the_magazine_shorten_its_front_page(example: ExampleSite) -> None:
    """Fewer sections, no authors; a layout without sections shows the posts alone."""
    example.settings_are(theme={"name": "magazine"}, **{"theme.options": {"sections": 1, "authors": False}})
    example.make()
    assert [each.text(strip=True) for each in front(example).css(".section-head h2")] == ["Tides"]
    example.settings_are(theme={"name": "magazine", "home": "cards"})
    example.make()
    assert len(front(example).css(".story")) == 6
    assert front(example).css(".cover-story, .section") == []


def test_a_new_post_moves_the_others_down_the_front_page(example: ExampleSite) -> None:
    """Into their sections, as a clean build has them."""
    example.settings_are(theme={"name": "magazine"})
    example.make()
    example.post("islet", published="2026-02-20T08:00:00Z", categories=["Boats"], author="bo-lind")
    example.make()
    assert [each.text() for each in front(example).css(".cover-story h3")] == ["Islet"]
    assert [each.text() for each in front(example).css(".section h3")] == ["Ebb", "Calm", "Drift"]
    assert example.tree() == example.clean_tree()


def test_a_featured_story_stands_across_the_front_page(example: ExampleSite) -> None:
    """Before the newest ones, which follow it."""
    example.settings_are(theme={"name": "magazine"})
    example.write("schema/post.yaml", {"fields": [{"slug": "featured", "type": "checkbox"}]})
    example.post("islet", published="2026-01-20T08:00:00Z", categories=["Boats"], fields={"featured": True})
    example.make()
    assert [each.text() for each in front(example).css(".cover-story h3")] == ["Islet"]
    assert [each.text() for each in front(example).css(".latest > .stories h3")] == ["Haul", "Gale", "Flow"]


def test_a_magazine_without_posts_says_so(example: ExampleSite) -> None:
    """Its front page is not an empty one."""
    for path in (example.folder / "content/posts").rglob("*.md"):
        path.unlink()
    example.settings_are(theme={"name": "magazine"})
    example.make()
    assert "Nothing has been published here yet." in example.text("index.html")
