"""Any HTML body becomes a text: what is kept though empty, what is nested wrongly, what no author writes."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitecms.content.text.allowed_html import TAGS
from sitecms.importing.html.cleaning import clean
from sitecms.importing.html.normal_form import linked_ids, normal_form
from sitecms.importing.html.to_markdown import raw_html
from sitecms.importing.html.tree import Element, Node, parse, to_html
from sitecms.importing.html.verified_markdown import best_markdown, to_markdown
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.offline import OFFLINE
from tests.importing.wxr import export, item

_TAGS = sorted(TAGS | {"font", "form", "nav", "script", "style", "svg", "textarea", "tt", "x-own"})
_ATTRIBUTES = st.dictionaries(
    st.sampled_from(
        ["id", "name", "href", "src", "class", "style", "title", "lang", "start", "colspan", "type", "alt"]
    ),
    st.sampled_from(["", "n1", "#n1", "/a.png", "language-c", "display:block", "2", "checkbox", "x: y", '"<&']),
    max_size=3,
)


def _opening(tag: str, attributes: dict[str, str]) -> str:
    return to_html(Element(tag, attributes)).partition(f"</{tag}>")[0]


_PART = st.one_of(
    st.builds(_opening, st.sampled_from(_TAGS), _ATTRIBUTES),
    st.sampled_from(_TAGS).map(lambda tag: f"</{tag}>"),
    st.sampled_from(
        ["text", " ", "\n", "\n\n", "&nbsp;", "&lt;b", "*", "`", "<!-- x -->", "[x](y)", "1. ", "<", "日本"]
    ),
)
BODIES = st.lists(_PART, max_size=12).map("".join)
NESTED = st.recursive(
    st.sampled_from(["tide", "日本", " ", "a<br>b"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", st.sampled_from(_TAGS), st.lists(inner, max_size=3)
    ),
    max_leaves=6,
)
"""Bodies whose elements are closed, each tag within each other."""

_VIDEO = '<iframe src="https://www.youtube.com/embed/{}"></iframe>'
EMPTY_BUT_KEPT = (
    '<p>See <a href="#n1">1</a>.</p><p><a name="n1"></a>Note.</p>',
    '<p>See <a href="#n1">1</a>.</p><p><span id="n1"></span>Note.</p>',
    '<p><a href="#n1">T</a></p><h2><a id="n1"></a>T</h2>',
    '<p>Look: <iframe src="https://www.youtube.com/embed/aaaaaaaaaaa"></iframe> nice.</p>',
    f"<p>{_VIDEO.format('aaaaaaaaaaa')} {_VIDEO.format('bbbbbbbbbbb')}</p>",
    '<p>a <audio src="/a.mp3"></audio></p>',
    '<ul><li><a href="#n1">1</a></li><li><a id="n1"></a></li></ul>',
)


@given(BODIES)
def test_any_body_is_converted(html: str) -> None:
    """No body raises an error; one that is converted is the same document, one that is not has its HTML."""
    root = parse(html)
    clean(root, lambda _subject: None)
    wanted = normal_form(root, linked_ids(root))
    assert isinstance(to_html(root), str)
    to_markdown(root)
    best_markdown(root)
    for node in wanted.children:
        assert "\n\n" not in raw_html(node)


@pytest.mark.parametrize("start", ["²", "9" * 5_000, "-1", "x"])
def test_a_list_begins_with_any_text(start: str) -> None:
    """What is no number, or none that Markdown has, raises no error."""
    to_markdown(parse(f'<ol start="{start}"><li>One</li></ol>'))


@pytest.mark.parametrize("body", EMPTY_BUT_KEPT)
def test_an_element_that_is_kept_though_empty_stays(body: str, tmp_path: Path) -> None:
    """The target of a link, a frame or a player has no text, and no text is lost beside it."""
    (tmp_path / "export.xml").write_text(export(item(1, content=body)))
    report = import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    text = (tmp_path / "site/content/posts/post-1.md").read_text()
    assert not [subject for kind, subject in report.notes if kind is NoteKind.BODY]
    for sign in ('id="n1"', "aaaaaaaaaaa", "bbbbbbbbbbb", "a.mp3"):
        assert (sign in text) is (sign in body.replace('name="n1"', 'id="n1"'))


@pytest.mark.parametrize("count", [2, 220])
def test_a_body_that_cannot_be_converted_costs_one_body(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its HTML is kept with one note, in one process as in several; the other bodies are Markdown."""
    render = MarkdownIt.render

    def failing(parser: MarkdownIt, src: str, env: dict[str, Any] | None = None) -> str:
        if "Poison" in src:
            raise ValueError("unforeseen")
        return str(render(parser, src, env))

    monkeypatch.setattr(MarkdownIt, "render", failing)
    bodies = ["<p>Poison [a] <b>text</b></p>", *["<p>Good <b>text</b></p>"] * (count - 1)]
    posts = [item(number, content=body) for number, body in enumerate(bodies, 1)]
    (tmp_path / "export.xml").write_text(export(*posts))
    report: ImportReport = import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    found = (tmp_path / "site/content/posts/post-1.md").read_text()
    assert "format: html" in found
    assert "<p>Poison [a] <b>text</b></p>" in found
    assert "Good **text**" in (tmp_path / f"site/content/posts/post-{count}.md").read_text()
    notes = {
        subject: (group.count, group.places) for (kind, subject), group in report.notes.items() if kind is NoteKind.BODY
    }
    ((subject, (number, places)),) = notes.items()
    assert number == 1
    assert "unforeseen" in subject
    assert "export.xml" in str(places[0])


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>Two:</p><ol>1/ tide<br>2/ <b>moon</b></ol><p>End.</p>", "Two:\n\n1/ tide\\\n2/ **moon**\n\nEnd."),
        ("<ul><p>A tide.</p></ul>", "A tide."),
        ("<ul><li>Tide</li>in <i>May</i></ul>", "<ul><li>Tide</li><p>in <em>May</em></p></ul>"),
        ("<dl>loose<dt>Tide</dt><dd>Water.</dd></dl>", "<dl><p>loose</p><dt>Tide</dt><dd>Water.</dd></dl>"),
    ],
)  # fmt: skip
def test_text_directly_in_a_list_stays(body: str, text: str) -> None:
    """A list without items is an indented text, as editors wrote it."""
    assert best_markdown(parse(body)).text.strip() == text


def _words(node: Node) -> str:
    """Return the signs of a tree that readers see, code apart, without white space."""
    if isinstance(node, str):
        return "".join(node.split())
    if not isinstance(node, Element) or node.tag in ("callout-title", "input"):
        return ""
    return "".join(_words(child) for child in node.children)


@given(NESTED)
def test_a_normal_form_has_all_text(html: str) -> None:
    """Two normal forms are compared to see whether a text changed, so neither may lose any."""
    root = parse(html)
    clean(root, lambda _subject: None)
    assert sorted(_words(normal_form(root, linked_ids(root)))) == sorted(_words(root))
