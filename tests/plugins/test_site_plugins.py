"""The plug-ins of a site: which run, what their settings may be, and whom an error is blamed on."""

import sys
from pathlib import Path

import pytest

from sitecms.errors import ConfigurationError, InvalidFiles, PluginFailed
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.settings.site import load_settings

HEAD = "from sitecms.plugins.hooks import hookimpl\n"
SHOUT = HEAD + '@hookimpl\ndef template_filters():\n    return {"shout": str.upper}\n'
COUNT = (
    HEAD
    + """
@hookimpl
def settings_schema():
    return {"properties": {"words": {"type": "integer", "default": 200}}}

@hookimpl
def template_values(site):
    return {"words": site.options["words"], "name": site.name}
"""
)


def write_site(folder: Path, enabled: str = "[]", more: str = "", **modules: str) -> Path:
    folder.mkdir(exist_ok=True)
    toml = f'name = "Tide"\nurl = "https://tide.example"\n[plugins]\nenabled = {enabled}\n{more}'
    (folder / "site.toml").write_text(toml, encoding="utf-8")
    (folder / "plugins").mkdir(exist_ok=True)
    for name, text in modules.items():
        (folder / "plugins" / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def open_plugins(folder: Path) -> SitePlugins:
    return load_settings(folder).plugins


def problems(folder: Path) -> str:
    with pytest.raises(InvalidFiles) as raised:
        load_settings(folder)
    return str(raised.value)


def test_module_runs_only_if_enabled(tmp_path: Path) -> None:
    """A module in plugins/ is imported if `enabled` names it, and not otherwise."""
    site = write_site(tmp_path, "[]", shout="raise RuntimeError")
    assert not open_plugins(site).has("template_filters")
    write_site(tmp_path, '["shout"]', shout=SHOUT)
    assert open_plugins(site).named("template_filters", "filter")["shout"]("low") == "LOW"


def test_no_plugins_leaves_all_out(tmp_path: Path) -> None:
    """Without plug-ins none is imported, whatever the settings name."""
    site = write_site(tmp_path, '["shout", "nowhere"]', shout="raise RuntimeError")
    plugins = load_settings(site, with_plugins=False).plugins
    assert plugins.plugins == ()
    assert plugins.are_left_out


def test_package_with_relative_imports(tmp_path: Path) -> None:
    """A plug-in may be a folder whose modules import each other; a change of any of its files is a change of it."""
    site = write_site(tmp_path, '["loud"]')
    package = site / "plugins/loud"
    package.mkdir()
    (package / "__init__.py").write_text(SHOUT.replace("str.upper", "word") + "from .words import word\n", "utf-8")
    (package / "words.py").write_text("def word(text):\n    return 'one'\n", encoding="utf-8")
    first = open_plugins(site)
    (package / "words.py").write_text("def word(text):\n    return 'two'\n", encoding="utf-8")
    second = open_plugins(site)
    words = [each.named("template_filters", "filter")["shout"]("") for each in (first, second)]
    assert words == ["one", "two"]
    assert first != second
    assert [path.name for path in package.rglob("*.pyc")] == []


def test_name_not_found_lists_what_there_is(tmp_path: Path) -> None:
    """An unknown name is an error with its line, that names the nearest plug-in or all of them."""
    site = write_site(tmp_path, '["shoot", "zz"]', shout=SHOUT)
    found = problems(site).splitlines()
    assert found[0] == (
        'site.toml:4 plugins.enabled[0]: is "shoot", and there is no such plug-in (did you mean "shout"?)'
    )
    assert "in plugins/: shout; installed: " in found[1]


def test_settings_have_a_schema(tmp_path: Path) -> None:
    """Defaults are filled in, values are checked, and unknown keys name the nearest one."""
    site = write_site(tmp_path, '["count"]', count=COUNT)
    assert open_plugins(site).named("template_values", "value") == {"words": 200, "name": "Tide"}
    write_site(tmp_path, '["count"]', "[plugins.count]\nwords = 5\n")
    assert open_plugins(site).named("template_values", "value")["words"] == 5
    write_site(tmp_path, '["count"]', "[plugins.count]\nwrods = 5\n")
    assert problems(site) == 'site.toml:6 plugins.count.wrods: is not a known key (did you mean "words"?)'
    write_site(tmp_path, '["count"]', '[plugins.count]\nwords = "many"\n')
    assert problems(site) == 'site.toml:6 plugins.count.words: is "many" (expected a whole number)'


@pytest.mark.parametrize(("enabled", "table"), [("word-count", "word_count"), ("word_count", "word-count")])
def test_table_and_name_may_differ_in_the_hyphen(tmp_path: Path, enabled: str, table: str) -> None:
    """A plug-in gets its settings whether its name is written with a hyphen or an underscore."""
    site = write_site(tmp_path, f'["{enabled}"]', f"[plugins.{table}]\nwords = 5\n", word_count=COUNT)
    assert open_plugins(site).named("template_values", "value")["words"] == 5
    write_site(tmp_path, f'["{enabled}"]', f"[plugins.{table}]\nwrods = 5\n")
    assert problems(site) == f'site.toml:6 plugins.{table}.wrods: is not a known key (did you mean "words"?)'


def test_one_plugin_is_named_once(tmp_path: Path) -> None:
    """A plug-in that is enabled twice, or has two tables, is an error with its line."""
    site = write_site(tmp_path, '["word-count", "word_count"]', word_count=COUNT)
    again = 'is "word_count", which names an enabled plug-in again (take one of them out)'
    assert problems(site) == f"site.toml:4 plugins.enabled[1]: {again}"
    write_site(tmp_path, '["word-count"]', "[plugins.word-count]\nwords = 5\n[plugins.word_count]\n")
    second = "is a second table of the same plug-in (write its settings in one table)"
    assert problems(site) == f"site.toml:7 plugins.word_count: {second}"


def test_settings_of_no_plugin_are_an_error(tmp_path: Path) -> None:
    """A table of an unknown plug-in is an error; that of one which is not enabled may stay."""
    site = write_site(tmp_path, '["count"]', "[plugins.cuont]\nwords = 5\n", count=COUNT)
    assert problems(site) == 'site.toml:5 plugins.cuont: is no plug-in (did you mean "count"?)'
    write_site(tmp_path, "[]", "[plugins.count]\nwords = 5\n")
    assert not open_plugins(site).plugins


def test_settings_without_a_schema(tmp_path: Path) -> None:
    """A plug-in that declares no settings takes none."""
    site = write_site(tmp_path, '["shout"]', "[plugins.shout]\nloud = true\n", shout=SHOUT)
    assert "plugins.shout.loud: is not a known key" in problems(site)


def test_module_that_cannot_be_imported(tmp_path: Path) -> None:
    """Errors of an import name the file and its line, with the option that leaves plug-ins out."""
    site = write_site(tmp_path, '["one", "two"]', one="\nimport no_such_module\n", two="def f(:\n")
    remedy = "(correct it, or leave the plug-ins out with --no-plugins)"
    assert problems(site).splitlines() == [
        f"plugins/one.py:2: cannot be imported: ModuleNotFoundError: No module named 'no_such_module' {remedy}",
        f"plugins/two.py:1: is no Python code: invalid syntax {remedy}",
    ]


def test_unknown_hook_and_argument(tmp_path: Path) -> None:
    """A misspelt hook names the right one; an argument that the hook does not give is an error."""
    site = write_site(tmp_path, '["shout"]', shout=SHOUT.replace("template_filters", "template_filter"))
    assert problems(site) == (
        'plugins/shout.py: has an unknown hook template_filter (did you mean "template_filters"?)'
    )
    write_site(tmp_path, '["shout"]', shout=SHOUT.replace("filters()", "filters(sight)"))
    assert "sight" in problems(site)


def test_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    """A plug-in that is a link to a file elsewhere is not imported."""
    (tmp_path / "shout.py").write_text(SHOUT, encoding="utf-8")
    site = write_site(tmp_path / "site", '["shout"]')
    (site / "plugins/shout.py").symlink_to(tmp_path / "shout.py")
    assert "plugins/shout.py: is a link to" in problems(site)


def test_error_names_plugin_hook_file_and_line(tmp_path: Path) -> None:
    """An error in a function of a plug-in names the plug-in, the function and the line; other plug-ins go on."""
    broken = SHOUT.replace("str.upper", "lambda text: 1 / 0")
    site = write_site(tmp_path, '["broken", "count"]', broken=broken, count=COUNT)
    plugins = open_plugins(site)
    with pytest.raises(PluginFailed) as raised:
        plugins.named("template_filters", "filter")["shout"]("low")
    assert str(raised.value) == (
        "the plug-in broken failed (filter shout, plugins/broken.py:4): ZeroDivisionError: division by zero"
    )
    assert plugins.named("template_values", "value")["name"] == "Tide"


def test_two_plugins_with_one_name(tmp_path: Path) -> None:
    """Two plug-ins that add the same name are an error that names both."""
    site = write_site(tmp_path, '["one", "two"]', one=SHOUT, two=SHOUT)
    with pytest.raises(ConfigurationError, match="one and two both have the filter shout"):
        open_plugins(site).named("template_filters", "filter")


def test_sites_do_not_see_each_other(tmp_path: Path) -> None:
    """Modules of the same name in two sites are two modules; those of the process stay as they are."""
    first = write_site(tmp_path / "a", '["json"]', json=SHOUT)
    second = write_site(tmp_path / "b", '["json"]', json=SHOUT.replace("str.upper", "str.lower"))
    filters = [open_plugins(site).named("template_filters", "filter")["shout"] for site in (first, second, first)]
    assert [each("Low") for each in filters] == ["LOW", "low", "LOW"]
    assert sys.modules["json"].__file__ != str(first / "plugins/json.py")


def test_inputs_are_those_of_the_hooks(tmp_path: Path) -> None:
    """The inputs for fingerprints name the plug-ins that have the hook, with their settings."""
    site = write_site(tmp_path, '["count", "shout"]', count=COUNT, shout=SHOUT)
    before = open_plugins(site)
    write_site(tmp_path, '["count", "shout"]', "[plugins.count]\nwords = 5\n")
    after = open_plugins(site)
    assert before.inputs("template_values") != after.inputs("template_values")
    assert before.inputs("template_filters") == after.inputs("template_filters") != ()
    assert before.inputs("feed_item") == ()
    write_site(tmp_path, "[]")
    assert open_plugins(site).inputs("template_values") == ()


def test_changed_file_is_read_again(tmp_path: Path) -> None:
    """A change of a module shows in the same process, as in a preview; an equal file stays the same module."""
    site = write_site(tmp_path, '["shout"]', shout=SHOUT)
    first, same = open_plugins(site), open_plugins(site)
    write_site(tmp_path, '["shout"]', shout=SHOUT.replace("upper", "lower"))
    second = open_plugins(site)
    assert first == same
    assert first.plugins[0].module is same.plugins[0].module
    assert second.named("template_filters", "filter")["shout"]("Low") == "low"


def test_options_of_the_address(tmp_path: Path) -> None:
    """A build with another address gives it to the plug-ins."""
    text = HEAD + "@hookimpl\ndef template_values(site):\n    return {'address': site.url}\n"
    settings = load_settings(write_site(tmp_path, '["at"]', at=text))
    urls = [each.plugins.named("template_values", "value") for each in (settings, settings.at("https://b.example"))]
    assert [each["address"] for each in urls] == ["https://tide.example", "https://b.example"]


@pytest.mark.parametrize(
    ("hook", "value", "problem"),
    [
        ("themes", '{"harbour": "plugins"}', "themes returns 'plugins' as harbour (expected the Path of its folder)."),
        ("settings_schema", "5", "settings_schema returns no mapping of names."),
        ("settings_schema", '{"type": 5}', "settings_schema: This is no JSON Schema: "),
    ],
)
def test_value_of_another_type_names_the_plugin(tmp_path: Path, hook: str, value: str, problem: str) -> None:
    """A plug-in that returns what its hook does not take is named when the site is opened."""
    site = write_site(tmp_path, '["odd"]', odd=f"{HEAD}@hookimpl\ndef {hook}():\n    return {value}\n")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(site)
    assert str(caught.value).startswith(f"The plug-in odd: {problem}")


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        ("shortcodes", "a function"), ("markdown_directives", "a function"), ("template_filters", "a function"),
        ("field_inputs", "a function"), ("checks", "a function, or the address of one"),
        ("importers", "an Importer"), ("exporters", "an Exporter"),
    ],
)  # fmt: skip
def test_number_in_place_of_a_function_names_the_plugin(tmp_path: Path, hook: str, expected: str) -> None:
    """What is no function, importer or exporter is refused when it is asked for, not when it is used."""
    plugins = open_plugins(
        write_site(tmp_path, '["odd"]', odd=f'{HEAD}@hookimpl\ndef {hook}():\n    return {{"x": 5}}\n')
    )
    with pytest.raises(ConfigurationError) as caught:
        list(plugins.mappings(hook))
    assert str(caught.value) == f"The plug-in odd: {hook} returns 5 as x (expected {expected})."
