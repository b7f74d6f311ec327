"""Exports of Notion, in Markdown and CSV, and in HTML."""

import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import read_yaml
from sitecms.importing.readers.notion.properties import Properties, read_date
from sitecms.importing.readers.notion.tree import has_ids
from sitecms.importing.records import NoteKind
from sitecms.importing.source import Source
from tests.importing.imported import Imported, import_export

ROOT, BLOG, TIDE, SHOALS, BOATS, SLOOP = (letter * 32 for letter in "abcdef")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)
EXPORT: Mapping[str, str | bytes] = {
    f"Harbour {ROOT}.md": (
        f"# Harbour\n\nSee [Notes](Harbour/Notes%20{BLOG}.csv) and [Boats](Harbour/Boats%20{BOATS}.csv).\n"
    ),
    f"Harbour/Shoals {SHOALS}.md": (
        f"# Shoals\n\nMind them. [Back](../Harbour%20{ROOT}.md) and "
        f"[tide](https://www.notion.so/ann/Slack-water-{TIDE}?pvs=21), [away](https://example.org/x).\n\n"
        "<aside>\n⚓ Drop anchor.\n\n</aside>\n\n```\n<aside>\nkept\n</aside>\n```\n\n"
        "- [ ]  Buy rope\n- [x]  Paint hull\n"
    ),
    f"Harbour/Notes {BLOG}.csv": 'Name,Date\nSlack water,"March 4, 2024 10:22 AM"\n',
    f"Harbour/Notes {BLOG}_all.csv": (
        'Name,Date,Tags,Status,Author,Mood\nSlack water,"March 4, 2024 10:22 AM","sea, calm",Published,Ann Ray,quiet\n'
        "Storm,,,Idea,,\n"
    ),
    f"Harbour/Notes/Slack water {TIDE}.md": (
        "# Slack water: a study\n\nDate: March 4, 2024 10:22 AM\nTags: sea, calm\nStatus: Published\nAuthor: Ann Ray\n"
        "Mood: quiet\n\nNote: this is text.\n\n![A boat](Slack%20water/Untitled%201.png)\n\n"
        f"See [the shoals](../Shoals%20{SHOALS}.md#deep).\n"
    ),
    "Harbour/Notes/Slack water/Untitled 1.png": PNG,
    f"Harbour/Notes/Storm {'9' * 32}.md": "# Storm\n\nStatus: Idea\n\nSoon.\n",
    f"Harbour/Boats {BOATS}_all.csv": "Name,Length,Home port\nSloop,7 m,Cowes\n",
    f"Harbour/Boats/Sloop {SLOOP}.md": "# Sloop\n\nLength: 7 m\nHome port: Cowes\n\nA small one.\n",
}


def _import(tmp_path: Path, files: Mapping[str, str | bytes], *, parts: bool = False, **given: Any) -> Imported:
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    data = inner.getvalue()
    if parts:
        outer = BytesIO()
        with zipfile.ZipFile(outer, "w") as archive:
            archive.writestr("Export-12345678-1234-1234-1234-123456789abc-Part-1.zip", data)
        data = outer.getvalue()
    (tmp_path / "export.zip").write_bytes(data)
    return import_export(tmp_path, tmp_path / "export.zip", **given)


@pytest.mark.parametrize("parts", [False, True])
def test_workspace(tmp_path: Path, parts: bool) -> None:
    """Rows with dates become posts, other rows pages of a type, other pages single pages; parts are opened."""
    site = _import(tmp_path, EXPORT, parts=parts, timezone="Europe/Lisbon")
    post = site.post("slack-water-a-study")
    assert (post.data["title"], post.data["tags"], post.data["status"]) == (
        "Slack water: a study", ["sea", "calm"], "published",
    )  # fmt: skip
    assert post.data["published"].startswith("2024-03-04T10:22:00")
    assert post.body.startswith("Note: this is text.")
    assert "media/harbour/notes/slack-water/untitled-1.png" in post.body
    assert "(/shoals/#deep)" in post.body
    assert f"/{TIDE}/" in post.data["aliases"]
    assert site.post("storm").data["status"] == "draft"
    page = site.page("shoals")
    assert "[Back](/)" in page.body
    assert "[tide](/blog/slack-water-a-study/)" in page.body
    assert "> ⚓ Drop anchor." in page.body
    assert "<aside>\nkept" in page.body
    boat = site.entry("pages/boats/sloop")
    assert boat.data["fields"] == {"home_port": "Cowes", "length": "7 m"}
    schema: Any = read_yaml(tmp_path / "site/schema/page_types/boats.yaml")
    assert {field["slug"] for field in schema["fields"]} >= {"body", "length", "home_port"}
    home = site.page("harbour")
    assert "[Notes](/blog/)" in home.body
    assert 'home = "harbour"' in (tmp_path / "site/site.toml").read_text()
    assert (NoteKind.UNKNOWN_KEY, "property Mood") in site.report.notes
    again = _import(tmp_path, EXPORT, parts=parts, timezone="Europe/Lisbon")
    assert not any(what == "written" for _name, what in again.report.counts)


