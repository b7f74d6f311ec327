"""Extensions of CommonMark: the HTML of each, and texts that only look like one.

Each case is a text and its HTML, in the style of the examples in the specification of CommonMark.
"""

import subprocess
import sys

import pytest

from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, Problem, render
from sitecms.content.text.markdown.extensions import EXTENSIONS
from sitecms.content.text.removed_markup import Dropped
from sitecms.documents import load_schema

ALL = DEFAULT_EXTENSIONS | {"emoji", "math"}


def check(text: str, html: str) -> None:
    """The text is rendered so, nothing of it is removed by the sanitiser, and sanitising again changes nothing."""
    removed: list[Dropped] = []
    problems: list[Problem] = []
    found = render(text, extensions=ALL, report=removed.append, problem=problems.append)
    assert found.rstrip("\n") == html
    assert (removed, problems) == ([], [])
    assert sanitize(found) == found


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("- [ ] wash *up*\n- [x] dry\n- rest", (
            '<ul class="tasks">\n'
            '<li class="task"><label><input type="checkbox" disabled=""> wash <em>up</em></label></li>\n'
            '<li class="task"><label><input type="checkbox" disabled="" checked=""> dry</label></li>\n'
            "<li>rest</li>\n</ul>")),
        ("1. [X] a", (
            '<ol class="tasks">\n<li class="task"><label><input type="checkbox" disabled="" checked=""> '
            'a</label></li>\n'
            "</ol>")),
        ("- [x](/y) a\n- [ ]\n- \\[x] b", '<ul>\n<li><a href="/y">x</a> a</li>\n<li>[ ]</li>\n<li>[x] b</li>\n</ul>'),
        ("[ ] no list", "<p>[ ] no list</p>"),
    ],
)  # fmt: skip
def test_tasks(text: str, html: str) -> None:
    """Items of lists with [ ] or [x] have a check box; other brackets stay."""
    check(text, html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Ebb\n: Falling *tide*.", "<dl>\n<dt>Ebb</dt>\n<dd>Falling <em>tide</em>.</dd>\n</dl>"),
        ("Ebb\n\n: Falling.\n\n: Low.", ("<dl>\n<dt>Ebb</dt>\n<dd>\n<p>Falling.</p>\n</dd>\n<dd>\n<p>Low.</p>\n"
            "</dd>\n</dl>")),
        ("a\n:b", "<p>a\n:b</p>"),
        ("a\n\\: b", "<p>a\n: b</p>"),
    ],
)  # fmt: skip
def test_definition_lists(text: str, html: str) -> None:
    """A line that begins with a colon and a space defines the one before."""
    check(text, html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# A *b* {#own}", '<h2 id="own">A <em>b</em></h2>'),
        ("## A {.wide lang=fr}\n## A {#a}", '<h2 class="wide" lang="fr" id="a">A</h2>\n<h2 id="a-2">A</h2>'),
        ("# {#top}", '<h2 id="top"></h2>'),
        ("# A {#हिन्दी-में}", '<h2 id="हिन्दी-में">A</h2>'),
        ("# Use {braces} and {#id} in text", '<h2 id="use-braces-and-id-in-text">Use {braces} and {#id} in text</h2>'),
        ("# A \\{#b}", '<h2 id="a-b">A {#b}</h2>'),
        ("# A {onclick=x}", '<h2 id="a-onclickx">A {onclick=x}</h2>'),
        ("[a](/b){.button #go data-x=\"1 2\"}", '<p><a href="/b" class="button" id="go" data-x="1 2">a</a></p>'),
        ("`x`{.kbd} `y` {.no}", '<p><code class="kbd">x</code> <code>y</code> {.no}</p>'),
        ("[a](/b){href=javascript:x}", '<p><a href="/b">a</a>{href=javascript:x}</p>'),
        ("a {.b}", "<p>a {.b}</p>"),
        ("![A](/a.jpg \"C\"){.wide #f}", (
            '<figure id="f" class="wide"><img src="/a.jpg" alt="A"><figcaption>C</figcaption></figure>')),
        ("A ![A](/a.jpg){width=10 loading=lazy} b", (
            '<p>A <img src="/a.jpg" alt="A" width="10" loading="lazy"> b</p>')),
    ],
)  # fmt: skip
def test_attributes(text: str, html: str) -> None:
    """Braces at the end of a heading, and behind a link, image or code; what is not allowed stays text."""
    check(text, html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("> [!NOTE]\n> Tides *turn*.", (
            '<aside class="callout callout-note">\n<p class="callout-title">Note</p>\n<p>Tides <em>turn</em>.</p>\n'
            "</aside>")),
        ("> [!warning] High *water*\n> - a", (
            '<aside class="callout callout-warning">\n<p class="callout-title">High <em>water</em></p>\n<ul>\n'
            '<li>a</li>\n'
            "</ul>\n</aside>")),
        ("> [!TIP]", '<aside class="callout callout-tip">\n<p class="callout-title">Tip</p>\n</aside>'),
        ("> > [!CAUTION]\n> > a\n>\n> b", (
            '<blockquote>\n<aside class="callout callout-caution">\n<p class="callout-title">Caution</p>\n'
            '<p>a</p>\n</aside>'
            "\n<p>b</p>\n</blockquote>")),
        ("> [!OTHER]\n> a", "<blockquote>\n<p>[!OTHER]\na</p>\n</blockquote>"),
        ("> \\[!NOTE]\n> a", "<blockquote>\n<p>[!NOTE]\na</p>\n</blockquote>"),
        ("> a\n> [!NOTE]", "<blockquote>\n<p>a\n[!NOTE]</p>\n</blockquote>"),
        (":::note\na\n:::\nb", (
            '<aside class="callout callout-note">\n<p class="callout-title">Note</p>\n<p>a</p>\n</aside>\n<p>b</p>')),
        ("::: danger Mind the *gap*\na\n\n::: info\nb\n:::\n:::", (
            '<aside class="callout callout-caution">\n<p class="callout-title">Mind the <em>gap</em></p>\n<p>a</p>\n'
            '<aside class="callout callout-note">\n<p class="callout-title">Note</p>\n<p>b</p>\n</aside>\n</aside>')),
    ],
)  # fmt: skip
def test_callouts(text: str, html: str) -> None:
    """Quotations that begin with a kind of callout, and the directive of the same name."""
    check(text, html)


