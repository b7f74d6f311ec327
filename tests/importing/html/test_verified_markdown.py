"""HTML to Markdown: what comes back is the same document, or it stays HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.text import markdown
from sitecms.importing.html.cleaning import clean
from sitecms.importing.html.normal_form import linked_ids, normal_form
from sitecms.importing.html.tree import parse, to_html
from sitecms.importing.html.verified_markdown import to_markdown

_SIGNS = st.text(alphabet="ab1 .,*_~^{}$`[]()<>#+-=!&|\\\"':;/\n\xa0é日", min_size=1, max_size=14)
_INLINE = st.recursive(
    _SIGNS.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;")),
    lambda inner: st.one_of(
        st.builds(
            lambda tag, text: f"<{tag}>{text}</{tag}>", st.sampled_from(["b", "em", "s", "code", "sub", "span"]), inner
        ),
        st.builds(lambda text: f'<a href="/x?a=1&amp;b=(2)">{text}</a>', inner),
        st.builds(lambda one, two: f"{one}<br>{two}", inner, inner),
        st.builds(lambda one, two: f"{one}{two}", inner, inner),
        st.just('<img src="/a b.png" alt="A [x] *y*">'),
    ),
    max_leaves=5,
)
_BLOCK = st.recursive(
    st.one_of(
        st.builds(lambda text: f"<p>{text}</p>", _INLINE),
        st.builds(lambda text: f"<h2>{text}</h2>", _INLINE),
        st.builds(
            lambda text: f'<pre><code class="language-python">{text}</code></pre>',
            _SIGNS.map(lambda t: t.replace("&", "&amp;").replace("<", "&lt;")),
        ),
        st.just("<hr>"),
        st.just('<figure><img src="/x.jpg" alt="a"><figcaption>Say "x"</figcaption></figure>'),
        st.builds(
            lambda text: f"<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>{text}</td></tr></tbody></table>",
            _INLINE,
        ),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda items: "<ul>" + "".join(f"<li>{each}</li>" for each in items) + "</ul>",
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(
            lambda items: "<ol>" + "".join(f"<li>{each}</li>" for each in items) + "</ol>",
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda items: f"<blockquote>{''.join(items)}</blockquote>", st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=4,
)


@given(st.lists(_BLOCK, min_size=1, max_size=4).map("".join))
def test_markdown_renders_back_to_the_same_document(html: str) -> None:
    """Whatever is written as Markdown has the normal form of its source."""
    root = parse(html)
    ids = linked_ids(root)
    wanted = normal_form(root, ids)
    converted = to_markdown(root)
    if converted is not None:
        assert normal_form(parse(markdown.render(converted.text)), ids).children == wanted.children


def test_the_typographer_is_verified_too() -> None:
    """It changes quotes and dots of plain text, so a block in which it does is written as HTML."""
    converted = to_markdown(parse("<p>Plain</p><p>It's...</p><p>More</p>"), extensions={"typographer"})
    assert converted is not None
    assert converted.raw_blocks == 1


@given(st.lists(_BLOCK, min_size=1, max_size=4).map("".join))
def test_a_tree_is_written_and_read_alike(html: str) -> None:
    """Parsing what was written gives the same tree."""
    assert parse(to_html(parse(html))) == parse(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Hi <b>bold </b>and <i>it</i></p>", "Hi **bold** and *it*\n"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", "- a\n  - b\n"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b\n"),
        ("<pre class='brush: php'>\n&lt;?php\n\nx</pre>", "```php\n<?php\n\nx\n```\n"),
        ("<p><a href=/x><img src=a.jpg alt='A b' class=x width=3></a></p>", "[![A b](a.jpg)](/x)\n"),
        ("<figure><img src=b.jpg><figcaption>Cap</figcaption></figure>", '![](b.jpg "Cap")\n'),
        ("<p>1. no</p><p># no</p>", "1\\. no\n\n\\# no\n"),
        ("<p>see http://x.example</p>", "see http\\://x.example\n"),
        ("<p>H<sub>2</sub>O</p>", "H<sub>2</sub>O\n"),
        ("<p style='text-align:center'>c</p><p>d</p>", '<p class="align-center">c</p>\n\nd\n'),
        ("<div>text<p>&nbsp;</p></div>", "text\n"),
        (
            "<ul><li><input type=checkbox> a<li><label><input type=checkbox checked> b</label></ul>",
            "- [ ] a\n- [x] b\n",
        ),
    ],
)
def test_markdown_is_what_a_person_would_write(html: str, expected: str) -> None:
    """Usual markup has its usual Markdown."""
    converted = to_markdown(parse(html))
    assert converted is not None
    assert converted.text == expected


def test_only_check_boxes_of_tasks_stay() -> None:
    """Any other input is removed and named; the name of an anchor becomes its id."""
    removed: list[str] = []
    root = parse("<p><input type=checkbox> a <a name=q>b</a></p><ul><li><input type=checkbox onclick=x> c</li></ul>")
    clean(root, removed.append)
    assert to_html(root) == '<p> a <a id="q">b</a></p><ul><li><input type="checkbox" disabled=""> c</li></ul>'
    assert removed == ["<input>"]


def test_a_text_of_html_stays_html() -> None:
    """If most blocks cannot be said in Markdown, the text is not made a mixture."""
    assert to_markdown(parse("<dl><dt>a<dd>b</dl><dl><dt>a<dd>b</dl><table><tr><td>x</table>")) is None


def test_emphasis_in_code_is_not_lost() -> None:
    """A `<pre>` with emphasis in it stays HTML as a block."""
    converted = to_markdown(parse("<p>a</p><pre>x <strong>y</strong>\n\nz</pre>"))
    assert converted is not None
    assert "<strong>y</strong>" in converted.text
