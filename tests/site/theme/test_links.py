"""Addresses and ids that people write: no link runs a script, and no id stands twice on a page."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib
import pytest

from sitecms.content.text.html import sanitize
from sitecms.site.theme.addresses import link_address, resolved
from sitecms.site.theme.html import rewrite
from tests.support.sites import ExampleSite

SCRIPTS = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "javascript://tide.example/%0aalert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "blob:https://tide.example/1",
    "file:///etc/passwd",
    "view-source:https://tide.example/",
)
UNLOADABLE = ("\x01javascript:alert(1)", "java\x00script:alert(1)", "javascript\x7f:alert(1)")
HARMLESS = (
    "https://x.example/",
    "HTTP://x.example/",
    "mailto:a@x.example",
    "tel:+123",
    "/blog/",
    "blog/",
    "#x",
    "?q=1:2",
)
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
LINKS = ("href", "src", "action", "formaction", "data", "poster", "cite", "xlink:href")


def elements(example: ExampleSite, path: str) -> Iterator[Element]:
    root: Element = html5lib.parse(example.text(path), treebuilder="etree", namespaceHTMLElements=False)
    return root.iter()


def active(example: ExampleSite) -> list[tuple[str, str]]:
    """Addresses of built pages that are of a scheme no link may have, as browsers read it; scripts but the theme's."""
    found = []
    for path in example.tree():
        for element in elements(example, path) if path.endswith(".html") else ():
            is_data = element.attrib.get("type") == "application/ld+json"
            is_theme = re.fullmatch(r"/(?:mag/)?assets/[a-z]+\.[0-9a-f]{12}\.js", element.attrib.get("src", ""))
            is_code = element.tag == "script" and not is_data and not is_theme
            if is_code or any(str(name).startswith("on") for name in element.attrib):
                found.append((path, str(element.tag)))
            for address in (element.attrib[name] for name in LINKS if name in element.attrib):
                scheme = SCHEME.match("".join(letter for letter in address if ord(letter) > 32 and letter != "\x7f"))
                if scheme and scheme[1].lower() not in ("http", "https", "mailto", "tel"):
                    found.append((path, address))
    return found


@pytest.mark.parametrize("url", SCRIPTS + UNLOADABLE)
def test_script_addresses_are_removed(url: str) -> None:
    """However it is disguised."""
    assert link_address(url, "/mag") == ""


@pytest.mark.parametrize("url", HARMLESS)
def test_ordinary_addresses_stay(url: str) -> None:
    """Of the four schemes, or relative."""
    assert link_address(url, "") == url


def with_links(example: ExampleSite, url: str) -> None:
    """Write this address into every field that the theme makes a link of."""
    example.write("content/authors.yaml", [
        {"slug": "ann-ray", "first_name": "Ann", "last_name": "Ray", "twitter_handle": url,
         **{f"{name}_url": url for name in ("linkedin", "facebook", "pinterest", "instagram")}},
        {"slug": "bo-lind", "first_name": "Bo"},
    ])  # fmt: skip
    text = {"type": "short_text"}
    example.write("schema/collections/menu.yaml", {"key": "menu", "label": "label", "fields": [
        {"slug": "label", **text}, {"slug": "url", **text},
        {"slug": "below", "type": "reference", "targets": ["menu"], "many": True},
    ]})  # fmt: skip
    example.write("content/collections/menu.yaml", [
        {"id": 1, "fields": {"label": "Above", "url": url, "below": [2]}},
        {"id": 2, "fields": {"label": "Below", "url": url}},
    ])  # fmt: skip
    link = {"slug": "link", **text}
    title = {"slug": "title", **text}
    rows = [{"slug": "label", **text}, link]
    for slug, fields in (
        ("hero", [title, link]),
        ("call-to-action", [title, {"slug": "links", "type": "repeater", "fields": rows}]),
        ("plain", [title, link]),
    ):
        example.write(f"schema/components/{slug}.yaml", {"slug": slug, "name": slug, "fields": fields})
    example.write("schema/page_types/landing-page.yaml", {"slug": "landing-page", "name": "Landing", "fields": [
        {"slug": "hero", "type": "component", "component": "hero"},
        {"slug": "highlights", "type": "repeater", "fields": [title, link]},
        {"slug": "body", "type": "component_picker", "components": ["hero", "call-to-action", "plain"]},
    ]})  # fmt: skip
    call = {"title": "Call", "links": [{"label": "Go", "link": url}]}
    facts = {"title": "Landing", "status": "published", "published": "2026-01-01T08:00:00Z"}
    example.write("content/pages/landing-page/start.yaml", {**facts, "fields": {
        "hero": {"title": "Hero", "link": url},
        "highlights": [{"title": "High", "link": url}],
        "body": [{"type": "call-to-action", "fields": call}, {"type": "plain", "fields": {"title": "P", "link": url}}],
    }})  # fmt: skip
    example.write("content/pages/guide/knots.yaml", {**facts, "fields": {"link": url, "text": f"[a](<{url.strip()}>)"}})


