"""Directives, marks and shortcodes of plug-ins in texts."""

from pathlib import Path

import pytest

from sitecms.content.text import markdown
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown import Problem
from sitecms.errors import ConfigurationError, PluginFailed
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.settings.site import load_settings

PLUGIN = """
from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import InlineMark

@hookimpl
def markdown_directives(site):
    return {"bars": bars, "box": box, **{name: partial(around, *parts) for name, parts in PARTS.items()}}

def bars(directive):
    rows = [line.rpartition(" ") for line in directive.text.splitlines()]
    if not rows:
        directive.report("has no rows", "write a name and a number on each line")
    for number, (name, _, value) in enumerate(rows):
        if not value.isdecimal():
            directive.report(f'has "{value}" for a number', "write digits", line=number)
    cells = "".join(f"<tr><td>{name}<td>{value}" for name, _, value in rows)
    directive.write_html(f"<table class=bars><caption>{directive.title}</caption>{cells}</table><script>1</script>")

def box(directive):
    directive.write_html(f'<div class="{directive.arguments["kind"]}">')
    directive.write_content()
    directive.write_html("</div>")

@hookimpl
def markdown_marks():
    return [InlineMark("[[", r"\\[\\[(\\w+)\\]\\]", lambda match: f"<kbd>{match[1]}</kbd>"),
            InlineMark("#", r"#(\\d+)", lambda match: f'<a href="/issue/{10 // int(match[1])}/">{match[0]}</a>')]

from functools import partial

PARTS = {
    "inner": ('<section><div class="in">', "</div></section>"), "lines": ("<pre>x</pre>",),
    "two": ("<h3>a</h3><p>b</p>",), "bare": ("words <b>b</b>",), "tail": ("<section>", "<p>end</p></section>"),
    "card": ("<section><h3>Soup</h3>", "</section>"),
}

def around(before, *more):
    *parts, directive = before, *more
    directive.write_html(parts[0])
    if parts[1:]:
        directive.write_content()
        directive.write_html(parts[1])
"""


def open_plugins(folder: Path, text: str = PLUGIN) -> SitePlugins:
    (folder / "plugins").mkdir(exist_ok=True)
    (folder / "plugins/more.py").write_text(text, encoding="utf-8")
    (folder / "site.toml").write_text('name = "Tide"\n[plugins]\nenabled = ["more"]\n', encoding="utf-8")
    return load_settings(folder).plugins


def render(folder: Path, text: str, problems: list[Problem] | None = None) -> str:
    report = problems.append if problems is not None else None
    return markdown.render(text, plugins=open_plugins(folder), problem=report).strip()


def test_directive_of_a_plugin(tmp_path: Path) -> None:
    """A directive writes HTML, which is sanitised; other sites do not have it."""
    text = "::: bars Hours\nLow 3\nHigh 9\n:::"
    rows = "<tbody><tr><td>Low</td><td>3</td></tr><tr><td>High</td><td>9</td></tr></tbody>"
    source = 'data-directive="bars Hours\nLow 3\nHigh 9"'
    expected = f'<table {source} class="bars"><caption>Hours</caption>{rows}</table>'
    assert render(tmp_path, text).replace("\n", "") == expected.replace("\n", "")
    assert markdown.render(text).startswith("<p>::: bars Hours")


def test_directive_with_content(tmp_path: Path) -> None:
    """Content is Markdown; directives stand in each other, in lists and quotations."""
    html = render(
        tmp_path, '- ::: box {kind="wide"}\n  ::: note\n  *Low*\n  :::\n  :::\n\n> ::: box {kind="b"}\n> x\n> :::'
    )
    assert "<li>\n<div data-directive" in html
    assert 'class="wide">\n<aside class="callout callout-note">' in html
    assert "<em>Low</em>" in html
    assert html.endswith('class="b">\n<p>x</p>\n</div>\n</blockquote>')


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('::: box {kind="a"}\nx\n:::', (
            '<div data-directive="box {kind=&quot;a&quot;}" data-directive-content="0" class="a">\n<p>x</p>\n</div>')),
        ('::: box {kind="a"}\n:::', '<div data-directive="box {kind=&quot;a&quot;}" class="a">\n</div>'),
        ("::: card Soup\nx\n:::", (
            '<section data-directive="card Soup" data-directive-content="1"><h3>Soup</h3>\n<p>x</p>\n</section>')),
        ("::: inner\nx\n:::", (
            '<section data-directive="inner"><div data-directive-content="0" class="in"><p>x</p>\n</div></section>')),
        ("::: lines\na < b\n\nc\n:::", '<pre data-directive="lines\na &lt; b\n\nc">x</pre>'),
        ("::: two\nx\n:::", "<h3>a</h3><p>b</p>"),
        ("::: bare\nx\n:::", "words <b>b</b>"),
        ("::: tail\nx\n:::", "<section>\n<p>x</p>\n<p>end</p></section>"),
    ],
    ids=["box", "empty", "heading", "inner", "lines", "two", "bare", "tail"],
)  # fmt: skip
def test_html_of_one_element_has_its_source(tmp_path: Path, text: str, html: str) -> None:
    """The first element names the directive, and says where its content is; other HTML stays as it is."""
    assert render(tmp_path, text) == html
    assert sanitize(html) == html


