"""Tags of templates in bodies of Markdown."""
# ruff: noqa: E501 - texts as their authors write them

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.text import markdown
from sitecms.content.text.html import plain_text
from sitecms.importing.readers.markdown.tags.convert import Context
from sitecms.importing.readers.markdown.tags.dialects import replace_tags

_FILES = {"a.png": "media:a.png", "img/b c.png": "media:img/b%20c.png", "post": "entry:md:post.md"}
JEKYLL, HEXO = frozenset({"liquid", "kramdown", "marked"}), frozenset({"liquid", "hexo"})
HUGO, ZOLA, WIKI = frozenset({"go"}), frozenset({"zola"}), frozenset({"wiki"})
ASTRO, MDX = frozenset({"mdx", "directives"}), frozenset({"mdx", "jsx", "directives"})


def _replace(text: str, dialects: frozenset[str], *, is_html: bool = False) -> tuple[str, list[tuple[str, int]]]:
    """Return the text, and the tags that were reported with their lines."""
    found: list[tuple[str, int]] = []

    def report(name: str, line: int) -> None:
        found.append((name, line))

    around = Context(
        lambda name: _FILES.get(name, ""),
        report,
        report,
        is_html,
        {"title": "Tides", "url": "https://old.example"},
        {"title": "Slack"},
    )
    return replace_tags(text, dialects, around), found


