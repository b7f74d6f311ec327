"""Filters of templates: addresses, times and words."""

from datetime import UTC, datetime

import pytest
from markupsafe import Markup

from sitecms.content.text.markdown import ResolvedImage
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.theme import load_theme
from tests.support.sites import ExampleSite


class Site:
    """All that filters ask of a page's context."""

    def __init__(self, locale: str) -> None:
        self.locale = self.language = locale


def shown(example: ExampleSite, template: str, locale: str = "en", **context: object) -> str:
    def images(src: str) -> ResolvedImage | None:
        return ResolvedImage(src, 30, 20) if src == "/media/known.png" else None

    environment = make_environment(load_theme(example.folder), example.settings, images)
    return environment.from_string(template).render(site=Site(locale), **context)


def test_a_day_is_written_as_its_locale_does(example: ExampleSite) -> None:
    """In the zone of the site; the date of a field has none and stays."""
    late = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    assert shown(example, "{{ at|date }}", at=late) == "1 March 2026"
    assert shown(example, "{{ at|date }}", "es", at=late) == "1 de marzo de 2026"
    example.settings_are(timezone="Europe/Athens")
    assert shown(example, "{{ at|date }}", at=late) == "2 March 2026"
    assert shown(example, "{{ at|date }}", at=late.replace(tzinfo=None)) == "1 March 2026"


def test_times_for_machines_are_in_utc(example: ExampleSite) -> None:
    """ISO 8601 in HTML and Atom, RFC 822 in RSS."""
    at = datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert shown(example, "{{ at|isotime }}", at=at) == "2026-03-01T08:00:00Z"
    assert shown(example, "{{ at|rfc822 }}", at=at) == "Sun, 01 Mar 2026 08:00:00 GMT"


def test_markdown_of_fields_knows_sizes_and_the_sites_folder(example: ExampleSite) -> None:
    """Links and images get the path of the site's address, once."""
    example.settings_are(url="https://x.example/mag")
    html = shown(example, "{{ text|markdown }}", text="[a](/b/)\n\n![c](/media/known.png)\n\n<script>x</script>")
    assert '<a href="/mag/b/">a</a>' in html
    assert 'src="/mag/media/known.png"' in html
    assert 'width="30" height="20"' in html
    assert "script" not in html


@pytest.mark.parametrize(
    ("written", "shown_as"),
    [("/b/", "/mag/b/"), ("https://y.example/", "https://y.example/"), ("//y.example/", "//y.example/"), ("#x", "#x")],
)
def test_an_address_of_a_field_gets_the_sites_folder(example: ExampleSite, written: str, shown_as: str) -> None:
    """Where it starts at the root."""
    example.settings_are(url="https://x.example/mag")
    assert shown(example, "{{ url|address }}", url=written) == shown_as


def test_what_xml_cannot_carry_is_left_out(example: ExampleSite) -> None:
    """Control characters, and nothing of any script."""
    assert shown(example, "{{ text|xmltext }}", text="a\x00\x0b七\ud800🌊\n") == "a七🌊\n"


def test_interface_words_follow_the_pages_locale(example: ExampleSite) -> None:
    """Singular and plural by the rule of the language; what has no translation stays English."""
    template = '{{ _("All posts") }}|{{ ngettext("%(num)s post", "%(num)s posts", n) }}|{{ _("Xyzzy") }}'
    assert shown(example, template, n=1) == "All posts|1 post|Xyzzy"
    assert shown(example, template, n=2) == "All posts|2 posts|Xyzzy"
    spanish = shown(example, template, "es", n=2)
    assert spanish.startswith("Todas las ")
    assert spanish.endswith("|Xyzzy")


def test_interface_words_with_values_that_look_alike_are_told_apart(example: ExampleSite) -> None:
    """Translations are kept: markup is not escaped as its text is, and True is not written as 1."""
    words = '{{ _("%(name)s!", name=it) }}{{ ngettext("%(num)s a", "%(num)s b", it) }} '
    template = f"{{% autoescape true %}}{{% for it in values %}}{words}{{% endfor %}}{{% endautoescape %}}"
    values = ["<b>", Markup("<b>"), 1, True, 1.0, "<b>", Markup("<b>")]
    marked, raw = "&lt;b&gt;!&lt;b&gt; b", "<b>!<b> b"
    expected = [marked, raw, "1!1 a", "True!True a", "1.0!1.0 a", marked, raw]
    assert shown(example, template, values=values) == "".join(f"{each} " for each in expected)


def test_a_template_cannot_name_what_is_not_there(example: ExampleSite) -> None:
    """A slip of the finger is an error, not an empty place."""
    with pytest.raises(Exception, match="nobody is not defined here"):
        shown(example, "{{ nobody }}")


def test_functions_of_templates_see_the_variables_that_loops_set(example: ExampleSite) -> None:
    """As Jinja passes them on, though most calls are passed on without a look."""
    loop = '{% for each in sites %}{% set site = each %}{{ _("Search") }} {% endfor %}{{ _("Search") }}'
    assert shown(example, loop, sites=[Site("es"), Site("de")]) == "Buscar Suche Search"
