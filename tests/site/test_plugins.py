"""Plug-ins in a build: what they change, what is rendered again, and what their errors cost."""

from collections.abc import Mapping

import pytest

from sitecms.errors import ConfigurationError
from sitecms.settings.site import load_settings
from sitecms.site.report import Report
from tests.support.sites import ExampleSite

HEAD = "from sitecms.plugins.hooks import hookimpl\n"
TEMPLATES = HEAD + (
    "@hookimpl\ndef template_filters():\n    return {'loud': lambda text: text.upper() + '!'}\n"
    "@hookimpl\ndef template_functions():\n    return {'stars': lambda number: '*' * number}\n"
)
VALUES = HEAD + (
    "@hookimpl\ndef template_values(site):\n"
    "    return {'tide_table': (site.folder / 'data/tide.txt').read_text().split()}\n"
)
PAGES = HEAD + (
    "@hookimpl\ndef page_rendered(site, page):\n"
    "    return page.html.replace('</body>', f'<p>{site.options[\"words\"]} {page.shows}</p></body>')\n"
    "@hookimpl\ndef settings_schema():\n    return {'properties': {'words': {'type': 'string', 'default': 'Set in'}}}\n"
)
SECOND = HEAD + "@hookimpl\ndef page_rendered(page):\n    return page.html.replace('Set in', 'Printed in')\n"
METAS = HEAD + '@hookimpl\ndef head_additions(page):\n    return f\'<meta name="of" content="{page.path}">\'\n'
FEEDS = HEAD + "@hookimpl\ndef feed_item(item):\n    return f'{item.html}<p>Reply to {item.title} at {item.url}</p>'\n"
POST = (
    "<html><head></head><body>{{ post.card.title|loud }} {{ 'sea'|loud }} {{ stars(2) }} {{ tide_table|join('-') }}"
    "</body></html>"
)


def enable(example: ExampleSite, *names: str, **options: Mapping[str, object]) -> None:
    example.settings_are(build={"page_size": 3}, plugins={"enabled": list(names)}, **{
        f"plugins.{name}": table for name, table in options.items()
    })  # fmt: skip


def build(example: ExampleSite) -> Report:
    """An incremental build, which is the clean one byte for byte."""
    report = example.make()
    assert example.tree() == example.clean_tree()
    return report


def rendered(report: Report) -> set[str]:
    """The kinds of outputs that a build rendered."""
    return {path.rpartition("/")[2] if "." in path else path for path in report.stale}


def assert_posts_alone(example: ExampleSite, report: Report) -> None:
    """Posts were rendered again, and of the other pages none whose templates cannot include theirs."""
    posts = {f"blog/{name}/index.html" for name in ("calm", "drift", "ebb", "flow", "gale", "haul")}
    assert posts <= report.stale.keys() & example.tree().keys()
    lists = {"blog/index.html", "authors/ann-ray/index.html", "categories/tides/index.html", "rss.xml", "404.html"}
    assert lists <= example.tree().keys() - report.stale.keys()


@pytest.fixture
def plugged(example: ExampleSite) -> ExampleSite:
    """The example with all of the plug-ins above in its folder, none enabled, built."""
    sources = {"words": TEMPLATES, "tides": VALUES, "pages": PAGES, "second": SECOND, "metas": METAS, "feeds": FEEDS}
    for name, text in sources.items():
        example.write(f"plugins/{name}.py", text)
    example.write("data/tide.txt", "low high")
    enable(example)
    example.make()
    return example


def test_names_in_templates(plugged: ExampleSite) -> None:
    """Filters, functions and values of plug-ins work in templates; HTML is escaped."""
    plugged.write("templates/post.html", POST.replace("'sea'", "'<sea>'"))
    enable(plugged, "words", "tides")
    build(plugged)
    assert "CALM! &lt;SEA&gt;! ** low-high" in plugged.text("blog/calm/index.html")


def test_change_of_a_filter_renders_the_templates_that_name_it(plugged: ExampleSite) -> None:
    """Posts name the filter, no other page does; a filter of a constant is not kept in the compiled template."""
    plugged.write("templates/post.html", POST)
    enable(plugged, "words", "tides")
    build(plugged)
    plugged.write("plugins/words.py", TEMPLATES.replace("'!'", "'?'"))
    report = build(plugged)
    assert_posts_alone(plugged, report)
    assert "CALM? SEA? **" in plugged.text("blog/calm/index.html")


def test_value_that_changes_renders_the_templates_that_name_it(plugged: ExampleSite) -> None:
    """A value may be made of a file: what it is now decides."""
    plugged.write("templates/post.html", POST)
    enable(plugged, "words", "tides")
    build(plugged)
    plugged.write("data/tide.txt", "high low")
    assert_posts_alone(plugged, build(plugged))
    assert "high-low" in plugged.text("blog/calm/index.html")


def test_pages_are_changed_in_the_order_of_enabled(plugged: ExampleSite) -> None:
    """Each plug-in gets the page as the one before left it; feeds, sitemap and stylesheets stay as they are."""
    before = plugged.tree()
    enable(plugged, "pages", "second")
    report = build(plugged)
    assert "<p>Printed in post calm</p></body>" in plugged.text("blog/calm/index.html")
    assert all(path.endswith(".html") for path in report.stale)
    after = plugged.tree()
    assert {path for path in after if after[path] != before.get(path)} <= set(report.stale)
    enable(plugged, "second", "pages")
    build(plugged)
    assert "<p>Set in post calm</p></body>" in plugged.text("blog/calm/index.html")


