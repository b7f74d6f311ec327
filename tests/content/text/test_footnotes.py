"""Footnotes: their names for screen readers, and warnings where a note or a definition has no other half."""

import re

import pytest

from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown import render
from sitecms.content.text.markdown.words import CALLOUT_TITLES, FOOTNOTE_WORDS
from sitecms.content.text.removed_markup import Dropped
from sitecms.resources import resource_dir

TWICE = "One[^a], again[^a], two^[inline *note*].\n\n[^a]: The note.\n"


def warnings(text: str) -> list[tuple[int, str, str]]:
    """Line, message and remedy of each warning."""
    found: list[tuple[int, str, str]] = []
    render(text, problem=lambda each: found.append((each.line, each.message, each.remedy)))
    return found


def test_references_and_notes_have_roles_and_names() -> None:
    """Each link says where it leads; links back to several references of a note differ."""
    removed: list[Dropped] = []
    html = render(TWICE, report=removed.append)
    link = 'role="doc-noteref" aria-label="Footnote 1">[1]</a></sup>'
    assert f'One<sup class="footnote-ref"><a href="#fn1" id="fnref1" {link}, again' in html
    assert f', again<sup class="footnote-ref"><a href="#fn1" id="fnref1:1" {link}, two' in html
    assert '<section class="footnotes" role="doc-endnotes" aria-label="Footnotes">\n<ol class="footnotes-list">' in html
    link = 'class="footnote-backref" role="doc-backlink" aria-label="Back to reference 1'
    first, second = f'<a href="#fnref1" {link}">↩︎</a>', f'<a href="#fnref1:1" {link}-2">↩︎<sup>2</sup></a>'
    assert f'<li id="fn1" class="footnote-item"><p>The note. {first} {second}</p>' in html
    assert "<p>inline <em>note</em> <a" in html
    assert (sanitize(html), removed) == (html, [])
    targets = re.findall(r'href="#([^"]*)"', html)
    assert set(targets) <= set(re.findall(r'id="([^"]*)"', html))
    assert len(set(targets)) == len(targets) - 1  # two references to one note


@pytest.mark.parametrize(
    ("locale", "label", "name"),
    [
        ("de-CH", "Fußnoten", "Fußnote 1"),
        ("ja", "脚注", "脚注 1"),
        ("no", "Fotnoter", "Fotnote 1"),
        ("xx", "Footnotes", "Footnote 1"),
    ],
)
def test_names_are_in_the_language_of_the_text(locale: str, label: str, name: str) -> None:
    """English for languages without words."""
    html = render(TWICE, language=locale)
    assert f'aria-label="{label}">' in html
    assert f'aria-label="{name}">[1]' in html


def test_words_are_there_in_every_language_of_the_theme() -> None:
    """Callouts and footnotes speak the languages that the pages around them speak."""
    catalogues = resource_dir("templates") / "themes/default/translations"
    languages = {path.stem for path in catalogues.glob("*.po")} | {"en"}
    assert CALLOUT_TITLES.keys() == FOOTNOTE_WORDS.keys() == languages
    for words in FOOTNOTE_WORDS.values():
        assert ["{}" in word for word in words] == [False, True, True]


def test_only_roles_of_footnotes_are_kept() -> None:
    """No text gives its parts the role of something else."""
    assert sanitize('<section role="alert"><a href="/x" role="button">x</a></section>') == (
        '<section><a href="/x">x</a></section>'
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A.\nText[^nots].\n\n[^notes]: The source.\n", [
            (2, "refers to the footnote [^nots], which is not defined", 'did you mean "[^notes]"?'),
            (4, "has the footnote [^notes], to which nothing refers, so it is not shown",
             "write [^notes] where it belongs"),
        ]),
        ("Text[^1] and[^1].", [
            (1, "refers to the footnote [^1], which is not defined", "add a line that begins with [^1]:"),
        ]),
        ("Text[^a].\n\n[^a]: One.\n\n[^a]: Two.\n", [
            (3, "has the footnote [^a], which is defined again below, so this note is not shown",
             "give one of them another name"),
        ]),
        ("- One\n- See [the docs][mdn-doc] and\n  [MDN][].\n\n[mdn-docs]: https://a.example\n", [
            (2, "has the link [the docs][mdn-doc], but no definition of [mdn-doc]", 'did you mean "[mdn-docs]"?'),
            (3, "has the link [MDN][], but no definition of [MDN]", "add a line such as [MDN]: https://…"),
        ]),
        ("[a]\n\n[a]: /one\n[A]: /two\n[a]: /one\n", [
            (4, "defines the link [a] again, which has no effect: the first definition counts",
             "remove it, or give it another name"),
        ]),
    ],
)  # fmt: skip
def test_what_has_no_other_half_is_named(text: str, found: list[tuple[int, str, str]]) -> None:
    """With its line, and what was probably meant; the text is shown as it is written."""
    assert warnings(text) == found


@pytest.mark.parametrize(
    "text",
    [
        TWICE,
        "`[^x]` and `[a][b]`\n\n    [^y] [c][d]\n",
        "\\[^x] and \\[a][b] and a[i][j], f()[0][1], [x]: y",
        "[a][B] [b][]\n\n[b]: /x\n",
        "<span title='[^a] [b][c]'>x</span>",
        "Text[^a].\n\n[^a]: See[^b].\n[^b]: More.\n",
    ],
)
def test_other_texts_cause_no_warning(text: str) -> None:
    """Code, escapes, indexes, HTML, and whatever has both halves."""
    assert warnings(text) == []


def test_hostile_texts_are_named_in_part() -> None:
    """Finding what was meant takes its time, so it is done for few."""
    text = "".join(f"x[^a{number}] [b][c{number}] " for number in range(3_000))
    assert len(warnings(text + "\n\n[^a]: x\n[c]: /y\n")) <= 100
