"""The part of a page that Pagefind is given: what it reads, or the whole page if that is not certain."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.optional_packages import has_pagefind
from sitecms.site.render.added_files import make_index, put_page, searched_part

HEAD = '<!doctype html>\n<html lang="es" dir="ltr">\n<head><title>T</title></head>\n<body>\n<header>Above</header>\n'
TAIL = "<footer>Below</footer>\n</body>\n</html>"


def page(inner: str, head: str = HEAD, tail: str = TAIL, mark: str = " data-pagefind-body") -> str:
    return f'{head}<main id="m"{mark}>{inner}</main>\n{tail}'


def test_text_outside_of_the_marked_part_is_removed() -> None:
    """The language stays, and so do nested elements of the same name."""
    inner = (
        '<h1>Calm</h1><main>in<main>ner</main></main><p data-pagefind-meta="date">Day</p>'
        '<nav class="a" data-pagefind-ignore><nav>Contents</nav></nav><section data-pagefind-ignore>More</section>!'
    )
    found = searched_part(page(inner))
    assert found == (
        '<!doctype html><html lang="es" dir="ltr"><body><main id="m" data-pagefind-body><h1>Calm</h1>'
        '<main>in<main>ner</main></main><p data-pagefind-meta="date">Day</p>!</main></body></html>'
    )


@pytest.mark.parametrize(
    "whole",
    [
        page("<h1>Calm</h1>", mark=""),
        page("<h1>Calm</h1><p data-pagefind-body>Twice</p>"),
        page("<p>No title</p>"),
        page("<h1>Calm</h1>", head=HEAD + "<h1>Name of the site</h1>"),
        page("<h1>Calm</h1>", tail='<p data-pagefind-filter="kind">Post</p>' + TAIL),
        page("<h1>Calm</h1><!-- </main> -->"),
        page("<h1>Calm</h1><script>let a = '</main>'</script>"),
        page("<h1>Calm</h1>", tail=TAIL).replace("</main>", ""),
        page("<h1>Calm</h1>").replace("<html", "<xml"),
        "data-pagefind-body",
        "",
    ],
)
def test_a_page_with_ambiguous_markup_stays_whole(whole: str) -> None:
    """Pagefind parses it."""
    assert searched_part(whole) == whole


@pytest.mark.parametrize("kept", ['<img src="a.png" alt="">', "<h2>x</h2><h1>y</h1>", "<i data-pagefind-meta=x>y</i>"])
def test_ignored_elements_with_titles_or_images_stay(kept: str) -> None:
    """Pagefind takes titles, images and marks from them."""
    text = page(f"<h1>Calm</h1><div data-pagefind-ignore>{kept}</div>")
    assert kept in searched_part(text)


def test_pagefind_makes_the_same_index_of_the_part(tmp_path: Path, lacking: Callable[[str], None]) -> None:
    """The index files are equal, byte for byte."""
    if not has_pagefind():
        lacking("there is no Pagefind for this machine")
    bodies = (
        "<h1>Calm</h1><p>Words, <b>strong</b> ones.</p><nav data-pagefind-ignore>Contents</nav><h2 id=a>More</h2>text",
        '<header><h1>Swell</h1><img src="/a.png" alt="A"></header>tail<div data-pagefind-ignore><p>Not</p></div>end',
        "before<section data-pagefind-ignore>x</section>after<h1>Late title</h1>",
        '<h1>T</h1><div data-pagefind-ignore="all"><i data-pagefind-meta="x">y</i></div><p data-pagefind-meta="d">e',
    )
    bundles = []
    for name, taken in (("whole", str), ("part", searched_part)):
        for number, body in enumerate(bodies):
            put_page(tmp_path / name / f"{number}/index.html", taken(page(body)).encode())
        paths = make_index(tmp_path / name, tmp_path / f"{name}-bundle")
        bundles.append({path: (tmp_path / f"{name}-bundle" / path).read_bytes() for path in paths})
    assert len([path for path in bundles[0] if "fragment/" in path]) == len(bodies)
    assert bundles[0] == bundles[1]
