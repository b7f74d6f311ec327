"""Addresses, folders, languages and taxonomies of the generators' sites, as the generators make them."""

from pathlib import Path

import pytest

from tests.importing.readers.markdown_sites import import_files

HUGO = 'baseURL = "https://old.example/"\ntitle = "Tides"\n'
PATTERNS = '[permalinks]\nnews = "/:year/:month/:day/:title/"\nslugs = "/s/:slug/"\nnames = "/n/:filename/"\n'


@pytest.mark.parametrize(
    ("name", "facts", "address"),
    [
        ("news/a.md", "title: A\ndate: 2021-09-09T00:10:00+02:00", "/2021/09/09/a/"),
        ("news/a.md", "title: A\ndate: 2021-09-09 00:10:00 +0200", "/2021/09/09/a/"),
        ("news/a.md", "title: A\ndate: 2021-09-09T00:10:00", "/2021/09/09/a/"),
        ("news/a.md", "title: A\ndate: 2021-09-09T22:10:00Z", "/2021/09/09/a/"),
        ("news/a.md", "title: How to (A/B+)\ndate: 2021-09-09", "/2021/09/09/how-to-a-b/"),
        ("news/a.md", "title: 1/2 + 1/3\ndate: 2021-09-09", "/2021/09/09/1-2--1-3/"),
        ("slugs/a.md", "title: A\nslug: a/b", "/s/a/b/"),
        ("slugs/a.md", 'title: A\nslug: "- a -"', "/s/a/"),
        ("slugs/a.md", "title: C++ & C#", "/s/c-c/"),
        ("slugs/a.md", "title: İstanbul x²", "/s/istanbul-x/"),
        ("names/a -- b.md", "title: A", "/n/a--b/"),
        ("other/a -- b.md", "title: A", "/other/a----b/"),
        ("other/a.md", "title: A\nslug: 🎉 party", "/other/party/"),
    ],
)
def test_addresses_of_hugo(tmp_path: Path, name: str, facts: str, address: str) -> None:
    """Dates in the zone in which they are written; titles, slugs and file names each cleaned in their own way."""
    config = f'{HUGO}timeZone = "America/New_York"\n{PATTERNS}'
    site = import_files(tmp_path, {"hugo.toml": config, f"content/{name}": f"---\n{facts}\n---\nText\n"})
    (found,) = site.addresses().values()
    assert found == address


def test_headless_pages_of_hugo_are_drafts(tmp_path: Path) -> None:
    """Those of a list whose `cascade` says so, and those of a path that the configuration names; no others."""
    page = "---\ntitle: {}\n---\nText\n"
    config = f'{HUGO}[[cascade]]\n[cascade.build]\nrender = "never"\n[cascade.target]\npath = "/parts/**"\n'
    cascade = "---\ntitle: Quotes\ncascade:\n  _build:\n    render: never\n---\n"
    site = import_files(
        tmp_path,
        {
            "hugo.toml": config,
            "content/quotes/_index.md": cascade,
            "content/quotes/one.md": page.format("One"),
            "content/parts/two.md": page.format("Two"),
            "content/other/three.md": page.format("Three"),
        },
    )
    statuses = {name: site.page(name).data["status"] for name in ("one", "two", "three")}
    assert statuses == {"one": "draft", "two": "draft", "three": "published"}


@pytest.mark.parametrize("kind", ["hugo", "zola"])
def test_declared_taxonomies_join_the_tags(tmp_path: Path, kind: str) -> None:
    """The lists of their terms lead to those of the tags."""
    config = {
        "hugo": HUGO + '[taxonomies]\ntag = "tags"\ntopic = "topics"\n',
        "zola": 'base_url = "https://old.example"\ntaxonomies = [{name = "topics"}, {name = "tags"}]\n',
    }[kind]
    terms = 'tags = ["moon"]\ntopics = ["Deep Sea"]'
    front = terms if kind == "hugo" else f"[taxonomies]\n{terms}"
    text = f'+++\ntitle = "A"\ndate = 2020-01-01\n{front}\n+++\nText\n'
    site = import_files(tmp_path, {f"{kind}.toml": config, "content/posts/a.md": text})
    assert site.post("a").data["tags"] == ["moon", "Deep Sea"]
    assert site.redirects()["/topics/deep-sea/"] == "/tags/deep-sea/"
    assert site.redirects()["/topics/"] == "/tags/"
    assert "topics" not in str(site.notes("unknown key"))
