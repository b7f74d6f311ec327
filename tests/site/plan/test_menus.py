"""The menu of a site: rows of an entry, and entries that others refer to."""

import pytest

from tests.support.sites import ExampleSite

LINK = [{"slug": "label", "type": "short_text"}, {"slug": "url", "type": "short_text"}]


@pytest.fixture
def menu(example: ExampleSite) -> ExampleSite:
    """A menu as `sitecms init` declares it, whose first entry has two others below it in each locale."""
    children = {"slug": "children", "type": "repeater", "fields": LINK}
    example.write("schema/collections/menu.yaml", {"key": "menu", "label": "label", "fields": [*LINK, children]})
    example.write("content/collections/menu.yaml", [
        {"fields": {
            "en": {"label": "Sea", "url": "/sea/", "children": [{"label": "Tides", "url": "/tides/"},
                                                                {"label": "Code", "url": "https://c.example/"}]},
            "es": {"label": "Mar", "url": "/es/mar/", "children": [{"label": "Mareas", "url": "/es/mareas/"}]},
        }},
        {"fields": {"en": {"label": "About", "url": "/about/"}, "es": {"label": "Nosotros", "url": "/about/"}}},
    ])  # fmt: skip
    return example


def test_a_menu_is_a_tree_in_one_file(menu: ExampleSite) -> None:
    """The rows of an entry stand below it, in each locale its own, without a number anywhere."""
    menu.make()
    text = menu.text("index.html")
    header = text[text.index('<nav class="menu"') : text.index("</nav>", text.index('<nav class="menu"'))]
    assert [header.index(f">{label}</a>") for label in ("Sea", "Tides", "Code", "About")] == sorted(
        header.index(f">{label}</a>") for label in ("Sea", "Tides", "Code", "About")
    )
    assert header.count("<details") == 1
    assert '<a href="https://c.example/">Code</a>' in header
    assert "Mareas" in menu.text("es/index.html")


def test_a_changed_row_of_a_menu_changes_all_pages(menu: ExampleSite) -> None:
    """An incremental build equals a clean one."""
    menu.make()
    path = menu.folder / "content/collections/menu.yaml"
    path.write_text(path.read_text().replace("Tides", "Currents"))
    menu.make()
    assert "Currents" in menu.text("blog/index.html")
    assert menu.tree() == menu.clean_tree()
