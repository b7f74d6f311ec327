"""Lists of posts and pages, and data files, in any template."""

import pytest

from sitecms.errors import InvalidFiles
from tests.support.sites import ExampleSite

GUIDE = "content/pages/guide/knots.yaml"


def template(example: ExampleSite, text: str, name: str = "404.html") -> None:
    example.write(f"templates/{name}", text)


def post(example: ExampleSite, name: str, day: int, **front: object) -> None:
    facts = {"title": name.title(), "published": f"2026-01-{day:02}T08:00:00Z", **front}
    lines = "\n".join(f"{key}: {value}" for key, value in facts.items())
    example.write(f"content/posts/{name}.md", f"---\n{lines}\n---\nText.\n")


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("posts(2)", "Gale Flow "),
        ("posts(limit=1, offset=1)", "Flow "),
        ("posts(category='Winds')", "Gale Ebb "),
        ("posts(category='winds', tag='moon')", "Ebb "),
        ("posts(author='bo-lind')", "Flow "),
        ("posts(year=2025)", "Drift "),
        ("posts(1, locale='es')", "Calma "),
    ],
)
def test_any_template_lists_posts(example: ExampleSite, call: str, shown: str) -> None:
    """Newest first, by term, author, year and locale."""
    for path in (example.folder / "content/posts").rglob("*.md"):
        path.unlink()
    post(example, "drift", 1, published="2025-06-01T08:00:00Z")
    post(example, "ebb", 2, categories="[Winds]", tags="[Moon]")
    post(example, "flow", 3, author="bo-lind")
    post(example, "gale", 4, categories="[Winds]")
    post(example, "calma", 5, locale="es")
    template(example, "{% for each in " + call + " %}{{ each.title }} {% endfor %}")
    example.make()
    assert example.text("404.html") == shown


def test_a_page_is_rendered_again_when_its_list_changes(example: ExampleSite) -> None:
    """Only when a post that it lists does; with computed arguments when any post does."""
    post(example, "ebb", 2, categories="[Winds]")
    post(example, "flow", 3)
    template(example, "{% for each in posts(category='winds') %}{{ each.title }}{% endfor %}")
    template(example, "{% set n = 50 %}{% for each in posts(n) %}{{ each.title }} {% endfor %}", "author.html")
    example.make()
    post(example, "flow", 3, summary="Other")
    stale = example.make().stale
    assert "404.html" not in stale
    assert "authors/bo-lind/index.html" in stale or "authors/ann-ray/index.html" in stale
    post(example, "ebb", 2, categories="[Winds]", title="Low")
    example.make()
    assert example.text("404.html") == "Low"
    assert example.tree() == example.clean_tree()


def test_any_template_lists_pages(example: ExampleSite) -> None:
    """Of one type, with their fields."""
    template(example, "{% for each in pages('guide') %}{{ each.title }} {{ each.url }}{% endfor %}")
    example.make()
    assert example.text("404.html") == "Knots /guide/knots/"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("posts(category='wnds')", "there is no category 'wnds' (did you mean \"winds\"?)"),
        ("posts(locale='fr')", "there is no locale 'fr'"),
        ("posts(author='nobody')", "there is no author 'nobody'"),
        ("pages('gide')", "there is no page type 'gide' (did you mean \"guide\"?)"),
        ("posts(tags='moon')", "unexpected keyword argument 'tags'"),
    ],
)
def test_a_list_of_something_unknown_is_an_error(example: ExampleSite, call: str, said: str) -> None:
    """The message names the template and line, and the nearest name."""
    post(example, "ebb", 2, categories="[Winds]")
    template(example, "\n{{ " + call + "|length }}")
    example.load()
    error = example.build().failed["404.html"]
    assert "404.html:2: " in error
    assert said in error


def test_a_fragment_sees_lists_and_data(example: ExampleSite) -> None:
    """As the page that it is part of."""
    example.write("data/note.yaml", "text: Low water\n")
    template(example, "{{ posts(1)|length }} {{ site.data.note.text }}", "parts/note.html")
    template(example, "{{ part('parts/note.html') }}")
    example.make()
    assert example.text("404.html") == "1 Low water"
    example.write("data/note.yaml", "text: High water\n")
    example.make()
    assert example.text("404.html") == "1 High water"


def test_data_files_are_read(example: ExampleSite) -> None:
    """YAML, TOML, JSON and CSV, in folders too; other files are left out."""
    example.write("data/opening-hours.yaml", "mon: 9-17\n")
    example.write("data/team/crew.json", '[{"name": "Bo"}]')
    example.write("data/prices.csv", "what,price\nTea\u2028or\x85not,2\nCake,3\n")
    example.write("data/about.toml", 'since = 2001-02-03\n[place]\ncity = "Riga"\n')
    example.write("data/readme.txt", "No data.")
    template(
        example,
        "{{ site.data.opening_hours.mon }} {{ site.data.team.crew[0].name }} {{ site.data.prices[1].price }}"
        " {{ site.data.about.since }} {{ site.data.about.place.city }} {{ site.data|length }}",
    )
    example.make()
    assert example.text("404.html") == "9-17 Bo 3 2001-02-03 Riga 4"


def test_only_pages_that_show_a_data_file_change_with_it(example: ExampleSite) -> None:
    """A template that names one file does not depend on the others."""
    example.write("data/a.yaml", "x: 1\n")
    example.write("data/b.yaml", "x: 1\n")
    template(example, "{{ site.data.a.x }}")
    example.make()
    example.write("data/b.yaml", "x: 2\n")
    assert example.make().stale == {}
    example.write("data/a.yaml", "x: 2\n")
    stale = example.make().stale
    assert "404.html" in stale
    assert "blog/index.html" not in stale


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("data/a.json", '{"x": 1,\n"y"}', "data/a.json:2: is not valid JSON"),
        ("data/a.json", "[" * 2000, "data/a.json:1: is not valid JSON"),
        ("data/a.json", "NaN", "data/a.json:1: is not valid JSON"),
        ("data/a.csv", "x,x\n1,2\n", "data/a.csv row 1: has a name twice"),
        ("data/a.csv", "x,y\n1,2,3\n", "data/a.csv row 2: has more values than the first line has names"),
        ("data/a.yaml", "x: [\n", "data/a.yaml"),
        ("data/note.toml", "x = 1\n", "data/note.yaml: has the same name in templates as data/note.toml"),
    ],
)
def test_errors_of_data_files_name_their_place(example: ExampleSite, path: str, text: str, said: str) -> None:
    """The build stops, and the old site stays."""
    example.write("data/note.yaml", "text: Low water\n")
    example.write(path, text)
    with pytest.raises(InvalidFiles) as caught:
        example.make()
    assert said in str(caught.value)
