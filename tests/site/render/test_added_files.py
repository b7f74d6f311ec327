"""Search index, compressed copies, options of the theme and structured data of built sites."""

import gzip
import json
import re
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import brotli
import pytest

from sitecms.errors import ConfigurationError, ProgramFailed
from sitecms.optional_packages import PAGEFIND, has_pagefind
from sitecms.site.render import added_files
from sitecms.site.render.added_files import compressed, index_key, is_compressible, make_index
from sitecms.site.report import Report
from tests.support.sites import ExampleSite

AT = "2026-02-01T08:00:00Z"
ON: dict[str, Any] = {"search": {"enabled": True}}


@pytest.fixture
def searchable(example: ExampleSite, lacking: Callable[[str], None]) -> ExampleSite:
    """The small site with search."""
    if not has_pagefind():
        lacking("there is no Pagefind for this machine")
    example.settings_are(**ON)
    return example


def bundle(example: ExampleSite) -> dict[str, bytes]:
    return {path: data for path, data in example.tree().items() if path.startswith("pagefind/")}


@pytest.fixture
def broken_pagefind(tmp_path: Path) -> Callable[[pytest.MonkeyPatch], None]:
    """Install a program in place of Pagefind that fails."""
    program = tmp_path / "pagefind"
    program.write_text("#!/bin/sh\necho broken; exit 1\n")
    program.chmod(0o755)
    package = next(name for name in PAGEFIND if find_spec(name))
    return lambda patch: patch.setattr(f"{package}.get_executable", lambda: program)


def indexed(example: ExampleSite) -> set[str]:
    """Return the addresses in the search index."""
    fragments = [data for path, data in bundle(example).items() if path.endswith(".pf_fragment")]
    return {json.loads(gzip.decompress(data)[len(b"pagefind_dcd") :])["url"] for data in fragments}


def notes_of_pagefind(report: Report) -> list[str]:
    return [note for note in report.notes if "Pagefind" in note]


def test_only_posts_and_pages_are_indexed(searchable: ExampleSite) -> None:
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


