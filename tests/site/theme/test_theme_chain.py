"""Themes that extend others: templates, stylesheets, translations, and which of their files are published."""

from pathlib import Path

import pytest

from sitecms.resources import resource_dir
from sitecms.settings.site import load_settings
from sitecms.site.routes import Routes
from sitecms.site.theme.assets import plan_assets
from sitecms.site.theme.theme import OUTPUTS, Theme, load_theme
from sitecms.translations import Translations
from tests.support.sites import ExampleSite

FRAME = "<!doctype html><title>{{ site.name }}</title>{% block content %}{% endblock %}\n"


def write(site: Path, **files: str) -> None:
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def theme_of(site: Path, name: str, **files: str) -> Theme:
    write(site, **{"site.toml": f'name = "Tide"\n[theme]\nname = "{name}"\n'}, **files)
    return load_theme(site, load_settings(site).theme)


def published(site: Path, theme: Theme) -> set[str]:
    return set(plan_assets(theme, Routes(load_settings(site)))[0])


def test_a_theme_covers_the_one_that_it_extends_and_the_site_both(tmp_path: Path) -> None:
    """Templates by name; of catalogues all count, the last one first; style.css follows the others."""
    files = {
        "themes/sea/theme.toml": 'name = "sea"\nextends = "journal"\n',
        "themes/sea/templates/post.html": "sea",
        "themes/sea/templates/year.html": "sea",
        "themes/sea/assets/style.css": "b { top: 0 }",
        "themes/sea/assets/chart.svg": "<svg/>",
        "themes/sea/translations/es.po": 'msgid "Search"\nmsgstr "Rastrear"\n\nmsgid "Tides"\nmsgstr "Mareas"\n',
        "templates/year.html": "site",
        "translations/es.po": 'msgid "Tides"\nmsgstr "Las mareas"\n',
    }
    theme = theme_of(tmp_path, "sea", **files)
    assert (theme.sources["post.html"], theme.sources["year.html"]) == ("sea", "site")
    journal = resource_dir("templates") / "themes/journal"
    assert theme.templates["parts/row.html"] == journal / "templates/parts/row.html"
    words = Translations(theme.catalogues)
    assert [words.text("es", each) for each in ("Search", "Tides", "Share")] == ["Rastrear", "Las mareas", "Compartir"]
    style = theme.asset_bytes("style.css")
    assert style.index(b'/* The theme "journal"') < style.index(b"b { top: 0 }")
    write(tmp_path, **{"themes/sea/theme.toml": 'name = "sea"\nextends = "journal"\nstyle = "replace"\n'})
    assert theme_of(tmp_path, "sea").asset_bytes("style.css").startswith(b"b { top: 0 }")
    assert b"journal" not in theme_of(tmp_path, "sea").asset_bytes("style.css")


def test_a_template_extends_the_one_that_it_covers(example: ExampleSite) -> None:
    """By the name of its theme; in a site `theme:` is whatever theme it has. An edit of either is seen."""
    example.settings_are(theme={"name": "sea"})
    example.write("themes/sea/theme.toml", 'name = "sea"\nextends = "default"\n')
    block = "{{% extends '{0}:post.html' %}}{{% block head %}}<!-- {1} -->{{{{ super() }}}}{{% endblock %}}"
    example.write("themes/sea/templates/post.html", block.format("default", "of the theme"))
    example.write("templates/post.html", block.format("theme", "of the site"))
    example.make()
    page = example.text("blog/ebb/index.html")
    assert page.index("<!-- of the site -->") < page.index("<!-- of the theme -->") < page.index("<h1>Ebb</h1>")
    example.write("themes/sea/templates/post.html", block.format("default", "edited"))
    assert example.build().written > 0
    assert "<!-- edited -->" in example.text("blog/ebb/index.html")
    assert example.tree() == example.clean_tree()


def test_a_site_with_a_theme_of_its_own_is_built_alike_each_time(example: ExampleSite) -> None:
    """Each change of the theme, of options and of the theme's name: incremental is clean."""
    option = '[options.n]\ntype = "integer"\ndefault = 1\n'
    example.write("themes/sea/theme.toml", f'name = "sea"\nextends = "default"\n{option}')
    example.write("themes/sea/templates/year.html", "{{ site.theme.options.n }}")
    example.settings_are(theme={"name": "sea"})
    plain = (example.folder / "site.toml").read_text()
    for text in (plain, f"{plain}[theme.options]\nn = 2\n", plain.replace('"sea"', '"journal"'), plain):
        example.write("site.toml", text)
        example.make()
        assert example.tree() == example.clean_tree()
    assert example.text("blog/2026/index.html") == "1"
    example.write("themes/sea/templates/year.html", "new")
    example.build()
    assert example.text("blog/2026/index.html") == "new"


def test_files_of_a_theme_that_no_page_asks_for_are_not_published(tmp_path: Path) -> None:
    """A frame of one's own has neither stylesheet nor script of the theme; what a used stylesheet names is used."""
    theme = theme_of(tmp_path, "default")
    usual = {"style.css", "theme.js", "early.js", "favicon.svg", "search.js", "search.css"}
    assert usual <= published(tmp_path, theme)
    own = theme_of(tmp_path, "default", **{"templates/base.html": FRAME, "assets/own.css": "i { top: 0 }"})
    assert published(tmp_path, own) & usual <= {"search.js", "search.css"}
    assert "own.css" in published(tmp_path, own)
    frame = FRAME + '<link rel="stylesheet" href="{{ site.assets["sheet.css"] }}">'
    files = {
        "themes/sea/theme.toml": 'name = "sea"\nextends = "default"\n',
        "themes/sea/assets/sheet.css": "a { background: url(used.svg) }",
        "themes/sea/assets/used.svg": "<svg/>",
        "themes/sea/assets/spare.svg": "<svg/>",
        "templates/base.html": frame,
    }
    sea = theme_of(tmp_path, "sea", **files)
    assert {"sheet.css", "used.svg", "own.css"} <= published(tmp_path, sea)
    assert "spare.svg" not in published(tmp_path, sea)


@pytest.mark.parametrize("use", ["{{ site.assets[name] }}", "{% for a in site.assets %}{% endfor %}"])
def test_where_an_asset_is_computed_all_are_published(tmp_path: Path, use: str) -> None:
    """Nobody can tell which one it will be."""
    theme = theme_of(tmp_path, "default", **{"templates/base.html": FRAME + use})
    assert published(tmp_path, theme) == set(theme.assets) - {"integrations.js"}


def test_outputs_are_all_templates_that_a_plan_chooses(example: ExampleSite) -> None:
    """Beside those of types: a theme is complete if it has them."""
    example.settings_are(build={"indexes": True}, search={"enabled": True}, feeds={"kinds": ["rss", "atom", "json"]})
    example.make()
    from sitecms.site.plan.plan import make_plan
    from sitecms.site.snapshot import take_snapshot

    snapshot = example.database.read(take_snapshot)
    plan = make_plan(snapshot, example.settings, load_theme(example.folder), searchable=True)
    templates = {job.template for job in plan.pages}
    assert len(templates) > 12
    assert {each for each in templates if not each.startswith(("page/", "collection/"))} <= set(OUTPUTS)
