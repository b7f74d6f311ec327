"""Errors while pages are rendered: reported with file, line and entry, and limited to their page."""

import pytest

from sitecms.site.report import Report
from tests.support.sites import ExampleSite

PAGE = "guide/knots/index.html"


def built_with(example: ExampleSite, template: str, text: str) -> Report:
    example.make()
    example.write(f"templates/{template}", text)
    example.load()
    return example.build()


ERRORS = [
    ("<h1>\n{{ page.titel }}", 2, 'PageView has no "titel"; did you mean "title"?'),
    ("<h1>\n\n{% if %}", 3, "Expected an expression"),
    ("{{ nobody }}", 1, "nobody is not defined here"),
    ("\n{{ 1 / 0 }}", 2, "ZeroDivisionError: division by zero"),
    ("\n{% include 'none.html' %}", 2, "there is no template none.html"),
    ("{{ page.title|tally }}", 1, "No filter named 'tally'; no plug-in that runs has one either"),
    ("{{ page.title|markdwn }}", 1, "No filter named 'markdwn'; did you mean \"markdown\"?"),
    ("{{ page.title|markdwn if page.title }}", 1, "No filter named 'markdwn'; did you mean \"markdown\"?"),
    ("{% if page.title is definde %}{% endif %}", 1, "No test named 'definde'; did you mean \"defined\"?"),
    ("\n\n{{ page.title|date }}", 3, "AttributeError"),
]
IN_PROCESSES = (ERRORS[0][0], ERRORS[1][0])
"""One error while a page is rendered, one before; the others differ in their message only."""


@pytest.mark.parametrize(
    ("jobs", "text", "line", "problem"),
    [
        pytest.param(jobs, *error, marks=() if jobs == 1 or error[0] in IN_PROCESSES else pytest.mark.slow)
        for jobs in (1, 2)
        for error in ERRORS
    ],
)
def test_an_error_names_file_line_and_entry(
    example: ExampleSite, jobs: int, text: str, line: int, problem: str
) -> None:
    """The other pages are built, the old page stays, and the next build tries again."""
    example.make()
    old = example.tree()
    example.write("templates/page/guide.html", text)
    report = example.build(jobs=jobs)
    (message,) = report.failed.values()
    assert list(report.failed) == [PAGE]
    assert message.startswith(f"{example.folder.resolve()}/templates/page/guide.html:{line}: ")
    assert problem in message
    assert message.endswith("(in the page guide/knots (en))")
    assert example.tree() == old
    assert report.current == len(old) - 1
    assert list(example.build().failed) == [PAGE]
    example.write("templates/page/guide.html", "<h1>{{ page.title }}</h1>")
    mended = example.build(jobs=jobs)
    assert (mended.failed, mended.written) == ({}, 1)
    assert example.tree() == example.clean_tree()


def test_an_error_in_an_included_template_names_that_template(example: ExampleSite) -> None:
    """The message names the place to fix, not the place of the include."""
    example.write("templates/parts/mine.html", "\n\n{{ page.oops }}")
    report = built_with(example, "page/guide.html", '{% include "parts/mine.html" %}')
    assert f"{example.folder.resolve()}/templates/parts/mine.html:3: " in report.failed[PAGE]


def test_an_error_for_one_post_fails_that_post_only(example: ExampleSite) -> None:
    """The template still renders the other posts."""
    report = built_with(example, "post.html", "{{ post.card.title }}{{ 1 // (post.card.title != 'Ebb') }}")
    assert list(report.failed) == ["blog/ebb/index.html"]
    assert example.text("blog/flow/index.html") == "Flow1"


def test_an_error_in_a_new_page_leaves_no_file(example: ExampleSite) -> None:
    """The manifest does not name the page."""
    example.write("templates/page/guide.html", "{{ oops }}")
    example.load()
    assert list(example.build().failed) == [PAGE]
    assert PAGE not in example.tree()
    example.remove("templates/page/guide.html")
    assert example.build().stale[PAGE] == "it is new"
    assert PAGE in example.tree()


def test_text_is_escaped_in_html_and_feeds(example: ExampleSite) -> None:
    """Markup in titles stays text."""
    at = "2026-02-20T08:00:00Z"
    title = 'Tom & "Ann" <script>alert(1)</script>'
    example.post("ampersand", title=title, summary=title, tags=["<b>"], published=at)
    example.make()
    for path in ("blog/ampersand/index.html", "index.html", "rss.xml", "atom.xml"):
        assert "<script>" not in example.text(path)
        assert "&lt;script&gt;" in example.text(path)


def test_an_error_in_a_part_of_the_theme_names_the_template_that_used_it(example: ExampleSite) -> None:
    """The owner can correct that one; the line of the theme says where the value was needed."""
    text = '{% from "parts/image.html" import img with context %}\n\n{{ img(page.fields.pict, false, "text") }}'
    (message,) = built_with(example, "page/guide.html", text).failed.values()
    assert message.startswith(f"{example.folder.resolve()}/templates/page/guide.html:3: a mapping has no ")
    assert "of parts/image.html of the theme default) (in the page guide/knots (en))" in message
