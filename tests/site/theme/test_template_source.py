"""Content that templates use, as their sources tell."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from markupsafe import Markup, escape

from sitecms.site.theme.template_source import (
    Compiler,
    ContentUse,
    Query,
    TemplateUses,
    content_of_all,
    content_used,
    written,
)


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("{{ title }}", set()),
        ("collections of shells", set()),
        ("{% for one in collections.team %}{{ one.label }}{% endfor %}", {"team"}),
        ('{{ collections["press-notes"][0].label }}{{ collections.team|length }}', {"press-notes", "team"}),
        ("{% macro m() %}{{ collections.team }}{% endmacro %}", {"team"}),
        ("{{ page.collections }}", set()),
    ],
)
def test_collections_are_named_by_their_keys(source: str, keys: set[str]) -> None:
    """By a dot or in brackets, wherever in the template."""
    assert content_used(source).collections == frozenset(keys)


@pytest.mark.parametrize(
    "source",
    [
        "{{ collections[key] }}",
        "{% set all = collections %}{{ all.team }}",
        "{{ show(collections) }}",
        "{% for key in collections %}{% endfor %}",
        "{{ collections.team }}{{ collections|length }}",
        "{{ collections.team ",
        "{% for key, items in collections.items() %}{% endfor %}",
        "{{ collections.get(key) }}",
    ],
)
def test_where_a_key_cannot_be_told_it_may_be_any(source: str) -> None:
    """A computed key, another name for all of them, a template that cannot be read."""
    assert content_used(source).collections is None


@pytest.mark.parametrize(
    ("source", "queries"),
    [
        ("{% for post in list.posts %}{% endfor %}", set()),
        ("{% macro row(posts) %}{% for post in posts %}{% endfor %}{% endmacro %}", set()),
        ("{{ list.posts|date }}{{ posts(1)|unknown }}", {Query("posts", (1,), ())}),
        ('{% include "x.html" %} All posts (3)', set()),
        ("{{ posts(3)|length }}", {Query("posts", (3,), ())}),
        ("{{ posts(limit=3, category='tides') }}", {Query("posts", (), (("limit", 3), ("category", "tides")))}),
        (
            "{% macro m() %}{{ pages('guide') }}{% endmacro %}{{ posts() }}",
            {Query("pages", ("guide",), ()), Query("posts", (), ())},
        ),
    ],
)
def test_lists_are_known_by_their_constant_arguments(source: str, queries: set[Query]) -> None:
    """A local variable of the same name is no list of the site."""
    assert content_used(source).queries == frozenset(queries)


@pytest.mark.parametrize(
    "source",
    [
        "{{ posts(limit=size) }}",
        "{{ posts(tag=page.fields.topic) }}",
        "{% set all = posts %}{{ all(3) }}",
        "{{ posts(*some) }}",
        "{{ show(pages) }}",
        "{% macro row(posts) %}{{ posts(3) }}{% endmacro %}",
        "{% set posts = posts(3) %}",
        "{{ posts( }}",
    ],
)
def test_a_list_with_other_arguments_may_be_any(source: str) -> None:
    """Arguments that only rendering tells, or another name of the function."""
    assert content_used(source).queries is None


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ('<p data-x="1">data</p>', set()),
        ("{{ site.data.links }}{{ site.data['team'].bo }}", {"links", "team"}),
        ("{% set s = site %}{{ s.data.links[0].url }}", {"links"}),
        ("{{ site['data'].links }}", {"links"}),
        ("{{ site.data }}", None),
        ("{{ site.data[name] }}", None),
        ("{% for key, value in site.data.items() %}{% endfor %}", None),
    ],
)
def test_data_files_are_named_by_their_keys(source: str, keys: set[str] | None) -> None:
    """By a dot or in brackets; None where it may be any of them."""
    assert content_used(source).data == (None if keys is None else frozenset(keys))


def test_uses_of_several_templates_add_up() -> None:
    """One that may use anything makes all of them use anything."""
    sources = ["{{ collections.team }}{{ posts(1) }}", "{{ collections.pets }}{{ posts(n) }}"]
    both = content_of_all(map(content_used, sources))
    assert both == ContentUse(frozenset({"team", "pets"}), None, frozenset())


def test_uses_are_kept_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later build parses no template that an earlier one has parsed; a damaged file is written anew."""
    file, sources = (
        tmp_path / "uses.json",
        ["{% include x %}{{ posts(2, tag='a') }}", "{% include 'a.html' %}{{ pages }}"],
    )
    file.write_text('{"x": [')

    def uses_of_all() -> list[object]:
        uses = TemplateUses()
        uses.keep_in(file)
        found: list[object] = [uses.of(source) for source in sources]
        uses.save()
        return found

    first = uses_of_all()
    monkeypatch.setattr("sitecms.site.theme.template_source.parse", None)
    monkeypatch.setattr("sitecms.site.theme.template_source.templates_named", None)
    assert uses_of_all() == first


@given(st.one_of(st.text(), st.text("<&>\"'a"), st.text().map(Markup), st.integers(), st.floats(), st.none()))
def test_values_are_written_as_markupsafe_escapes_them(value: object) -> None:
    """It is only faster."""
    assert str(written(value)) == str(escape(value))


def test_compiled_templates_escape_what_they_show_once() -> None:
    """In loops, blocks, macros and captured parts, with filters and concatenation alike."""
    source = (
        "{{ a }}{% for x in [a, b] %}{{ x }}{% endfor %}{% macro m(v) %}[{{ v }}]{% endmacro %}{{ m(a) }}{{ m(b) }}"
        "{% set c %}{{ a }}{{ b }}{% endset %}{{ c }}{{ c ~ a }}{{ a|upper }}{{ a|safe }}"
        "{% block d %}{{ b }}{% endblock %}{{ [a]|join(b) }}{% filter lower %}{{ a }}{% endfilter %}"
        "{% autoescape false %}{{ a }}{% endautoescape %}{{ 1 }}"
    )
    plain, own = (Environment(autoescape=True, extensions=["jinja2.ext.i18n"]) for _ in range(2))
    own.code_generator_class = Compiler
    values = {"a": "A<&>\"'", "b": Markup("<b>B</b>")}
    assert own.from_string(source).render(values) == plain.from_string(source).render(values)
    assert own.from_string("{{ a }}").root_render_func.__globals__["escape"] is written
