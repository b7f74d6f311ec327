"""Addresses of a source that cannot be parsed: text, which ends no import."""

from pathlib import Path

import pytest

from sitecms.documents import read_front_matter
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.records import NoteKind
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.offline import OFFLINE
from tests.importing.wxr import HEAD, TAIL, export, item

ODD = "http://[x"
ATTACHMENT = item(2, kind="attachment", extra=f"<wp:attachment_url>{ODD}</wp:attachment_url>")
PLACES = {
    "picture": export(item(1, content=f'<p>Text.</p><img src="{ODD}">')),
    "link": export(item(1, content=f'<p>Text.</p><a href="{ODD}">link</a>')),
    "frame": export(item(1, content=f'<p>Text.</p><iframe src="{ODD}"></iframe>')),
    "address alone": export(item(1, content=f"Text.\n\n{ODD}/\n\n")),
    "shortcode": export(item(1, content=f"Text. [embed]{ODD}[/embed] [video src='{ODD}/a.mp4'] [youtube {ODD}]")),
    "post": export(item(1, content="<p>Text.</p>", link=ODD)),
    "attachment": export(item(1, content="<p>Text.</p>"), ATTACHMENT),
    "featured image": export(item(1, content="<p>Text.</p>", meta={"_thumbnail_id": "2"}), ATTACHMENT),
    "channel": (HEAD + item(1, content="<p>Text.</p>") + TAIL).replace("https://old.example", ODD),
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES.keys())
def test_an_export_of_wordpress_is_read_whole(tmp_path: Path, text: str) -> None:
    """The address stays as it was written, or is left out with a note; the post is there."""
    (tmp_path / "export.xml").write_text(text, encoding="utf-8")
    import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    posts = list((tmp_path / "site/content/posts").glob("*.md"))
    assert ["Text." in read_front_matter(post).body for post in posts] == [True]


def test_an_old_url_that_cannot_be_parsed_names_no_site(tmp_path: Path) -> None:
    """Neither does the address of a picture in front matter, or in the text."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old/a.md").write_text(
        f"---\ntitle: A\nimage: {ODD}\nurl: '{ODD}'\n---\nText. ![a]({ODD}) [b]({ODD}) <img src='{ODD}'>\n"
    )
    options = ImportOptions(media=OFFLINE, reader=ReaderOptions(old_url=ODD))
    report = import_site(tmp_path / "site", [str(tmp_path / "old")], options)
    assert any(kind is NoteKind.LINK for kind, _subject in report.notes)
    assert read_front_matter(next((tmp_path / "site/content").rglob("*.md"))).body.strip().startswith("Text.")
