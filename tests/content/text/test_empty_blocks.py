"""Blocks that hold nothing are left out of HTML."""

import pytest

from sitecms.content.text.empty_blocks import without_empty_blocks


@pytest.mark.parametrize(("html", "expected", "count"), [
    ("<h2></h2>", "", 1),
    ("<p>a</p>\n<h2></h2>\n<p>b</p>", "<p>a</p>\n<p>b</p>", 1),
    ('<p>a</p><h3 class="x"> &nbsp;<br><strong></strong></h3><h2>b</h2>', "<p>a</p><h2>b</h2>", 1),
    ("<p>a</p>\n<p></p>\n<p><br></p>\n", "<p>a</p>", 2),
    ("<details>\n<h4></h4>\n<p>b</p>\n</details>", "<details>\n<p>b</p>\n</details>", 1),
])  # fmt: skip
def test_empty_blocks_are_left_out(html: str, expected: str, count: int) -> None:
    """Headings wherever they are, also in blocks, and paragraphs at the end; formatting alone is nothing."""
    assert without_empty_blocks(html) == (expected, count)


@pytest.mark.parametrize("html", [
    "", "<p>a</p>\n", "<p></p>\n<p>a</p>", "<h2>a</h2>", '<h2 id="there"></h2>', '<h2><img src="/a.jpg" alt=""></h2>',
    '<p>a</p>\n<p id="end"></p>', "<pre>&lt;h2&gt;&lt;/h2&gt;</pre>", "<h2>a</h3></h2>", "<h2><a href='/x/'>b</a></h2>",
])  # fmt: skip
def test_what_holds_something_stays_byte_for_byte(html: str) -> None:
    """Pictures and places of links are something, and so is a gap that somebody made between paragraphs."""
    assert without_empty_blocks(html) == (html, 0)


@pytest.mark.parametrize("part", ["<h2>", "<h2><b>", "<p>", "<p></p>x", "<h2 ", "<p> "])
def test_time_grows_with_the_length(part: str) -> None:
    """Texts that nearly match are read once, not once for each beginning."""
    assert without_empty_blocks(part * 50_000)[1] == 0


def test_many_empty_blocks_are_left_out() -> None:
    """In a time that grows with their number."""
    assert without_empty_blocks("<h2></h2>" * 50_000 + "x" + "<p></p>\n" * 50_000) == ("x", 100_000)
