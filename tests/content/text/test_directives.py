"""Directives: the HTML of each, and the problems that are reported."""

import re
from pathlib import Path

import pytest

from sitecms.content.text.allowed_html import EMBEDS
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown import Problem, ResolvedImage, render
from sitecms.content.text.markdown.media_directives import embed_of
from sitecms.content.text.removed_markup import Dropped


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("::: details More *of it*\na\n:::", "<details>\n<summary>More <em>of it</em></summary>\n<p>a</p>\n</details>"),
        ("::: details More {open}\n- a\n:::", ('<details open="">\n<summary>More</summary>\n<ul>\n<li>a</li>\n'
            '</ul>\n</details>')),
        ("::: tabs\n::: tab A\n```\n:::\n```\n:::\n::: tab B\nb\n:::\n:::\nc", (
            '<div class="tabs">\n<section class="tab">\n<p class="tab-title">A</p>\n'
            '<div class="highlight"><pre tabindex="0">'
            '<code>:::\n</code></pre></div>\n</section>\n<section class="tab">\n<p class="tab-title">B</p>\n<p>b</p>\n'
            "</section>\n</div>\n<p>c</p>")),
        ('::: figure {src="/a.jpg" alt="A < b" class="wide" id="f"}\nCap *x*\n:::', (
            '<figure class="wide" id="f">\n'
            '<img src="/a.jpg" alt="A &lt; b"><figcaption>Cap <em>x</em></figcaption>\n</figure>')),
        ('::: figure {src="/a.jpg" link="/b/"}\n:::', (
            '<figure>\n<a href="/b/"><img src="/a.jpg" alt=""></a></figure>')),
        ("::: gallery {columns=3}\n![a](/a.jpg \"T\")\n![b](/b.jpg)\n\n[![c](/c.jpg)](/c/)\n\nAll of *it*.\n:::", (
            '<figure class="gallery columns-3">\n'
            '<figure><a href="/a.jpg"><img src="/a.jpg" alt="a"></a><figcaption>T</figcaption></figure>\n'
            '<figure><a href="/b.jpg"><img src="/b.jpg" alt="b"></a></figure>\n'
            '<figure><a href="/c/"><img src="/c.jpg" alt="c"></a></figure>\n'
            "<figcaption>All of <em>it</em>.</figcaption>\n</figure>")),
        ('::: video {src="/a.mp4" poster="/p.jpg" captions="/a.vtt" captions_language="en" loop muted}\nC\n:::', (
            '<figure class="video">\n'
            '<video src="/a.mp4" poster="/p.jpg" controls="" preload="metadata" playsinline="" loop="" '
            'muted=""><track src="/a.vtt" kind="captions" srclang="en" default=""><a href="/a.mp4">a.mp4</a></video>'
            "<figcaption>C</figcaption>\n</figure>")),
        ('::: audio {src="/a.mp3" title="A song"}\n:::', (
            '<figure class="audio">\n'
            '<audio src="/a.mp3" controls="" preload="metadata"><a href="/a.mp3">A song</a></audio>'
            "</figure>")),
        ('::: embed {url="https://youtu.be/abcdefghijk" title="A & b" poster="/p.jpg"}\n:::', (
            '<figure class="embed">\n<a href="https://youtu.be/abcdefghijk" class="ratio-16-9" '
            'data-embed="https://www.youtube-nocookie.com/embed/abcdefghijk?autoplay=1"><img src="/p.jpg" alt="">'
            "<span>A &amp; b</span></a></figure>")),
        ('::: embed {url="https://other.example/x"}\n:::', (
            '<figure class="embed">\n'
            '<a href="https://other.example/x"><span>other.example</span></a></figure>')),
        ('::: bookmark {url="https://www.tide.example/a" title="A & b" description="All of it." image="/p.jpg"}\n:::', (
            '<figure class="bookmark">\n<a href="https://www.tide.example/a"><img src="/p.jpg" alt="">'
            "<span><strong>A &amp; b</strong><br><span>All of it.</span><br><small>tide.example</small></span></a>"
            "</figure>")),
        ('::: bookmark {url="/about/"}\nA *caption*\n:::', (
            '<figure class="bookmark">\n<a href="/about/"><span><strong>/about/</strong></span></a>'
            "<figcaption>A <em>caption</em></figcaption>\n</figure>")),
        ('::: button {url="/shop/" title="Buy & *go*"}\n:::', (
            '<p class="buttons">\n<a href="/shop/" class="button">Buy &amp; *go*</a></p>')),
        ('::: file {src="/a/b.pdf" class="wide"}\n:::', '<p class="file wide">\n<a href="/a/b.pdf">b.pdf</a></p>'),
        ("- ::: note\n  a\n  :::\n- b", (
            '<ul>\n<li>\n<aside class="callout callout-note">\n<p class="callout-title">Note</p>\n<p>a</p>\n'
            '</aside>\n</li>\n'
            "<li>b</li>\n</ul>")),
        ("    ::: note\n    a", '<div class="highlight"><pre tabindex="0"><code>::: note\na\n</code></pre></div>'),
        ("a ::: note", "<p>a ::: note</p>"),
    ],
)  # fmt: skip
def test_directives(text: str, html: str) -> None:
    """Each directive is semantic HTML, of which the sanitiser removes nothing."""
    removed: list[Dropped] = []
    problems: list[Problem] = []
    found = render(text, report=removed.append, problem=problems.append)
    assert found.rstrip("\n") == html
    assert (removed, problems) == ([], [])
    assert sanitize(found) == found


