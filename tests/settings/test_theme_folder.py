"""Folders of themes: where a theme is found, what its theme.toml may say, and the options that a site sets."""

import sys
from pathlib import Path

import pytest

from sitecms.errors import InvalidFiles
from sitecms.resources import resource_dir
from sitecms.settings.site import load_settings
from sitecms.settings.theme_folder import find_theme, installed_themes, theme_chain, theme_places
from sitecms.site.theme.theme import load_theme

COLUMNS = """
[options.columns]
type = "integer"
description = "Columns of the home page."
default = 2
minimum = 1
maximum = 4
[options.sections]
type = "array"
default = ["news"]
[options.corner]
type = "string"
enum = ["round", "sharp"]
default = "round"
"""


def write(site: Path, path: str, text: str) -> None:
    target = site / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def make_theme(site: Path, name: str, extends: str = "default", more: str = "") -> None:
    write(site, f"themes/{name}/theme.toml", f'name = "{name}"\nextends = "{extends}"\n{more}')


def make_site(site: Path, theme: str) -> None:
    write(site, "site.toml", f'name = "Tide"\n[theme]\n{theme}\n')


def problems(site: Path) -> list[str]:
    with pytest.raises(InvalidFiles) as caught:
        load_settings(site)
    return [str(error) for error in caught.value.errors]


def test_a_theme_lies_in_the_site_or_among_those_of_sitecms(tmp_path: Path) -> None:
    """The site's comes first; each after those that it extends."""
    make_theme(tmp_path, "seaside", "journal", 'version = "1.2"')
    chain = theme_chain("seaside", tmp_path)
    assert [theme.name for theme in chain] == ["default", "journal", "seaside"]
    assert (chain[-1].version, chain[-1].path) == ("1.2", "themes/seaside")
    assert chain[0].folder == resource_dir("templates") / "themes/default"
    places = theme_places(tmp_path)
    assert {"default", "journal", "portfolio", "seaside"} <= places.keys()
    assert (places["seaside"].origin, places["journal"].origin) == ("themes/seaside", "sitecms")