def test_titles_of_callouts_are_in_the_language_of_the_text() -> None:
    """Titles that the author does not give; English for languages without any."""
    found = [render("> [!WARNING]", language=tag).split("title")[1] for tag in ("es-MX", "zh-Hant", "no", "xx")]
    assert [title.split("<")[0] for title in found] == ['">Advertencia', '">警告', '">Advarsel', '">Warning']


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("HTML, XHTML, HTML5: the HTML's.\n\n*[HTML]: Hyper \"T\" <x>", (
            '<p><abbr title="Hyper &quot;T&quot; &lt;x&gt;">HTML</abbr>, XHTML, HTML5: the '
            '<abbr title="Hyper &quot;T&quot; &lt;x&gt;">HTML</abbr>\'s.</p>')),
        ("*[C++]: Language\n*[C]: Another\nC++ and C", (
            '<p><abbr title="Language">C++</abbr> and <abbr title="Another">C</abbr></p>')),
        ("`HTML`\n\n*[HTML]: x", "<p><code>HTML</code></p>"),
        ("*[रत]: x\n\nरता कारत रत", '<p>रता कारत <abbr title="x">रत</abbr></p>'),
        ("*[a]: b*", ""),
        ("\\*[a]: b", "<p>*[a]: b</p>"),
    ],
)  # fmt: skip
def test_abbreviations(text: str, html: str) -> None:
    """Whole words in text have the title; the definition is not shown."""
    check(text, html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("==a *b*== **c ==d==**", "<p><mark>a <em>b</em></mark> <strong>c <mark>d</mark></strong></p>"),
        ("if a==b and c==d or x == y, === and ==", "<p>if a==b and c==d or x == y, === and ==</p>"),
        ("\\==a==", "<p>==a==</p>"),
        ("这==重点==的", "<p>这<mark>重点</mark>的</p>"),
        ("कि~2~ e\u0301^3^", "<p>कि<sub>2</sub> e\u0301<sup>3</sup></p>"),
        ("H~2~O, CO~2~ and a~*n*~", "<p>H<sub>2</sub>O, CO<sub>2</sub> and a<sub><em>n</em></sub></p>"),
        ("~~old~~ ~/a/~b ~5 or ~6, (~x~)", "<p><s>old</s> ~/a/~b ~5 or ~6, (~x~)</p>"),
        ("x^2^ + ^14^C, 2^10 and 3^5", "<p>x<sup>2</sup> + <sup>14</sup>C, 2^10 and 3^5</p>"),
        ("^_^ (^o^) a^b c^", "<p>^_^ (^o^) a^b c^</p>"),
        ("x\\^2^", "<p>x^2^</p>"),
    ],
)  # fmt: skip
def test_marks(text: str, html: str) -> None:
    """Highlighted text, subscript and superscript; operators, paths and faces stay as they are."""
    check(text, html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("$x^2$", "<p><math><msup><mi>x</mi><mn>2</mn></msup></math></p>"),
        ("$a<b$.", "<p><math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>.</p>"),
        ("$$\na\n$$\nb", '<math tabindex="0" display="block"><mi>a</mi></math>\n<p>b</p>'),
        ("$$a$$", '<math tabindex="0" display="block"><mi>a</mi></math>'),
        ("> $$\n> a\n> $$", '<blockquote>\n<math tabindex="0" display="block"><mi>a</mi></math>\n</blockquote>'),
        ("a $$b$$ c", '<p>a <math tabindex="0" display="block"><mi>b</mi></math> c</p>'),
        ("$\\color{red} x$", '<p><math><mrow mathcolor="#FF0000"><mi>x</mi></mrow></math></p>'),
        ("$5 and $10, $20,000 and USD$30,000", "<p>$5 and $10, $20,000 and USD$30,000</p>"),
        ("in US$ or CA$/l", "<p>in US$ or CA$/l</p>"),
        ("\\$a$ `$b$`", "<p>$a$ <code>$b$</code></p>"),
        ("$$\na", "<p>$$\na</p>"),
        (":tada: :no-such-name: 10:30:15", "<p>🎉 :no-such-name: 10:30:15</p>"),
    ],
)  # fmt: skip
def test_math_and_emoji(text: str, html: str) -> None:
    """Formulas become MathML; amounts of money, escaped signs and code stay. Emoji have names."""
    check(text, html)