@pytest.mark.parametrize(
    ("text", "line", "message", "remedy", "is_error"),
    [
        ("a\n\n::: galery\n:::", 3, 'has an unknown directive "galery"', 'did you mean "gallery"?', False),
        ("::: note\na", 1, 'has a directive "note" without an end', "add a line :::", True),
        ("> a\n>\n> ::: tip\n> a\n\nb\n:::", 3, 'has a directive "tip" without an end', "add a line :::", True),
        ("::: video\n:::", 1, "has a directive video without src", 'write ::: video {src="media/..."}', True),
        ('::: button {url="/"}\n:::', 1, "has a directive button without title", (
            'write ::: button {title="The text"}'), True),
        ("::: details\na\n:::", 1, "has details without a summary", "write ::: details The summary", True),
        (('::: figure {src="/a" atl="b"}\n'
            ':::'), 1, 'has a figure with an unknown argument "atl"', 'did you mean "alt"?', True),
        ("::: figure {src=}\n:::", 1, "has arguments that cannot be read", 'write {key="value" other="value"}', True),
        ("::: gallery {columns=9}\n![a](/b)\n:::", 1, 'has a gallery of "9" columns', "write 1 to 6", True),
        ('::: embed {url="https://a.example" ratio="2:1"}\n:::', 1, 'has an embed with the unknown ratio "2-1"', (
            "write 21:9, 16:9, 4:3, 1:1, 9:16"), True),
    ],
)  # fmt: skip
def test_problems(text: str, line: int, message: str, remedy: str, is_error: bool) -> None:
    """Problems have a line and a remedy; an unknown name is a warning."""
    problems: list[Problem] = []
    render(text, problem=problems.append)
    assert problems[0] == Problem(line, message, remedy, is_error)


def test_media_of_directives_are_resolved() -> None:
    """The addresses in arguments, and the links of a gallery to whole images."""
    html = render(
        '::: video {src="media/a.mp4" poster="media/p.jpg"}\n:::\n\n::: gallery\n![a](media/p.jpg)\n:::',
        resolve_image=lambda src: ResolvedImage(f"/files/{src.rpartition('/')[2]}"),
    )
    assert "media/" not in html
    assert html.count('"/files/p.jpg"') == 3


@pytest.mark.parametrize(
    ("url", "src"),
    [
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1m5s",
            "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1&start=65"),
        ("https://www.youtube.com/shorts/dQw4w9WgXcQ", "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1"),
        ("https://vimeo.com/channels/x/76979871", "https://player.vimeo.com/video/76979871?autoplay=1&dnt=1"),
        ("https://open.spotify.com/intl-de/track/4uLU6hMCjMI", "https://open.spotify.com/embed/track/4uLU6hMCjMI"),
        ("https://soundcloud.com/a/b",
            "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fa%2Fb&auto_play=true"),
        ("https://codepen.io/a/pen/xYz", "https://codepen.io/a/embed/xYz?default-tab=result"),
        ("https://www.youtube.com/", None),
        ("https://www.youtube.com/watch?v=\"><script>", None),
        ("javascript:alert(1)//youtube.com/watch?v=dQw4w9WgXcQ", None),
        ("https://[", None),
    ],
)  # fmt: skip
def test_players(url: str, src: str | None) -> None:
    """The page of a video or song has a player that sets no cookies before it is used."""
    found = embed_of(url)
    assert (found.src if found else None) == src


def test_the_theme_plays_what_the_policy_allows(repo: Path) -> None:
    """Every player belongs to a host that frames may show, and the script of the theme knows no other."""
    script = (repo / "templates/themes/default/assets/theme.js").read_text(encoding="utf-8")
    hosts = set(re.findall(r'"https://([^/"]+)/"', script))
    pages = (
        "youtu.be/abcdefghijk",
        "vimeo.com/1",
        "open.spotify.com/track/a1",
        "soundcloud.com/a",
        "codepen.io/a/pen/b",
    )
    players = (embed_of(f"https://{page}") for page in pages)
    assert {found.src.split("/")[2] for found in players if found} == hosts
    assert hosts <= set(EMBEDS)
