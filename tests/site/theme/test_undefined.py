"""Names that templates get wrong."""

import pytest
from jinja2 import Environment, UndefinedError

from sitecms.site.template_values import ComponentView, Link
from sitecms.site.theme.environment import Missing, NamedValues


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ pots }}", "pots is not defined here"),
        ("{{ link.lable }}", 'Link has no "lable"; did you mean "label"?'),
        ("{{ link.zzz }}", 'Link has no "zzz": it has label, url'),
        ("{{ fields.headlin }}", 'a mapping has no "headlin"; did you mean "headline"?'),
        ("{{ fields['headlin'] }}", 'a mapping has no "headlin"; did you mean "headline"?'),
        ("{{ fields.zzz }}", 'a mapping has no "zzz": it has headline, nothing'),
        ("{{ 'x'.url }}", 'str has no "url"'),
        ("{{ none.url }}", 'the value is empty here, so it has no "url"'),
        ("{{ fields.nothing.url }}", 'the value is empty here, so it has no "url"'),
        ("{{ 'x'.foo }}", 'str has no "foo"'),
        ("{% for x in links %}{% endfor %}", "links is not defined here"),
        ("{{ links[7].url }}", "links is not defined here"),
        ("{{ ()[0] }}", 'tuple has no "0"'),
        ("{{ collections.temas }}", 'collections has no "temas"; did you mean "team"?'),
        ("{{ collections.zzz }}", 'collections has no "zzz": it has team, menu'),
    ],
)
def test_undefined_name_is_reported_with_its_object(template: str, message: str) -> None:
    """And with the name that was probably meant."""
    context = {
        "link": Link("a", "/"),
        "fields": {"headline": "x", "nothing": None},
        "collections": NamedValues("collections", ("team", "menu"), {}),
    }
    with pytest.raises(UndefinedError) as caught:
        Environment(undefined=Missing, autoescape=True).from_string(template).render(context)
    assert str(caught.value) == message


def test_a_printed_component_is_an_error() -> None:
    """It would show Python's form of the value; the message names what shows it."""
    template = Environment(undefined=Missing, autoescape=True).from_string("{{ component }}")
    with pytest.raises(TypeError, match=r'include "components/hero.html"'):
        template.render(component=ComponentView("hero", "Hero", {}, ()))


def test_defined_test_of_a_missing_name_is_allowed() -> None:
    """`is defined` and `default` work as ever."""
    environment = Environment(undefined=Missing, autoescape=True)
    assert environment.from_string("{{ a is defined }} {{ a.b|default('c') }}").render(a={}) == "True c"
