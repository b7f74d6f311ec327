"""Search index, compressed copies, options of the theme and structured data of built sites."""

import gzip
import json
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import brotli
import pytest

from sitecms.errors import ConfigurationError
from sitecms.site.render import added_files

if TYPE_CHECKING:
    from tests.support.sites import ExampleSite

AT = "2026-02-01T08:00:00Z"
ON: dict[str, Any] = {"search": {"enabled": True}}


@pytest.fixture
def searchable(example: "ExampleSite", lacking: Callable[[str], None]) -> "ExampleSite":
    """The small site with search."""
    if not added_files.is_installed():
        lacking("Pagefind is not installed; pip install -e '.[test]'")
    example.settings_are(**ON)
    return example


def bundle(example: "ExampleSite") -> dict[str, bytes]:
    return {path: data for path, data in example.tree().items() if path.startswith("pagefind/")}


def indexed(example: "ExampleSite") -> set[str]:
    """Return the addresses in the search index."""
    fragments = [data for path, data in bundle(example).items() if path.endswith(".pf_fragment")]
    return {json.loads(gzip.decompress(data)[len(b"pagefind_dcd") :])["url"] for data in fragments}


def test_only_posts_and_pages_are_indexed(searchable: "ExampleSite") -> None:
    """Each page links to the search page of its locale, which is not in the sitemap."""
    searchable.make()
    found = indexed(searchable)
    assert {"/blog/calm/", "/about/", "/guide/knots/", "/es/blog/marea-baja/"} <= found
    assert not {"/", "/blog/", "/search/", "/es/", "/404.html"} & found
    assert not [url for url in found if "/categories/" in url or "/page/" in url]
    assert 'href="/search/"' in searchable.text("blog/calm/index.html")
    assert 'href="/es/search/"' in searchable.text("es/blog/marea-baja/index.html")
    assert "/search/" not in searchable.text("sitemap.xml")
    assert "wasm-unsafe-eval" in searchable.text("_headers")


def test_an_index_is_kept_while_its_pages_are_equal(searchable: "ExampleSite", monkeypatch: pytest.MonkeyPatch) -> None:
    """Changed headers, footers, styles and ignored elements do not run Pagefind."""
    searchable.make()
    before = bundle(searchable)

    def fail(*_paths: object) -> None:
        pytest.fail("Pagefind was run")

    with monkeypatch.context() as patch:
        patch.setattr(added_files, "make_index", fail)
        for notes in (".sitecms/search.json", "no such file"):
            (searchable.folder / notes).unlink(missing_ok=True)
            searchable.write("templates/parts/footer.html", f"<footer>Another footer, {notes}</footer>")
            assert searchable.make().written > 5
            searchable.settings_are(**ON, theme={"accent": "#225588"}, name=f"Ebb {len(notes)}")
            assert searchable.make().written > 5
    assert bundle(searchable) == before
    searchable.write(".sitecms/search.json", "{broken")
    searchable.post("calm", "Other words.", published=AT, slug="calm")
    searchable.make()
    assert bundle(searchable) != before
    assert searchable.tree() == searchable.clean_tree()


def test_a_changed_page_renews_the_index(searchable: "ExampleSite", monkeypatch: pytest.MonkeyPatch) -> None:
    """It equals that of a clean build; an unchanged site does not run Pagefind."""
    searchable.make()
    before = bundle(searchable)
    searchable.post("calm", "Barnacles, and the word barnacle.", published=AT)
    assert searchable.make().failed == {}
    assert bundle(searchable) != before
    assert searchable.tree() == searchable.clean_tree()

    def fail(*_: object) -> None:
        raise AssertionError("Pagefind was run")

    monkeypatch.setattr(added_files, "make_index", fail)
    assert searchable.make().written == 0
    searchable.post("calm", "Limpets.", published=AT)
    with pytest.raises(AssertionError, match="Pagefind was run"):
        searchable.make()


def test_a_deleted_post_leaves_the_index(searchable: "ExampleSite") -> None:
    """Its fragment is pruned."""
    searchable.make()
    searchable.remove("content/posts/calm.md")
    searchable.make()
    assert "/blog/calm/" not in indexed(searchable)
    assert searchable.tree() == searchable.clean_tree()


def test_switching_search_off_removes_it(searchable: "ExampleSite") -> None:
    """Pages, index, links and the source in the policy are gone."""
    searchable.make()
    searchable.settings_are(search={"enabled": False})
    searchable.make()
    assert bundle(searchable) == {}
    assert not (searchable.public / "search").exists()
    assert "/search/" not in searchable.text("blog/calm/index.html")
    assert "wasm-unsafe-eval" not in searchable.text("_headers")
    assert searchable.tree() == searchable.clean_tree()


