"""Parts: rendered once, and only where that cannot be seen."""

from collections.abc import Mapping
from itertools import count
from types import SimpleNamespace

import pytest
from jinja2 import DictLoader, Environment, UndefinedError

from sitecms.site.template_values import MenuEntry
from sitecms.site.theme.fragments import KEPT_CHARACTERS, Parts, menu_place, parts_named


def render(templates: Mapping[str, str], room: int = KEPT_CHARACTERS, **context: object) -> tuple[str, list[object]]:
    """The template `page`, and what its filter `seen` was given."""
    seen: list[object] = []
    environment = Environment(loader=DictLoader(dict(templates)), autoescape=True)
    environment.globals["part"] = Parts("numbers", room).part

    def note(value: object) -> object:
        seen.append(value)
        return value

    environment.filters["seen"] = note
    return environment.get_template("page").render({"site": SimpleNamespace(name="Tide"), **context}), seen


def test_a_part_is_rendered_once_for_equal_values() -> None:
    """And anew for others; what it gives is not escaped again."""
    page = "{% for n in (1, 2, 1, 1) %}{{ part('row', n=n) }}{% endfor %}"
    assert render({"page": page, "row": "<b>{{ n|seen }}</b>"}) == ("<b>1</b><b>2</b><b>1</b><b>1</b>", [1, 2])


def test_values_that_look_alike_are_told_apart() -> None:
    """True is not 1, and one text is not the same as markup of it."""
    assert render({"page": "{{ part('row', n=1) }}{{ part('row', n=true) }}", "row": "{{ n }} "})[0] == "1 True "


@pytest.mark.parametrize(("room", "made"), [(0, "1212"), (3_000, "1212"), (6_000, "12")])
def test_parts_are_kept_as_long_as_there_is_room(room: int, made: str) -> None:
    """Pages are the same with any room."""
    page = "{% for n in ('1', '2', '1', '2') %}{{ part('row', n=n) }}{% endfor %}"
    templates = {"page": page, "row": "<b>{{ n|seen }}</b>"}
    assert render(templates, room) == ("<b>1</b><b>2</b><b>1</b><b>2</b>", list(made))


def test_a_part_sees_the_site_and_what_it_is_given() -> None:
    """Nothing else of the page, or it would come out as another page shows it."""
    assert render({"page": "{{ part('row') }}", "row": "{{ site.name }}{{ head }}"}, head="x")[0] == "Tide"
    with pytest.raises(UndefinedError):
        render({"page": "{{ part('row') }}", "row": "{{ head.title }}"}, head="x")


def test_a_part_that_counts_is_rendered_for_each_page() -> None:
    """Headings of Markdown are numbered through a page."""
    page = "{{ part('row') }}{{ part('row') }}"
    assert render({"page": page, "row": "{{ numbers.__next__() }}"}, numbers=count(1))[0] == ("12")


def test_the_parts_of_a_template_are_known_by_name() -> None:
    """Or it is known that they are not: then the template may draw on any other."""
    parse = Environment().parse
    assert parts_named(parse("{{ part('a.html', x=1) }}{% if part('b.html') %}{% endif %}")) == ("a.html", "b.html")
    assert None in parts_named(parse("{{ part(name) }}"))
    assert None in parts_named(parse("{% set p = part %}{{ p('a.html') }}"))


MENU = (
    MenuEntry("Home", "/"),
    MenuEntry("Blog", "/blog/", (MenuEntry("Tides", "/blog/categories/tides/"), MenuEntry("Books", "/books/"))),
    MenuEntry("Notes", "/blog/notes/"),
    MenuEntry("Elsewhere", ""),
)


@pytest.mark.parametrize(
    ("url", "current", "section"),
    [
        ("/blog/", "/blog/", ""),
        ("/books/", "/books/", ""),
        ("/blog/fog/", "", "/blog/"),
        ("/blog/ebb/", "", "/blog/"),
        ("/blog/notes/one/", "", "/blog/notes/"),
        ("/", "/", ""),
        ("/guide/", "", "/"),
        ("", "", ""),
    ],
)
def test_pages_that_the_menu_marks_alike_have_one_place_in_it(url: str, current: str, section: str) -> None:
    """So the menu is made once for all posts, and for each page that it names."""
    assert menu_place(MENU, url) == {"current_url": current, "section_url": section}