def test_settings_of_a_plugin_render_pages_again(plugged: ExampleSite) -> None:
    """Another setting is another page."""
    enable(plugged, "pages")
    build(plugged)
    enable(plugged, "pages", pages={"words": "Composed in"})
    build(plugged)
    assert "<p>Composed in post calm</p>" in plugged.text("blog/calm/index.html")


def test_head_additions(plugged: ExampleSite) -> None:
    """Additions stand at the end of the head, also of a template of the site's own; without the plug-in they go."""
    plugged.write("templates/author.html", "<head></head><body>{{ author.name }}</body>")
    enable(plugged, "metas")
    build(plugged)
    assert '<meta name="of" content="blog/calm/index.html"></head>' in plugged.text("blog/calm/index.html")
    assert '<meta name="of" content="authors/ann-ray/index.html"></head>' in plugged.text("authors/ann-ray/index.html")
    enable(plugged)
    build(plugged)
    assert '<meta name="of"' not in plugged.text("blog/calm/index.html")


def test_feed_items(plugged: ExampleSite) -> None:
    """Items of all kinds of feeds are changed, and nothing else is rendered."""
    enable(plugged, "feeds")
    report = build(plugged)
    assert rendered(report) == {"rss.xml", "atom.xml", "feed.json"}
    for feed in ("rss.xml", "atom.xml", "feed.json"):
        assert "Reply to" in plugged.text(feed)
    assert "Reply to" not in plugged.text("blog/calm/index.html")


def test_error_on_a_page_costs_that_page(plugged: ExampleSite) -> None:
    """The error names plug-in, hook, line and entry; the page keeps its former file, all others are built."""
    fails = PAGES.replace("    return page.html", "    if 'calm' in page.path: 1 / 0\n    return page.html", 1)
    plugged.write("plugins/pages.py", fails)
    enable(plugged, "pages")
    plugged.load()
    report = plugged.build()
    assert report.failed == {
        "blog/calm/index.html": "the plug-in pages failed (page_rendered, plugins/pages.py:4): "
        "ZeroDivisionError: division by zero (in the post calm)"
    }
    assert "Set in" in plugged.text("blog/drift/index.html")
    assert "Set in" not in plugged.text("blog/calm/index.html")


def test_error_in_a_filter_names_the_template_too(plugged: ExampleSite) -> None:
    """An error in a filter is at the line of the template that uses it."""
    plugged.write("plugins/words.py", TEMPLATES.replace("text.upper()", "text.no_such()"))
    plugged.write("templates/post.html", POST)
    enable(plugged, "words", "tides")
    plugged.load()
    error = plugged.build().failed["blog/calm/index.html"]
    assert error.endswith(
        "templates/post.html:1: the plug-in words failed (filter loud, plugins/words.py:4): "
        "AttributeError: 'str' object has no attribute 'no_such' (in the post calm)"
    )


def test_error_in_a_feed_costs_the_feed(plugged: ExampleSite) -> None:
    """A feed that cannot be made is named, and every page is built."""
    plugged.write("plugins/feeds.py", FEEDS.replace("item.title", "item.name"))
    enable(plugged, "feeds")
    plugged.load()
    failed = plugged.build().failed
    assert {path.rpartition(".")[2] for path in failed} == {"xml", "json"}
    assert "the plug-in feeds failed (feed_item, plugins/feeds.py:4): AttributeError" in failed["rss.xml"]


def test_names_that_are_taken(plugged: ExampleSite) -> None:
    """A plug-in cannot replace a filter that templates of the theme rely on."""
    plugged.write("plugins/words.py", TEMPLATES.replace("'loud'", "'date'"))
    enable(plugged, "words")
    plugged.load()
    with pytest.raises(ConfigurationError, match="words has the filter date, and there is a built-in one"):
        plugged.build()


def test_value_that_is_no_data(plugged: ExampleSite) -> None:
    """Values that cannot be compared with those of the last build are refused."""
    plugged.write("plugins/tides.py", HEAD + "@hookimpl\ndef template_values():\n    return {'now': object()}\n")
    enable(plugged, "tides")
    plugged.load()
    with pytest.raises(ConfigurationError, match="value now of a plug-in is no plain data"):
        plugged.build()


def test_build_in_processes(plugged: ExampleSite) -> None:
    """Pages that several processes render are those of one process, errors included."""
    enable(plugged, "pages", "metas")
    plugged.load()
    alone = plugged.build()
    assert alone.failed == {}
    several = plugged.folder.with_name("several")
    assert plugged.build(several, jobs=2).failed == {}
    assert plugged.tree(several) == plugged.tree()


def test_compiled_files_are_no_change(plugged: ExampleSite) -> None:
    """A second build of the same site with plug-ins finds nothing to do."""
    enable(plugged, "pages", "words")
    build(plugged)
    load_settings(plugged.folder)
    again = plugged.build()
    assert (again.written, again.stale) == (0, {})
    assert not list(plugged.folder.rglob("*.pyc"))
