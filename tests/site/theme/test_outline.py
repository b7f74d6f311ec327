"""The outline of a text: headings with ids, whoever wrote it."""

import html5lib
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from sitecms.content.text import markdown
from sitecms.content.text.html import sanitize
from sitecms.site.theme.html import Heading, outline


def of(html: str) -> tuple[Heading, ...]:
    return outline(Markup(sanitize(html))).headings


def test_headings_of_markdown_keep_their_ids() -> None:
    """Third ones stand below the second one before them; deeper ones are no part of it."""
    text = "## Ebb & *flow*\n\nx\n\n### Spring\n\n#### Deep\n\n### Neap\n\n## `Slack`\n\n# Top"
    html = Markup(markdown.render(text))
    found = outline(html)
    assert found.html == html
    assert found.headings == (
        Heading("ebb-flow", "Ebb & flow", (Heading("spring", "Spring"), Heading("neap", "Neap"))),
        Heading("slack", "Slack"),
        Heading("top", "Top"),
    )
    assert found.count == 5


def test_headings_without_an_id_get_one() -> None:
    """From their words; one that is taken gets a number, also where the id stands further down."""
    html = '<h2>The sea</h2><h3 class="x">The sea</h3><p id="x">a</p><h2>???</h2><h2 id="the-sea-2">No</h2>'
    found = outline(Markup(sanitize(html)))
    assert [heading.id for heading in found.headings] == ["the-sea", "section", "the-sea-2"]
    assert [child.id for child in found.headings[0].children] == ["the-sea-3"]
    for heading_id in ("the-sea", "the-sea-3", "section", "the-sea-2"):
        assert f'id="{heading_id}"' in found.html


def test_a_heading_without_words_is_left_out() -> None:
    """A picture alone names nothing."""
    assert of('<h2><img src="/media/x.png" alt=""></h2><h2></h2><h2>Sea</h2>') == (Heading("sea", "Sea"),)


def test_a_third_heading_before_any_second_stands_at_the_top() -> None:
    """It is under nothing."""
    assert [heading.text for heading in of("<h3>First</h3><h2>Second</h2><h3>Under</h3>")] == ["First", "Second"]


def test_a_text_without_headings_is_as_it_was() -> None:
    """The most common case costs nothing."""
    html = Markup("<p>h2</p>")
    assert outline(html).html is html


PIECES = st.sampled_from([
    "<h2>Sea</h2>", "<h3>Sea</h3>", '<h2 id="sea">Sea</h2>', '<h2 id="sea-2">x</h2>', "<h2>&lt;b id=\"q\"&gt;</h2>",
    '<p id="sea">x</p>', '<h3 id="">x</h3>', "<h2><em>Sea</em> &amp; sky</h2>", "<h2>海</h2>", "<pre>&lt;h2&gt;</pre>",
    '<li id="fn1">x</li>', '<figure id="sea-3">x</figure>', "<h2>Sea 2</h2>",
    '<h2 id="a&amp;b">x</h2>', "<blockquote><h2>In</h2></blockquote>",
])  # fmt: skip


@given(st.lists(PIECES, max_size=12))
def test_every_heading_can_be_linked_to(pieces: list[str]) -> None:
    """Ids are there once, as a browser reads them; making an outline of the result changes nothing."""
    clean = Markup(sanitize("".join(pieces)))
    found = outline(clean)
    tree = html5lib.parse(found.html, treebuilder="etree", namespaceHTMLElements=False)
    ids = [element.attrib["id"] for element in tree.iter() if element.attrib.get("id")]
    assert len(ids) == len(set(ids))
    named = [child for top in found.headings for child in (top, *top.children)]
    assert {heading.id for heading in named} <= set(ids)
    assert len(named) == found.count
    assert outline(found.html) == found
    words = html5lib.parse(clean, treebuilder="etree", namespaceHTMLElements=False)
    assert "".join(tree.itertext()) == "".join(words.itertext())
