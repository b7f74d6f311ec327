"""Pages of locales that are no language tags: [languages] says which language they are in."""

import json
import re
from collections.abc import Callable

import pytest

from sitecms.optional_packages import has_pagefind
from sitecms.site.check.check import CheckOptions, check_site
from tests.support.sites import ExampleSite

CALLOUT = "> [!WARNING]\n> Reef.\n\nSalt.[^1]\n\n[^1]: Of the sea.\n"


@pytest.fixture
def built(example: ExampleSite) -> ExampleSite:
    """The site of `example` in English, Latin American Spanish, Farsi, and a language that nobody names."""
    example.settings_are(
        locales=["en", "latam", "iran", "abcdefghij"],
        languages={"latam.tag": "es-419", "iran.tag": "fa-IR"},
        feeds={"kinds": ["rss", "atom", "json"]},
    )
    example.remove("content/collections/menu.yaml")
    example.remove("content/posts/es/marea.md")
    for locale in ("latam", "iran", "abcdefghij"):
        at = "2026-02-03T09:00:00Z"
        times = {"published": at, "created": at, "updated": at}
        example.post(f"{locale}/ebb", CALLOUT, locale=locale, translation_of="ebb", slug=f"ebb-{locale}", **times)
    example.make()
    return example


def in_languages(html: str) -> dict[str, str]:
    """Addresses of the page in other languages, by `hreflang` in the head."""
    return dict(re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="https://tide.example([^"]+)"', html))


def test_language_of_a_locale_is_that_of_its_tag(built: ExampleSite) -> None:
    """In the page, its head and structured data, its words, dates and feeds."""
    page = built.text("latam/blog/ebb-latam/index.html")
    assert '<html lang="es-419" dir="ltr">' in page
    assert '<meta property="og:locale" content="es_419">' in page
    assert '<meta property="og:locale:alternate" content="fa_IR">' in page
    assert '"inLanguage":"es-419"' in page.replace('": "', '":"')
    assert "3 de febrero de 2026" in page
    assert 'class="callout-title">Advertencia<' in page
    assert 'aria-label="Notas al pie"' in page
    assert "Saltar al contenido" in page
    assert "<language>es-419</language>" in built.text("latam/rss.xml")
    assert 'xml:lang="es-419"' in built.text("latam/rss.xml")
    assert 'xml:lang="es-419"' in built.text("latam/atom.xml")
    assert json.loads(built.text("latam/feed.json"))["language"] == "es-419"
    assert json.loads(built.text("latam/feed.json"))["items"][0]["language"] == "es-419"


def test_direction_is_that_of_the_tag(built: ExampleSite) -> None:
    """A locale whose tag is written from right to left."""
    assert '<html lang="fa-IR" dir="rtl">' in built.text("iran/index.html")


def test_a_locale_of_unknown_language_states_none(built: ExampleSite) -> None:
    """Neither `lang` nor `hreflang`, in pages and feeds; the theme's words are English."""
    page = built.text("abcdefghij/blog/ebb-abcdefghij/index.html")
    assert '<html dir="ltr">' in page
    assert '<meta property="og:locale" ' not in page
    assert "inLanguage" not in page
    assert "Skip to content" in page
    assert "3 February 2026" in page
    assert 'class="callout-title">Warning<' in page
    assert "lang" not in built.text("abcdefghij/rss.xml").partition("<item>")[0]
    assert "xml:lang" not in built.text("abcdefghij/atom.xml")
    feed = json.loads(built.text("abcdefghij/feed.json"))
    assert "language" not in feed
    assert "language" not in feed["items"][0]


def test_pages_name_each_other_by_tag(built: ExampleSite) -> None:
    """In the head, in the sitemap, and in the switcher, which shows a locale of unknown language by its name."""
    named = {
        "en": "/blog/ebb/", "es-419": "/latam/blog/ebb-latam/", "fa-IR": "/iran/blog/ebb-iran/",
        "x-default": "/blog/ebb/",
    }  # fmt: skip
    page = built.text("blog/ebb/index.html")
    assert in_languages(page) == named
    assert in_languages(built.text("latam/blog/ebb-latam/index.html")) == named
    assert in_languages(built.text("abcdefghij/blog/ebb-abcdefghij/index.html")) == named
    switcher = page.partition('<nav class="languages"')[2].partition("</nav>")[0]
    assert re.findall(r"<a href=\"[^\"]+\"( lang=\"[^\"]+\" hreflang=\"[^\"]+\")?[^>]*>([^<]+)</a>", switcher) == [
        (' lang="es-419" hreflang="es-419"', "Español"),
        (' lang="fa-IR" hreflang="fa-IR"', "فارسی"),
        ("", "abcdefghij"),
    ]  # fmt: skip
    sitemap = built.text("sitemap.xml")
    assert {*re.findall(r'hreflang="([^"]+)"', sitemap)} == {"en", "es-419", "fa-IR", "x-default"}
    assert "<loc>https://tide.example/abcdefghij/blog/ebb-abcdefghij/</loc>" in sitemap