@pytest.mark.parametrize(
    ("dialects", "text", "expected"),
    [
        (HUGO, '{{< figure src="a.png" alt="A boat" >}}', "![A boat](media:a.png)"),
        (HUGO, '{{< figure src="/x.png" alt="A" caption="Low *tide*" >}}', '<figure><img src="/x.png" alt="A"><figcaption>Low <em>tide</em></figcaption></figure>'),
        (HUGO, '{{< figure src="/x.png" caption="Low tide" >}}', '![Low tide](/x.png "Low tide")'),
        (HUGO, '{{< figure src="/x.png" caption="By [Ann](https://ann.example/)" >}}', '<figure><img src="/x.png" alt="By Ann"><figcaption>By <a href="https://ann.example/">Ann</a></figcaption></figure>'),
        (HUGO, '{{< figure src="/x.png" title="T" caption="C" attr="Ann" attrlink="/a/" >}}', '<figure><img src="/x.png" alt="T"><figcaption><strong>T</strong> C <a href="/a/">Ann</a></figcaption></figure>'),
        (HUGO, '{{< notice type="info" >}}\nThis is **bold**.\n{{< /notice >}}', "::: note\nThis is **bold**.\n:::"),
        (HUGO, '{{% notice warning "Mind the gap" %}}\nThis.\n{{% /notice %}}', "::: warning Mind the gap\nThis.\n:::"),
        (HUGO, "{{< tip >}}One *line*{{< /tip >}}", "::: tip\nOne *line*\n:::"),
        (HUGO, "- a\n\n  {{< note >}}\n  In a list\n  {{< /note >}}\n", "- a\n\n  ::: note\n  In a list\n  :::\n"),
        (HUGO, "> {{< note >}}\n> In a quote\n> {{< /note >}}", "> ::: note\n> In a quote\n> :::"),
        (HUGO, '{{< gallery >}}\n![One](/img/a.png)\n{{< /gallery >}}', "::: gallery\n![One](/img/a.png)\n:::"),
        (HUGO, '{{< details "More" >}}\nText {{< gist 12 >}}\n{{< /details >}}', "::: details More\nText [https://gist.github.com/12](https://gist.github.com/12)\n:::"),
        (HUGO, '{{< tabs >}}\n{{< tab "One" >}}\nA\n{{< /tab >}}\n{{< /tabs >}}', "::: tabs\n::: tab One\nA\n:::\n:::"),
        (HUGO, "{{< note >}}\nA\n{{< note >}}\nB\n{{< /note >}}\n{{< /note >}}", "::: note\nA\n::: note\nB\n:::\n:::"),
        (HUGO, '{{< rawhtml >}}<b>x</b>{{< /rawhtml >}}', "<b>x</b>"),
        (HUGO, '{{< my-lightbox "/img/a.png" >}}', "![](/img/a.png)"),
        (HUGO, '{{< video src="/a.mp4" >}}', '<p><video src="/a.mp4" controls></video></p>'),
        (HUGO, '{{< bilibili BV1x >}}', "[https://www.bilibili.com/video/BV1x](https://www.bilibili.com/video/BV1x)"),
        (HUGO, "{{< ui/alert >}}\nx\n{{< /ui/alert >}}", "::: warning\nx\n:::"),
        (HEXO, "{% note info %}\nText\n{% endnote %}", "::: note\nText\n:::"),
        (HEXO, "```\n{% raw %}{{ x }}{% endraw %}\n```", "```\n{% raw %}{{ x }}{% endraw %}\n```"),
        (JEKYLL, '{% callout "warning" %}\nText\n{% endcallout %}', "::: warning\nText\n:::"),
        (ASTRO, '<Aside type="tip" title="Mind">\nText\n</Aside>', "::: tip Mind\nText\n:::"),
        (ZOLA, '{% note(title="Mind") %}\nText\n{% end %}', "::: note Mind\nText\n:::"),
        (HUGO, '{{< figure src="a.png" link="/b/" alt="A" />}}', "[![A](media:a.png)](/b/)"),
        (HUGO, "{{< img `a.png` >}}", "![](media:a.png)"),
        (HUGO, "{{< gist ann 1234567890ab >}}", "[https://gist.github.com/ann/1234567890ab](https://gist.github.com/ann/1234567890ab)"),
        (HUGO, '{{< tweet user="ann" id="12" >}}', "[https://twitter.com/ann/status/12](https://twitter.com/ann/status/12)"),
        (HUGO, '[x]({{< ref "post" >}})', "[x](entry:md:post.md)"),
        (HUGO, '[x]({{< relref path="post#top" >}})', "[x](entry:md:post.md#top)"),
        (HUGO, "{{< highlight go >}}\nx := `a`\n{{< /highlight >}}", "```go\nx := `a`\n```"),
        (HUGO, "> {{< highlight go >}}\n> x\n>   y\n> {{< /highlight >}}", "> ```go\n> x\n>   y\n> ```"),
        (HUGO, "- a\n\n  {{< highlight go >}}\n  x\n    y\n  {{< /highlight >}}", "- a\n\n  ```go\n  x\n    y\n  ```"),
        (HUGO, "{{< highlight go >}}x{{< /highlight >}} end", "```go\nx\n```\n\n end"),
        (HUGO, "{{% highlight go %}}\n```\n{{% /highlight %}}", "````go\n```\n````"),
        (HUGO, "Write {{</* figure src=\"x\" */>}}.", 'Write {{< figure src="x" >}}.'),
        (HUGO, "`{{</* x */>}}`", "`{{< x >}}`"),
        (ZOLA, "[x](@/a.md) {{ youtube(id=\"dQw4w9WgXcQ\") }}", '[x](@/a.md) <iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="YouTube"></iframe>'),
        (ZOLA, "{{/* youtube(id=1) */}}", "{{ youtube(id=1) }}"),
        (JEKYLL, "{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}", "```ruby\nputs 1\n```"),
        (JEKYLL, "[x]({{ site.baseurl }}{% post_url post %})", "[x](entry:md:post.md)"),
        (JEKYLL, "[x]({{ site.url }}{{ site.baseurl }}/about/)", "[x](/about/)"),
        (JEKYLL, "See {{ site.url }}.", "See https://old.example."),
        (JEKYLL, '[x]({{ "/about/" | relative_url }})', "[x](/about/)"),
        (JEKYLL, "{% raw %}{{ not.a.tag }}{% endraw %}", "{{ not.a.tag }}"),
        (JEKYLL, "```\n{% raw %}{{ x }}{% endraw %}\n```", "```\n{{ x }}\n```"),
        (JEKYLL, "{% comment %}later{% endcomment %}", "<!-- later-->"),
        (JEKYLL, "{{ page.title }} of {{ site.title | escape }}", "Slack of Tides"),
        (JEKYLL, '{% include figure.html image_path="a.png" alt="A" %}', "![A](media:a.png)"),
        (JEKYLL, '{% include video id="dQw4w9WgXcQ" provider="youtube" %}', '<p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="YouTube"></iframe></p>'),
        (JEKYLL, "{% img left /x.png 300 200 'A boat' 'Boat' %}", '![Boat](/x.png "A boat")'),
        (HEXO, "{% asset_img 'a.png' A boat %}", '![A boat](media:a.png)'),
        (HEXO, "{% post_link post 'The post' %}", "[The post](entry:md:post.md)"),
        (HEXO, "{% post_link post %}", "[post](entry:md:post.md)"),
        (HEXO, "{% codeblock Title lang:js %}\nlet a\n{% endcodeblock %}", "Title\n\n```js\nlet a\n```"),
        (HEXO, "{% blockquote Ann, Tides %}\nLow.\n{% endblockquote %}", "> Low.\n>\n> — Ann, Tides"),
        (HEXO, "{% vimeo 12345678 %}", '<p><iframe src="https://player.vimeo.com/video/12345678" title="Vimeo"></iframe></p>'),
        (JEKYLL, "{% highlight html %}\n{% raw %}{{ x }}{% endraw %}\n{% endhighlight %}", "```html\n{{ x }}\n```"),
        (WIKI, "[[post]] and [[post|that one]]", "[post](entry:md:post.md) and [that one](entry:md:post.md)"),
        (WIKI, "![[a.png]] ![[a.png|300]]", "![](media:a.png) ![](media:a.png)"),
        (WIKI, "![[post]]", "[post](entry:md:post.md)"),
        (MDX, '<img src="/a.png" width={280} style={{ margin: 10 }} />', '<img src="/a.png" width="280">'),
        (MDX, '<div className="x">\n  ![One](/a.png)\n</div>', '<div class="x">\n\n![One](/a.png)\n\n</div>\n'),
        (MDX, '<img\n  src="/a.png"\n/>', '<img src="/a.png">'),
        (MDX, "<summary>**Out**</summary>", "<summary><strong>Out</strong></summary>"),
        (MDX, '<p>\nA **b**\n</p>', '<p>A <strong>b</strong></p>'),
        (MDX, '<a href={`/x/`} onClick={() => go({ a: 1 })}>*t*</a>', '<a href="/x/">*t*</a>'),
        (MDX, '```\n<div className="x">\n</div>\n```', '```\n<div className="x">\n</div>\n```'),
        (ASTRO, ":::note[Mind]\nText\n:::", "::: note Mind\nText\n:::"),
        (ASTRO, 'import X from "./X.astro";\n\nText\n', '<!-- import X from "./X.astro"; -->\n\nText\n'),
        (ASTRO, '<LinkCard title="Go" href="/x/" />', "[Go](/x/)"),
    ],
)  # fmt: skip
def test_known_tags(dialects: frozenset[str], text: str, expected: str) -> None:
    """They become Markdown or HTML."""
    assert _replace(text, dialects)[0] == expected