@pytest.mark.parametrize("url", [SCRIPTS[0], *(pytest.param(url, marks=pytest.mark.slow) for url in SCRIPTS[1:])])
def test_fields_never_become_script_links(example: ExampleSite, url: str) -> None:
    """Menu, profiles, components, highlights, fields without a template: their words stay, the link does not."""
    with_links(example, url)
    example.make()
    assert active(example) == []
    for path in ("landing-page/start/index.html", "authors/ann-ray/index.html"):
        assert not [
            each
            for each in elements(example, path)
            if each.get("href") == "" or "button" in each.get("class", "").split()
        ]
    words = example.text("landing-page/start/index.html")
    assert all(f">{word}<" in words for word in ("Above", "Below", "Hero", "High", "Call"))


def test_fields_with_ordinary_addresses_become_links(example: ExampleSite) -> None:
    """Six of them on a landing page with its menu, four profiles on an author's, whose menu has two more."""
    with_links(example, "https://x.example/")
    example.make()
    shown = {
        path: [each.get("href") for each in elements(example, path)] for path in example.tree() if path[-5:] == ".html"
    }
    assert shown["landing-page/start/index.html"].count("https://x.example/") == 6
    assert shown["authors/ann-ray/index.html"].count("https://x.example/") == 6
    assert shown["guide/knots/index.html"].count("https://x.example/") == 4


TEXT = """## Knots

A hitch.[^1] Back to [the top](#knots), to [the menu](#_content) or [the end](#größe).

## Größe

<h3 id="mine">Mine</h3> <h3 id="_content">Theirs</h3>

[^1]: Two half ones.
"""


def test_no_id_stands_twice_where_a_page_shows_several_texts(example: ExampleSite) -> None:
    """Headings, footnotes and ids people wrote; links within a text lead to their own."""
    texts = [{"slug": slug, "name": slug, "type": "long_text"} for slug in ("one", "two", "three")]
    example.write("schema/page_types/list.yaml", {"slug": "list", "name": "List", "fields": texts})
    facts = {"title": "Texts", "status": "published", "published": "2026-01-01T08:00:00Z"}
    example.write("content/pages/list/texts.yaml", {**facts, "fields": dict.fromkeys(("one", "two", "three"), TEXT)})
    example.make()
    found = list(elements(example, "list/texts/index.html"))
    ids = [each.attrib["id"] for each in found if "id" in each.attrib]
    assert len(ids) == len(set(ids))
    assert {"knots", "2.knots", "3.knots", "2.größe", "3.mine", "fn1", "2.fn1", "3.fnref1"} <= set(ids)
    targets = [each.attrib["href"] for each in found if each.get("href", "").startswith("#")]
    assert {"#knots", "#2.knots", "#3.knots", "#fn1", "#2.fn1", "#3.fnref1"} <= set(targets)
    assert [target for target in targets if "_content" in target] == ["#_content"] * 5
    assert example.tree() == example.clean_tree()


def test_ids_of_the_theme_are_its_own(example: ExampleSite) -> None:
    """Those of the frame begin with `_`, and nothing that people write may have such a one."""
    example.post("foot", "## Foot categories\n\n## Foot feeds", published="2026-02-20T08:00:00Z")
    example.make()
    ids = [each.attrib["id"] for each in elements(example, "blog/foot/index.html") if "id" in each.attrib]
    assert len(ids) == len(set(ids))
    assert {"foot-categories", "foot-feeds", "_foot-categories", "_foot-feeds"} <= set(ids)
    assert sanitize('<h2 id="_content">a</h2><h2 id="b_">b</h2>') == '<h2>a</h2><h2 id="b_">b</h2>'


def test_an_edit_on_the_day_of_publication_is_seen_in_the_feed(example: ExampleSite) -> None:
    """The feed was changed when the last of its entries was; the page of the post keeps silent."""
    example.post("flow", "Twice.", published="2026-02-20T08:00:00Z", updated="2026-02-20T09:30:00Z")
    example.make()
    updated = re.findall(r"<updated>(.*?)</updated>", example.text("atom.xml"))
    assert updated[:2] == ["2026-02-20T09:30:00Z", "2026-02-20T09:30:00Z"]
    assert "modified_time" not in example.text("blog/flow/index.html")


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('<a href="/cafe%CC%81/#e%CC%81">x</a>', '<a href="/caf%C3%A9/#%C3%A9">x</a>'),
        ('<a href="../cafe\u0301/">x</a>', '<a href="../caf%C3%A9/">x</a>'),
        ('<h2 id="e\u0301">x</h2><a href="#e%CC%81">x</a>', '<h2 id="é">x</h2><a href="#%C3%A9">x</a>'),
        ('<a href="/a/?q=e%CC%81">x</a>', '<a href="/a/?q=e%CC%81">x</a>'),
        ('<a href="https://x.example/e%CC%81/">e\u0301</a>', '<a href="https://x.example/e%CC%81/">e\u0301</a>'),
        ('<a href="//x.example/e%CC%81/">x</a>', '<a href="//x.example/e%CC%81/">x</a>'),
    ],
)
def test_decomposed_links_lead_to_the_pages_of_the_site(html: str, shown: str) -> None:
    """Slugs, files and ids are composed, so links and ids become so; addresses elsewhere, queries and texts stay."""
    assert rewrite(html) == shown
    assert rewrite(shown) == shown
    assert resolved(html, "/blog/x/") == resolved(shown, "/blog/x/")


def test_decomposed_addresses_of_settings_and_templates() -> None:
    """A menu leads where a text would."""
    assert link_address("/cafe\u0301/", "/base") == "/base/caf%C3%A9/"
    assert link_address("https://x.example/e\u0301/", "/base") == "https://x.example/e\u0301/"
