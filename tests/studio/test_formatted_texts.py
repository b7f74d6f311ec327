"""Formatted texts compared: as readers see them, changed words marked, and nothing that a page must not have."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.text.html import plain_text, sanitize
from sitecms.studio.formatted_diff import Side, compare_formatted
from sitecms.studio.formatted_text import formatted

_HIDDEN = re.compile(r'<span class="hidden">[^<]*</span>')
_PIECES = st.lists(
    st.sampled_from(
        [
            "<p>One two</p>",
            "<p>One two three</p>",
            "<p>Two <b>three</b> four</p>",
            "<ul><li>a</li><li>b <i>c</i></li></ul>",
            "<h2>Head</h2>",
            "loose",
            "<table><tbody><tr><td>x</td><td></td></tr></tbody></table>",
            '<figure><img src="/media/a.jpg" alt="A"></figure>',
            "<blockquote><p>Said</p></blockquote>",
            "<pre><code>a\n  b</code></pre>",
            "<hr>",
        ]
    ),
    max_size=6,
)


def compared(before: str, after: str, side: Side = Side.BOTH) -> str:
    """Return the comparison without the words that are only heard."""
    return _HIDDEN.sub("", compare_formatted(before, after, side))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("<p>The tide</p>", "<p>The big tide</p>", "<p>The <ins>big </ins>tide</p>"),
        ("<p>A b</p>", "<p>A <strong>b</strong></p>", "<p>A <del>b</del><ins><strong>b</strong></ins></p>"),
        ("<p>One, two</p>", "<p>Six, ten</p><p>One, two</p>", "<p><ins>Six, ten</ins></p><p>One, two</p>"),
        ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li></ul>", "<ul><li>a</li><li><del>b</del></li></ul>"),
        (
            "<h2>Sea</h2>",
            "<h3>Sea</h3>",
            '<p class="heading-2"><del>Sea</del></p><p class="heading-3"><ins>Sea</ins></p>',
        ),
        (
            '<p><a href="/a/">Sea</a></p>',
            '<p><a href="/b/">Sea</a></p>',
            "<p><del><a>Sea <small>(/a/)</small></a></del><ins><a>Sea <small>(/b/)</small></a></ins></p>",
        ),
        (
            "<table><tbody><tr><td></td><td>x</td></tr></tbody></table>",
            "<table><tbody><tr><td></td><td>y</td></tr></tbody></table>",
            "<table><tbody><tr><td></td><td><del>x</del><ins>y</ins></td></tr></tbody></table>",
        ),
    ],
)  # fmt: skip
def test_changes_stand_in_the_text_as_it_looks(before: str, after: str, expected: str) -> None:
    """Words within their paragraph, list, table and formatting; of a link that leads elsewhere also the address."""
    assert compared(before, after) == expected


def test_each_side_shows_what_the_other_does_not_have() -> None:
    """For two texts side by side."""
    before, after = "<p>The tide</p><p>Gone now</p>", "<p>The big tide</p>"
    assert compared(before, after, Side.AFTER) == "<p>The <ins>big </ins>tide</p>"
    assert compared(before, after, Side.BEFORE) == "<p>The tide</p><p><del>Gone now</del></p>"


def test_changes_are_said_to_those_who_do_not_see_them() -> None:
    """Before and after the marked words; colour and lines alone say it to nobody who listens."""
    said = re.sub(r"<[^>]+>", "", compare_formatted("<p>A tide</p>", "<p>A sea</p>"))
    assert " ".join(said.split()) == "A removed: tide (end of what was removed) added: sea (end of what was added)"


def test_blocks_far_from_changes_are_left_out() -> None:
    """One that stayed is shown before and after each change; nothing is shown of texts that look the same."""
    texts = [f"<p>Paragraph {number} stays.</p>" for number in range(9)]
    changed = [*texts[:4], "<p>Paragraph 4 moves.</p>", *texts[5:]]
    shown = compared("".join(texts), "".join(changed))
    assert (shown.count('<p class="skipped">…</p>'), shown.count("stays")) == (2, 3)
    assert compare_formatted('<p class="a">Same</p>', '<p class="b">Same</p>') == ""


def test_shown_text_brings_nothing_into_the_page() -> None:
    """No ids, classes, scripts, frames, controls or links; what they stand for is said in words."""
    html = (
        '<h2 id="title" class="hidden">A</h2><p onclick="x()"><a href="/x/">l</a><script>1</script></p>'
        '<iframe src="https://www.youtube-nocookie.com/embed/abcdefgh"></iframe>'
        '<video src="/media/a.mp4"><a href="/y">y</a></video>'
        '<ul><li><label><input type="checkbox" checked disabled> done</label></li></ul>'
        "<p>&lt;b&gt;</p><math><mi>x</mi></math>"
    )
    assert formatted(html) == (
        '<p class="heading-2">A</p><p><a>l</a></p>'
        '<span class="placeholder">Embedded page https://www.youtube-nocookie.com/embed/abcdefgh</span>'
        '<span class="placeholder">Video /media/a.mp4</span>'
        "<ul><li>☑  done</li></ul><p>&lt;b&gt;</p><math><mi>x</mi></math>"
    )


@given(_PIECES, _PIECES)
def test_both_texts_can_be_read_from_a_comparison(before: list[str], after: list[str]) -> None:
    """What is not marked as added is the text before, what is not marked as removed the one after; all well nested."""
    old, new = "".join(before), "".join(after)
    every = compare_formatted("<p>start</p>" + old, "<p>begin</p>" + new)
    assert sanitize(every).count("<") == every.count("<")
    if '"skipped"' in every:
        return
    for side, text in ((Side.BEFORE, "<p>start</p>" + old), (Side.AFTER, "<p>begin</p>" + new)):
        shown = _HIDDEN.sub("", compare_formatted("<p>start</p>" + old, "<p>begin</p>" + new, side))
        assert plain_text(shown).split() == plain_text(text).split()


def test_long_texts_are_compared_in_bounded_time() -> None:
    """Words and cells that stand everywhere are not all compared with each other, which took minutes."""
    old, new = (" ".join(f"{letter}{number}" for number in range(1_490)) for letter in "ab")
    table = "<table><tbody><tr><td>{}</td></tr></tbody></table>"
    html = compared(table.format(old), table.format(new))
    assert html == table.format(f"<del>{old}</del><ins>{new}</ins>")
    for before, after in (("a b " * 740, "a c " * 740), ("</p><p>".join("ab" * 990), "</p><p>".join("ac" * 990))):
        assert compared(f"<p>{before}</p>", f"<p>{after}</p>")


def test_one_change_among_very_many_equal_cells_and_words() -> None:
    """It alone is marked."""
    cells = ["0", "1", "–"] * 600
    words = ["ebb", "flow", "tide"] * 400
    for parts, start, between, end in ((cells, "<table><tbody><tr><td>", "</td><td>", "</td></tr></tbody></table>"),
        (words, "<p>", " ", "</p>"),
    ):  # fmt: skip
        changed = [*parts[:500], "neap", *parts[501:]]
        html = compared(start + between.join(parts) + end, start + between.join(changed) + end)
        assert (html.count("<del>"), html.count("<ins>neap</ins>"), html.count("<ins>")) == (1, 1, 1)