@pytest.mark.parametrize(
    ("dialects", "text", "name", "expected"),
    [
        (HUGO, "{{< chart 1 2 >}}", "chart", "<!-- {{< chart 1 2 >}} -->"),
        (HUGO, "{{% box-2 %}}\n*High*\n{{% /box-2 %}}", "box-2", "<!-- {{% box-2 %}} -->\n*High*\n<!-- {{% /box-2 %}} -->"),
        (HUGO, "{{< box-2 >}}*High*{{< /box-2 >}} tide", "box-2", "*High*<!-- {{< box-2 >}}…{{< /box-2 >}} --> tide"),
        (HUGO, "{{< icon sun >}} *High*", "icon", "*High* <!-- {{< icon sun >}} -->"),
        (HUGO, "- {{< icon sun >}} *High*", "icon", "- *High* <!-- {{< icon sun >}} -->"),
        (HUGO, "| {{< icon x |y >}} | b |", "icon", "| <!-- {{< icon x &#124;y >}} --> | b |"),
        (HUGO, '[x]({{< param "a" >}}/y)', "param", "[x](/y)"),
        (HUGO, '{{< chart "a --> b" >}}', "chart", '<!-- {{< chart "a - -> b" >}} -->'),
        (JEKYLL, "{% plot %}", "plot", "<!-- {% plot %} -->"),
        (JEKYLL, "{% include subscribe.html %}", "include subscribe.html", "<!-- {% include subscribe.html %} -->"),
        (JEKYLL, "{% if page.x %}a{% endif %}", "if", "a<!-- {% if page.x %}…{% endif %} -->"),
        (JEKYLL, "{{ page.unknown }}", "{{ page.unknown }}", "<!-- {{ page.unknown }} -->"),
        (JEKYLL, "[x]({{ page.unknown }})", "{{ page.unknown }}", "[x](#)"),
        (JEKYLL, '{{ "a" | asset_tag }}', '{{ "…" | asset_tag }}', '<!-- {{ "a" | asset_tag }} -->'),
        (JEKYLL, "{% post_url nowhere %}", "post_url nowhere", "<!-- {% post_url nowhere %} -->"),
        (HUGO, '[x]({{< ref "nowhere" >}})', "ref nowhere", '[x](#)'),
        (ZOLA, "{% plot(by=1) %}\nx\n{% end %}", "plot", "<!-- {% plot(by=1) %} -->\nx\n<!-- {% end %} -->"),
        (WIKI, "[[nowhere]]", "[[nowhere]]", "nowhere"),
        (ASTRO, "<Card>x</Card>", "<Card>", "x<!-- <Card>…</Card> -->"),
        (ASTRO, ":::steps\nx\n:::", ":::steps", "<!-- :::steps -->\nx\n<!-- ::: -->"),
    ],
)  # fmt: skip
def test_unknown_tags(dialects: frozenset[str], text: str, name: str, expected: str) -> None:
    """They become comments beside the text within them, and are reported once with their line."""
    assert _replace(f"One\n\n{text}\n", dialects) == (f"One\n\n{expected}\n", [(name, 3)])


