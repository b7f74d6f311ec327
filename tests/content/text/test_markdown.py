"""Markdown bodies: what authors write becomes plain, safe HTML."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, MAX_HIGHLIGHTED, ResolvedImage, code_block, render
from sitecms.content.text.media_links import resolve_media
from sitecms.content.text.removed_markup import Dropped


def resolve(src: str) -> ResolvedImage | None:
    """Two files of a site folder."""
    return {
        "media/sea.jpg": ResolvedImage("/media/0a.jpg", 800, 600),
        "media/a b&c.pdf": ResolvedImage('/media/0b.pdf?"&'),
    }.get(src)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("1 *two* **three** `four` ~~five~~", (
            "<p>1 <em>two</em> <strong>three</strong> <code>four</code> <s>five</s></p>")),
        ("# Über *uns* & `x`", '<h2 id="über-uns-x">Über <em>uns</em> &amp; <code>x</code></h2>'),
        ("5. a\n6. b", '<ol start="5">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("> quote", "<blockquote>\n<p>quote</p>\n</blockquote>"),
        ("[in](/x/ \"T\") [frag](#über)", '<p><a href="/x/" title="T">in</a> <a href="#%C3%BCber">frag</a></p>'),
        ("See https://x.example/a_b?c=d&e=f, ok", (
            '<p>See <a href="https://x.example/a_b?c=d&amp;e=f">https://x.example/a_b?c=d&amp;e=f</a>, ok</p>')),
        ("www.x.example a@x.example ftp://x.example //x.y", "<p>www.x.example a@x.example ftp://x.example //x.y</p>"),
        ('"q" -- (c)', '<p>"q" -- (c)</p>'),
        ("<b onclick=x>raw</b><script>alert(1)</script>", "<p><b>raw</b></p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("<javascript:alert(1)>", "<p>&lt;javascript:alert(1)&gt;</p>"),
        ("| a | b | c |\n|:-|-:|-|\n| 1 | 2 | 3 |", (
            '<table tabindex="0">\n<thead>\n<tr>\n<th class="align-left">a</th>\n<th class="align-right">b</th>\n'
            '<th>c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td class="align-left">1</td>\n<td class="align-right">2</td>'
            "\n<td>3</td>\n</tr>\n</tbody>\n</table>")),
        ("", ""),
    ],
)  # fmt: skip
def test_text(text: str, html: str) -> None:
    """CommonMark with tables and strikethrough; explicit addresses are linked; nothing active, no style attribute."""
    assert render(text).rstrip("\n") == html


@pytest.mark.parametrize("text", ["a\r\nb\rc", "a\0b", "# a\r\n\r\nb"])
def test_line_ends_and_nul_are_replaced(text: str) -> None:
    """As CommonMark demands."""
    assert render(text) == render(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))


def test_typographer_is_off_by_default() -> None:
    """Quotes and dashes are set by the argument alone, and one setting does not leak into the other."""
    assert render('"q" -- (c)', extensions=DEFAULT_EXTENSIONS | {"typographer"}) == "<p>“q” – ©</p>\n"
    assert render('"q" -- (c)') == '<p>"q" -- (c)</p>\n'


def test_headings_without_words_are_left_out() -> None:
    """A `##` alone is no heading; one with a picture alone is."""
    assert render("##\n\n## A\n\n#\n\n## ![x](y.png)") == (
        '\n<h2 id="a">A</h2>\n\n<h2 id="x"><img src="y.png" alt="x"></h2>\n'
    )


def test_heading_ids_are_unique() -> None:
    """Equal headings are numbered, also around a heading that looks numbered; one without letters gets a name."""
    html = render("# A\n# A\n# A 2\n# A\n# !!!\n# ???\n# 潮汐")
    assert [part.split('"')[0] for part in html.split(' id="')[1:]] == [
        "a", "a-2", "a-2-2", "a-3", "section", "section-2", "潮汐",
    ]  # fmt: skip


def test_prefix_makes_footnote_ids_distinct() -> None:
    """Two texts on one page have no id in common."""
    text = "One[^a].\n\n[^a]: Note."
    first, second = (set(render(text, footnote_prefix=name).split('id="')[1:]) for name in ("intro", "body"))
    assert 'href="#fn-body-1"' in render(text, footnote_prefix="body")
    assert not {part.split('"')[0] for part in first} & {part.split('"')[0] for part in second}


def test_code_is_highlighted_by_classes() -> None:
    """A fence with a language of Pygments has spans with classes, takes keyboard focus, and has no style."""
    html = render('```python\nif a < "b":\n```')
    assert html.startswith(
        '<div class="highlight"><pre tabindex="0"><code class="language-python"><span class="k">if</span>'
    )
    assert '<span class="s2">"b"</span>' in html
    assert "style=" not in html


@pytest.mark.parametrize("fence", ["```nosuch\n<b>&\n```", "```\n<b>&\n```", "    <b>&\n", '```"><script>\n<b>&\n```'])
def test_other_code_is_plain(fence: str) -> None:
    """An unknown or missing language gives escaped text in the same frame."""
    html = render(fence)
    assert html.startswith('<div class="highlight"><pre tabindex="0"><code')
    assert html.endswith(">&lt;b&gt;&amp;\n</code></pre></div>\n")
    assert "<script" not in html


def test_blank_lines_of_code_are_kept() -> None:
    """Code is shown as written, with its leading blank lines."""
    assert render("```\n\n  x\n```") == '<div class="highlight"><pre tabindex="0"><code>\n  x\n</code></pre></div>\n'
    assert '>\n<span class="n">x</span>\n</code>' in render("```python\n\nx\n```")


def test_very_long_code_is_not_highlighted() -> None:
    """Code beyond the limit stays plain, which is fast."""
    assert "<span" in code_block("x\n", "python")
    assert "<span" not in code_block("x" * (MAX_HIGHLIGHTED + 1), "python")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('![Alt "q"](media/sea.jpg)', (
            '<figure><img src="/media/0a.jpg" alt="Alt &quot;q&quot;" width="800" height="600"></figure>')),
        ('![A](media/sea.jpg "At <sea>")', (
            '<figure><img src="/media/0a.jpg" alt="A" width="800" height="600">'
            "<figcaption>At &lt;sea&gt;</figcaption></figure>")),
        ("[![A](media/sea.jpg)](/x/)", (
            '<figure><a href="/x/"><img src="/media/0a.jpg" alt="A" width="800" height="600"></a></figure>')),
        ('in ![A](media/sea.jpg "T") line', (
            '<p>in <img src="/media/0a.jpg" alt="A" title="T" width="800" height="600"> line</p>')),
        ("![A](media/none.jpg)", '<figure><img src="media/none.jpg" alt="A"></figure>'),
        ("![A](https://x.example/%20.jpg)", '<figure><img src="https://x.example/%20.jpg" alt="A"></figure>'),
        ("- ![A](x.png)\n- b", '<ul>\n<li><img src="x.png" alt="A"></li>\n<li>b</li>\n</ul>'),
        ('<img src="media/sea.jpg" width="40" loading="eager">', (
            '<img src="/media/0a.jpg" width="40" loading="eager">')),
        ("[pdf](<media/a b&c.pdf>)", '<p><a href="/media/0b.pdf?&quot;&amp;">pdf</a></p>'),
        ("[page](sea.jpg)", '<p><a href="sea.jpg">page</a></p>'),
        ('<video src="media/sea.jpg" poster="media/sea.jpg"></video>', (
            '<p><video src="/media/0a.jpg" poster="/media/0a.jpg"></video></p>')),
    ],
)  # fmt: skip
def test_images_and_media(text: str, html: str) -> None:
    """An image alone is a figure; media addresses are resolved, in raw HTML too; images have sizes."""
    assert render(text, resolve_image=resolve).rstrip("\n") == html


def test_resolver_receives_file_names() -> None:
    """Relative addresses are decoded, absolute ones unchanged; links are resolved below `media/` only."""
    asked: list[str] = []

    def note(src: str) -> ResolvedImage | None:
        asked.append(src)
        return None

    render(
        "![](<media/a b é.jpg>) ![](media/a%20b.jpg) ![](https://x.example/%20) [x](media/y) [z](/z)",
        resolve_image=note,
    )
    assert asked == ["media/a b é.jpg", "media/a b.jpg", "https://x.example/%20", "media/y"]


@given(st.text(alphabet="ab \n#*_`[]()<>!|-^:~\"'&\\/.1=\t\xa0é漢", max_size=80))
def test_any_text_renders_to_a_fixed_point(text: str) -> None:
    """Whatever is written, sanitising and resolving the result once more change nothing."""
    html = render(text, resolve_image=resolve)
    assert sanitize(html) == html
    assert resolve_media(html) == html


@given(st.text(alphabet="ab \n#*_`[]()|-^~\"'&\\/.1=\t\xa0é漢", max_size=80))
def test_nothing_is_removed_from_markdown_alone(text: str) -> None:
    """The sanitiser reports no markup for a text without HTML."""
    removed: list[Dropped] = []
    render(text, report=removed.append)
    assert removed == []


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "unknown:x"])
@pytest.mark.parametrize("text", ["[x](<{}>)", "![x](<{}>)", "<{}>", "[x]\n\n[x]: {}"])
def test_addresses_in_markdown_pass_the_sanitiser(text: str, address: str) -> None:
    """An address that the parser lets through, but the list of schemes does not name, is removed."""
    html = render(text.format(address))
    assert f'="{address}' not in html


def test_rendering_is_thread_safe() -> None:
    """Texts rendered in several threads give the same HTML as alone."""
    texts = [f"# H{n}\n\nhttps://x.example/{n} [^1]\n\n[^1]: n{n}\n\n```python\nx = {n}\n```\n" * 3 for n in range(40)]
    alone = [render(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(render, texts)) == alone
