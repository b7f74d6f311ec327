"""Shortcodes of the owner in posts and pages."""

import pytest

from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


@pytest.fixture
def site(folder: SiteFolder) -> SiteFolder:
    """A site with three shortcodes."""
    folder.write("templates/shortcodes/price.html", '<b class="price">{{ args.of }} {{ args[1] }}</b>\n')
    folder.write(
        "templates/shortcodes/box.html",
        '<aside class="box" lang="{{ page.locale }}"><h2>{{ args.title }}</h2>{{ inner }}</aside>',
    )
    folder.write("templates/shortcodes/sea/pic.html", '<img src="media/{{ args.name }}.png" alt="{{ args.alt }}">')
    return folder


def rendered(folder: SiteFolder, text: str) -> str:
    """The stored HTML of a post with this text."""
    folder.post("a", text)
    assert folder.load().errors == ()
    return folder.find("a").body.strip()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('It is {{< price of="5 < 6" EUR >}} now.', '<p>It is <b class="price">5 &lt; 6 EUR</b> now.</p>'),
        ('{{< price of="5" EUR >}}', '<b class="price">5 EUR</b>'),
        ('{{< box title="T" >}}\n- *a*\n{{< /box >}}\nb', (
            '<aside class="box" lang="en"><h2>T</h2><ul>\n<li><em>a</em></li>\n</ul>\n</aside>\n<p>b</p>')),
        ('a {{< box title="T" >}}*b*{{< /box >}} c', (
            '<p>a </p><aside class="box" lang="en"><h2>T</h2><em>b</em></aside> c')),
        ('{{< box title="1" >}}\n{{< box title="2" >}}\na\n{{< /box >}}\n{{< price of=1 2 >}}\n{{< /box >}}', (
            '<aside class="box" lang="en"><h2>1</h2><aside class="box" lang="en"><h2>2</h2><p>a</p>\n</aside>\n'
            '<b class="price">1 2</b>\n</aside>')),
        ("`{{< no >}}` {{</* no */>}} \\{{< no >}}",
         "<p><code>{{&lt; no &gt;}}</code> {{&lt; no &gt;}} {{&lt; no &gt;}}</p>"),
        ("```\n{{< no >}}\n```",
         '<div class="highlight"><pre tabindex="0"><code>{{&lt; no &gt;}}\n</code></pre></div>'),
        ('{{< box title="T" >}}\n```\n{{< /box >}}\n```\n{{< /box >}}', (
            '<aside class="box" lang="en"><h2>T</h2><div class="highlight"><pre tabindex="0"><code>{{&lt; /box &gt;}}\n'
            "</code></pre></div>\n</aside>")),
    ],
)  # fmt: skip
def test_shortcodes(site: SiteFolder, text: str, html: str) -> None:
    """Alone, in a line, around a text, in each other; code keeps them, and they can be shown."""
    assert rendered(site, text) == html


def test_media_of_shortcodes_are_taken(site: SiteFolder) -> None:
    """An address in the HTML of a template is one of the site folder."""
    site.image("media/boat.png", "navy", (3, 2))
    html = rendered(site, '{{< sea/pic name="boat" alt="A boat" >}}')
    assert html.startswith('<img src="/media/')
    assert 'width="3"' in html


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a\n\nb\nc {{< pryce >}}",
         'content/posts/a.md:8 body: has an unknown shortcode "pryce" (did you mean "price"?)'),
        ("{{< chart >}}", (
            'content/posts/a.md:5 body: has an unknown shortcode "chart" '
            "(write its template templates/shortcodes/chart.html, or {{</* chart */>}} to show it)")),
        ('{{< box title="T" >}}\n\n{{< price >}}\n{{< /box >}}', (
            "content/posts/a.md:7 body: has a shortcode \"price\" that fails: templates/shortcodes/price.html: "
            "'dict object' has no attribute 'of' (correct the template or its arguments)")),
    ],
)  # fmt: skip
def test_errors_have_a_line(site: SiteFolder, text: str, error: str) -> None:
    """Unknown shortcodes, and templates that fail, are errors of the text."""
    site.post("a", text)
    assert [str(found) for found in site.load().errors] == [error]


def test_without_any_shortcode_the_text_stays(folder: SiteFolder) -> None:
    """Texts of other systems load, with a note; they are read again once there is a template."""
    folder.post("a", "{{< chart >}}", published="2026-01-01")
    report = folder.load()
    assert report.errors == ()
    assert 'has an unknown shortcode "chart"' in report.notes[0]
    assert folder.find("a").body == "<p>{{&lt; chart &gt;}}</p>\n"
    folder.write("templates/shortcodes/chart.html", "<b>chart</b>")
    assert folder.load().loaded == ("content/posts/a.md",)
    assert folder.find("a").body == "<b>chart</b>\n"


def test_a_changed_template_renders_its_posts_again(site: SiteFolder) -> None:
    """Only posts that use it; a template that another one includes counts."""
    site.write("templates/shortcodes/outer.html", '{% include "price.html" %}!')
    site.post("a", '{{< price of="1" 2 >}}')
    site.post("b", '{{< outer of="1" 2 >}}')
    site.post("c", "None.")
    site.load()
    assert site.load().loaded == ()
    site.write("templates/shortcodes/price.html", "<i>{{ args.of }}</i>")
    assert set(site.load().loaded) == {"content/posts/a.md", "content/posts/b.md"}
    assert site.find("a").body == "<i>1</i>\n"
    assert site.find("b").body == "<i>1</i>!\n"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ('<p>It is {{< price of="5" EUR >}} now.</p>', '<p>It is <b class="price">5 EUR</b> now.</p>'),
        ('{{< box title="1" >}}<p>a</p>{{< box title="2" >}}b{{< /box >}}{{< /box >}}', (
            '<aside class="box" lang="en"><h2>1</h2><p>a</p><aside class="box" lang="en"><h2>2</h2>b</aside></aside>')),
        ("<pre>{{< no >}}</pre><!-- {{< no >}} --><p>{{</* no */>}}</p>",
         "<pre>{{&lt; no &gt;}}</pre><p>{{&lt; no &gt;}}</p>"),
    ],
)  # fmt: skip
def test_shortcodes_in_html(site: SiteFolder, text: str, html: str) -> None:
    """In bodies of posts and of Single Pages whose format is HTML; what is inside is HTML, too."""
    site.post("a", text, format="html")
    site.write("content/pages/_single/b.md", f"---\ntitle: B\nformat: html\nstatus: published\n---\n{text}\n")
    assert site.load().errors == ()
    assert site.find("a").body.strip() == html
    (page,) = site.page("b", "")
    assert str(page.fields["body"]).strip() == html


def test_errors_of_shortcodes_in_html_have_their_line(site: SiteFolder) -> None:
    """As in Markdown; a template that changes makes the text be read again."""
    site.post("a", "<p>a</p>\n<p>{{< prize >}}</p>", format="html")
    (error,) = map(str, site.load().errors)
    assert 'has an unknown shortcode "prize" (did you mean "price"?)' in error
    site.post("a", "<p>{{< price of=1 2 >}}</p>", format="html")
    assert site.load().errors == ()
    site.write("templates/shortcodes/price.html", "<i>{{ args.of }}</i>")
    site.load()
    assert site.find("a").body.strip() == "<p><i>1</i></p>"
