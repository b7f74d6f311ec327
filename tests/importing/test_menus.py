"""Menus of imported sites: what the old site declared, as entries of the collection `menu`."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli
from sitecms.documents import read_yaml
from sitecms.importing.records import NoteKind
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.imported import import_files
from tests.importing.offline import OFFLINE
from tests.importing.wxr import export, item

_POST = "---\ntitle: A\ndate: 2020-01-02\n---\nText\n"
_ABOUT = "---\ntitle: About us\n---\nText\n"


def _menu(folder: Path) -> list[dict[str, Any]]:
    """Return label, address and the ids below it of each entry."""
    path = folder / "content/collections/menu.yaml"
    found: Any = read_yaml(path) if path.is_file() else []
    return [each["fields"] for each in found]


def _loads(folder: Path) -> None:
    loaded = CliRunner().invoke(cli, ["load", str(folder)])
    assert loaded.exit_code == 0, loaded.output


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "hugo.toml": "[[menu.main]]\nname = 'Tides'\nurl = '/posts/'\nweight = 20\n"
                "[[menu.main]]\nname = 'About'\npageRef = '/about'\nweight = 10\n"
                "[[menu.footer]]\nname = 'Legal'\nurl = '/legal/'\n",
                "content/posts/a.md": _POST,
                "content/about.md": _ABOUT,
            },
            [("About", "/about/"), ("Tides", "/posts/")],
        ),
        (
            {
                "_config.yml": "header_pages:\n  - about.md\n  - missing.md\n",
                "_posts/2020-01-02-a.md": _POST,
                "about.md": _ABOUT,
            },
            [("About us", "/about.html")],
        ),
        (
            {
                "_config.yml": "title: x\n",
                "_data/navigation.yml": "main:\n  - title: About\n    url: /about.html\n",
                "_posts/2020-01-02-a.md": _POST,
                "about.md": _ABOUT,
            },
            [("About", "/about.html")],
        ),
        (
            {
                "pelicanconf.py": "SITENAME = 'x'\nMENUITEMS = (('About', '/pages/about.html'), ('Code', 'https://c.example/'))\n",
                "content/a.md": "Title: A\nDate: 2020-01-02\n\nText\n",
                "content/pages/about.md": "Title: About us\n\nText\n",
            },
            [("About", "/pages/about.html"), ("Code", "https://c.example/")],
        ),
        (
            {
                "_config.yml": "title: x\ntheme: sea\n",
                "_config.sea.yml": "menu:\n  Home: / || fa fa-home\n  About: /about/ || fa fa-user\n",
                "source/_posts/a.md": _POST,
                "source/about/index.md": _ABOUT,
            },
            [("Home", "/"), ("About", "/about/")],
        ),
    ],
    ids=["hugo", "jekyll", "jekyll data", "pelican", "hexo"],
)
def test_the_menu_of_a_generator(files: dict[str, str], expected: list[tuple[str, str]], tmp_path: Path) -> None:
    """Its entries in their order, addresses as they are on the new site; nothing that is not in it."""
    site = import_files(tmp_path, files)
    assert [(each["label"], each["url"]) for each in _menu(site.folder)] == expected
    assert not site.notes("text not converted")
    _loads(site.folder)


def test_the_navigation_of_ghost(tmp_path: Path) -> None:
    """It stands in the settings as JSON."""
    navigation = [{"label": "About", "url": "/about/"}, {"label": "Code", "url": "https://c.example/"}]
    page = {
        "id": "1",
        "uuid": "u1",
        "title": "About",
        "slug": "about",
        "html": "<p>x</p>",
        "type": "page",
        "status": "published",
    }
    data = {"posts": [page], "settings": [{"key": "navigation", "value": orjson.dumps(navigation).decode()}]}
    (tmp_path / "ghost.json").write_bytes(orjson.dumps({"db": [{"meta": {"version": "5.0.0"}, "data": data}]}))
    import_site(tmp_path / "site", [str(tmp_path / "ghost.json")], ImportOptions(media=OFFLINE))
    found = [(each["label"], each["url"]) for each in _menu(tmp_path / "site")]
    assert found == [("About", "/about/"), ("Code", "https://c.example/")]


def _entry(number: int, menu: str, order: int, title: str = "", **meta: str) -> str:
    facts = {f"_menu_item_{name}": value for name, value in meta.items()}
    extra = f"<wp:menu_order>{order}</wp:menu_order>"
    return item(number, title, "", kind="nav_menu_item", terms=[("nav_menu", menu, menu)], meta=facts, extra=extra)


def test_the_menu_of_wordpress(tmp_path: Path) -> None:
    """The main one of several, in its order, with entries below others; pages by their titles; the others are named."""
    items = [
        item(1, "About us", kind="page", name="about", link="https://old.example/about/"),
        _entry(12, "main", 2, type="custom", url="https://c.example/", menu_item_parent="11"),
        _entry(13, "main", 3, "Code", type="custom", url="https://c.example/", menu_item_parent="11"),
        _entry(11, "main", 1, type="post_type", object_id="1", menu_item_parent="0"),
        *[_entry(20 + n, "footer", n, f"F{n}", type="custom", url="/f/") for n in range(5)],
    ]
    (tmp_path / "export.xml").write_text(export(*items))
    report = import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    assert _menu(tmp_path / "site") == [
        {"label": "About us", "url": "/about/", "children": [{"label": "Code", "url": "https://c.example/"}]}
    ]
    assert report.notes[NoteKind.LEFT_OUT, "the menu footer"].count == 5
    _loads(tmp_path / "site")


def test_long_labels_of_a_menu_stay(tmp_path: Path) -> None:
    """Titles of pages stand there in full, since their beginnings may be equal."""
    title = "How to install and to set up what you need for work"
    pages = [item(n, f"{title} on {name}", kind="page", name=name) for n, name in ((2, "boats"), (3, "piers"))]
    meta = {"_menu_item_type": "post_type"}
    terms = [("nav_menu", "main", "Main")]
    links = [
        item(n + 10, "", kind="nav_menu_item", meta={**meta, "_menu_item_object_id": str(n)}, terms=terms)
        for n in (2, 3)
    ]
    (tmp_path / "export.xml").write_text(export(item(1), *pages, *links))
    import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    assert [each["label"] for each in _menu(tmp_path / "site")] == [f"{title} on boats", f"{title} on piers"]
    _loads(tmp_path / "site")


def test_the_menu_of_a_site_stays(tmp_path: Path) -> None:
    """A site that has a menu keeps it; a line says so."""
    (tmp_path / "site/schema/collections").mkdir(parents=True)
    (tmp_path / "site/site.toml").write_text('name = "x"\n')
    (tmp_path / "site/schema/collections/menu.yaml").write_text("key: menu\nname: Menu\nfields: []\n")
    files = {
        "pelicanconf.py": "MENUITEMS = (('About', '/about/'),)\n",
        "content/a.md": "Title: A\nDate: 2020-01-02\n\nText\n",
    }
    site = import_files(tmp_path, files)
    assert not _menu(site.folder)
    assert "entries of the old menu" in site.notes("left out by design")


def _menus(folder: Path) -> list[tuple[str, str, str]]:
    """Return locale, label and address of each entry; the locale of the site's own language is "en"."""
    found: Any = read_yaml(folder / "content/collections/menu.yaml")
    fields = [each["fields"] for each in found]
    by_locale = [each if "label" not in each else {"en": each} for each in fields]
    return [(locale, facts["label"], facts["url"]) for each in by_locale for locale, facts in each.items()]


