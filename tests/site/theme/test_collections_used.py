"""Which collections a template depends on."""

import pytest

from sitecms.site.theme.theme import collections_used


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
    assert collections_used(source) == frozenset(keys)


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
    assert collections_used(source) is None
