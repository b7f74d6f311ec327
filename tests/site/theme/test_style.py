"""Options of site.toml as CSS: colours, fonts, scheme; and what is said of colours that cannot be read."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.errors import InvalidFiles
from sitecms.settings.fonts import FontFile
from sitecms.settings.site import load_settings
from sitecms.settings.theme import ThemeSettings
from sitecms.site.theme.style import (
    DARK_LINK,
    LIGHT_LINK,
    contrast,
    contrast_notes,
    in_scheme,
    link_colour,
    mixed,
    option_style,
    scheme_colours,
)
from sitecms.site.theme.theme import load_theme
from sitecms.site.views.site_view import check_theme, theme_view

ACCENTED = ThemeSettings(accent="#0b6e99")


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#777777", "#ffffff", 4.48),
        ("#0000ff", "#ffffff", 8.59),
        ("#123456", "#123456", 1.0),
    ],
)
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    """Either way round."""
    assert contrast(one, other) == pytest.approx(ratio, abs=0.01)
    assert contrast(other, one) == contrast(one, other)


@pytest.mark.parametrize("accent", ["#000000", "#ffffff", "#ffee00", "#0b6e99", "#ff00ff", "#00ff00"])
def test_links_are_readable_whatever_the_accent(accent: str) -> None:
    """On the theme's own ground, light and dark."""
    assert contrast(link_colour(accent, LIGHT_LINK), "#fdfdfc") > 4.5
    assert contrast(link_colour(accent, DARK_LINK), "#121413") > 4.5


def test_mixing_ends_at_both_colours() -> None:
    """All of one, all of the other."""
    assert (mixed("#123456", "#fedcba", 1), mixed("#123456", "#fedcba", 0)) == ("#123456", "#fedcba")


def test_nothing_set_is_nothing_written() -> None:
    """But the accent, which every site has."""
    assert option_style(ThemeSettings()) == ""
    assert option_style(ACCENTED) == ":root{--accent:#0b6e99}"


def test_a_family_of_the_sites_own_stands_before_the_system_fonts() -> None:
    """Each file is an @font-face; the family is used where it is named, and headings may have another."""
    font = FontFile("Literata", "fonts/literata.woff2", "200 900", "normal", preload=True)
    style = option_style(ThemeSettings(fonts=(font,), text_font="Literata", heading_font="slab"))
    assert style.startswith(
        '@font-face{font-family:"Literata";src:url("fonts/literata.woff2") format("woff2");'
        "font-weight:200 900;font-style:normal;font-display:swap}"
    )
    assert '--serif:"Literata", ' in style
    assert "{font-family:Rockwell" in style


def test_colours_of_each_scheme_stay_in_it() -> None:
    """And paper stays white."""
    style = option_style(ThemeSettings(background="#ffffff", dark_text="#eeeeee"))
    assert style == ":root{--light-paper:#ffffff;--dark-ink:#eeeeee}"


@pytest.mark.parametrize(
    ("scheme", "light", "dark"),
    [
        ("auto", "(prefers-color-scheme: light)", "(prefers-color-scheme:dark)"),
        ("light", "(min-width:0)", "(max-width:0)"),
        ("dark", "(max-width:0)", "(min-width:0)"),
    ],
)
def test_a_fixed_scheme_asks_no_device(scheme: str, light: str, dark: str) -> None:
    """Its own rules hold always, those of the other never."""
    css = "@media (prefers-color-scheme: light){a{}}@media screen and (prefers-color-scheme:dark){b{}}"
    assert in_scheme(css, scheme) == f"@media {light}{{a{{}}}}@media screen and {dark}{{b{{}}}}"


def test_colours_that_cannot_be_read_are_named() -> None:
    """With the contrast they have; of the scheme that is never shown nothing is said."""
    pale = replace(ACCENTED, background="#ffffff", text="#999999", dark_background="#777777")
    notes = list(contrast_notes(pale))
    assert [note.split(" has ")[0] for note in notes] == ["site.toml: theme.text", "site.toml: theme.dark_text"]
    assert "2.8:1 on #ffffff, the light background; it takes 4.5:1" in notes[0]
    assert len(list(contrast_notes(replace(pale, color_scheme="light")))) == 1
    assert list(contrast_notes(replace(ACCENTED, background="#ffffff", text="#222222"))) == []
    assert list(contrast_notes(ACCENTED)) == []


def test_what_is_paler_than_text_counts_too() -> None:
    """Dates and summaries are mixed from text and background."""
    (note,) = contrast_notes(replace(ACCENTED, background="#ffffff", text="#666666"))
    assert note.startswith("site.toml: what is paler than theme.text has a contrast of 3.")


def test_browsers_are_told_the_colour_of_the_page() -> None:
    """In each scheme that the site shows."""
    assert scheme_colours(replace(ACCENTED, background="#fff8e7")).keys() == {"light", "dark"}
    assert scheme_colours(replace(ACCENTED, background="#fff8e7"))["light"] == "#fff8e7"
    assert scheme_colours(replace(ACCENTED, color_scheme="dark")).keys() == {"dark"}


def test_pictures_of_the_theme_come_from_assets_or_media(tmp_path: Path) -> None:
    """With their sizes; all of them have addresses that change with their content."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "media").mkdir()
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"/>'
    (tmp_path / "assets/logo.svg").write_text(svg, encoding="utf-8")
    (tmp_path / "media/night.svg").write_text(svg, encoding="utf-8")
    (tmp_path / "media/other.svg").write_text(svg, encoding="utf-8")
    options = ThemeSettings(logo="logo.svg", dark_logo="media/night.svg", logo_alt="Tide")
    theme = load_theme(tmp_path, options)
    assert "media/other.svg" not in theme.assets
    view = theme_view(theme, {name: f"/x/{name}" for name in theme.assets}, "")
    assert view.logo
    assert view.dark_logo
    assert (view.logo.src, view.logo.alt, view.logo.width, view.logo.height) == ("/x/logo.svg", "Tide", 120, 40)
    assert view.dark_logo.src == "/x/media/night.svg"
    assert (view.favicon_url, view.favicon_type) == ("/x/favicon.svg", "image/svg+xml")


def test_files_that_are_not_there_are_faults_of_the_settings(tmp_path: Path) -> None:
    """All at once, each with where it is looked for; nothing outside the site folder is taken."""
    (tmp_path / "secret.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "site").mkdir()
    font = FontFile("X", "fonts/x.woff2", "400", "normal", preload=False)
    options = ThemeSettings(logo="media/../../secret.svg", favicon="icon.png", fonts=(font,))
    with pytest.raises(InvalidFiles) as caught:
        check_theme(load_theme(tmp_path / "site", options))
    assert [error.place for error in caught.value.errors] == ["theme.logo", "theme.favicon", "theme.fonts[0].file"]
    assert "put it at assets/icon.png" in str(caught.value)


def test_a_font_that_there_is_none_of_is_a_fault(tmp_path: Path) -> None:
    """With the names that there are."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n[theme]\ntext_font = "comic"\n', encoding="utf-8")
    with pytest.raises(InvalidFiles, match=r'site.toml:3 theme.text_font: is "comic" \(expected one of serif, '):
        load_settings(tmp_path)
