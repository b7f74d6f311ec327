"""Pages with one Markdown file for each locale, and titles by locale."""

import pytest

from tests.actions.conftest import SITE_TOML, SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

PLACE = "content/pages/_single/"
PAGE = "---\ntitle: {}\nstatus: published\n{}---\n{}\n"


def _titles(folder: SiteFolder, slug: str = "about") -> dict[str, str]:
    return {page.locale: page.title for page in folder.page(slug, "")}


def _latam(folder: SiteFolder) -> None:
    """Give the site a locale that is no language tag."""
    text = (folder.folder / "site.toml").read_text()
    assert 'locales = ["en", "es"]' in text, SITE_TOML
    folder.write("site.toml", text.replace('locales = ["en", "es"]', 'locales = ["en", "es", "latam"]'))


def test_files_of_one_page_by_locale(folder: SiteFolder) -> None:
    """Each with its title and body; a file that goes takes its locale, and one that comes adds it."""
    _latam(folder)
    for name, title in (("about.md", "About"), ("about.es.md", "Acerca"), ("about.latam.md", "Sobre")):
        folder.write(PLACE + name, PAGE.format(title, "", f"Text of {title}"))
    assert folder.load().errors == ()
    assert _titles(folder) == {"en": "About", "es": "Acerca", "latam": "Sobre"}
    bodies = {page.locale: page.fields["body"] for page in folder.page("about", "")}
    assert bodies["latam"] == "<p>Text of Sobre</p>\n"
    assert folder.load().loaded == ()
    (folder.folder / f"{PLACE}about.es.md").unlink()
    folder.load()
    assert _titles(folder) == {"en": "About", "latam": "Sobre"}
    folder.write(f"{PLACE}about.es.md", PAGE.format("De nuevo", "", "x"))
    folder.load()
    assert _titles(folder)["es"] == "De nuevo"


def test_the_file_of_the_default_locale_may_come_last(folder: SiteFolder) -> None:
    """The page of a translation becomes that of both files."""
    folder.write(f"{PLACE}about.es.md", PAGE.format("Acerca", "", "x"))
    folder.load()
    (page,) = folder.page("about", "")
    assert (page.locale, page.title) == ("es", "Acerca")
    folder.write(f"{PLACE}about.md", PAGE.format("About", "", "x"))
    assert folder.load().errors == ()
    assert _titles(folder) == {"en": "About", "es": "Acerca"}
    assert {each.id for each in folder.page("about", "")} == {page.id}


@pytest.mark.parametrize(
    ("front", "error"),
    [
        ("slug: acerca\n", 'slug: is "acerca", and that of content/pages/_single/about.md is "about"'),
        ("locale: en\n", 'locale: is "en", in which content/pages/_single/about.md is written too'),
        ("fields:\n  image: media/none.png\n", "fields.image"),
    ],
)
def test_errors_name_the_file_of_the_locale(folder: SiteFolder, front: str, error: str) -> None:
    """With the line in it."""
    folder.write(f"{PLACE}about.md", PAGE.format("About", "", "x"))
    folder.write(f"{PLACE}about.es.md", PAGE.format("Acerca", front, "x"))
    (found,) = folder.load().errors
    assert str(found).startswith(f"{PLACE}about.es.md:")
    assert error in str(found)


def test_addresses_of_one_locale(folder: SiteFolder) -> None:
    """A path and former addresses in the file of a locale are those of that locale."""
    folder.write(f"{PLACE}about.md", PAGE.format("About", "aliases: [/old/]\n", "x"))
    folder.write(f"{PLACE}about.es.md", PAGE.format("Acerca", "path: /es/acerca/\naliases: [/viejo/]\n", "x"))
    assert folder.load().errors == ()
    addresses = folder.page("about", "")[0].addresses
    assert addresses.paths == {"es": "/es/acerca/"}
    assert addresses.aliases == {"en": ("/old/",), "es": ("/viejo/",)}


def test_titles_by_locale_in_one_file(folder: SiteFolder) -> None:
    """A locale without fields is an error; an export writes the titles as they are."""
    fields = {"en": {"headline": "a"}, "es": {"headline": "b"}}
    folder.guide("a", title={"en": "Tides", "es": "Mareas"}, fields=fields)
    assert folder.load().errors == ()
    assert [page.title for page in folder.page("a")] == ["Tides", "Mareas"]
    folder.guide("a", title={"en": "Tides", "fr": "Marées"}, fields=fields)
    (found,) = folder.load().errors
    assert "title.fr: is a locale without fields (the page is written in en, es)" in str(found)
