"""The theme: files of the site over those of the theme, and which pages a changed file makes stale."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.errors import ConfigurationError, InvalidFiles
from sitecms.resources import resource_dir
from sitecms.settings.fonts import MATH_FONT
from sitecms.settings.site import load_settings
from sitecms.settings.theme import ThemeSettings
from sitecms.site.routes import Routes
from sitecms.site.theme.assets import plan_assets
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.site.views.site_view import theme_view
from tests.support.sites import ExampleSite
from tests.support.themes import THEMES

POSTS = {f"blog/{name}/index.html" for name in ("calm", "drift", "ebb", "flow", "gale", "haul")}
POSTS |= {"es/blog/marea-baja/index.html"}

ARCHIVES = ("blog/2026/", "categories/boats/", "categories/tides/", "tags/moon/", "tags/ropes/")
SPANISH = ("", "authors/ann-ray/", "blog/2026/", "categories/tides/", "tags/moon/")
FEEDS = ("", *ARCHIVES, "authors/ann-ray/", "authors/bo-lind/", *(f"es/{folder}" for folder in SPANISH))
"""The folders of whatever has feeds: the site in each locale, and each archive."""


TEMPLATES_OF_THEMES = {
    "docs": {f"parts/{name}.html" for name in ("contents-list", "image-widths", "outlined-fields", "tree", "turn")},
    "journal": {"parts/row.html"},
    "magazine": {"home.html", "parts/image-widths.html"},
    "portfolio": {"parts/image-widths.html"},
}
"""What each theme has in place of shared templates, or beside them."""


def digests(folder: Path) -> dict[str, str]:
    theme = load_theme(folder)
    return {name: theme.digest(name) for name in theme.templates}


def theme_of(folder: Path, **templates: str) -> Theme:
    for name, text in templates.items():
        path = folder / "templates" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_theme(folder)


def copy_of(example: ExampleSite, name: str) -> str:
    return load_theme(example.folder).templates[name].read_text(encoding="utf-8")


def test_a_template_of_the_site_takes_the_place_of_the_themes(example: ExampleSite) -> None:
    """Only pages made with it change, and taking it away brings the old ones back."""
    example.make()
    before = example.tree()
    example.write("templates/post.html", '{% extends "base.html" %}{% block content %}<h1>Mine</h1>{% endblock %}\n')
    report = example.make()
    assert report.stale == dict.fromkeys(POSTS, "its template or a plug-in changed")
    assert report.written == len(POSTS)
    assert "<h1>Mine</h1>" in example.text("blog/ebb/index.html")
    assert example.tree() == example.clean_tree()
    example.remove("templates/post.html")
    assert example.make().written == len(POSTS)
    assert example.tree() == before


@pytest.mark.parametrize("name", sorted(TEMPLATES_OF_THEMES))
def test_a_named_theme_lies_between_the_shared_files_and_those_of_the_site(tmp_path: Path, name: str) -> None:
    """Its templates replace shared ones, its styles follow the shared ones, options come last, the site's own win."""
    shared = load_theme(tmp_path, ThemeSettings(text_font="serif"))
    options = ThemeSettings(name=name, accent="#0b6e99")
    theme = load_theme(tmp_path, options)
    look = (resource_dir("templates") / "themes" / name / "assets/style.css").read_bytes()
    assert theme.templates.keys() >= shared.templates.keys()
    assert theme.assets.keys() == shared.assets.keys()
    replaced = {each for each in theme.templates if theme.templates[each] != shared.templates.get(each)}
    assert replaced == TEMPLATES_OF_THEMES[name]
    style = theme.asset_bytes("style.css")
    base = shared.assets["style.css"].read_bytes()
    assert style.startswith(base + b"\n" + look)
    assert b"--accent:#0b6e99" in style[len(base) + len(look) :]
    for own, text in (("templates", "mine"), ("assets", "i { top: 0 }")):
        file = tmp_path / own / (replaced.pop() if own == "templates" else "style.css")
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    theme = load_theme(tmp_path, ThemeSettings(name=name))
    assert "mine" in theme.sources.values()
    assert theme.asset_bytes("style.css") == b"i { top: 0 }"


@pytest.mark.parametrize("name", THEMES)
def test_every_place_of_an_image_has_a_width(name: str) -> None:
    """In each theme: a template of another, which this one shares, may put an image there."""
    default, theme = (load_theme(None, ThemeSettings(name=each)) for each in ("default", name))
    places = re.compile(r'^  "([a-z-]+)": ', re.MULTILINE)
    known = set(places.findall(theme.sources["parts/image-widths.html"]))
    assert known == set(places.findall(default.sources["parts/image-widths.html"])) >= {"lead", "portrait"}


