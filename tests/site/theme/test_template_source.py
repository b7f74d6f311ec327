"""Content that templates use, as their sources tell."""

import pytest

from sitecms.site.theme.template_source import ContentUse, Query, content_of_all, use_of


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("{{ title }}", set()),
        ("collections of shells", set()),
        ("{% for one in collections.team %}{{ one.label }}{% endfor %}", {"team"}),
        ('{{ collections["press-notes"][0].label }}{{ collections.team|length }}', {"press-notes", "team"}),
        ("{% macro m() %}{{ collections.team }}{% endmacro %}", {"team"}),
        ("{{ page.collections }}", set()),
        ("{{ collections[key] }}", None),
        ("{% set all = collections %}{{ all.team }}", None),
        ("{{ show(collections) }}", None),
        ("{% for key in collections %}{% endfor %}", None),
        ("{{ collections.team }}{{ collections|length }}", None),
        ("{{ collections.team ", None),
        ("{% for key, items in collections.items() %}{% endfor %}", None),
        ("{{ collections.get(key) }}", None),
    ],
)
def test_collections_are_named_by_their_keys(source: str, keys: set[str] | None) -> None:
    """By a dot or in brackets, wherever in the template; None where a key cannot be told, so that it may be any."""
    assert use_of(source).content.collections == (None if keys is None else frozenset(keys))


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
        ("{{ posts(limit=size) }}", None),
        ("{{ posts(tag=page.fields.topic) }}", None),
        ("{% set all = posts %}{{ all(3) }}", None),
        ("{{ posts(*some) }}", None),
        ("{{ show(pages) }}", None),
        ("{% macro row(posts) %}{{ posts(3) }}{% endmacro %}", None),
        ("{% set posts = posts(3) %}", None),
        ("{{ posts( }}", None),
    ],
)
def test_lists_are_known_by_their_constant_arguments(source: str, queries: set[Query] | None) -> None:
    """A local variable of the same name is no list of the site; None where only rendering tells the arguments."""
    assert use_of(source).content.queries == (None if queries is None else frozenset(queries))


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
    assert use_of(source).content.data == (None if keys is None else frozenset(keys))


def test_uses_of_several_templates_add_up() -> None:
    """One that may use anything makes all of them use anything."""
    sources = ["{{ collections.team }}{{ posts(1) }}", "{{ collections.pets }}{{ posts(n) }}"]
    both = content_of_all(use_of(source).content for source in sources)
    assert both == ContentUse(frozenset({"team", "pets"}), None, frozenset())