@pytest.mark.parametrize("dialects", [HUGO, JEKYLL, HEXO, ZOLA])
@pytest.mark.parametrize(
    "code",
    [
        "```\n{{< youtube abcdefgh >}} {% youtube abcdefgh %} {{ youtube(id=1) }}\n```",
        "~~~~ text\n```\n{% gist 12 %}{{< gist 12 >}}\n~~~~",
        "`{{< gist 12 >}} {% gist 12 %}`",
        "``a ` {{< gist 12 >}} {% gist 12 %}``",
        "Text\n\n    {{< gist 12 >}}\n    {% gist 12 %}\n\nText",
        "- item\n\n  ```\n  {% gist 12 %} {{< gist 12 >}}\n  ```",
        "<pre>{% gist 12 %} {{< gist 12 >}}</pre>",
        "> ```\n> {% gist 12 %} {{< gist 12 >}}\n> ```",
        "```\n{% gist 12 %} {{< gist 12 >}} never closed",
    ],
)
def test_code_stays_sign_for_sign(dialects: frozenset[str], code: str) -> None:
    """Nothing inside of code is a tag."""
    assert _replace(code, dialects) == (code, [])


def test_a_tag_in_an_indented_list_item_is_no_code() -> None:
    """Four spaces below a list item continue it."""
    text = "- one\n\n    {{< gist 12 >}}\n"
    assert "gist.github.com/12" in _replace(text, HUGO)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<div class="w" markdown="1">\n- a\n- **b**\n</div>\nNext', '<div class="w">\n<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>\n</div>\n<p>Next</p>'),
        ('<aside markdown="1">\n  <img src="a.png">\n  A *text*.\n  <p markdown="1">\nBy [Ann](/a/)\n  </p>\n</aside>', '<aside>\n<p><img src="a.png"> A <em>text</em>.</p>\n<p>By <a href="/a/">Ann</a></p>\n</aside>'),
        ('<table><tr><td markdown = "span">*x*</td></tr></table>', "<table><tbody><tr><td><em>x</em></td></tr></tbody></table>"),
        ("- a\n\n  <div markdown='block'>\n  *x*\n  </div>\n- b", "<ul>\n<li>\n<p>a</p>\n<div>\n<p><em>x</em></p>\n</div>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"),
        ('> a\n>\n> <div markdown="1">\n>   *x*\n>   - b\n>\n>   <b>\n>   y</b>\n> </div>\n> c', "<blockquote>\n<p>a</p>\n<div>\n<p><em>x</em></p>\n<ul>\n<li>b</li>\n</ul>\n<p><b> y</b></p>\n</div>\n<p>c</p>\n</blockquote>"),
        ('> - a\n>   <div markdown="1">\n>   *x*\n>   </div>\n> - b', "<blockquote>\n<ul>\n<li>\n<p>a</p>\n<div>\n<p><em>x</em></p>\n</div>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>\n</blockquote>"),
        ('- a\n\n  1. <div markdown="1">\n     *x*\n     </div>\n\n     > <div markdown="1">\n     > *y*\n     > </div>\n- b', "<ul>\n<li>\n<p>a</p>\n<ol>\n<li>\n<div>\n<p><em>x</em></p>\n</div>\n<blockquote>\n<div>\n<p><em>y</em></p>\n</div>\n</blockquote>\n</li>\n</ol>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"),
        ('- <div markdown="1">*x*</div>\n- b', "<ul>\n<li>\n<div>\n<p><em>x</em></p>\n</div>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"),
        ('a `<div markdown="1">*x*</div>` b', '<p>a <code>&lt;div markdown="1"&gt;*x*&lt;/div&gt;</code> b</p>'),
    ],
)  # fmt: skip
def test_elements_that_hold_markdown(text: str, expected: str) -> None:
    """`markdown="1"` of kramdown and Python-Markdown: the text within the element is rendered, code is not."""
    assert markdown.render(_replace(text, JEKYLL)[0]).strip() == expected


