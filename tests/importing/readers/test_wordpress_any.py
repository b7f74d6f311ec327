"""Whatever a WordPress export holds, it becomes a site that loads and builds."""

from html import escape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.importing.building import import_and_build, new_folder
from tests.importing.wxr import export, item

_CLASHING = (
    "/",
    "/blog/",
    "/Blog",
    "/search/",
    "/404.html",
    "/category/news/",
    "/category/",
    "/tag/Moon/",
    "/2012/",
    "/2012/03/",
    "/author/ann/",
    "/rss.xml",
    "/blog/page/2/",
    "/robots.txt",
    "/robots.txt/x/",
    "/media/a/",
    "/about/",
    "/ABOUT/",
    "/about.html",
    "/about.html/team/",
    "/a//b/",
    "/../x/",
    "/x y/",
    "/x?y=1",
    "/?p=7",
    "/feed/",
    "/sitemap.xml",
    "/_redirects/a/",
    "/caf%C3%A9/",
    "/cafe%CC%81/",
    "/%E0%A4/",
    "/wp-content/",
    "/.well-known/x/",
    "/index.html",
    "/pagefind/x/",
    "/en/",
    "/a/" + "b" * 300 + "/",
    "/*/",
    "/a*/b/",
    "/styles.css",
    "/assets/x/",
    "/post-1/",
    "/2012/03/post-2/",
    "/{slug}/",
    "/%2F/",
    "/a\\b/",
    "/a#b/",
)
_PATHS = st.one_of(st.sampled_from(_CLASHING), st.text("aäB/.-_ %?", max_size=12).map("/{}".format))
_NAMES = st.one_of(
    st.sampled_from(
        ["news", "News", " news ", "new  s", "moon", "C++", "C#", "***", "日本", "a" * 300, "search", "&amp;"]
    ),
    st.text(min_size=1, max_size=20),
)
_SLUGS = st.one_of(
    st.sampled_from(["", "about", "search", "blog", "tag", "*", "%E6%97%A5", "news", "x" * 200]), st.text(max_size=8)
)
_TIMES = st.sampled_from(
    [
        "2012-03-04 09:00:00",
        "0000-00-00 00:00:00",
        "",
        "2012-03-04 09:00:00",
        "2099-01-01 00:00:00",
        "0001-01-01 00:00:00",
        "9999-12-31 23:59:59",
        "1969-12-31 23:59:59",
        "no time",
        "2012-02-31 00:00:00",
    ]
)
_PARTS = st.sampled_from(
    [
        '<a name="n1"></a>Note',
        '<a href="#n1">1</a>',
        '<h2><a id="n1"></a>T</h2>',
        '<span id="x"></span>',
        "<p>a",
        "</p>",
        '<p>Look: <iframe src="https://www.youtube.com/embed/aaaaaaaaaaa"></iframe> nice.</p>',
        '<p>a <audio src="/a.mp3"></audio></p>',
        "<table><tr><td>",
        "<pre>x\n  y</pre>",
        "<code>\none &\ntwo\n</code>",
        "[gallery]",
        '[caption id="x"]<img src="/a.png">',
        "[youtube",
        "<!-- wp:paragraph -->",
        "<!-- /wp:list -->",
        "{{ x }}",
        "{% raw %}",
        "---\n",
        "\x0b",
        "\ufffe",
        "[[x]]",
        ":::note\n",
        "$$x$$",
        '<a href="/about/">a</a>',
        '<a href="/none/">a</a>',
        '<img src="/wp-content/uploads/2012/a.jpg">',
        '<a href="http://[x">a</a>',
        "<math><mi>x</mi></math>",
        "<svg><path/></svg>",
        "<script>x</script>",
        '<p style="background:url(javascript:x)">',
        "&#0;",
        "&nbsp;",
        "<ul><li><ul>",
        "<details><summary>",
        "<blockquote>",
        "\\",
        "`",
        "*",
        "_",
        "#",
        "1. ",
        "| a | b |\n|---|",
        "<video><source>",
        "<del>",
    ]
)
_BODIES = st.lists(st.one_of(_PARTS, st.text(max_size=10)), max_size=8).map("".join)
_STATUSES = st.sampled_from(["publish", "publish", "draft", "private", "future", "pending", "trash", "inherit", "odd"])
_KINDS = st.sampled_from(
    ["post", "post", "page", "page", "attachment", "book", "nav_menu_item", "search", "wp_block", "日"]
)
_DOMAINS = st.sampled_from(["category", "post_tag", "genre", "language", "author", "nav_menu", "post_format"])

_META = st.sampled_from(["_thumbnail_id", "_yoast_wpseo_title", "mood", "title", "footnotes"])


@st.composite
def _items(draw: st.DrawFn, number: int) -> str:
    path = draw(_PATHS)
    return item(
        number,
        escape(draw(_NAMES)),
        draw(_BODIES).replace("]]>", ""),
        kind=draw(_KINDS),
        status=draw(_STATUSES),
        name=escape(draw(_SLUGS)),
        link=escape(f"https://old.example{path}"),
        local=draw(_TIMES),
        utc=draw(_TIMES),
        terms=[
            (draw(_DOMAINS), escape(draw(_SLUGS)), draw(_NAMES).replace("]]>", ""))
            for _ in range(draw(st.integers(0, 2)))
        ],
        meta={
            draw(st.sampled_from(["_thumbnail_id", "_yoast_wpseo_title", "mood", "title", "footnotes"])): draw(
                st.text(max_size=9)
            )
        },
    )


EXPORTS = st.integers(1, 4).flatmap(lambda count: st.tuples(*(_items(number) for number in range(1, count + 1))))


def write(folder: Path, items: tuple[str, ...]) -> Path:
    """Write an export and return its path."""
    path = folder / "export.xml"
    path.write_text(export(*items), encoding="utf-8", errors="replace")
    return path


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(EXPORTS)
def test_any_export_builds(items: tuple[str, ...]) -> None:
    """Import, load and strict build end without an error, and a second import changes nothing."""
    with new_folder() as folder:
        import_and_build(folder / "site", write(folder, items))