def test_the_default_theme_has_web_fonts_unless_the_site_has_a_text_font(
    tmp_path: Path, lacking: Callable[[str], None]
) -> None:
    """Two files of Latin letters, preloaded, that never move a shown page; other themes and fonts publish none."""
    theme = load_theme(tmp_path)
    fonts = [name for name in theme.assets if name.endswith(".woff2")]
    if not fonts:
        lacking("The fonts of the theme were not made; pip install -e '.[test]'")
    assert fonts == ["fonts/strong.woff2", "fonts/text.woff2"]
    assert sum(len(theme.asset_bytes(name)) for name in fonts) < 41_000
    style = theme.asset_bytes("style.css").decode()
    assert style.count("font-display:optional;unicode-range:U+20-7E") == 2
    assert '--serif:"sitecms Serif", "Iowan Old Style"' in style
    (tmp_path / "site.toml").write_text('name = "Tide"\n', encoding="utf-8")
    urls, _files = plan_assets(theme, Routes(load_settings(tmp_path)))
    assert theme_view(theme, urls, "").preloads == (urls["fonts/text.woff2"], urls["fonts/strong.woff2"])
    for options in (ThemeSettings(text_font="serif"), ThemeSettings(name="journal")):
        plain = load_theme(tmp_path, options)
        assert not [name for name in plain.assets if name.endswith(".woff2")]
        assert b"font-face" not in plain.asset_bytes("style.css")


@pytest.mark.parametrize("name", THEMES)
def test_sites_with_formulas_have_a_font_for_them(tmp_path: Path, lacking: Callable[[str], None], name: str) -> None:
    """It is not preloaded, since most devices have one that comes first; sites without formulas publish none."""
    settings = tmp_path / "site.toml"
    settings.write_text(f'name = "Tide"\n[theme]\nname = "{name}"\n[markdown]\nmath = true\n', encoding="utf-8")
    theme = load_theme(tmp_path, load_settings(tmp_path).theme)
    if MATH_FONT.file not in theme.assets:
        lacking("The font for formulas was not made; pip install -e '.[test]'")
    assert len(theme.asset_bytes(MATH_FONT.file)) < 95_000
    style = theme.asset_bytes("style.css").decode()
    assert '@font-face{font-family:"sitecms Math";src:url("fonts/math.woff2")' in style
    urls, _files = plan_assets(theme, Routes(load_settings(tmp_path)))
    assert urls[MATH_FONT.file] not in theme_view(theme, urls, "").preloads
    settings.write_text(f'name = "Tide"\n[theme]\nname = "{name}"\n', encoding="utf-8")
    assert MATH_FONT.file not in load_theme(tmp_path, load_settings(tmp_path).theme).assets


def test_the_layout_of_the_home_page_is_that_of_the_theme_unless_set(tmp_path: Path) -> None:
    """An unknown theme is an error that names the place."""
    settings = tmp_path / "site.toml"
    for text, layout in (("", "magazine"), ('name = "journal"', "list"), ('name = "journal"\nhome = "cards"', "cards")):
        settings.write_text(f'name = "Tide"\n[theme]\n{text}\n', encoding="utf-8")
        assert load_settings(tmp_path).theme.home == layout
    settings.write_text('name = "Tide"\n[theme]\nname = "diary"\n', encoding="utf-8")
    with pytest.raises(InvalidFiles, match=r"theme\.name"):
        load_settings(tmp_path)


def test_a_template_for_a_page_type_is_taken_when_it_appears(example: ExampleSite) -> None:
    """`page/guide.html` beats the default template."""
    example.make()
    example.write("templates/page/guide.html", "<h1>{{ page.title }}!</h1>\n")
    assert example.make().written == 1
    assert example.text("guide/knots/index.html") == "<h1>Knots!</h1>"


@pytest.mark.parametrize(
    ("name", "stale"),
    [
        ("404.html", {"404.html", "es/404.html"}),
        ("feeds/rss.xml", {f"{each}rss.xml" for each in FEEDS}),
        ("feeds/feed-item.json", {"feed.json", "es/feed.json"}),
        ("robots.txt", {"robots.txt"}),
        ("page/_default.body.html", {"index.html", "es/index.html", "about/index.html", "guide/knots/index.html"}),
    ],
)
def test_an_edited_template_makes_stale_what_is_made_with_it(example: ExampleSite, name: str, stale: set[str]) -> None:
    """All other pages stay, whatever they share with it."""
    example.make()
    example.write(f"templates/{name}", "{# edited #}" + copy_of(example, name))
    report = example.make()
    assert report.stale == dict.fromkeys(stale, "its template or a plug-in changed")
    assert report.written == 0


