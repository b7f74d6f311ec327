"""The theme: files of the site over those of the theme, and which pages a changed file makes stale."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitecms.errors import ConfigurationError
from sitecms.site.routes import Routes
from sitecms.site.theme.assets import plan_assets
from sitecms.site.theme.theme import Theme, load_theme

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks

POSTS = {f"blog/{name}/index.html" for name in ("calm", "drift", "ebb", "flow", "gale", "haul")}
POSTS |= {"es/blog/marea-baja/index.html"}
COMPUTED = {"index.html", "es/index.html", "about/index.html", "guide/knots/index.html"}
"""Pages that include templates under computed names: any template may be one of them."""


ARCHIVES = ("blog/2026/", "categories/boats/", "categories/tides/", "tags/moon/", "tags/ropes/")
SPANISH = ("", "authors/ann-ray/", "blog/2026/", "categories/tides/", "tags/moon/")
FEEDS = ("", *ARCHIVES, "authors/ann-ray/", "authors/bo-lind/", *(f"es/{folder}" for folder in SPANISH))
"""The folders of whatever has feeds: the site in each locale, and each archive."""


def digests(folder: Path) -> dict[str, str]:
    theme = load_theme(folder)
    return {name: theme.digest(name) for name in theme.templates}


def theme_of(folder: Path, **templates: str) -> Theme:
    for name, text in templates.items():
        path = folder / "templates" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_theme(folder)


def copy_of(works: "SiteWorks", name: str) -> str:
    return load_theme(works.folder).templates[name].read_text(encoding="utf-8")


def test_a_template_of_the_site_takes_the_place_of_the_themes(works: "SiteWorks") -> None:
    """Only pages made with it change, and taking it away brings the old ones back."""
    works.make()
    before = works.tree()
    works.write("templates/post.html", '{% extends "base.html" %}{% block content %}<h1>Mine</h1>{% endblock %}\n')
    report = works.make()
    assert report.stale == dict.fromkeys(POSTS | COMPUTED, "its template changed")
    assert report.written == len(POSTS)
    assert "<h1>Mine</h1>" in works.text("blog/ebb/index.html")
    assert works.tree() == works.clean_tree()
    works.remove("templates/post.html")
    assert works.make().written == len(POSTS)
    assert works.tree() == before


def test_a_template_for_a_page_type_is_taken_when_it_appears(works: "SiteWorks") -> None:
    """`page/guide.html` beats the default template."""
    works.make()
    works.write("templates/page/guide.html", "<h1>{{ page.title }}!</h1>\n")
    assert works.make().written == 1
    assert works.text("guide/knots/index.html") == "<h1>Knots!</h1>"


@pytest.mark.parametrize(
    ("name", "stale"),
    [
        ("404.html", {"404.html", "es/404.html"}),
        ("feeds/rss.xml", {f"{each}rss.xml" for each in FEEDS}),
        ("robots.txt", {"robots.txt"}),
        ("page/_default.body.html", set()),
    ],
)
def test_an_edited_template_makes_stale_what_is_made_with_it(works: "SiteWorks", name: str, stale: set[str]) -> None:
    """All other pages stay, whatever they share with it."""
    works.make()
    works.write(f"templates/{name}", "{# edited #}" + copy_of(works, name))
    report = works.make()
    assert report.stale == dict.fromkeys(stale | COMPUTED, "its template changed")
    assert report.written == 0


def test_an_edited_frame_makes_every_page_stale(works: "SiteWorks") -> None:
    """Every HTML page extends base.html; feeds and sitemap do not."""
    works.make()
    works.write("templates/base.html", copy_of(works, "base.html").replace("<body>", '<body class="mine">'))
    report = works.make()
    assert report.stale.keys() == {path for path in works.tree() if path.endswith(".html")}
    assert report.written == len(report.stale)
    assert works.tree() == works.clean_tree()


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
        '{% include "a/" ~ name %}',
        '{% include ["a/" ~ name, "part.html"] %}',
        '{% extends "part.html" if x else "third.html" %}',
        '{% import "part.html"|lower as x %}',
    ],
)
def test_where_a_name_is_computed_every_template_counts(tmp_path: Path, tag: str) -> None:
    """Nobody can tell which one it will be."""
    before = theme_of(tmp_path, page=tag, part="a", other="a").digest("page.html")
    assert theme_of(tmp_path, other="b").digest("page.html") != before


@pytest.mark.parametrize("written", ["./part.html", ".//part.html", "/part.html", r"part\x2ehtml"])
def test_a_template_is_known_by_every_name_jinja_takes(works: "SiteWorks", written: str) -> None:
    """An edit of it is seen by the next build, and by that alone."""
    works.write("templates/post.html", f'{{% include "{written}" %}}')
    works.write("templates/part.html", "one")
    works.make()
    assert works.text("blog/ebb/index.html") == "one"
    works.write("templates/part.html", "two")
    assert works.make().written == len(POSTS)
    assert works.tree() == works.clean_tree()


def test_a_list_with_a_computed_name_may_be_any_template(tmp_path: Path) -> None:
    """A name without quotes or an operator is computed too."""
    before = theme_of(tmp_path, page="{% include [name] %}", other="a").digest("page.html")
    assert theme_of(tmp_path, other="b").digest("page.html") != before


@pytest.mark.parametrize("name", [".hidden.html", "linked/part.html", "assets/part.html"])
def test_no_page_shows_a_template_that_digests_leave_out(works: "SiteWorks", name: str) -> None:
    """Hidden files, linked folders and assets: the page says that there is no such template."""
    elsewhere = works.folder / "elsewhere"
    works.write("elsewhere/part.html", "one")
    works.write("templates/assets/part.html", "one")
    works.write("templates/.hidden.html", "one")
    (works.folder / "templates/linked").symlink_to(elsewhere)
    works.write("templates/404.html", f'{{% include "{name}" %}}')
    works.load()
    failed = works.build().failed
    assert failed.keys() == {"404.html", "es/404.html"}
    assert f"templates/404.html:1: there is no template {name}" in failed["404.html"]


def test_a_catalogue_is_that_of_its_locale(works: "SiteWorks") -> None:
    """The same words under the name of another locale are other words."""
    works.settings_are(locales=["en", "fr", "nl"])
    works.write("translations/fr.po", 'msgid "Follow"\nmsgstr "Suivre"\n')
    works.remove("content/posts/es/marea.md")
    works.write("content/collections/menu.yaml", [])
    works.make()
    assert "Suivre" in works.text("fr/blog/index.html")
    (works.folder / "translations/fr.po").rename(works.folder / "translations/nl.po")
    works.make()
    assert "Suivre" not in works.text("fr/blog/index.html")
    assert "Suivre" in works.text("nl/blog/index.html")
    assert works.tree() == works.clean_tree()


def test_a_template_that_includes_itself_has_a_digest(tmp_path: Path) -> None:
    """Recursion ends."""
    theme = theme_of(tmp_path, one='{% include "two.html" %}', two='{% include "one.html" %}')
    assert theme.digest("one.html") == theme.digest("two.html")


def test_an_interface_word_of_the_site_covers_that_of_the_theme(works: "SiteWorks") -> None:
    """And all pages are made with it at once."""
    works.make()
    works.write("translations/es.po", 'msgid "All posts"\nmsgstr "Cada nota"\n')
    report = works.make()
    assert "Cada nota" in works.text("es/blog/index.html")
    assert "es/blog/index.html" in report.stale
    assert works.tree() == works.clean_tree()


def test_assets_of_the_site_stand_beside_and_over_those_of_the_theme(works: "SiteWorks") -> None:
    """Under names of their own content; what is no longer used is pruned."""
    works.make()
    works.write("assets/style.css", "body{background:url(img/dot.svg)}")
    works.write("assets/img/dot.svg", "<svg/>")
    works.make()
    (style,) = works.public.glob("assets/style.*.css")
    (dot,) = works.public.glob("assets/img/dot.*.svg")
    assert f"url(/assets/img/{dot.name})" in style.read_text(encoding="utf-8")
    assert style.name in works.text("index.html")
    assert works.tree() == works.clean_tree()


def test_stylesheets_find_their_files_wherever_they_stand(works: "SiteWorks") -> None:
    """Relative to the stylesheet, with a fragment or a query; what is no asset stays as it is."""
    works.write("assets/css/site.css", 'a{b:url("../fonts/a.woff2?v=1#x")}c{d:url(data:x)}e{f:url(none.png)}')
    works.write("assets/fonts/a.woff2", b"\x00\xff")
    urls, files = plan_assets(load_theme(works.folder), Routes(works.settings))
    (css,) = (file.read().decode() for file in files if file.path.startswith("assets/css/site."))
    assert css == f"a{{b:url({urls['fonts/a.woff2']}?v=1#x)}}c{{d:url(data:x)}}e{{f:url(none.png)}}"


def test_a_stylesheet_names_another_wherever_that_stands_in_the_alphabet(works: "SiteWorks") -> None:
    """Its final name comes first, so that the name of the one that imports it changes with it."""
    works.write("assets/a.css", "@import url('css/z.css');")
    works.write("assets/css/z.css", "@import url(../m.css);")
    works.write("assets/m.css", "b{c:d}")
    urls, files = plan_assets(load_theme(works.folder), Routes(works.settings))
    texts = {f"/{file.path}": file.read().decode() for file in files if file.path.endswith(".css")}
    assert texts[urls["a.css"]] == f"@import url({urls['css/z.css']});"
    assert texts[urls["css/z.css"]] == f"@import url({urls['m.css']});"
    works.write("assets/m.css", "b{c:e}")
    changed, _ = plan_assets(load_theme(works.folder), Routes(works.settings))
    assert {name for name in urls if urls[name] != changed[name]} == {"a.css", "css/z.css", "m.css"}


def test_stylesheets_that_name_one_another_are_an_error_that_names_both(works: "SiteWorks") -> None:
    """The final name of neither can be known before that of the other."""
    works.write("assets/a.css", "@import url(b.css);")
    works.write("assets/b.css", "@import url(a.css);")
    with pytest.raises(ConfigurationError, match=r"(a\.css → b\.css → a|b\.css → a\.css → b)\.css"):
        plan_assets(load_theme(works.folder), Routes(works.settings))


def test_an_asset_that_is_not_utf8_is_copied_as_it_is(works: "SiteWorks") -> None:
    """A stylesheet in another encoding is no reason to stop."""
    works.write("assets/old.css", b"a{content:'\xe9'}")
    works.make()
    (old,) = works.public.glob("assets/old.*.css")
    assert old.read_bytes() == b"a{content:'\xe9'}"


def test_hidden_files_are_no_part_of_the_theme(works: "SiteWorks") -> None:
    """Nor are what editors and version control leave behind."""
    works.write("assets/.DS_Store", b"\x00")
    works.write("templates/.git/config", b"\xff")
    theme = load_theme(works.folder)
    assert not [name for name in (*theme.assets, *theme.templates) if ".DS_Store" in name or ".git" in name]


def test_a_template_that_is_no_text_is_named(works: "SiteWorks") -> None:
    """With its file."""
    works.load()
    works.write("templates/post.html", b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"templates/post.html is not UTF-8 text"):
        works.build()


def test_an_untouched_theme_has_the_same_digests_everywhere(tmp_path: Path) -> None:
    """Where a site lies on disk makes no difference."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert digests(one) == digests(two)


