"""Pagefind's index of rendered pages: its contents, and equal files for equal pages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.errors import ConfigurationError
from sitecms.site.render.added_files import index_key, is_installed, make_index

PAGE = (
    '<!doctype html><html lang="{lang}"><title>{title}</title><main{mark}><h1>{title}</h1><p>{text}</p></main></html>'
)


@pytest.fixture(autouse=True)
def _pagefind(lacking: Callable[[str], None]) -> None:
    if not is_installed():
        lacking("Pagefind is not installed; pip install -e '.[test]'")


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
    """Folder and order of writing do not matter."""
    names = [f"{lang}p{number}" for number in range(12) for lang in ("", "es/", "list/")]
    bundles = []
    for number, order in enumerate((names, names[::-1], sorted(names))):
        bundle = tmp_path / f"bundle{number}"
        paths = make_index(make_site(tmp_path / f"site{number}", order), bundle)
        bundles.append({path: (bundle / path).read_bytes() for path in paths})
    assert bundles[0] == bundles[1] == bundles[2]


def test_an_error_of_pagefind_is_reported(tmp_path: Path) -> None:
    """The message has Pagefind's text."""
    (tmp_path / "site").mkdir()
    with pytest.raises(ConfigurationError, match="Pagefind could not index the site: "):
        make_index(tmp_path / "site", tmp_path / "bundle")


def test_the_key_depends_on_pages_and_not_on_their_order() -> None:
    """A changed, added or moved page changes the key."""
    pages = [("a", "1"), ("b", "2")]
    assert index_key(pages) == index_key(pages[::-1])
    others = [[("a", "1")], [("a", "1"), ("b", "3")], [("a", "1"), ("c", "2")], []]
    assert len({index_key(pages), *map(index_key, others)}) == 5
