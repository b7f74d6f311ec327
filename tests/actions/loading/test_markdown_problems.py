"""Errors and warnings in the Markdown of files, with their lines."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder


def test_an_error_in_the_text_has_its_line_in_the_file(folder: "SiteFolder") -> None:
    """The file is not stored; the line counts from the beginning of the file, front matter included."""
    folder.post("a", 'One.\n\n::: video {poster="x"}\n:::')
    found = folder.load().errors
    assert [str(error) for error in found] == [
        'content/posts/a.md:7 body: has a directive video without src (write ::: video {src="media/..."})'
    ]


def test_an_unknown_directive_is_noted_and_stays(folder: "SiteFolder") -> None:
    """Text of other systems loads as it is."""
    folder.post("a", "::: galery\nx\n:::")
    report = folder.load()
    assert report.errors == ()
    assert 'content/posts/a.md:5 body: has an unknown directive "galery" (did you mean "gallery"?)' in report.notes
    assert "::: galery" in folder.find("a").body


def test_extensions_follow_the_settings(folder: "SiteFolder") -> None:
    """A change of the settings renders posts again; titles of callouts are in the language of the post."""
    folder.post("a", "> [!NOTE]\n> ==x==", locale="es")
    folder.load()
    assert '<p class="callout-title">Nota</p>' in folder.find("a").body
    assert "<mark>x</mark>" in folder.find("a").body
    with (folder.folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write("[markdown]\nmark = false\n")
    assert folder.load().loaded == ("content/posts/a.md",)
    assert "==x==" in folder.find("a").body


def test_a_mistyped_footnote_is_noted_with_its_line(folder: "SiteFolder") -> None:
    """The note that nobody sees is named, too; the file is stored."""
    folder.post("a", "One.\n\nText[^nots] and [a][mising].\n\n[^notes]: The source.\n\n[missing]: /x\n")
    report = folder.load()
    assert report.errors == ()
    unknown_note, unseen_note, unknown_link = report.notes
    assert unknown_note == (
        'content/posts/a.md:7 body: refers to the footnote [^nots], which is not defined (did you mean "[^notes]"?)'
    )
    assert unseen_note.startswith("content/posts/a.md:9 body: has the footnote [^notes], to which nothing refers")
    assert unknown_link.startswith("content/posts/a.md:7 body: has the link [a][mising], but no definition of")