def test_a_stylesheet_imports_another_by_its_plain_name_in_quotes(works: "SiteWorks") -> None:
    """`@import "x.css"` is the other way to write it; media and layers behind it stay, and so does another site's."""
    works.write("assets/a.css", "@import \"css/z.css\" layer(z) print;@import 'https://x.example/y.css';")
    works.write("assets/css/z.css", "b{c:url('../dot.svg')}")
    works.write("assets/dot.svg", "<svg/>")
    urls, files = plan_assets(load_theme(works.folder), Routes(works.settings))
    texts = {f"/{file.path}": file.read().decode() for file in files if file.path.endswith(".css")}
    assert texts[urls["a.css"]] == (
        f"@import url({urls['css/z.css']}) layer(z) print;@import 'https://x.example/y.css';"
    )
    assert texts[urls["css/z.css"]] == f"b{{c:url({urls['dot.svg']})}}"


def test_stylesheets_are_written_without_comments_unless_the_owner_wants_them(works: "SiteWorks") -> None:
    """`minify = false` keeps every blank."""
    works.write("assets/a.css", "a { b: c } /* d */\n")
    for minify, expected in ((True, "a{b:c}"), (False, "a { b: c } /* d */\n")):
        works.settings_are(delivery={"minify": minify})
        _, files = plan_assets(load_theme(works.folder), Routes(works.settings))
        assert [file.read().decode() for file in files if file.path.startswith("assets/a.")] == [expected]