def test_a_theme_of_a_package_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its entry point; a package that fails when it is imported is a theme as well."""
    write(tmp_path, "lagoon_theme/__init__.py", "raise SystemExit('imported')")
    write(tmp_path, "lagoon_theme/theme.toml", 'name = "lagoon"\nextends = "default"\n')
    write(tmp_path, "lagoon_theme-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lagoon-theme\nVersion: 1.0\n")
    write(tmp_path, "lagoon_theme-1.0.dist-info/entry_points.txt", "[sitecms.themes]\nlagoon = lagoon_theme\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed_themes.cache_clear()
    try:
        theme = find_theme("lagoon", None)
        assert theme is not None
        assert theme.folder == tmp_path / "lagoon_theme"
        make_site(tmp_path / "site", 'name = "lagoon"')
        assert load_settings(tmp_path / "site").theme.name == "lagoon"
    finally:
        installed_themes.cache_clear()
    assert "lagoon_theme" not in sys.modules


def test_a_plug_in_has_themes(tmp_path: Path) -> None:
    """It returns their folders by name; a site that does not enable it has none of them."""
    write(tmp_path, "plugins/boats/harbour/theme.toml", 'name = "harbour"\nextends = "journal"\n')
    hook = "from pathlib import Path\nfrom sitecms.plugins.hooks import hookimpl\n\n@hookimpl\ndef themes():\n"
    write(tmp_path, "plugins/boats/__init__.py", f'{hook}    return {{"harbour": Path(__file__).parent / "harbour"}}\n')
    make_site(tmp_path, 'name = "harbour"\n[plugins]\nenabled = ["boats"]')
    theme = load_settings(tmp_path).theme
    assert (theme.name, theme.home) == ("harbour", "list")
    assert load_theme(tmp_path, theme).chain[-1].folder == tmp_path / "plugins/boats/harbour"
    make_site(tmp_path, 'name = "harbour"')
    assert 'theme.name: is "harbour", and there is no such theme' in problems(tmp_path)[0]


def test_defaults_of_a_theme_are_those_of_the_site_until_it_sets_them(tmp_path: Path) -> None:
    """Of a theme that extends another, its own come first; a setting that is "" is not set."""
    make_theme(tmp_path, "seaside", "journal", '[defaults]\naccent = "#0b5d6b"\nprogress = true\n')
    make_site(tmp_path, 'name = "seaside"\nhome = ""')
    theme = load_settings(tmp_path).theme
    assert (theme.home, theme.accent, theme.progress, theme.text_font) == ("list", "#0b5d6b", True, "")
    make_site(tmp_path, 'name = "seaside"\nhome = "cards"\naccent = "#9a3b26"\nprogress = false')
    theme = load_settings(tmp_path).theme
    assert (theme.home, theme.accent, theme.progress) == ("cards", "#9a3b26", False)


def test_options_that_a_theme_declares_are_checked(tmp_path: Path) -> None:
    """A site sets them below [theme.options]; an unknown one is an error that names the nearest."""
    make_theme(tmp_path, "seaside", more=COLUMNS)
    make_site(tmp_path, 'name = "seaside"')
    assert load_settings(tmp_path).theme.options == {"columns": 2, "sections": ("news",), "corner": "round"}
    make_site(tmp_path, 'name = "seaside"\n[theme.options]\ncolumns = 4\nsections = ["a", "b"]')
    assert load_settings(tmp_path).theme.options == {"columns": 4, "sections": ("a", "b"), "corner": "round"}
    make_site(tmp_path, 'name = "seaside"\n[theme.options]\ncolums = 4\ncolumns = 9\ncorner = "blunt"')
    assert problems(tmp_path) == [
        'site.toml:5 theme.options.colums: is not a known key (did you mean "columns"?)',
        "site.toml:6 theme.options.columns: is 9 (4 or less is expected)",
        'site.toml:7 theme.options.corner: is "blunt" (choices: round, sharp)',
    ]
    make_site(tmp_path, "options = {columns = 4}")
    assert problems(tmp_path) == ["site.toml:3 theme.options.columns: is not a known key (keys here: none)"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("verison = '1'", 'themes/seaside/theme.toml:3 verison: is not a known key (did you mean "version"?)'),
        ("[defaults]\nhme = 'list'", 'theme.toml:4 defaults.hme: is not a known key (did you mean "home"?)'),
        ("[defaults]\nhome = 'lst'", 'defaults.home: is "lst" (did you mean "list"?'),
        ("[defaults]\nname = 'x'", "defaults.name: is not a known key"),
        ("[options.a]\ntype = 'integer'\ndefault = 'x'", 'options.a.default: is "x" (expected a whole number'),
        ("[options.a]\ntype = 'string'\ndefault = 'x'\npattern = '('", "options.a: is no declaration: "),
        ("[options.a]\ntype = 'string'", "options.a.default: is missing"),
        ("[needs]\nsitecms = '99.1'", "needs.sitecms: is 99.1, and this is sitecms"),
        ("[needs]\ncolections = ['a']", 'needs.colections: is not a known key (did you mean "collections"?)'),
    ],
)
def test_an_error_of_a_theme_names_file_and_line(tmp_path: Path, more: str, problem: str) -> None:
    """And the nearest key."""
    make_theme(tmp_path, "seaside", more=more)
    make_site(tmp_path, 'name = "seaside"')
    assert any(problem in each for each in problems(tmp_path)), problems(tmp_path)


def test_a_theme_that_is_not_there_is_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    """In site.toml, and in the theme that extends it."""
    make_site(tmp_path, 'name = "jurnal"')
    assert problems(tmp_path) == [
        'site.toml:3 theme.name: is "jurnal", and there is no such theme (did you mean "journal"?)'
    ]
    make_theme(tmp_path, "seaside", "portfolo")
    make_site(tmp_path, 'name = "seaside"')
    expected = 'is "portfolo", and there is no such theme (did you mean "portfolio"?)'
    assert problems(tmp_path) == [f"themes/seaside/theme.toml:2 extends: {expected}"]


def test_themes_that_extend_one_another_are_an_error(tmp_path: Path) -> None:
    """Which shows the circle."""
    make_theme(tmp_path, "one", "two")
    make_theme(tmp_path, "two", "three")
    make_theme(tmp_path, "three", "one")
    make_site(tmp_path, 'name = "one"')
    (problem,) = problems(tmp_path)
    assert "themes/three/theme.toml:2 extends: leads in a circle: one → two → three → one" in problem


def test_a_theme_has_the_name_of_its_folder(tmp_path: Path) -> None:
    """Else a site could not name it."""
    write(tmp_path, "themes/seaside/theme.toml", 'name = "lagoon"\n')
    make_site(tmp_path, 'name = "seaside"')
    (problem,) = problems(tmp_path)
    assert 'themes/seaside/theme.toml:1 name: is "lagoon" in the folder seaside (give both the same name)' in problem


def test_a_link_out_of_the_site_is_no_theme(tmp_path: Path) -> None:
    """Wherever it leads."""
    make_theme(tmp_path / "elsewhere", "seaside")
    make_site(tmp_path / "site", 'name = "seaside"')
    (tmp_path / "site/themes").mkdir()
    (tmp_path / "site/themes/seaside").symlink_to(tmp_path / "elsewhere/themes/seaside")
    assert "outside of the files of the site, so it is not followed" in problems(tmp_path / "site")[0]
