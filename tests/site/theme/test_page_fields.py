"""Fields of pages that no template of the site shows: the theme shows them by their types."""

import pytest

from tests.support.sites import ExampleSite

PLAIN = [{"slug": "summary", "type": "short_text"}, {"slug": "year", "type": "number"}]
ROW = [{"slug": "label", "type": "short_text"}, {"slug": "value", "type": "short_text"}]
HERO = {"slug": "hero", "name": "Hero", "fields": [{"slug": "title", "type": "short_text"}]}


@pytest.fixture
def built(example: ExampleSite) -> ExampleSite:
    """A page of a plain type, and a landing page with fields that the theme's template does not name."""
    facts = {"title": "Start", "status": "published", "published": "2026-01-01T08:00:00Z"}
    example.write("schema/components/hero.yaml", HERO)
    example.write("schema/page_types/plain.yaml", {"fields": PLAIN})
    example.write("content/pages/plain/start.yaml", {**facts, "fields": {"summary": "Short.", "year": 2026}})
    example.write("schema/page_types/landing-page.yaml", {"fields": [
        {"slug": "headline", "type": "short_text"},
        {"slug": "hero", "type": "component", "component": "hero"},
        {"slug": "numbers", "name": "Some numbers", "type": "repeater", "fields": ROW},
        {"slug": "story", "type": "long_text"},
    ]})  # fmt: skip
    example.write("content/pages/landing-page/start.yaml", {**facts, "fields": {
        "headline": "Here", "hero": {"title": "Dusk"}, "numbers": [{"label": "Berths", "value": "40"}],
        "story": "Once *upon* a tide.",
    }})  # fmt: skip
    example.make()
    return example


def test_a_landing_page_shows_fields_that_its_template_does_not_name(built: ExampleSite) -> None:
    """After its components, each with its name; nothing is shown twice."""
    html = built.text("landing-page/start/index.html")
    assert all(html.count(text) == 1 for text in (">Some numbers<", ">Berths<", "Value: 40", "Once <em>upon</em>"))
    assert html.count(">Dusk<") == 1
    assert html.index(">Dusk<") < html.index(">Some numbers<")


def test_a_summary_stands_below_the_title_however_short_it_is(built: ExampleSite) -> None:
    """Other short values are facts beside the title."""
    html = built.text("plain/start/index.html")
    assert '<p class="standfirst">Short.</p>' in html
    assert "<dd>2026</dd>" in html
    assert "<dd>Short.</dd>" not in html