def test_menus_that_pages_of_hugo_declare(tmp_path: Path) -> None:
    """They join those of the configuration by weight, in each language; one in all has pages of the language."""
    files: dict[str, str | bytes] = {
        "hugo.toml": "title = 'T'\n[languages.en]\n[languages.fr]\n[languages.de]\n"
        "[[languages.de.menus.main]]\nname = 'Neu'\nurl = '/de/neu/'\n"
        "[[menus.main]]\nname = 'Home'\npageRef = '/'\nweight = 1\n",
        "content/posts/a.md": _POST,
        "content/about.md": "---\ntitle: About us\nmenus: main\nweight: 5\n---\nText\n",
        "content/about.fr.md": "---\ntitle: Qui\nmenus: {main: {weight: 2, name: Nous}}\n---\nText\n",
        "content/team.md": "---\ntitle: Team\nmenu: {main: {parent: About us, weight: 3}}\n---\nText\n",
        "content/legal.md": "---\ntitle: Legal\nmenu: [footer]\n---\nText\n",
        "content/draft.md": "---\ntitle: D\nmenu: main\ndraft: true\n---\nText\n",
    }
    site = import_files(tmp_path, files)
    assert _menus(site.folder) == [
        ("en", "Home", "/"),
        ("en", "About us", "/about/"),
        ("fr", "Home", "/fr/"),
        ("fr", "Nous", "/fr/about/"),
        ("de", "Neu", "/de/neu/"),
    ]
    assert _menu(site.folder)[1]["children"] == [{"label": "Team", "url": "/team/"}]
    _loads(site.folder)


