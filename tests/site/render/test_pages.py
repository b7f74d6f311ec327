"""Errors while pages are rendered: reported with file, line and entry, and limited to their page."""

from typing import TYPE_CHECKING

import pytest

from sitecms.site.report import Report

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks

PAGE = "guide/knots/index.html"


def built_with(works: "SiteWorks", template: str, text: str) -> Report:
    works.make()
    works.write(f"templates/{template}", text)
    works.load()
    return works.build()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("<h1>\n{{ page.titel }}", 2, 'PageView has no "titel"; did you mean "title"?'),
        ("<h1>\n\n{% if %}", 3, "Expected an expression"),
        ("{{ nobody }}", 1, "nobody is not defined here"),
        ("\n{{ 1 / 0 }}", 2, "ZeroDivisionError: division by zero"),
        ("\n{% include 'none.html' %}", 2, "there is no template none.html"),
        ("{{ page.title|nofilter }}", 1, "No filter named 'nofilter'"),
        ("\n\n{{ page.title|date }}", 3, "AttributeError"),
    ],
)
def test_an_error_names_file_line_and_entry(works: "SiteWorks", jobs: int, text: str, line: int, problem: str) -> None:
    """The other pages are built, the old page stays, and the next build tries again."""
    works.make()
    old = works.tree()
    works.write("templates/page/guide.html", text)
    report = works.build(jobs=jobs)
    (message,) = report.failed.values()
    assert list(report.failed) == [PAGE]
    assert message.startswith(f"{works.folder.resolve()}/templates/page/guide.html:{line}: ")
    assert problem in message
    assert message.endswith("(in the page guide/knots (en))")
    assert works.tree() == old
    assert report.current == len(old) - 1
    assert list(works.build().failed) == [PAGE]
    works.write("templates/page/guide.html", "<h1>{{ page.title }}</h1>")
    mended = works.build(jobs=jobs)
    assert (mended.failed, mended.written) == ({}, 1)
    assert works.tree() == works.clean_tree()


def test_an_error_in_an_included_template_names_that_template(works: "SiteWorks") -> None:
    """The message names the place to fix, not the place of the include."""
    works.write("templates/parts/mine.html", "\n\n{{ page.oops }}")
    report = built_with(works, "page/guide.html", '{% include "parts/mine.html" %}')
    assert f"{works.folder.resolve()}/templates/parts/mine.html:3: " in report.failed[PAGE]


def test_an_error_for_one_post_fails_that_post_only(works: "SiteWorks") -> None:
    """The template still renders the other posts."""
    report = built_with(works, "post.html", "{{ post.card.title }}{{ 1 // (post.card.title != 'Ebb') }}")
    assert list(report.failed) == ["blog/ebb/index.html"]
    assert works.text("blog/flow/index.html") == "Flow1"


def test_an_error_in_a_new_page_leaves_no_file(works: "SiteWorks") -> None:
    """The manifest does not name the page."""
    works.write("templates/page/guide.html", "{{ oops }}")
    works.load()
    assert list(works.build().failed) == [PAGE]
    assert PAGE not in works.tree()
    works.remove("templates/page/guide.html")
    assert works.build().stale[PAGE] == "it is new"
    assert PAGE in works.tree()


def test_text_is_escaped_in_html_and_feeds(works: "SiteWorks") -> None:
    """Markup in titles stays text."""
    at = "2026-02-20T08:00:00Z"
    title = 'Tom & "Ann" <script>alert(1)</script>'
    works.post("ampersand", title=title, summary=title, tags=["<b>"], published=at)
    works.make()
    for path in ("blog/ampersand/index.html", "index.html", "rss.xml", "atom.xml"):
        assert "<script>" not in works.text(path)
        assert "&lt;script&gt;" in works.text(path)