def test_an_edited_frame_makes_every_page_stale(example: ExampleSite) -> None:
    """Every HTML page extends base.html; feeds and sitemap do not."""
    example.make()
    example.write("templates/base.html", copy_of(example, "base.html").replace("<body>", '<body class="mine">'))
    report = example.make()
    assert report.stale.keys() == {path for path in example.tree() if path.endswith(".html")}
    assert report.written == len(report.stale)
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize(
    "tag",
    [
        '{% include "part.html" %}',
        '{%- include "part.html" ignore missing without context -%}',
        '{%+ include "part.html" +%}',
        "{% include 'part.html' %}",
        '{% include ["none.html", "part.html"] %}',
        '{% extends "part.html" %}',
        '{% import "part.html" as part %}',
        '{% from "part.html" import one, two as three with context %}',
        '{%\n  include\n  "part.html"\n%}',
        '{% include"part.html" %}',
    ],
)
def test_a_digest_covers_what_a_template_draws_on(tmp_path: Path, tag: str) -> None:
    """However the tag is written; what it does not name makes no difference."""
    before = theme_of(tmp_path, page=tag, part="a", other="a").digest("page.html")
    assert theme_of(tmp_path, other="b").digest("page.html") == before
    assert theme_of(tmp_path, part="b").digest("page.html") != before


@pytest.mark.parametrize(
    "tag",
    [
        "{% include name %}",
        "{% include [name] %}",
        '{% include "a" ~ name %}',
        '{% include [name ~ "/a", "part.html"] %}',
        '{% extends "part.html" if x else "third.html" %}',
        '{% import "part.html"|lower as x %}',
    ],
)
def test_where_a_name_is_computed_every_template_counts(tmp_path: Path, tag: str) -> None:
    """Nobody can tell which one it will be."""
    before = theme_of(tmp_path, page=tag, part="a", other="a").digest("page.html")
    assert theme_of(tmp_path, other="b").digest("page.html") != before


def test_of_a_name_that_is_computed_below_a_folder_its_templates_count(tmp_path: Path) -> None:
    """Those of `components/` for `"components/" ~ type`, and no others."""
    tag = '{% include ["parts/" ~ name ~ ".html", "other.html"] %}'
    before = theme_of(tmp_path, page=tag, other="a", third="a").digest("page.html")
    assert theme_of(tmp_path, third="b").digest("page.html") == before
    with_part = theme_of(tmp_path, **{"parts/new": "a"}).digest("page.html")
    assert with_part != before
    assert theme_of(tmp_path, **{"parts/new": "b"}).digest("page.html") != with_part


@pytest.mark.parametrize("written", ["./part.html", ".//part.html", "/part.html", r"part\x2ehtml"])
def test_a_template_is_known_by_every_name_jinja_takes(example: ExampleSite, written: str) -> None:
    """An edit of it is seen by the next build, and by that alone."""
    example.write("templates/post.html", f'{{% include "{written}" %}}')
    example.write("templates/part.html", "one")
    example.make()
    assert example.text("blog/ebb/index.html") == "one"
    example.write("templates/part.html", "two")
    assert example.make().written == len(POSTS)
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize("name", [".hidden.html", "linked/part.html", "assets/part.html"])
def test_no_page_shows_a_template_that_digests_leave_out(example: ExampleSite, name: str) -> None:
    """Hidden files, linked folders and assets: the page says that there is no such template."""
    elsewhere = example.folder / "elsewhere"
    example.write("elsewhere/part.html", "one")
    example.write("templates/assets/part.html", "one")
    example.write("templates/.hidden.html", "one")
    (example.folder / "templates/linked").symlink_to(elsewhere)
    example.write("templates/404.html", f'{{% include "{name}" %}}')
    example.load()
    failed = example.build().failed
    assert failed.keys() == {"404.html", "es/404.html"}
    assert f"templates/404.html:1: there is no template {name}" in failed["404.html"]