def test_a_changed_tag_is_seen_by_the_next_build(built: ExampleSite) -> None:
    """Texts are rendered again with its words, and all pages name the new tag."""
    built.settings_are(
        locales=["en", "latam", "iran", "abcdefghij"], languages={"latam.tag": "pt-BR", "iran.tag": "fa-IR"}
    )
    built.make()
    page = built.text("latam/blog/ebb-latam/index.html")
    assert '<html lang="pt-BR" dir="ltr">' in page
    assert 'class="callout-title">Aviso<' in page
    assert 'hreflang="pt-BR"' in built.text("blog/ebb/index.html")
    assert built.tree() == built.clean_tree()


def test_own_catalogue_of_a_locale_covers_that_of_its_language(built: ExampleSite) -> None:
    """The most exact one wins: `es`, `es-419`, `latam`."""
    built.write("translations/es-419.po", 'msgid "Skip to content"\nmsgstr "Al texto"\n\nmsgid "Tides"\nmsgstr "Mar"\n')
    built.write("translations/latam.po", 'msgid "Tides"\nmsgstr "Mareas"\n')
    built.post("latam/luna", locale="latam", status="published", categories=["Tides"])
    built.make()
    page = built.text("latam/categories/tides/index.html")
    assert "Al texto" in page
    assert "<h1>Mareas</h1>" in page


def test_check_names_locales_of_unknown_language(built: ExampleSite) -> None:
    """With the lines to add, and without a title that such a locale shares with another one."""
    found = [str(each) for each in check_site(built.settings, built.now, CheckOptions()).findings]
    said = (
        'the site: warning: site.toml: the language of the locale "abcdefghij" is not known, so its pages have neither '
        'lang nor hreflang (add [languages.abcdefghij] with its language tag, such as tag = "es-419") [site]'
    )
    assert [text for text in found if "language" in text] == [said]


def test_search_finds_pages_of_the_locale_alone(built: ExampleSite, lacking: Callable[[str], None]) -> None:
    """Pagefind tells them apart by language; a filter does where a language is not known, or that of two locales."""
    if not has_pagefind():
        lacking("there is no Pagefind for this machine")
    tags = {"latam.tag": "es-419", "iran.tag": "fa-IR"}
    for more, is_filtered in (({}, True), ({"abcdefghij.tag": "en"}, True), ({"abcdefghij.tag": "de"}, False)):
        built.settings_are(locales=["en", "latam", "iran", "abcdefghij"], languages={**tags, **more}, search={})
        built.make()
        for locale, name in (("en", ""), ("abcdefghij", "abcdefghij/")):
            slug = "ebb" if locale == "en" else f"ebb-{locale}"
            page, search = built.text(f"{name}blog/{slug}/index.html"), built.text(f"{name}search/index.html")
            assert (f'data-pagefind-body data-pagefind-filter="locale:{locale}"' in page) is is_filtered
            assert (f' data-filter="{locale}"' in search) is is_filtered
        assert (built.public / "pagefind/filter").is_dir() is is_filtered


def test_check_names_locales_of_one_language(built: ExampleSite) -> None:
    """Two `hreflang` of one value tell search engines nothing."""
    tags = {"latam.tag": "es-419", "iran.tag": "fa", "abcdefghij.tag": "EN"}
    built.settings_are(locales=["en", "latam", "iran", "abcdefghij"], languages=tags)
    found = [str(each) for each in check_site(built.settings, built.now, CheckOptions()).findings]
    said = (
        'the site: warning: site.toml: the locale "abcdefghij" has the language tag of "en", EN, so search engines '
        "cannot tell their pages apart (give each its own) [site]"
    )
    assert [text for text in found if "language" in text] == [said]