def test_attribute_lists_of_kramdown() -> None:
    """They are taken out and reported; an anchor stays."""
    text, found = _replace("## Tides {: #low .wide }\n\nText\n{: .note}\n", JEKYLL)
    assert text == '## Tides <a id="low"></a>\n\nText\n\n'
    assert found == [("{: } of kramdown, taken out", 1), ("{: } of kramdown, taken out", 4)]


def test_html_bodies_get_html() -> None:
    """Pictures and code of an HTML text."""
    assert _replace('{{< figure src="a.png" alt="A" >}}', HUGO, is_html=True)[0] == '<img src="media:a.png" alt="A">'
    made = _replace("{% highlight c %}\na < b\n{% endhighlight %}", JEKYLL, is_html=True)[0]
    assert made == '<pre><code class="language-c">a &lt; b\n</code></pre>'


_WORDS = st.sampled_from(["One *two*", "[x](/y/)", "a | b", "![p](/p.png)", "", "- item", "`code`", "1 < 2"])
_SHAPES = st.sampled_from(
    ["{{{{< {0} >}}}}\n{1}\n{{{{< /{0} >}}}}", "{{{{% {0} a=1 %}}}}{1}{{{{% /{0} %}}}} end", "> {{{{< {0} >}}}}\n> {1}\n> {{{{< /{0} >}}}}",
     "- {{{{< {0} x >}}}} {1}", "  {{{{< {0} \"a b\" >}}}}\n  {1}\n  {{{{< /{0} >}}}}", "{1} {{{{< {0} />}}}} end"]
)  # fmt: skip
_NAMES = st.sampled_from(
    ["note", "details", "gallery", "tabs", "chart", "x-y", "figure", "rawhtml", "highlight", "include"]
)


@given(st.lists(st.tuples(_SHAPES, _NAMES, _WORDS), min_size=1, max_size=5))
def test_no_word_is_lost_and_no_tag_is_shown(parts: list[tuple[str, str, str]]) -> None:
    """Whatever stands within shortcodes is on the page, as it is without them; no tag is."""
    made = _replace("\n\n".join(shape.format(name, inner) for shape, name, inner in parts), HUGO)[0]
    shown = markdown.render(made)
    assert "{{" not in shown.replace("&lt;", "<")
    text = plain_text(shown)
    for _shape, name, inner in parts:
        words = re.findall(r"[A-Za-z0-9]+", plain_text(markdown.render(inner)))
        assert all(word in text for word in words), (name, inner, made)


_PIECES = st.sampled_from(
    ["a", " ", "\n", "\n\n", "`", "```", "~~~", "{{", "}}", "{%", "%}", "{{<", ">}}", "{:", "}", "raw", "endraw", "gist",
     " 12 ", '"', "'", "    ", "- ", "<!--", "-->", "[[", "]]", "import ", "<Card", "/>", ":::", "(", ")", "/*", "*/"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_text_without_tags_and_code_stay(text: str) -> None:
    """Any text is taken; one without signs of tags stays as it is, and so does code whatever is in it.

    `raw` and `/*` have a meaning in code, too: they keep generators from running what looks like a tag.
    """
    code = f"```\n{text}\n```\n"
    for dialects in (JEKYLL, HEXO, HUGO, ZOLA, WIKI, ASTRO):
        made = _replace(text, dialects)
        if not set("{[<:") & set(text) and "import" not in text:
            assert made == (text, [])
        if not set("`~") & set(text) and "raw" not in text and "/*" not in text:
            assert _replace(code, dialects) == (code, [])