def test_a_catalogue_is_that_of_its_locale(example: ExampleSite) -> None:
    """The same words under the name of another locale are other words."""
    example.settings_are(locales=["en", "sl", "et"])
    example.write("translations/sl.po", 'msgid "Follow"\nmsgstr "Sledi"\n')
    example.remove("content/posts/es/marea.md")
    for locale in ("sl", "et"):
        example.post(f"{locale}/{locale}-post", published="2026-01-02", locale=locale)
    example.write("content/collections/menu.yaml", [])
    example.make()
    assert "Sledi" in example.text("sl/blog/index.html")
    (example.folder / "translations/sl.po").rename(example.folder / "translations/et.po")
    example.make()
    assert "Sledi" not in example.text("sl/blog/index.html")
    assert "Sledi" in example.text("et/blog/index.html")
    assert example.tree() == example.clean_tree()


def test_a_template_that_includes_itself_has_a_digest(tmp_path: Path) -> None:
    """Recursion ends."""
    theme = theme_of(tmp_path, one='{% include "two.html" %}', two='{% include "one.html" %}')
    assert theme.digest("one.html") == theme.digest("two.html")


def test_an_interface_word_of_the_site_covers_that_of_the_theme(example: ExampleSite) -> None:
    """And all pages are made with it at once."""
    example.make()
    example.write("translations/es.po", 'msgid "All posts"\nmsgstr "Cada nota"\n')
    report = example.make()
    assert "Cada nota" in example.text("es/blog/index.html")
    assert "es/blog/index.html" in report.stale
    assert example.tree() == example.clean_tree()


def test_assets_of_the_site_stand_beside_and_over_those_of_the_theme(example: ExampleSite) -> None:
    """Under names of their own content; what is no longer used is pruned."""
    example.make()
    example.write("assets/style.css", "body{background:url(img/dot.svg)}")
    example.write("assets/img/dot.svg", "<svg/>")
    example.make()
    (style,) = example.public.glob("assets/style.*.css")
    (dot,) = example.public.glob("assets/img/dot.*.svg")
    assert f"url(/assets/img/{dot.name})" in style.read_text(encoding="utf-8")
    assert style.name in example.text("index.html")
    assert example.tree() == example.clean_tree()


def test_stylesheets_find_their_files_wherever_they_stand(example: ExampleSite) -> None:
    """Relative to the stylesheet, with a fragment or a query; what is no asset stays as it is."""
    example.write("assets/css/site.css", 'a{b:url("../fonts/a.woff2?v=1#x")}c{d:url(data:x)}e{f:url(none.png)}')
    example.write("assets/fonts/a.woff2", b"\x00\xff")
    urls, files = plan_assets(load_theme(example.folder), Routes(example.settings))
    (css,) = (file.read().decode() for file in files if file.path.startswith("assets/css/site."))
    assert css == f"a{{b:url({urls['fonts/a.woff2']}?v=1#x)}}c{{d:url(data:x)}}e{{f:url(none.png)}}"


def test_addresses_from_the_root_in_stylesheets_get_the_path_of_the_site(example: ExampleSite) -> None:
    """Those of assets their final name too; addresses of other hosts and of the sheet itself stay."""
    example.settings_are(url="https://tide.example/mag", delivery={"minify": False})
    example.write("assets/img/a b(1).svg", "<svg/>")
    example.write("assets/more.css", "i{top:0}")
    kept = 'a{b:url("//x.example/a.png")}c{d:url(#shade)}e{f:url(https://x.example/a.png)}'
    example.write("assets/custom.css", (
        '@import "/assets/more.css";'
        "a{b:url(/assets/img/a%20b(1).svg)}".replace("a%20b(1)", "a%20b%281%29")
        + "c{d:url('/photos/my boat.png')}e{f:url( /fonts/x.woff2?v=1 )}" + kept
    ))  # fmt: skip
    urls, files = plan_assets(load_theme(example.folder), Routes(example.settings))
    (css,) = (file.read().decode() for file in files if file.path.startswith("assets/custom."))
    assert css == (
        f'@import url({urls["more.css"]});a{{b:url("{urls["img/a b(1).svg"]}")}}'
        'c{d:url("/mag/photos/my boat.png")}e{f:url(/mag/fonts/x.woff2?v=1)}' + kept
    )
    assert urls["more.css"].startswith("/mag/assets/more.")