def test_an_index_is_kept_while_its_pages_are_equal(
    searchable: ExampleSite, monkeypatch: pytest.MonkeyPatch, broken_pagefind: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """Changed headers, footers, styles and ignored elements do not run Pagefind."""
    searchable.make()
    before = bundle(searchable)
    with monkeypatch.context() as patch:
        broken_pagefind(patch)
        for notes in (".sitecms/search.json", "no such file"):
            (searchable.folder / notes).unlink(missing_ok=True)
            searchable.write("templates/parts/footer.html", f"<footer>Another footer, {notes}</footer>")
            restyled = searchable.make()
            searchable.settings_are(**ON, theme={"accent": "#225588"}, name=f"Ebb {len(notes)}")
            for report in (restyled, searchable.make()):
                assert report.written > 5
                assert notes_of_pagefind(report) == []
    assert bundle(searchable) == before
    searchable.write(".sitecms/search.json", "{broken")
    searchable.post("calm", "Other words.", published=AT, slug="calm")
    searchable.make()
    assert bundle(searchable) != before
    assert searchable.tree() == searchable.clean_tree()


def test_a_changed_page_renews_the_index(
    searchable: ExampleSite, monkeypatch: pytest.MonkeyPatch, broken_pagefind: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """It equals that of a clean build; an unchanged site does not run Pagefind."""
    searchable.make()
    before = bundle(searchable)
    searchable.post("calm", "Barnacles, and the word barnacle.", published=AT)
    assert searchable.make().failed == {}
    assert bundle(searchable) != before
    assert searchable.tree() == searchable.clean_tree()
    broken_pagefind(monkeypatch)
    report = searchable.make()
    assert (report.written, notes_of_pagefind(report)) == (0, [])
    searchable.post("calm", "Limpets.", published=AT)
    (note,) = notes_of_pagefind(searchable.make())
    assert note.startswith("Pagefind could not index the site: broken")


def test_a_site_is_published_without_a_new_index_where_pagefind_takes_too_long(
    searchable: ExampleSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old index stays, a line says so, and Pagefind is tried again with other pages, or by a clean build."""
    searchable.make()
    before = bundle(searchable)
    searchable.post("calm", "Barnacles.", published=AT)
    with monkeypatch.context() as patch:
        patch.setattr(added_files, "_SECONDS", 0.0)
        patch.setattr(added_files, "_SECONDS_PER_MEGABYTE", 0.0)
        (note,) = notes_of_pagefind(searchable.make())
    assert note.startswith("Pagefind did not finish the search index within 0 seconds. The site was published without")
    assert "Barnacles." in searchable.text("blog/calm/index.html")
    assert bundle(searchable) == before
    searchable.settings_are(**ON, name="Ebb")
    (note,) = notes_of_pagefind(searchable.make())
    assert note.startswith("Pagefind has failed with these pages before, and was not tried again.")
    assert bundle(searchable) == before
    searchable.post("calm", "Limpets.", published=AT)
    assert notes_of_pagefind(searchable.make()) == []
    assert bundle(searchable) != before
    assert searchable.tree() == searchable.clean_tree()


def test_a_word_of_megabytes_does_not_stop_the_search(searchable: ExampleSite) -> None:
    """Pagefind would take hours: its time grows with the square of a word."""
    searchable.post("calm", "y" * 3_000_000, published=AT)
    assert notes_of_pagefind(searchable.make()) == []
    assert "/blog/calm/" in indexed(searchable)


def test_a_deleted_post_leaves_the_index(searchable: ExampleSite) -> None:
    """Its fragment is pruned."""
    searchable.make()
    searchable.remove("content/posts/calm.md")
    searchable.make()
    assert "/blog/calm/" not in indexed(searchable)
    assert searchable.tree() == searchable.clean_tree()


def test_switching_search_off_removes_it(searchable: ExampleSite) -> None:
    """Pages, index, links and the source in the policy are gone."""
    searchable.make()
    searchable.settings_are(search={"enabled": False})
    searchable.make()
    assert bundle(searchable) == {}
    assert not (searchable.public / "search").exists()
    assert "/search/" not in searchable.text("blog/calm/index.html")
    assert "wasm-unsafe-eval" not in searchable.text("_headers")
    assert searchable.tree() == searchable.clean_tree()


def test_search_is_left_out_with_a_note_without_pagefind(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything else is built, without links to search."""
    example.settings_are(**ON)
    for module in PAGEFIND:
        monkeypatch.setitem(sys.modules, module, None)
    (note,) = example.make().notes
    assert note.startswith("Search is left out: Pagefind, which makes the index of the search, has no program for this")
    assert note.endswith(" or set enabled = false under [search].")
    assert not (example.public / "search").exists()
    assert "/search/" not in example.text("blog/calm/index.html")


def test_an_empty_site_has_no_search(searchable: ExampleSite) -> None:
    """Pagefind cannot make an empty index."""
    for folder in ("posts", "pages"):
        for path in sorted((searchable.folder / "content" / folder).rglob("*.*")):
            path.unlink()
    assert searchable.make().failed == {}
    assert not (searchable.public / "search").exists()


def test_every_text_output_has_compressed_copies(example: ExampleSite) -> None:
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


def test_copies_of_deleted_outputs_are_pruned(example: ExampleSite) -> None:
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


def test_missing_brotli_is_an_error(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is published."""
    example.make()
    before = example.tree()
    example.settings_are(delivery={"precompress": ["br"]})
    monkeypatch.setitem(sys.modules, "brotli", None)
    example.load()
    with pytest.raises(ConfigurationError, match=r"precompress.* needs brotli, which is not installed"):
        example.build()
    assert example.tree() == before


def test_options_of_the_theme_change_every_page(example: ExampleSite) -> None:
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
def test_the_home_page_has_the_layout_in_the_settings(example: ExampleSite, layout: str, cards: int, rows: int) -> None:
    """One large card and others, cards alone, or rows as in archives."""
    example.settings_are(theme={"home": layout})
    example.make()
    text = example.text("index.html")
    assert (text.count('<article class="story'), text.count('<article class="row')) == (cards, rows)
    assert text.count('<article class="story lead') == (layout == "magazine")


def test_a_colour_with_low_contrast_is_noted(example: ExampleSite) -> None:
    """The site is built."""
    example.settings_are(theme={"background": "#ffffff", "text": "#aaaaaa"})
    report = example.make()
    assert [note for note in report.notes if note.startswith("site.toml: theme.text has a contrast of 2.3:1")]


def test_titles_cannot_end_the_script_of_structured_data(example: ExampleSite) -> None:
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


PAGE = (
    '<!doctype html><html lang="{lang}"><title>{title}</title><main{mark}><h1>{title}</h1><p>{text}</p></main></html>'
)


@pytest.fixture(autouse=True)
def _pagefind(lacking: Callable[[str], None]) -> None:
    if not has_pagefind():
        lacking("there is no Pagefind for this machine")


def make_site(folder: Path, names: list[str]) -> Path:
    for name in names:
        lang = "es" if "es" in name else "en"
        mark = "" if "list" in name else " data-pagefind-body"
        path = folder / name / "index.html"
        path.parent.mkdir(parents=True)
        path.write_text(PAGE.format(lang=lang, title=name, mark=mark, text=f"word {name}"), encoding="utf-8")
    return folder


def test_each_language_has_an_index_of_marked_pages(tmp_path: Path) -> None:
    """Lists are not indexed; Pagefind's own interfaces are left out."""
    site = make_site(tmp_path / "site", ["calm", "drift", "es/marea", "list"])
    paths = make_index(site, tmp_path / "bundle")
    assert {"pagefind.js", "pagefind-worker.js", "pagefind-entry.json", "wasm.en.pagefind"} <= set(paths)
    assert len([path for path in paths if path.startswith("fragment/en_")]) == 2
    assert len([path for path in paths if path.startswith("fragment/es_")]) == 1
    assert not [path for path in paths if "ui" in path]


def test_equal_pages_make_equal_files(tmp_path: Path) -> None:
    """The folder does not matter, and languages stand in one order; pages are written in the order of their paths."""
    names = sorted(f"{lang}p{number}" for number in range(12) for lang in ("", "es/", "list/"))
    bundles = []
    for number in range(3):
        bundle = tmp_path / f"bundle{number}"
        paths = make_index(make_site(tmp_path / f"site{number}", names), bundle)
        bundles.append({path: (bundle / path).read_bytes() for path in paths})
    assert bundles[0] == bundles[1] == bundles[2]


def test_an_error_of_pagefind_is_reported(tmp_path: Path) -> None:
    """The message has Pagefind's text."""
    (tmp_path / "site").mkdir()
    with pytest.raises(ProgramFailed, match="Pagefind could not index the site: "):
        make_index(tmp_path / "site", tmp_path / "bundle")


def test_the_key_depends_on_pages_and_not_on_their_order() -> None:
    """A changed, added or moved page changes the key."""
    pages = [("a", "1"), ("b", "2")]
    assert index_key(pages) == index_key(pages[::-1])
    others = [[("a", "1")], [("a", "1"), ("b", "3")], [("a", "1"), ("c", "2")], []]
    assert len({index_key(pages), *map(index_key, others)}) == 5


TEXT = b"<p>The sea, the sea.</p>\n" * 40


def test_a_copy_decompresses_to_the_same_bytes() -> None:
    """This holds for both encodings."""
    assert gzip.decompress(compressed(TEXT, "gz") or b"") == TEXT
    assert brotli.decompress(compressed(TEXT, "br") or b"") == TEXT


def test_a_copy_has_no_time_stamp() -> None:
    """Equal bytes make an equal copy a second later."""
    first = compressed(TEXT, "gz")
    time.sleep(1.1)
    assert compressed(TEXT, "gz") == first
    assert (first or b"")[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize("encoding", ["gz", "br"])
def test_a_copy_that_is_not_smaller_is_left_out(encoding: str) -> None:
    """A few letters have no copy."""
    assert compressed(b"ab", encoding) is None


@pytest.mark.parametrize(
    ("path", "is_text"),
    [
        ("blog/index.html", True),
        ("rss.xml", True),
        ("assets/style.1.css", True),
        ("media/a.svg", True),
        ("media/a.jpg", False),
        ("assets/f.woff2", False),
        ("pagefind/wasm.en.pagefind", False),
        ("_headers", False),
    ],
)
def test_only_text_is_compressed(path: str, is_text: bool) -> None:
    """The extension of the path decides."""
    assert is_compressible(path) is is_text