def test_html(tmp_path: Path) -> None:
    """Title, properties, cover and body come from the page; formulas, callouts and tasks become plain."""
    row = "<tr class='property-row property-row-{kind}'><th><span class='icon'></span>{name}</th><td>{value}</td></tr>"
    tags = "<span class='selected-value select-value-color-red'>sea</span><span class='selected-value'>calm</span>"
    rows = row.format(kind="date", name="Date", value="<time>@March 4, 2024</time>") + row.format(
        kind="multi_select", name="Tags", value=tags
    )
    body = (
        f"<p id='1'>See <a href='Slack%20water%20{TIDE}/Deep%20{SHOALS}.html'>deep</a>.</p>"
        "<figure class='callout' id='2'><div><span class='icon'>⚓</span></div><div>Anchor.</div></figure>"
        "<ul id='3' class='to-do-list'><li><div class='checkbox checkbox-on'></div> "
        "<span class='to-do-children-checked'>Rope</span></li></ul>"
        "<figure id='4' class='equation'><style>x</style><span class='katex-display'><span class='katex'><math>"
        "<annotation>a_1^2 \\, \\{b\\}</annotation></math></span></span></figure>"
    )
    page = (
        "<html><body><article id='x' class='page sans'><header><img class='page-cover-image' src='Notes/sea.png'/>"
        f"<h1 class='page-title'>Slack water</h1><table class='properties'><tbody>{rows}</tbody></table></header>"
        f"<div class='page-body'>{body}</div></article></body></html>"
    )
    deep = (
        page.replace("Slack water</h1>", "Deep</h1>").replace(rows, "").replace("<img class='page-cover-image'", "<i")
    )
    files: Mapping[str, str | bytes] = {
        "index.html": "<html><body>Sitemap</body></html>",
        f"Notes {BLOG}.csv": "Name,Date,Tags\nSlack water,March 4 2024,sea\n",
        f"Notes {BLOG}/Slack water {TIDE}.html": page,
        f"Notes {BLOG}/Notes/sea.png": PNG,
        f"Notes {BLOG}/Slack water {TIDE}/Deep {SHOALS}.html": deep,
    }
    site = _import(tmp_path, files)
    post = site.post("slack-water")
    assert post.data["tags"] == ["sea", "calm"]
    assert post.data["published"].startswith("2024-03-04")
    assert post.data["featured_image"] == "media/notes/notes/sea.png"
    assert "[deep](/slack-water/deep/)" in post.body
    assert "> ⚓ Anchor." in post.body
    assert "$$a_1^2 \\, \\{b\\}$$" in post.body
    assert "Rope" in post.body
    assert "katex" not in post.body


def test_table_without_pages(tmp_path: Path) -> None:
    """Rows of a table whose pages were not exported become entries all the same."""
    site = _import(tmp_path, {f"Notes {BLOG}.csv": "Name,Published,Summary\nSlack water,2024/03/04,It is calm\n"})
    post = site.post("slack-water")
    assert (post.data["summary"], post.data["published"][:10]) == ("It is calm", "2024-03-04")


def test_detection(tmp_path: Path) -> None:
    """Most names end in ids; files with a digest as their name are those of another program."""
    for name in (f"{TIDE}.md", f"a-{SLOOP}.md", "b.md", "c.md"):
        (tmp_path / name).write_text("# A\n")
    assert not has_ids(Source([str(tmp_path)]))
    (tmp_path / f"Slack water {TIDE}.md").write_text("# A\n")
    (tmp_path / f"Notes {BLOG}.csv").write_text("Name\n")
    (tmp_path / f"Boats {BOATS}.csv").write_text("Name\n")
    assert has_ids(Source([str(tmp_path)]))


def test_dates() -> None:
    """Words, slashes, East Asian signs, ranges and zones."""
    for text, expected in {
        "March 4, 2024 10:22 PM": datetime(2024, 3, 4, 22, 22, tzinfo=UTC),
        "April 5, 2023 9:00 AM (GMT+2) → April 6, 2023": datetime(2023, 4, 5, 7, tzinfo=UTC),
        "4 March 2024": datetime(2024, 3, 4, tzinfo=UTC),
        "31/12/2023": datetime(2023, 12, 31, tzinfo=UTC),
        "12/31/2023": datetime(2023, 12, 31, tzinfo=UTC),
        "2024年3月4日": datetime(2024, 3, 4, tzinfo=UTC),
    }.items():
        assert read_date(text, UTC) == expected
    assert read_date("soon", UTC) is None
    assert read_date("April 5, 2023 9:00 AM (GMT+99)", UTC) == datetime(2023, 4, 5, 9, tzinfo=UTC)


def test_properties_by_their_usual_names() -> None:
    """A checkbox may publish; relations lose the path behind their name."""
    found = Properties({"Published": "No", "Tags": "Sea (../Tags/Sea%20abc.md), Calm", "Slug": "/notes/calm/"}, UTC)
    assert found.status()[1] == "published: No"
    assert found.names("tags") == ("Sea", "Calm")
    assert found.facts()["slug"] == "calm"