def test_problems_that_a_directive_reports(tmp_path: Path) -> None:
    """Errors have the line of the directive, or of the line within it."""
    problems: list[Problem] = []
    render(tmp_path, "Text.\n\n::: bars\nLow three\nHigh 9\n:::\n\n::: bars\n:::", problems)
    assert [(each.line, each.message, each.remedy) for each in problems] == [
        (4, 'has a directive "bars" that has "three" for a number', "write digits"),
        (8, 'has a directive "bars" that has no rows', "write a name and a number on each line"),
    ]


def test_directive_that_fails(tmp_path: Path) -> None:
    """An error of a plug-in is one of the text, at its line; where nobody takes reports it is raised."""
    problems: list[Problem] = []
    text = "Text.\n\n::: box\nx\n:::\n"
    render(tmp_path, text, problems)
    message = "the plug-in more failed (directive box, plugins/more.py:20): KeyError: 'kind'"
    assert [(each.line, each.message) for each in problems] == [(3, f'has a directive "box", and {message}')]
    with pytest.raises(PluginFailed, match="directive box"):
        render(tmp_path, text)


def test_unknown_directive_names_those_of_plugins(tmp_path: Path) -> None:
    """The nearest name may be that of a plug-in."""
    problems: list[Problem] = []
    render(tmp_path, "::: bers\n:::", problems)
    assert problems[0].remedy == 'did you mean "bars"?'


def test_marks_of_a_plugin(tmp_path: Path) -> None:
    """Marks are found in lines, within other marks, and not in code."""
    html = render(tmp_path, "Press **[[Esc]]** for #5.\n\n`[[Esc]]` \\[[Esc]]")
    assert html == (
        '<p>Press <strong><kbd>Esc</kbd></strong> for <a href="/issue/2/">#5</a>.</p>\n'
        "<p><code>[[Esc]]</code> [[Esc]]</p>"
    )
    assert markdown.render("[[Esc]]").strip() == "<p>[[Esc]]</p>"


def test_mark_that_fails(tmp_path: Path) -> None:
    """An error has the line of the mark within its paragraph."""
    problems: list[Problem] = []
    render(tmp_path, "One\n\nTwo\nthree #0\n", problems)
    message = "the plug-in more failed (mark #, plugins/more.py:27): ZeroDivisionError"
    assert [each.line for each in problems] == [4]
    assert problems[0].message.startswith(f'has "#0", and {message}')


def test_mark_without_a_sign(tmp_path: Path) -> None:
    """A mark that begins with a letter would never be found, and is refused."""
    plugins = open_plugins(tmp_path, PLUGIN.replace('InlineMark("#"', 'InlineMark("a"'))
    with pytest.raises(ConfigurationError, match='The plug-in more: the mark "a" does not begin with one of'):
        markdown.render("a", plugins=plugins)


def test_mark_that_is_no_pattern(tmp_path: Path) -> None:
    """A mark whose pattern cannot be read names its plug-in."""
    plugins = open_plugins(tmp_path, PLUGIN.replace('r"#(', 'r"#(('))
    with pytest.raises(PluginFailed, match=r"the plug-in more failed \(markdown_marks, plugins/more.py\)"):
        markdown.render("a", plugins=plugins)


def test_builtin_directive_cannot_be_replaced(tmp_path: Path) -> None:
    """A name of a built-in directive is taken."""
    plugins = open_plugins(tmp_path, PLUGIN.replace('"box": box', '"note": box'))
    with pytest.raises(ConfigurationError, match="more has the directive note, and there is a built-in one"):
        markdown.render("a", plugins=plugins)
    assert "callout-note" in render(tmp_path, "::: note\nx\n:::")
