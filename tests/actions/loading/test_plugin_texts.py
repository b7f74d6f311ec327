"""Texts of files with directives, marks and shortcodes of plug-ins: when they are rendered, and what an error costs."""

import pytest

from sitecms.actions.loading import LoadReport, load_site
from tests.support.sites import ExampleSite

PLUGIN = """
from sitecms.plugins.hooks import hookimpl

@hookimpl
def markdown_directives():
    return {"tide": tide}

def tide(directive):
    directive.write_html(f"<p>The tide is {directive.title or 1 / 0}.</p>")

@hookimpl
def shortcodes(site):
    return {"buoy": lambda call: f"<b>{site.name} {call.arguments['name']} {call.inner or ''}</b>"}
"""


def use(example: ExampleSite, text: str, *enabled: str) -> None:
    example.write("plugins/water.py", text)
    example.settings_are(plugins={"enabled": list(enabled)})


def load(example: ExampleSite) -> LoadReport:
    return load_site(example.database, example.settings, example.now)


def test_texts_are_rendered_again_when_a_plugin_changes(example: ExampleSite) -> None:
    """Enabling, editing and leaving out a plug-in loads the files again; each build equals a clean one."""
    example.post("calm", '::: tide low\n:::\n\nAt {{< buoy name="Bell" >}}.', published="2026-02-01T08:00:00Z")
    example.write("content/pages/guide/knots.yaml", {
        "title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z",
        "fields": {"text": "::: tide slack\n:::"},
    })  # fmt: skip
    use(example, PLUGIN, "water")
    example.make()
    assert ">The tide is low.</p>" in example.text("blog/calm/index.html")
    assert "<b>Tide Bell </b>" in example.text("blog/calm/index.html")
    assert ">The tide is slack.</p>" in example.text("guide/knots/index.html")
    use(example, PLUGIN.replace("The tide is", "The water is"), "water")
    example.make()
    assert ">The water is low.</p>" in example.text("blog/calm/index.html")
    assert ">The water is slack.</p>" in example.text("guide/knots/index.html")
    assert example.tree() == example.clean_tree()
    use(example, PLUGIN)
    example.make()
    assert "::: tide low" in example.text("blog/calm/index.html")
    assert example.tree() == example.clean_tree()


def test_what_a_plugin_knows_of_the_site_is_part_of_its_texts(example: ExampleSite) -> None:
    """A shortcode that shows the name of the site shows the new one after a change of site.toml."""
    use(example, PLUGIN, "water")
    example.post("calm", 'At {{< buoy name="Bell" >}}.', published="2026-02-01T08:00:00Z")
    example.make()
    example.settings_are(plugins={"enabled": ["water"]}, name="Marea")
    example.make()
    assert "<b>Marea Bell </b>" in example.text("blog/calm/index.html")


def test_plugins_of_templates_load_no_file_again(example: ExampleSite) -> None:
    """A plug-in that renders no text leaves the files as they are."""
    example.load()
    filters = "from sitecms.plugins.hooks import hookimpl\n@hookimpl\ndef template_filters():\n    return {}\n"
    use(example, filters, "water")
    assert load(example).loaded == ()


@pytest.mark.parametrize("body", ["Text.\n\n::: tide\n:::", 'Text.\n\n{{< buoy nam="Bell" >}}'])
def test_error_in_a_text_costs_its_entry(example: ExampleSite, body: str) -> None:
    """The error names the file and line of the text, the plug-in and its line; all other files are loaded."""
    use(example, PLUGIN, "water")
    example.post("calm", body)
    report = load(example)
    assert len(report.errors) == 1
    error = report.errors[0]
    assert (error.file, error.line) == ("content/posts/calm.md", 7)
    assert "the plug-in water failed (" in error.problem
    assert "plugins/water.py:" in error.problem
    assert "content/posts/drift.md" in report.loaded


def test_template_of_the_site_comes_before_a_shortcode_of_a_plugin(example: ExampleSite) -> None:
    """A file in templates/shortcodes has the last word."""
    use(example, PLUGIN, "water")
    example.post("calm", 'At {{< buoy name="Bell" >}}.', published="2026-02-01T08:00:00Z")
    example.make()
    example.write("templates/shortcodes/buoy.html", "<i>{{ args.name }}</i>")
    example.make()
    assert "<i>Bell</i>" in example.text("blog/calm/index.html")


def test_unknown_shortcode_names_those_of_plugins(example: ExampleSite) -> None:
    """The nearest name may be that of a plug-in."""
    use(example, PLUGIN, "water")
    example.post("calm", 'At {{< bouy name="Bell" >}}.')
    assert any('did you mean "buoy"?' in note for note in load(example).notes)
