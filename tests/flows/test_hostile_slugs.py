"""Slugs that file systems find hard, from content file to published file."""

import unicodedata

import pytest

from tests.support.sites import ExampleSite

AT = "2026-02-20T08:00:00Z"


def test_hostile_slugs_have_files_of_their_own_inside_the_folder(example: ExampleSite) -> None:
    """Long ones in any script, names of devices, and titles of which no letter can stand."""
    slugs = ["候" * 100, "候" * 99 + "七", "é" * 100, "con", "nul", "aux", "x" * 100, "index-html"]
    for number, slug in enumerate(slugs):
        example.post(f"hostile-{number}", title=f"Title {number}", slug=slug, published=AT)
    example.write("content/posts/empty.md", f'---\ntitle: "!?"\npublished: {AT}\n---\nText\n')
    example.load(prune=True)
    example.build()
    pages = [path for path in example.tree() if path.startswith("blog/") and b"<article" in example.tree()[path]]
    shown = {path for path in pages for number in range(len(slugs)) if f"Title {number}</h1>" in example.text(path)}
    assert len(shown) == len(slugs)
    for path in example.tree():
        assert all(0 < len(part.encode()) <= 255 and part not in (".", "..") for part in path.split("/"))
    folded = {unicodedata.normalize("NFC", path).lower() for path in example.tree()}
    assert len(folded) == len(example.tree())


@pytest.mark.parametrize(
    ("one", "other"), [("/Log/{slug}/", "/log/{slug}/"), ("/caf\u00e9/{slug}/", "/cafe\u0301/{slug}/")],
    ids=["case", "Unicode form"],
)  # fmt: skip
def test_of_twins_by_case_or_unicode_form_one_is_built(example: ExampleSite, one: str, other: str) -> None:
    """On many systems they are one file, where either would silently cover the other; the rest is built."""
    example.write("content/pages/_single/ebb.md", "---\ntitle: Ebb page\nslug: ebb\nstatus: published\n---\nx\n")
    example.load(prune=True)
    example.settings_are(permalinks={"post": one, "single_page": other})
    (error,) = example.build().left_out
    assert "on many systems" in error.problem
    assert len([path for path in example.tree() if path.endswith("/ebb/index.html")]) == 1


def test_an_old_address_in_capitals_may_lead_to_its_page(example: ExampleSite) -> None:
    """Web servers redirect from it; a page of its own would replace the post where both names are one file."""
    example.post("ebb", aliases=["/Blog/Ebb/"], published=AT)
    example.load(prune=True)
    example.build()
    assert "/Blog/Ebb/ /blog/ebb/ 301" in " ".join(example.text("_redirects").split())
    assert "Blog/Ebb/index.html" not in example.tree()
    assert "Ebb" in example.text("blog/ebb/index.html")