def test_menus_of_eleventy_navigation_and_of_a_theme_of_zola(tmp_path: Path) -> None:
    """By their order, with their parents; addresses of Zola start at the root."""
    eleventy: dict[str, str | bytes] = {
        "eleventy.config.js": "export default {};\n",
        "a.md": "---\ntitle: A\neleventyNavigation: {key: Sea, order: 2}\n---\nx\n",
        "b.md": "---js\nconst title = 'B';\n"
        "const eleventyNavigation = {key: 'Tides', title: 'All tides', order: 1};\n---\nx\n",
        "c.md": "---\ntitle: C\neleventyNavigation: {key: Waves, parent: Sea}\n---\nx\n",
    }
    site = import_files(tmp_path / "eleventy", eleventy)
    assert _menus(site.folder) == [("en", "All tides", "/b/"), ("en", "Sea", "/a/")]
    assert _menu(site.folder)[1]["children"] == [{"label": "Waves", "url": "/c/"}]
    zola: dict[str, str | bytes] = {
        "config.toml": "base_url = 'https://old.example'\ntitle = 'T'\n[extra]\nmenu_items = ["
        "{name = 'About', url = '$BASE_URL/about'}, {name = 'Code', url = 'https://code.example/'}]\n",
        "content/about.md": "+++\ntitle = 'About'\n+++\nx\n",
    }
    site = import_files(tmp_path / "zola", zola)
    assert _menus(site.folder) == [("en", "About", "/about/"), ("en", "Code", "https://code.example/")]


def test_entries_of_the_same_name_stay_below_their_own(tmp_path: Path) -> None:
    """Two sections of a menu may have an entry of the same label."""
    entries = (
        "[[menu.main]]\nname = 'A'\nurl = '/a/'\n[[menu.main]]\nname = 'Overview'\nurl = '/a/o/'\nparent = 'A'\n"
        "[[menu.main]]\nname = 'B'\nurl = '/b/'\n[[menu.main]]\nname = 'Overview'\nurl = '/b/o/'\nparent = 'B'\n"
    )
    site = import_files(tmp_path, {"hugo.toml": f"title = 'T'\n{entries}", "content/posts/a.md": _POST})
    below = {facts["url"]: [row["url"] for row in facts.get("children", ())] for facts in _menu(site.folder)}
    assert below == {"/a/": ["/a/o/"], "/b/": ["/b/o/"]}


def test_entries_below_others_that_are_below_others_are_rows_too(tmp_path: Path) -> None:
    """A menu of the site has two levels; entries below each other in a circle are left out and counted."""
    entries = "".join(
        f"[[menu.main]]\nname = '{name}'\nurl = '/{name}/'\nparent = '{parent}'\n"
        for name, parent in (("a", ""), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "f"), ("f", "e"))
    )
    site = import_files(tmp_path, {"hugo.toml": f"title = 'T'\n{entries}", "content/posts/a.md": _POST})
    (top,) = _menu(site.folder)
    assert [row["label"] for row in top["children"]] == ["b", "c", "d"]
    assert "entries of a menu after its first 12" in site.notes("left out by design")
    _loads(site.folder)


def test_a_menu_has_room_for_twelve_entries(tmp_path: Path) -> None:
    """The others are named in the report."""
    entries = "".join(f"[[menu.main]]\nname = 'M{n}'\nurl = '/m{n}/'\n" for n in range(20))
    site = import_files(tmp_path, {"hugo.toml": f"title = 'T'\n{entries}", "content/posts/a.md": _POST})
    assert len(_menu(site.folder)) == 12
    assert "entries of a menu after its first 12" in site.notes("left out by design")