def test_aligned_formulas_have_classes_in_place_of_styles() -> None:
    """A page's policy allows no inline styles."""
    html = render("$$\\begin{aligned}a&=b\\end{aligned}$$", extensions=ALL)
    assert '<mtd class="math-right"><mi>a</mi></mtd><mtd class="math-left">' in html
    assert " style=" not in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\n\nb\n$\\nope<$ c", '<p>b\n<code class="math-source">\\nope&lt;</code> c</p>\n'),
        ("a\n\nb\n\n$$\\nope<$$", '<pre tabindex="0"><code class="math-source">\\nope&lt;</code></pre>\n'),
    ],
)
def test_a_formula_that_cannot_be_converted_is_shown_as_it_is_written(text: str, html: str) -> None:
    """With a warning that has its line; with math_strict it is an error."""
    for extensions, is_error in ((ALL, False), (ALL | {"math_strict"}, True)):
        problems: list[Problem] = []
        removed: list[Dropped] = []
        shown = render(text, extensions=extensions, problem=problems.append, report=removed.append)
        assert shown.endswith(html)
        assert sanitize(shown) == shown
        assert removed == []
        assert [(each.line, each.is_error) for each in problems] == [
            (text[: text.index("$")].count("\n") + 1, is_error)
        ]
        assert 'Unknown command "\\nope"' in problems[0].message