def test_a_stylesheet_names_another_wherever_that_stands_in_the_alphabet(example: ExampleSite) -> None:
    """Its final name comes first, so that the name of the one that imports it changes with it."""
    example.write("assets/a.css", "@import url('css/z.css');")
    example.write("assets/css/z.css", "@import url(../m.css);")
    example.write("assets/m.css", "b{c:d}")
    urls, files = plan_assets(load_theme(example.folder), Routes(example.settings))
    texts = {f"/{file.path}": file.read().decode() for file in files if file.path.endswith(".css")}
    assert texts[urls["a.css"]] == f"@import url({urls['css/z.css']});"
    assert texts[urls["css/z.css"]] == f"@import url({urls['m.css']});"
    example.write("assets/m.css", "b{c:e}")
    changed, _ = plan_assets(load_theme(example.folder), Routes(example.settings))
    assert {name for name in urls if urls[name] != changed[name]} == {"a.css", "css/z.css", "m.css"}


def test_stylesheets_that_name_one_another_are_an_error_that_names_both(example: ExampleSite) -> None:
    """The final name of neither can be known before that of the other."""
    example.write("assets/a.css", "@import url(b.css);")
    example.write("assets/b.css", "@import url(a.css);")
    with pytest.raises(ConfigurationError, match=r"(a\.css → b\.css → a|b\.css → a\.css → b)\.css"):
        plan_assets(load_theme(example.folder), Routes(example.settings))


def test_an_asset_that_is_not_utf8_is_copied_as_it_is(example: ExampleSite) -> None:
    """A stylesheet in another encoding is no reason to stop."""
    example.write("assets/old.css", b"a{content:'\xe9'}")
    example.make()
    (old,) = example.public.glob("assets/old.*.css")
    assert old.read_bytes() == b"a{content:'\xe9'}"


def test_hidden_files_are_no_part_of_the_theme(example: ExampleSite) -> None:
    """Nor are what editors and version control leave behind."""
    example.write("assets/.DS_Store", b"\x00")
    example.write("templates/.git/config", b"\xff")
    theme = load_theme(example.folder)
    assert not [name for name in (*theme.assets, *theme.templates) if ".DS_Store" in name or ".git" in name]


def test_a_template_that_is_no_text_is_named(example: ExampleSite) -> None:
    """With its file."""
    example.load()
    example.write("templates/post.html", b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"templates/post.html is not UTF-8 text"):
        example.build()


def test_an_untouched_theme_has_the_same_digests_everywhere(tmp_path: Path) -> None:
    """Where a site lies on disk makes no difference."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert digests(one) == digests(two)


def test_a_stylesheet_imports_another_by_its_plain_name_in_quotes(example: ExampleSite) -> None:
    """`@import "x.css"` is the other way to write it; media and layers behind it stay, and so does another site's."""
    example.write("assets/a.css", "@import \"css/z.css\" layer(z) print;@import 'https://x.example/y.css';")
    example.write("assets/css/z.css", "b{c:url('../dot.svg')}")
    example.write("assets/dot.svg", "<svg/>")
    urls, files = plan_assets(load_theme(example.folder), Routes(example.settings))
    texts = {f"/{file.path}": file.read().decode() for file in files if file.path.endswith(".css")}
    assert texts[urls["a.css"]] == (
        f"@import url({urls['css/z.css']}) layer(z) print;@import 'https://x.example/y.css';"
    )
    assert texts[urls["css/z.css"]] == f"b{{c:url({urls['dot.svg']})}}"


def test_stylesheets_are_written_without_comments_unless_the_owner_wants_them(example: ExampleSite) -> None:
    """`minify = false` keeps every blank."""
    example.write("assets/a.css", "a { b: c } /* d */\n")
    for minify, expected in ((True, "a{b:c}"), (False, "a { b: c } /* d */\n")):
        example.settings_are(delivery={"minify": minify})
        _, files = plan_assets(load_theme(example.folder), Routes(example.settings))
        assert [file.read().decode() for file in files if file.path.startswith("assets/a.")] == [expected]


def test_a_summary_that_repeats_the_text_is_for_lists(example: ExampleSite) -> None:
    """The page of a post shows its summary below the title, unless the text begins with it."""
    facts = "status: published\npublished: 2026-01-01T08:00:00Z\n"
    for name, summary in (("own", "In short: the sea."), ("same", "It's the sea & more. It ebbs.")):
        front = f"---\ntitle: {name}\nsummary: '{summary.replace(chr(39), chr(39) * 2)}'\n{facts}---\n"
        example.write(f"content/posts/{name}.md", front + "It's the *sea* & more.\n\nIt ebbs.\n\nThen it flows.\n")
    example.make()
    assert '<p class="standfirst">In short: the sea.</p>' in example.text("blog/own/index.html")
    assert 'class="standfirst"' not in example.text("blog/same/index.html")
