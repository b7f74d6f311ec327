"""Drawings that would hang a browser are refused with what is too much; ordinary ones are taken."""

from pathlib import Path

import pytest

from sitecms import svg

RECT = '<rect id="r" width="1" height="1"/>'


def drawing(content: str, attributes: str = 'viewBox="0 0 100 100"') -> bytes:
    """An SVG with this content."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {attributes}>'
    return f"{head}{content}</svg>".encode()


def tower(levels: int, text: str = '<use href="#{}"/>') -> str:
    """Groups of ten references each to the group before, in `defs`, and one use of the last."""
    groups = ['<g id="g0"><rect width="1" height="1"/></g>']
    groups += [f'<g id="g{level}">{text.format(f"g{level - 1}") * 10}</g>' for level in range(1, levels + 1)]
    return f'<defs>{"".join(groups)}</defs><use xlink:href="#g{levels}"/>'


def patterns(levels: int) -> str:
    """Patterns whose ten rectangles are filled with the pattern before, each."""
    made = '<pattern id="p0" width="9" height="9"><rect width="1" height="1"/></pattern>'
    for level in range(1, levels + 1):
        rectangles = f'<rect width="1" height="1" fill="url(#p{level - 1})"/>' * 10
        made += f'<pattern id="p{level}" width="9" height="9">{rectangles}</pattern>'
    return f'{made}<rect width="9" height="9" style="fill: url(#p{levels})"/>'


def once(kind: str, key: str, levels: int) -> str:
    """Masks or clip paths whose ten rectangles have the one before, each."""
    made = f'<{kind} id="m0">{RECT * 10}</{kind}>'
    for level in range(1, levels + 1):
        rectangles = f'<rect width="1" height="1" {key}="url(#m{level - 1})"/>' * 10
        made += f'<{kind} id="m{level}">{rectangles}</{kind}>'
    return f'{made}<g class="a"><rect/></g><style>g.a {{ {key}: url("#m{levels}") }}</style>'


def filled(content: str, style: str = "") -> bytes:
    """A group that is filled with a pattern of 300 rectangles; or all elements are, by a style sheet."""
    fill = "" if style else ' fill="url(#p)"'
    return drawing(f'<style>{style}</style><pattern id="p">{RECT * 300}</pattern><g{fill}>{content}</g>')


def nested(attributes: str, count: int, content: str = "", size: str = 'width="10000" height="10000"') -> bytes:
    """So many groups with the attributes, one in the other."""
    return drawing(content + f"<g {attributes}>" * count + "</g>" * count, size)


BLUR = '<filter id="f"><feGaussianBlur stdDeviation="50"/></filter>'
MARKERS = f'<marker id="m">{RECT * 300}</marker><g marker-mid="url(#m)"><path d="M0 0{" 1 1" * 300}"/></g>'
TOO_MUCH = {
    "use": (drawing(tower(5)), "elements again by <use>"),
    "use, nested deep": (drawing(tower(40)), "more than a thousand million elements"),
    "use in symbols": (drawing(tower(6).replace("<g id", "<symbol id").replace("</g>", "</symbol>")), "elements again"),
    "patterns": (drawing(patterns(5)), "elements again"),
    "masks by a style sheet": (drawing(once("mask", "mask", 5)), "elements again"),
    "clip paths": (drawing(once("clipPath", "clip-path", 5)), "elements again"),
    "markers on every point": (drawing(MARKERS), "90,"),
    "pattern and use": (filled(tower(3)), "again"),
    "a pattern for every element": (filled(RECT * 300, "* { fill: url(#p) }"), "again"),
    "beyond all numbers": (filled(tower(400)), "more than a thousand million elements"),
    "blurs over a large area": (nested('filter="url(#f)"', 200, BLUR), "million pixels"),
    "blurs of styles": (nested('style="filter: blur(9px) blur(9px)"', 100), "million pixels"),
    "many filters": (drawing(f'{BLUR}<g id="g"><rect filter="url(#f)"/></g>' + '<use href="#g"/>' * 1001), "steps"),
    "convolution": (
        nested('filter="url(#f)"', 1, '<filter id="f"><feConvolveMatrix order="900"/></filter>'), "million pixels"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_drawing_that_hangs_browsers_is_refused(name: str) -> None:
    """The error says what is too much."""
    data, message = TOO_MUCH[name]
    with pytest.raises(svg.InvalidSvg) as refused:
        svg.inspect(data)
    assert message in str(refused.value)


ORDINARY = {
    "a map": drawing(f'<defs>{RECT}</defs>{"""<use href="#r" x="1"/>""" * 9000}'),
    "many elements": drawing(RECT.replace(' id="r"', "") * 30_000),
    "many groups, one in the other": drawing("<g>" * 20_000 + "</g>" * 20_000),
    "gradients": drawing(
        '<linearGradient id="a">' + "<stop/>" * 50 + '</linearGradient><linearGradient id="b" href="#a"/>'
        + '<g fill="url(#b)">' + '<path d="M0 0" stroke="url(#a)"/>' * 20_000 + "</g>"
    ),
    "itself": drawing('<g id="g"><use href="#g"/><use href="#g"/></g>'),
    "a mask that uses itself": drawing('<mask id="m"><rect mask="url(#m)"/></mask><rect mask="url(#m)"/>'),
    "unused": drawing(tower(9).rpartition("<use")[0]),
    "shadows": drawing(BLUR + '<rect width="90" height="20" filter="url(#f)"/>' * 300, 'width="2000" height="2000"'),
    "a blur over a large area": nested('filter="url(#f)"', 1, BLUR),
    "blurs in large units": nested('filter="url(#f)"', 40, BLUR, 'viewBox="0 0 900000 900000"'),
    "arrows": drawing('<marker id="m"><path d="M0 0"/></marker>' + '<path marker-end="url(#m)" d="M0 0 1 1"/>' * 500),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_drawings_are_taken(name: str) -> None:
    """Many elements are no harm, nor are references that draw little."""
    svg.inspect(ORDINARY[name])


def test_drawings_of_the_project_are_taken() -> None:
    """Of the sample site, the themes and the manual."""
    root = Path(__file__).parents[2]
    paths = [path for folder in ("sample_site", "templates", "sitecms") for path in (root / folder).rglob("*.svg")]
    assert paths
    for path in paths:
        svg.inspect(path.read_bytes())
