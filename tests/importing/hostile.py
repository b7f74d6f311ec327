"""Values that exports hold and nobody expects: names, addresses, times, bodies, and data of other types."""

import copy
import os
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

IS_SEARCH = os.environ.get("HYPOTHESIS_PROFILE") == "search"
PATHS_THAT_CLASH = (
    "/", "/blog/", "/Blog", "/search/", "/404.html", "/category/news/", "/category/", "/tag/Moon/", "/2012/",
    "/2012/03/", "/author/ann/", "/rss.xml", "/blog/page/2/", "/robots.txt", "/robots.txt/x/", "/media/a/", "/about/",
    "/ABOUT/", "/about.html", "/about.html/team/", "/a//b/", "/../x/", "/x y/", "/x?y=1", "/?p=7", "/feed/",
    "/sitemap.xml", "/_redirects/a/", "/caf%C3%A9/", "/cafe%CC%81/", "/%E0%A4/", "/wp-content/", "/.well-known/x/",
    "/index.html", "/pagefind/x/", "/en/", "/a/" + "b" * 300 + "/", "/*/", "/a*/b/", "/styles.css", "/assets/x/",
    "/post-1/", "/2012/03/post-2/", "/{slug}/", "/%2F/", "/a\\b/", "/a#b/",
)  # fmt: skip
PATHS = st.one_of(st.sampled_from(PATHS_THAT_CLASH), st.text("aäB/.-_ %?", max_size=12).map("/{}".format))
NAMES = st.one_of(
    st.sampled_from(
        ["news", "News", " news ", "new  s", "moon", "C++", "C#", "***", "日本", "a" * 300, "search", "&amp;"]
    ),
    st.text(min_size=1, max_size=20),
)
SLUGS = st.one_of(
    st.sampled_from(["", "about", "search", "blog", "tag", "*", "%E6%97%A5", "news", "x" * 200]), st.text(max_size=8)
)
TIMES = st.sampled_from(
    [
        "2012-03-04 09:00:00", "0000-00-00 00:00:00", "", "2012-03-04T09:00:00.000Z", "2099-01-01 00:00:00",
        "0001-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59", "no time", "2012-02-31 00:00:00",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2012-03-04T09:00:00+99:99", "²012-03-04",
    ]
)  # fmt: skip
_PARTS = st.sampled_from(
    [
        '<a name="n1"></a>Note', '<a href="#n1">1</a>', '<h2><a id="n1"></a>T</h2>', '<span id="x"></span>', "<p>a",
        "</p>", '<p>Look: <iframe src="https://www.youtube.com/embed/aaaaaaaaaaa"></iframe> nice.</p>',
        '<p>a <audio src="/a.mp3"></audio></p>', "<table><tr><td>", "<pre>x\n  y</pre>", "<code>\none &\ntwo\n</code>",
        "[gallery]", '[caption id="x"]<img src="/a.png">', "[youtube", "<!-- wp:paragraph -->", "<!-- /wp:list -->",
        "{{ x }}", "{% raw %}", "---\n", "\x0b", "\ufffe", "[[x]]", ":::note\n", "$$x$$", '<a href="/about/">a</a>',
        '<a href="/none/">a</a>', '<img src="/wp-content/uploads/2012/a.jpg">', '<a href="http://[x">a</a>',
        "<math><mi>x</mi></math>", "<svg><path/></svg>", "<script>x</script>",
        '<p style="background:url(javascript:x)">', "&#0;", "&#5;", "&nbsp;", "<ul><li><ul>", "<details><summary>",
        "<blockquote>", "\\", "`", "*", "_", "#", "1. ", "| a | b |\n|---|", "<video><source>", "<del>",
        '<ol start="²"><li>x', '<ol start="' + "9" * 5_000 + '"><li>x', '<ol start="-1"><li>x',
        '<td colspan="²">', '<img width="9e9" src="x">', "<div>" * 40, '<img src="data:image/png;base64,AAAA">',
    ]
)  # fmt: skip
BODIES = st.lists(st.one_of(_PARTS, st.text(max_size=10)), max_size=8).map("".join)
_ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 2**70, 1.5, "", "x", "²", "\x00", [], [None], [[]], {}, {"a": None}, "9" * 5_000, "1" * 200_000]
)  # JSON that orjson reads; numbers above 64 bits become floats


def whole_imports(count: int) -> settings:
    """Return the settings of a property of whole imports, of which an example takes most of a second.

    The examples are the same in each run, but in a search for counterexamples (`HYPOTHESIS_PROFILE=search`).
    """
    return settings(
        max_examples=settings().max_examples if IS_SEARCH else count,
        derandomize=not IS_SEARCH,
        suppress_health_check=list(HealthCheck),
    )


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container below a tree with each of its keys."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, key
        yield from _places(tree[key])


@st.composite
def damaged(draw: st.DrawFn, tree: Any) -> Any:
    """Draw a tree of JSON of which some values are others than expected, or missing."""
    made = copy.deepcopy(tree)
    for _ in range(draw(st.integers(0, 3))):
        places = list(_places(made))
        if not places:
            break
        container, key = places[draw(st.integers(0, len(places) - 1))]
        if isinstance(container, dict) and draw(st.booleans()):
            del container[key]
        else:
            container[key] = copy.deepcopy(draw(_ODD))
    return made
