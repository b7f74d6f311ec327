"""Errors and warnings in the Markdown of files, with their lines."""

import pytest

from sitecms.errors import InvalidFiles
from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


def test_an_error_in_the_text_has_its_line_in_the_file(folder: SiteFolder) -> None:
    """The file is not stored; the line counts from the beginning of the file, front matter included."""
    folder.post("a", 'One.\n\n::: video {poster="x"}\n:::')
    found = folder.load().errors
    assert [str(error) for error in found] == [
        'content/posts/a.md:7 body: has a directive video without src (write ::: video {src="media/..."})'
    ]


def test_an_unknown_directive_is_noted_and_stays(folder: SiteFolder) -> None:
    """Text of other systems loads as it is."""
    folder.post("a", "::: galery\nx\n:::")
    report = folder.load()
    assert report.errors == ()
    assert 'content/posts/a.md:5 body: has an unknown directive "galery" (did you mean "gallery"?)' in report.notes
    assert "::: galery" in folder.find("a").body


def test_extensions_follow_the_settings(folder: SiteFolder) -> None:
    """A change of the settings renders posts again but for edited ones; callouts are in the language of the post."""
    folder.post("a", "> [!NOTE]\n> ==x==", locale="es")
    folder.post("edited", "==x==")
    folder.load()
    folder.edit("edited", title="By hand")
    assert '<p class="callout-title">Nota</p>' in folder.find("a").body
    assert "<mark>x</mark>" in folder.find("a").body
    folder.add_settings("[markdown]\nmark = false")
    assert folder.load().loaded == ("content/posts/a.md",)
    assert "==x==" in folder.find("a").body
    assert (folder.find("edited").title, folder.load().loaded) == ("By hand", ())


def test_a_mistyped_footnote_is_noted_with_its_line(folder: SiteFolder) -> None:
    """The note that nobody sees is named, too; the file is stored."""
    folder.post("a", "One.\n\nText[^nots] and [a][mising].\n\n[^notes]: The source.\n\n[missing]: /x\n")
    report = folder.load()
    assert report.errors == ()
    _undated, unknown_note, unseen_note, unknown_link = report.notes
    assert unknown_note == (
        'content/posts/a.md:7 body: refers to the footnote [^nots], which is not defined (did you mean "[^notes]"?)'
    )
    assert unseen_note.startswith("content/posts/a.md:9 body: has the footnote [^notes], to which nothing refers")
    assert unknown_link.startswith("content/posts/a.md:7 body: has the link [a][mising], but no definition of")


def test_a_formula_that_nobody_knows_keeps_no_post_off_the_site(folder: SiteFolder) -> None:
    """It is noted with its line; a new setting of commands renders the post again."""
    settings = folder.folder / "site.toml"
    plain = settings.read_text(encoding="utf-8")
    folder.write("site.toml", f"{plain}[markdown]\nmath = true\n")
    folder.post("a", "One\nand $\\ce{H_2O}$.")
    report = folder.load()
    assert report.errors == ()
    _undated, note = report.notes
    assert note.startswith('content/posts/a.md:6 body: has a formula that cannot be converted: Unknown command "\\ce".')
    assert '<code class="math-source">\\ce{H_2O}</code>' in folder.find("a").body
    folder.write("site.toml", f"{plain}[markdown]\nmath = true\nmath_macros.ce = '\\mathrm{{#1}}'\n")
    assert folder.load().loaded == ("content/posts/a.md",)
    assert "<msub>" in folder.find("a").body
    folder.write("site.toml", f"{plain}[markdown]\nmath = true\nmath_strict = true\n")
    report = folder.load()
    assert [error.file for error in report.errors] == ["content/posts/a.md"]
    assert "<msub>" in folder.find("a").body


def test_a_command_with_a_name_that_none_can_have_is_an_error_of_the_settings(folder: SiteFolder) -> None:
    """Names have no backslash and no digits."""
    folder.add_settings("[markdown]\nmath = true\n[markdown.math_macros]\nx1 = 'a'")
    with pytest.raises(InvalidFiles) as refused:
        folder.load()
    assert refused.value.errors[0].file == "site.toml"