def test_search_is_left_out_with_a_note_without_pagefind(
    example: "ExampleSite", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything else is built, without links to search."""
    example.settings_are(**ON)
    monkeypatch.setattr(added_files, "_PACKAGES", ("no_such_pagefind",))
    report = example.make()
    assert report.notes == (
        "Search is left out: Pagefind is not installed. pip install 'sitecms[search]', or set search.enabled = false",
    )
    assert not (example.public / "search").exists()
    assert "/search/" not in example.text("blog/calm/index.html")


def test_an_empty_site_has_no_search(searchable: "ExampleSite") -> None:
    """Pagefind cannot make an empty index."""
    for folder in ("posts", "pages"):
        for path in sorted((searchable.folder / "content" / folder).rglob("*.*")):
            path.unlink()
    assert searchable.make().failed == {}
    assert not (searchable.public / "search").exists()


def test_every_text_output_has_compressed_copies(example: "ExampleSite") -> None:
    """They decompress to the plain file; images have none; an edit renews only the copies of its pages."""
    example.settings_are(delivery={"precompress": ["gz", "br"]})
    example.make()
    tree = example.tree()
    for name, data in tree.items():
        if name.endswith((".html", ".css", ".xml")):
            assert gzip.decompress(tree[f"{name}.gz"]) == data
            assert brotli.decompress(tree[f"{name}.br"]) == data
    assert not [name for name in tree if re.search(r"\.(jpg|png|gz|br)\.(gz|br)$", name)]
    assert example.make().written == 0
    example.post("calm", "Barnacles.", published=AT)
    example.make()
    assert b"Barnacles" in gzip.decompress((example.public / "blog/calm/index.html.gz").read_bytes())
    assert example.tree() == example.clean_tree()


def test_copies_of_deleted_outputs_are_pruned(example: "ExampleSite") -> None:
    """This holds for a deleted post, and for an encoding that is no longer in the settings."""
    example.settings_are(delivery={"precompress": ["gz", "br"]})
    example.make()
    example.remove("content/posts/calm.md")
    example.make()
    assert not (example.public / "blog/calm").exists()
    example.settings_are(delivery={"precompress": ["gz"]})
    example.make()
    assert not list(example.public.rglob("*.br"))
    assert example.tree() == example.clean_tree()


def test_missing_brotli_is_an_error(example: "ExampleSite", monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is published."""
    example.make()
    before = example.tree()
    example.settings_are(delivery={"precompress": ["br"]})
    monkeypatch.setitem(sys.modules, "brotli", None)
    example.load()
    with pytest.raises(ConfigurationError, match=r"pip install 'sitecms\[brotli\]'"):
        example.build()
    assert example.tree() == before


def test_options_of_the_theme_change_every_page(example: "ExampleSite") -> None:
    """Logo, favicon, footer and page colour; a changed option makes every page stale."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"/>'
    example.write("assets/logo.svg", svg)
    example.write("media/icon.png", b"\x89PNG")
    example.make()
    theme = {
        "logo": "logo.svg",
        "favicon": "media/icon.png",
        "footer_text": "All <rights> ours",
        "color_scheme": "dark",
    }
    example.settings_are(theme={**theme, "dark_background": "#101010"})
    example.make()
    for path in ("index.html", "blog/calm/index.html", "es/blog/index.html", "404.html"):
        text = example.text(path)
        assert re.search(r'<img src="/assets/logo\.\w+\.svg" alt="" width="120" height="40">', text)
        assert re.search(r'<link rel="icon" type="image/png" href="/assets/media/icon\.\w+\.png">', text)
        assert "All &lt;rights&gt; ours" in text
        assert re.findall('<meta name="theme-color".*>', text) == ['<meta name="theme-color" content="#101010">']
    (style,) = example.public.glob("assets/style.*.css")
    assert "prefers-color-scheme" not in style.read_text(encoding="utf-8")
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize(("layout", "cards", "rows"), [("magazine", 6, 0), ("cards", 6, 0), ("list", 0, 6)])
def test_the_home_page_has_the_layout_in_the_settings(
    example: "ExampleSite", layout: str, cards: int, rows: int
) -> None:
    """One large card and others, cards alone, or rows as in archives."""
    example.settings_are(theme={"home": layout})
    example.make()
    text = example.text("index.html")
    assert (text.count('<article class="story'), text.count('<article class="row')) == (cards, rows)
    assert text.count('<article class="story lead') == (layout == "magazine")


def test_a_colour_with_low_contrast_is_noted(example: "ExampleSite") -> None:
    """The site is built."""
    example.settings_are(theme={"background": "#ffffff", "text": "#aaaaaa"})
    report = example.make()
    assert [note for note in report.notes if note.startswith("site.toml: theme.text has a contrast of 2.3:1")]


def test_titles_cannot_end_the_script_of_structured_data(example: "ExampleSite") -> None:
    """It stays one script with one JSON text; a site without a url has none."""
    title = "</script><script>alert(1)</script> \u2028 & <!--"
    example.post("calm", title=title, published=AT)
    example.make()
    text = example.text("blog/calm/index.html")
    (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data)["@graph"][0]["headline"] == title
    assert not set("<>&\u2028") & set(data)
    example.settings_are(url="")
    example.make()
    assert "ld+json" not in example.text("blog/calm/index.html")
