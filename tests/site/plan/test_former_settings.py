"""Addresses by former settings lead on, and the build says which rules every clone needs for that."""

from sitecms.site.dry_run import plan_dry_run
from tests.support.sites import ExampleSite


def notes(example: ExampleSite) -> tuple[str, ...]:
    """Notes of the plan about changed addresses."""
    found = example.database.read(plan_dry_run, example.settings).notes
    return tuple(note for note in found if "lead on from this store alone" in note)


def redirects(example: ExampleSite) -> set[str]:
    """The redirects of the built site as `from to`."""
    path = example.public / "_redirects"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line.removesuffix(" 301") for line in lines if not line.startswith("#")}


def test_a_changed_pattern_leads_the_old_addresses_on(example: ExampleSite) -> None:
    """Each post needs a rule where the list of posts stands below the old pattern."""
    example.make()
    example.settings_are(permalinks={"post": "/{slug}/"})
    example.make()
    assert {"/blog/calm/ /calm/", "/es/blog/marea-baja/ /es/marea-baja/"} <= redirects(example)
    (note,) = notes(example)
    assert "permalinks.post was /blog/{slug}/, so the addresses of 7 posts changed" in note
    assert "- {from: /blog/haul/, to: /haul/}" in note
    assert "and 4 more, which sitecms check lists" in note


def test_one_rule_stands_for_all_addresses_where_it_hides_no_page(example: ExampleSite) -> None:
    """With the rule in redirects.yaml, nothing is left that the store alone knows."""
    example.make()
    example.settings_are(permalinks={"tag": "/topic/{slug}/"})
    example.make()
    assert {"/tags/moon/ /topic/moon/", "/tags/ropes/ /topic/ropes/"} <= redirects(example)
    (note,) = notes(example)
    assert "- {from: /tags/*, to: /topic/*}" in note
    rules = ["- {from: /tags/*, to: /topic/*}", "- {from: /es/tags/moon/, to: /es/topic/moon/}"]
    example.write("redirects.yaml", "\n".join(rules))
    example.make()
    assert notes(example) == ()
    assert "/tags/moon/ /topic/moon/" not in redirects(example)


def test_a_changed_time_zone_moves_dated_addresses(example: ExampleSite) -> None:
    """The day in an address is that of the time zone."""
    dated = {"permalinks": {"post": "/{year}/{month}/{day}/{slug}/"}}
    example.post("late", published="2026-02-01T20:00:00Z")
    for timezone in ("UTC", "Pacific/Kiritimati"):
        example.settings_are(**dated, timezone=timezone)
        example.make()
    assert "/2026/02/01/late/ /2026/02/02/late/" in redirects(example)
    assert any("timezone was UTC" in note for note in notes(example))


def test_settings_that_are_taken_back_leave_nothing(example: ExampleSite) -> None:
    """The addresses are the present ones again; those of the time between lead on."""
    example.make()
    for permalinks in ({"post": "/notes/{slug}/"}, {}):
        example.settings_are(permalinks=permalinks)
        example.make()
    assert "/notes/calm/ /blog/calm/" in redirects(example)
    assert not any(line.startswith("/blog/calm/ ") for line in redirects(example))


def test_a_category_with_another_slug_leads_its_old_address_on(example: ExampleSite) -> None:
    """As a post does."""
    example.make()
    example.write("content/categories.yaml", [{"slug": "tide", "name": "Tides"}, {"slug": "boats", "name": "Boats"}])
    example.make()
    assert {"/categories/tides/ /categories/tide/", "/es/categories/tides/ /es/categories/tide/"} <= redirects(example)


def test_a_locale_without_posts_has_its_pages_alone(example: ExampleSite) -> None:
    """Its pages lead to the home page of the default locale; a locale without anything has no page at all."""
    example.remove("content/posts/es/marea.md")
    example.settings_are(locales=["en", "es", "pt"])
    about = "---\ntitle: Acerca\nstatus: published\nlocale: es\n---\nRemamos.\n"
    example.write("content/pages/_single/acerca.md", about)
    example.make()
    spanish = {path for path in example.tree() if path.startswith("es/")}
    assert spanish == {"es/acerca/index.html", "es/404.html"}
    assert not any(path.startswith("pt/") for path in example.tree())
    page, sitemap = example.text("es/acerca/index.html"), example.text("sitemap.xml")
    assert 'href="/" rel="home"' in page
    assert "/es/rss.xml" not in page
    assert "https://tide.example/es/</loc>" not in sitemap
    assert 'hreflang="es"' not in example.text("index.html")
