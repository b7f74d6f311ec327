"""Exports of WordPress that are written by hand, by plug-ins or by programs that do not know XML well."""

from pathlib import Path

import pytest

from sitecms.documents import read_front_matter, read_yaml
from sitecms.errors import InvalidRequest
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.building import import_and_build
from tests.importing.offline import OFFLINE
from tests.importing.wxr import export, item


def _import(folder: Path, text: str) -> ImportReport:
    (folder / "export.xml").write_text(text, encoding="utf-8")
    return import_and_build(folder / "site", folder / "export.xml")


def _body(folder: Path, name: str = "post-1") -> str:
    return read_front_matter(folder / f"site/content/posts/{name}.md").body.strip()


@pytest.mark.parametrize(
    ("content", "body"),
    [
        ("Before <code>&lt;![CDATA[ x ]]&gt;</code> after", "Before `<![CDATA[ x ]]>` after"),
        ("Ends with ]]]]><![CDATA[> and goes on", "Ends with \\]\\]> and goes on"),
        ("Ends with ]]> and goes on", "Ends with \\]\\]> and goes on"),
        ("One]]><![CDATA[ two]]>\n  <![CDATA[ three", "One two\\\n three"),
        (r"C:\htdocs\new isn\'t \"it\" now", r"""C:\\htdocs\\new isn\\'t \\"it\\" now"""),
        ("First.\n\n\n\n\nSecond.", "First.\n\nSecond."),
        ("&lol1;&lol1; &amp; &nbsp;x", "&amp;lol1;&amp;lol1; & x"),
    ],
)
def test_a_text_arrives_as_wordpress_shows_it(tmp_path: Path, content: str, body: str) -> None:
    """Ends of CDATA in a text, escaped or not; parts of CDATA; backslashes; empty lines; undeclared entities."""
    _import(tmp_path, export(item(1, content=content), item(2, "Next", "<p>Whole.</p>")))
    assert " ".join(_body(tmp_path).split()) == " ".join(body.split())
    assert _body(tmp_path, "post-2") == "Whole."


def test_names_on_lines_of_their_own(tmp_path: Path) -> None:
    """White space around values is no part of them, and a version that is no number is nobody's concern."""
    text = export(item(1)).replace("<wp:author_login>ann<", "<wp:author_login>ann\n<")
    text = text.replace("<wp:wxr_version>1.2", "<wp:wxr_version>abc").replace("<![CDATA[ann]]>", "\n ann\n")
    _import(tmp_path, text)
    authors = read_yaml(tmp_path / "site/content/authors.yaml")
    assert authors == [{"slug": "ann", "first_name": "Ann", "last_name": "Ray"}]
    assert read_front_matter(tmp_path / "site/content/posts/post-1.md").data["author"] == "ann"


def test_an_item_with_nothing_but_a_text(tmp_path: Path) -> None:
    """No title, link, date, author, name or number: the words are published all the same."""
    kind = "<wp:post_type>post</wp:post_type><wp:status>publish</wp:status>"
    bare = f"<item>{kind}<content:encoded>Words.</content:encoded></item>"
    _import(tmp_path, export(bare, bare.replace("Words.", "Other words.")))
    texts = "".join(path.read_text() for path in (tmp_path / "site/content/posts").iterdir())
    assert "\nWords.\n" in texts
    assert "\nOther words.\n" in texts


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    """The error names the line; with --partial, what is whole is taken."""
    text = export(item(1), item(2, "Two"))
    (tmp_path / "export.xml").write_text(text[: text.rindex("<content:encoded>") + 30])
    with pytest.raises(InvalidRequest, match="is cut off in line"):
        import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    options = ImportOptions(media=OFFLINE, reader=ReaderOptions(is_partial=True))
    report = import_site(tmp_path / "site", [str(tmp_path / "export.xml")], options)
    assert report.counts["posts", "written"] == 1
    assert (NoteKind.REPAIRED, "the file is cut off here, and what follows is missing") in report.notes
