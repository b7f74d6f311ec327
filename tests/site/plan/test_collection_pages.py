"""Collections: items with pages of their own, and items that any template shows."""

import pytest

from tests.support.sites import ExampleSite

NAME = {"slug": "name", "name": "Name", "type": "short_text"}
BIO = {"slug": "bio", "name": "Bio", "type": "long_text"}
MENTOR = {"slug": "mentor", "name": "Mentor", "type": "reference", "targets": ["crew"]}


def crew(example: ExampleSite, *items: object, **schema: object) -> None:
    example.write("schema/collections/crew.yaml", {
        "key": "crew", "label": "name", "route": "/crew/{slug}/", "fields": [NAME, BIO, MENTOR], **schema,
    })  # fmt: skip
    example.write("content/collections/crew.yaml", list(items))


def person(number: int, name: str, **fields: object) -> dict[str, object]:
    return {"id": number, "fields": {"name": name, **fields}}


def test_each_published_item_has_a_page(example: ExampleSite) -> None:
    """It is at the route of its collection in each locale, with links between locales; drafts have none."""
    both = {"en": {"name": "Ann Ray", "bio": "Steers."}, "es": {"name": "Ana Rey", "bio": "Timonel."}}
    crew(example, {"id": 7, "fields": both}, {"id": 8, "status": "draft", "fields": {"name": "Nobody"}})
    example.make()
    english, spanish = example.text("crew/ann-ray/index.html"), example.text("es/crew/ana-rey/index.html")
    assert "<h1>Ann Ray</h1>" in english
    assert "<dt>Name</dt>" not in english  # the heading says it
    assert "Steers." in english
    assert 'hreflang="es" href="https://tide.example/es/crew/ana-rey/"' in english
    assert "Timonel." in spanish
    assert "https://tide.example/crew/ann-ray/" in example.text("sitemap.xml")
    assert not any("nobody" in path for path in example.tree())


def test_references_link_to_the_page_of_an_item(example: ExampleSite) -> None:
    """Items and pages link to it; an item without a route is named without a link."""
    team = {"slug": "team", "name": "Team", "type": "reference", "targets": ["crew"], "many": True}
    example.write("schema/page_types/list.yaml", {"slug": "list", "name": "List", "fields": [team]})
    example.write("content/pages/list/all.yaml", {
        "title": "All", "status": "published", "published": "2026-01-01T08:00:00Z", "fields": {"team": [7]},
    })  # fmt: skip
    crew(example, person(7, "Ann Ray"), person(8, "Bo Lind", mentor=7))
    example.make()
    assert '<a href="/crew/ann-ray/">Ann Ray</a>' in example.text("list/all/index.html")
    assert '<a href="/crew/ann-ray/">Ann Ray</a>' in example.text("crew/bo-lind/index.html")
    crew(example, person(7, "Ann Ray"), person(8, "Bo Lind", mentor=7), route=None)
    example.make()
    assert "/crew/" not in example.text("list/all/index.html")
    assert not (example.public / "crew").exists()
    assert example.tree() == example.clean_tree()


def test_addresses_of_items_are_unique(example: ExampleSite) -> None:
    """From the field `slug` if there is one; of equal slugs the first keeps it; else that of the collection."""
    crew(example, person(7, "Ann"), person(8, "Ann"), person(9, "???"))
    example.make()
    pages = {path for path in example.tree() if path.startswith("crew/") and path != "crew/index.html"}
    assert pages == {"crew/ann/index.html", "crew/ann-2/index.html", "crew/crew/index.html"}
    slug = {"slug": "slug", "name": "Slug", "type": "short_text"}
    crew(example, person(7, "Ann", slug="The Skipper"), person(8, "Ann"), fields=[NAME, slug])
    example.make()
    pages = {path for path in example.tree() if path.startswith("crew/") and path != "crew/index.html"}
    assert pages == {"crew/the-skipper/index.html", "crew/ann/index.html"}


def test_a_collection_chooses_its_template(example: ExampleSite) -> None:
    """The template is collection/<key>.html if it exists."""
    crew(example, person(7, "Ann"))
    example.write("templates/collection/crew.html", "{{ collection.name }}: {{ page.fields['name'] }} {{ page.url }}")
    example.make()
    assert example.text("crew/ann/index.html") == "Crew: Ann /crew/ann/"


@pytest.mark.parametrize("named", ["collections.crew", 'collections["crew"]'])
def test_every_template_can_show_a_collection(example: ExampleSite, named: str) -> None:
    """It shows the published items in the page's locale; a change to one makes only the pages stale that show it."""
    shown = "{% for one in " + named + " %}[{{ one.label }}{{ one.url }}]{% endfor %}"
    example.write("templates/404.html", shown)
    both = {"en": {"name": "Ann"}, "es": {"name": "Ana"}}
    crew(example, {"id": 7, "fields": both}, person(8, "Bo"), {"id": 9, "status": "draft", "fields": {"name": "X"}})
    example.make()
    assert example.text("404.html") == "[Ann/crew/ann/][Bo/crew/bo/]"
    assert example.text("es/404.html") == "[Ana/es/crew/ana/]"
    crew(example, {"id": 7, "fields": both}, person(8, "Bob"))
    report = example.make()
    assert example.text("404.html") == "[Ann/crew/ann/][Bob/crew/bob/]"
    assert "blog/ebb/index.html" not in report.stale
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize("named", ["collections.life_boats", 'collections["life-boats"]', "collections[key]"])
def test_a_key_with_a_hyphen_has_another_name_with_an_underscore(example: ExampleSite, named: str) -> None:
    """In templates, where a hyphen is a minus; pages that use either name depend on the collection."""
    example.write("schema/collections/life-boats.yaml", {"fields": [NAME]})
    example.write("content/collections/life-boats.yaml", [person(7, "Nellie")])
    example.write(
        "templates/404.html", "{% set key = 'life_boats' %}{% for one in " + named + " %}[{{ one.label }}]{% endfor %}"
    )
    example.make()
    assert example.text("404.html") == "[Nellie]"
    example.write("content/collections/life-boats.yaml", [person(7, "Ebb")])
    example.make()
    assert example.text("404.html") == "[Ebb]"


def test_an_included_template_can_show_a_collection(example: ExampleSite) -> None:
    """Templates that include or import it depend on the collection too; its images are published."""
    photo = {"slug": "photo", "name": "Photo", "type": "media"}
    example.image("media/bo.png", "red")
    example.write(
        "templates/parts/footer.html", "{% for one in collections.crew %}{{ one.fields['photo'].src }}{% endfor %}"
    )
    crew(example, person(7, "Ann", photo={"url": "media/sea.png"}), fields=[NAME, photo], route=None)
    example.make()
    crew(example, person(7, "Ann", photo={"url": "media/bo.png"}), fields=[NAME, photo], route=None)
    example.make()
    address = example.text("404.html").partition("/media/")[2].split("<")[0].strip()
    assert (example.public / "media" / address.split()[0]).is_file()
    assert example.tree() == example.clean_tree()


def test_an_unknown_collection_fails_the_page_with_its_name(example: ExampleSite) -> None:
    """All other pages are built."""
    example.write("templates/404.html", "{{ collections.crewe|length }}")
    example.load()
    report = example.build()
    assert report.failed.keys() == {"404.html", "es/404.html"}
    assert "crewe" in report.failed["404.html"]
