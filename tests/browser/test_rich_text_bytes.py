"""Opening HTML as rich text and writing it changes no byte, and an edit changes its own block only."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown import render
from tests.content.text.test_html import SOUP
from tests.support.studio_browser import Studio

pytestmark = pytest.mark.slow
BLOCKS = (
    "<p>one <b>two</b> <i>three</i></p>", '<p class="align-center">a<br>b <kbd>c</kbd></p>', '<h2 id="x">Part</h2>',
    "<ul>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>", '<ol start="3"><li><p>a</p><p>b</p></li></ol>',
    "<blockquote>\n<p>said</p>\n</blockquote>", '<pre><code class="language-sh">a\n b\n</code></pre>', "<hr>",
    '<figure><img src="/media/a.jpg" alt="A"><figcaption>B</figcaption></figure>',
    '<p><img src="/media/a.jpg" alt=""></p>',
    "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
    "<table><tbody><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></tbody></table>", "<p></p>", "bare <em>words</em>",
    "<details><summary>a</summary><p>b</p></details>",
    '<div class="highlight"><pre><code><span class="k">a</span></code></pre></div>',
    '<p>note<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup></p>', "<p><math><mi>x</mi></math></p>",
    '<p><iframe src="https://www.youtube-nocookie.com/embed/x"></iframe></p>', "<dl><dt>a</dt><dd>b</dd></dl>",
    '<aside class="callout callout-note">\n<p class="callout-title">Note</p>\n<ul>\n<li>b</li>\n</ul>\n</aside>',
    '<aside class="callout callout-tip"><p>a</p>bare</aside>', "<details><summary>a</summary>bare</details>",
    '<div class="tabs">\n<section class="tab">\n<p class="tab-title">A</p>\n<p>b</p>\n</section>\n</div>',
    '<section data-directive="box" data-directive-content="1" class="x"><h3>a</h3>\n<p>b</p>\n</section>',
    '<section data-directive="box"><div class="in" data-directive-content="0"><p>b</p></div><p>c</p></section>',
    '<table data-directive="bars\na"><tbody><tr><td>a</td></tr></tbody></table>',
    '<p class="buttons"><a href="/a/" class="button">a</a></p>',
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(BLOCKS) | SOUP, max_size=6).flatmap(
    lambda blocks: st.sampled_from(["\n", "\n\n", ""]).map(lambda gap: gap.join(blocks))
)
ROUND_TRIP = """async ([address, html]) => {
    const { OpenedText } = await import(address.replace('writing.js', 'writing/blocks.js'));
    const { EditorState } = await import(address.replace('writing.js', 'vendor/prosemirror.js'));
    const opened = new OpenedText(html);
    if (opened.write(opened.doc) !== html) return 'changed by opening';
    const all = opened.blocks.map(({ before, source }) => before + source);
    if (all.join('') + opened.after !== html) return 'not cut into its parts';
    const state = EditorState.create({ doc: opened.doc });
    const faults = [];
    opened.doc.forEach((node, offset, index) => {
        let at = -1;
        state.doc.nodesBetween(offset, offset + node.nodeSize, (inner, position) => {
            if (at < 0 && inner.isTextblock) at = position + 1;
        });
        if (at < 0 || !opened.blocks.length) return;
        const out = opened.write(state.tr.insertText('XYZ', at).doc);
        const start = all.slice(0, index).join('') + opened.blocks[index].before;
        const end = all.slice(index + 1).join('') + opened.after;
        const isFine = out.startsWith(start) && out.endsWith(end) && out.split('XYZ').length === 2;
        if (!isFine) faults.push([index, out]);
    });
    return faults.length ? JSON.stringify(faults) : '';
}"""


@pytest.fixture
def page(studio: Studio, bundle: None) -> Page:
    """A page of the studio that has the scripts of the editor."""
    studio.open("posts/new/")
    return studio.page


def check(page: Page, html: str) -> None:
    address = page.evaluate("document.querySelector('script[src*=\"/writing.js\"]').src")
    assert page.evaluate(ROUND_TRIP, [address, html]) == "", html


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(html=TEXTS)
def test_allowed_html_keeps_its_bytes(page: Page, html: str) -> None:
    """Whatever the sanitiser lets through: opened and written, edited block by block."""
    check(page, sanitize(html))


def test_bodies_of_the_sample_site_keep_their_bytes(page: Page, repo: Path) -> None:
    """Rendered Markdown with all its extensions, and the body of a post in HTML."""
    for path in sorted((repo / "sample_site" / "content" / "posts").glob("*.md")):
        text = path.read_text(encoding="utf-8").split("---\n", 2)[2]
        check(page, sanitize(text))
        check(page, sanitize(render(text)))
