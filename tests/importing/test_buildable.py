"""What an import writes is checked by the rules of load and build: one bad record costs itself, never the site."""

from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import read_front_matter, read_yaml
from sitecms.importing.conversion import WORTH_PROCESSES
from sitecms.importing.readers.wordpress.body import BodyConverter
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from tests.importing.building import import_and_build
from tests.importing.wxr import export, item

OLD = "https://old.example"


def _import(folder: Path, *items: str) -> ImportReport:
    (folder / "export.xml").write_text(export(*items), encoding="utf-8")
    return import_and_build(folder / "site", folder / "export.xml")


def _built(folder: Path, path: str) -> str:
    return (folder / "site/public" / path / "index.html").read_text(encoding="utf-8")


def test_a_page_at_the_address_of_a_list_moves_aside(tmp_path: Path) -> None:
    """The list of the term stays, the page gets an address of its own, and the report says so."""
    post = item(1, terms=[("post_tag", "moon", "Moon")])
    page = item(2, "On the moon", "<p>Craters.</p>", kind="page", name="moon", link=f"{OLD}/tag/moon/")
    report = _import(tmp_path, post, page)
    assert "Craters." in _built(tmp_path, "moon")
    assert "A post" in _built(tmp_path, "tag/moon")
    subject = "the site has a list at the old address of an entry, which got another one"
    assert report.notes[NoteKind.ADDRESS, subject].count == 1


def test_a_front_page_without_content_moves_aside(tmp_path: Path) -> None:
    """The old theme filled it; the new home page has the latest posts."""
    front = item(1, "Front", "", kind="page", name="front", link=f"{OLD}/")
    _import(tmp_path, front, item(2), item(3, "Tide", "<p>Low.</p>", kind="page", name="tide"))
    assert "A post" in _built(tmp_path, "")
    assert "Front" in _built(tmp_path, "front")


def test_two_entries_at_one_address_are_two_pages(tmp_path: Path) -> None:
    """Also where file systems compare the addresses without regard to letter case."""
    first = item(1, "First", kind="page", name="about", link=f"{OLD}/about/")
    second = item(2, "Second", kind="page", name="about-us", link=f"{OLD}/About/")
    third = item(3, "Third", name="about-them", link=f"{OLD}/about/")
    _import(tmp_path, first, second, third, item(4), item(5))
    assert "First" in _built(tmp_path, "about")
    assert "Second" in _built(tmp_path, "about-us")
    assert "Third" in _built(tmp_path, "2012/03/about-them")


def test_an_alias_below_a_page_that_is_a_file_is_left_out(tmp_path: Path) -> None:
    """`/about.html` cannot be the folder of an old address."""
    page = item(1, kind="page", name="about", link=f"{OLD}/about.html")
    lost = item(2, name="team", link=f"{OLD}/about.html/team/")
    _import(tmp_path, page, lost, item(3))
    assert (tmp_path / "site/public/about.html").is_file()


def test_names_with_control_characters_are_cleaned(tmp_path: Path) -> None:
    """A term with such a character in its name is one term with that without it, and with other spaces or case."""
    names = ("Moon\x7f tide", "moon  tide", "Moon Tide ")
    _import(tmp_path, *(item(n, terms=[("post_tag", f"m{n}", name)]) for n, name in enumerate(names, 1)))
    terms: Any = read_yaml(tmp_path / "site/content/tags.yaml")
    assert [term["name"] for term in terms] == ["Moon tide"]
    assert read_front_matter(tmp_path / "site/content/posts/post-3.md").data["tags"] == ["Moon tide"]


@pytest.mark.parametrize("kind", ["search", "日本", "Book"])
def test_any_type_of_item_gets_a_page_type(tmp_path: Path, kind: str) -> None:
    """Also one whose name the API has, or that no file can have."""
    _import(tmp_path, item(1, kind=kind, link=f"{OLD}/x/"), item(2))
    assert len(list((tmp_path / "site/schema/page_types").iterdir())) == 1


@pytest.mark.parametrize("count", [3, WORTH_PROCESSES + 1])
def test_a_body_that_cannot_be_converted_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Its text stays as it is, with a line; the others are converted, in one process and in several."""
    convert = BodyConverter.html

    def html(self: BodyConverter, text: str) -> str:
        if "bad" in text:
            raise ValueError("no such thing")
        return convert(self, text)

    monkeypatch.setattr(BodyConverter, "html", html)
    items = [item(n, content="<p>A <b>bad</b> one.</p>" if n == 2 else "<p>Fine.</p>") for n in range(1, count + 1)]
    report = _import(tmp_path, *items)
    assert "bad" in (tmp_path / "site/content/posts/post-2.md").read_text()
    subject = "ValueError: no such thing"
    assert report.notes[NoteKind.BODY, subject].count == 1
    assert report.counts["posts", "written"] == count


def test_a_key_that_load_refuses_is_left_out(tmp_path: Path) -> None:
    """An author's name that is longer than a slug may be costs that key; the rest of the post arrives."""
    long = item(1).replace("<![CDATA[ann]]>", f"<![CDATA[{'a' * 300}]]>")
    _import(tmp_path, long, item(2))
    assert read_front_matter(tmp_path / "site/content/posts/post-1.md").data["title"] == "A post"