def test_own_commands_of_formulas() -> None:
    """They may have arguments, and use each other; without them the formula is shown as it is written."""
    macros = {"RR": "\\mathbb{R}", "norm": "\\lVert #1 \\rVert", "both": "\\norm{\\RR}"}
    problems: list[Problem] = []
    html = render("$\\both$ $\\norm{x}$", extensions=ALL, macros=macros, problem=problems.append)
    assert problems == []
    assert html.count("<math>") == 2
    assert "<mi>ℝ</mi>" in html
    assert "math-source" in render("$\\both$", extensions=ALL)
    recursive = render("$\\a$ b", extensions=ALL, macros={"a": "\\a\\a"}, problem=problems.append)
    assert recursive == '<p><code class="math-source">\\a</code> b</p>\n'
    assert "Too many expansions" in problems[0].message


@pytest.mark.parametrize(
    ("info", "html"),
    [
        ("", '<div class="highlight"><pre tabindex="0"><code>a\nb\n</code></pre></div>'),
        ("text {2} linenos", (
            '<div class="highlight"><pre tabindex="0"><code class="language-text"><span class="line">a\n</span>'
            '<mark class="line">b\n</mark></code></pre></div>')),
        ("{1,5-9}", (
            '<div class="highlight"><pre tabindex="0"><code><mark class="line">a\n</mark><span class="line">b\n</span>'
            "</code></pre></div>")),
        ("text numbers=9", (
            '<div class="highlight"><pre tabindex="0"><code class="language-text"><span class="line" data-line="9">a\n'
            '</span><span class="line" data-line="10">b\n</span></code></pre></div>')),
        ('text title="a <b>.txt"', (
            '<figure class="code">\n<figcaption>a &lt;b&gt;.txt</figcaption>\n'
            '<div class="highlight"><pre tabindex="0"><code class="language-text">a\nb\n</code></pre></div>\n'
            '</figure>')),
    ],
)  # fmt: skip
def test_code(info: str, html: str) -> None:
    """A title, numbers of lines and marked lines behind the language; other words are skipped."""
    check(f"```{info}\na\nb\n```", html)


def test_marked_lines_keep_their_colours() -> None:
    """A text over several lines is highlighted in each of them."""
    html = render('```python {2}\n"""a\nb"""\n```')
    assert (
        '<span class="line"><span class="sd">"""a</span>\n</span><mark class="line"><span class="sd">b"""</span>'
        in html
    )


SOURCES = {
    "abbreviations": "HTML\n\n*[HTML]: x",
    "attributes": "# A {#b}",
    "callouts": "> [!NOTE]\n> a",
    "cjk": "中**「a」**b\n中",
    "definition_lists": "a\n: b",
    "directives": "::: note\na\n:::",
    "emoji": ":tada:",
    "mark": "==a==",
    "math": "$a$",
    "subscript": "a~b~",
    "superscript": "a^b^",
    "task_lists": "- [ ] a",
}


@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_extension_can_be_off(name: str) -> None:
    """Without it the text is rendered as CommonMark says."""
    html = render(SOURCES[name], extensions=ALL - {name})
    assert html == render(SOURCES[name], extensions=frozenset())
    assert html != render(SOURCES[name], extensions=ALL)


def test_defaults_are_those_of_the_settings() -> None:
    """The schema of site.toml declares each extension, and the same default."""
    declared = load_schema("site")["properties"]["markdown"]["properties"]
    assert declared.keys() == {*EXTENSIONS, "typographer", "math_strict", "math_macros"}
    assert {name for name, each in declared.items() if each["default"]} == DEFAULT_EXTENSIONS


@pytest.mark.parametrize(
    ("text", "module", "package"), [("$a$", "math_core", "math-core"), (":tada:", "emoji", "emoji")]
)
def test_a_package_that_is_not_installed_is_named(text: str, module: str, package: str) -> None:
    """The error says how to install it; texts without formulas or names of emoji do not need it."""
    script = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from sitecms.content.text.markdown import render\nfrom sitecms.errors import ConfigurationError\n"
        "render('x', extensions={'math', 'emoji'})\n"
        f"try: render({text!r}, extensions={{'math', 'emoji'}})\nexcept ConfigurationError as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert f" under [markdown] needs {package}, which is not installed: " in shown
    assert shown.endswith(f" install {package}\n")
