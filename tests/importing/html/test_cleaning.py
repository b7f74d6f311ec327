"""Markup of editors: what is shown in lines of its own, links within code, lines of code."""

import pytest

from sitecms.importing.html.cleaning import clean
from sitecms.importing.html.code_lines import use_code_blocks
from sitecms.importing.html.tree import parse
from sitecms.importing.html.verified_markdown import to_markdown


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p><span style="display:block">One</span><span style="display: block">Two</span></p>', "One\\\nTwo"),
        ('<p>A <span style="color:red; display:block">One</span> b</p>', "A\\\nOne\\\nb"),
        ("<p><span style='display:inline-block'>One</span><span>Two</span></p>", "OneTwo"),
        ('<p>x <code>a <a href="/b">b</a></code> y</p>', "x <code>a [b](/b)</code> y"),
        ('<p><tt><a href="/b">b</a></tt></p>', "<code>[b](/b)</code>"),
        ('<p><a href="/b"><code>b</code></a></p>', "[`b`](/b)"),
        ('<p>Call <a href="irc://x.example/sea">us</a></p>', "Call [us](irc://x.example/sea)"),
        ("<p>Add <code>one<br>  two</code> then</p>", "Add\n\n```\none\n  two\n```\n\nthen"),
        ("<div>Add <code>one<br/>two</code> then</div>", "Add\n\n```\none\ntwo\n```\n\nthen"),
        ("<p><b><code>one<br>two</code></b></p>", "```\none\ntwo\n```"),
        ('<p><code style="white-space: pre">one\ntwo</code></p>', "```\none\ntwo\n```"),
        ("<p><code>one\ntwo</code></p>", "`one two`"),
        ("<p><code>one<br></code></p>", "`one`"),
        ("<h2><code>one<br>two</code></h2>", "## `one two`"),
        ('<aside class="callout callout-tip"><p class="callout-title">Tip</p><p>A</p></aside>', "::: tip\n\nA\n\n:::"),
        (
            '<aside class="callout callout-tip"><p class="callout-title">Mind <em>it</em></p><p>A</p></aside>',
            "::: tip Mind *it*\n\nA\n\n:::",
        ),
        ("<details><summary>More</summary><p>A</p></details>", "::: details More\n\nA\n\n:::"),
    ],
)
def test_what_readers_saw_is_in_the_markdown(html: str, expected: str) -> None:
    """Each is rendered back to the same document."""
    root = parse(html)
    clean(root, lambda _subject: None)
    use_code_blocks(root)
    converted = to_markdown(root)
    assert converted
    assert converted.text == f"{expected}\n"
