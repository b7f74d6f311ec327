"""Smaller stylesheets that say the same."""

from pathlib import Path

import pytest

from sitecms.site.theme.stylesheets import minified_css


@pytest.mark.parametrize(
    ("css", "smaller"),
    [
        ("a { b: c; }\n\n d\n{ e : f }", "a{b:c}d{e :f}"),
        ("a{b:c;;}", "a{b:c}"),
        ("/* x */ a /* y */ b {c:d} /* z */", "a b{c:d}"),
        ("a/**/b{c:d}", "a/**/b{c:d}"),
        ("/*! by Ann */ a {b:c}", "/*! by Ann */ a{b:c}"),
        ("a :is( b , c ) > d ~ e + f { g : h }", "a :is(b,c)>d ~ e + f{g :h}"),
        ("a{b:calc( 1px + (2px - 3px) * -1 )}", "a{b:calc(1px + (2px - 3px) * -1)}"),
        ('a{b:url( "a b.png" )}', 'a{b:url("a b.png")}'),
        ("a{b:url( a/b.png ) no-repeat}", "a{b:url( a/b.png ) no-repeat}"),
        ("a{b:url(data:image/svg+xml;base64,AA==) }", "a{b:url(data:image/svg+xml;base64,AA==)}"),
        ('a::before { content: "  a /* x */ ; }" }', 'a::before{content:"  a /* x */ ; }"}'),
        (r'a{content:"\"; }"; x: y}', r'a{content:"\"; }";x:y}'),
        (r".\31 0 , .a\:b { c:d }", r".\31 0,.a\:b{c:d}"),
        ("@media (400px <= width <= 700px) and (not (hover)) {a{b:c}}",) * 2,
        ("@layer a , b;\n@import 'x.css' screen;", "@layer a,b;@import 'x.css' screen;"),
        (".a { & .b { c: d } &:hover > p { x: y } }", ".a{& .b{c:d}&:hover>p{x:y}}"),
        (":root{--x: ;--y: { a: b }}", ":root{--x:;--y:{a:b}}"),
        ("a{color:RED !important; grid: 'a b' 1fr / auto}", "a{color:RED !important;grid:'a b' 1fr / auto}"),
        ("url{cursor:curl(x); content:'é→漢'}", "url{cursor:curl(x);content:'é→漢'}"),
        ("", ""),
    ],
)
def test_only_meaningless_tokens_are_removed(css: str, smaller: str) -> None:
    """Comments, blanks and last semicolons; licences, texts, addresses and escapes stay as they are."""
    expected = smaller.replace(") {a", "){a")
    assert minified_css(css) == expected
    assert minified_css(expected) == expected


@pytest.mark.parametrize("css", ['a{content:"no end', "a{b:c} /* no end", "a{content:'a\nb'}", "a{b:c}\\"])
def test_unparsable_stylesheet_is_unchanged(css: str) -> None:
    """The browser knows what to make of it, we do not."""
    assert minified_css(css) == css


def test_the_themes_stylesheet_is_smaller(repo: Path) -> None:
    """By a tenth at least."""
    css = (repo / "templates/themes/default/assets/style.css").read_text(encoding="utf-8")
    assert len(minified_css(css)) < 0.9 * len(css)
