"""The menu of the site in the studio: rows, items, order, undo."""

from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.actions.site_settings.menu import MenuRow, read_menu
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Role
from sitecms.documents.yaml12 import dump_yaml
from sitecms.runtime import Runtime
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakePage, MakePost

from .conftest import Browser, SignedIn
from .forms import press, press_settings

SCHEMA = Path(__file__).parents[2] / "sitecms/starters/common/schema/collections/menu.yaml"
MENU = "/studio/site/menu/"
ITEMS = [
    {"id": 3, "fields": {"en": {"label": "Notes", "url": "/blog/", "children": [{"label": "Tides", "url": "/tides/"}]},
                         "es": {"label": "Notas", "url": "/es/blog/"}}},
    {"id": 4, "fields": {"en": {"label": "About", "url": "/about/"}}},
]  # fmt: skip


@pytest.fixture
def admin(runtime: Runtime, signed_in: SignedIn) -> Browser:
    """An admin of a site with a menu in two languages."""
    folder = runtime.settings.folder
    for path, text in {
        "schema/collections/menu.yaml": SCHEMA.read_text(encoding="utf-8"),
        "content/collections/menu.yaml": dump_yaml(ITEMS),
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    return signed_in(Role.ADMIN)


def shape(runtime: Runtime, locale: str = "en") -> list[tuple[str, str, int]]:
    """The menu in a locale."""
    return [(row.label, row.url, row.level) for row in runtime.database.read(read_menu, locale).rows]


def send(admin: Browser, *rows: MenuRow, locale: str = "", button: str = "save") -> int:
    """Open the menu and send these rows in place of those that it has."""
    address = MENU + (f"?locale={locale}" if locale else "")
    admin.get(address)
    columns = {
        "label": [row.label for row in rows],
        "url": [row.url for row in rows],
        "level": [str(row.level) for row in rows],
        "id": [str(row.id or "") for row in rows],
    }
    return press_settings(admin, address, {**columns}, button).status_code


NOTES, TIDES, ABOUT = (
    MenuRow("Notes", "/blog/", 0, 3),
    MenuRow("Tides", "/tides/", 1),
    MenuRow("About", "/about/", 0, 4),
)


def test_rows_are_changed_added_moved_and_removed(runtime: Runtime, admin: Browser) -> None:
    """All at once; items keep their ids, and what other languages have."""
    shop = MenuRow("Shop", "https://shop.example/")
    assert send(admin, ABOUT, MenuRow("Log", "/blog/", 0, 3), MenuRow("Moon", "/moon/", 1), TIDES, shop) == 200
    assert "Notes (/blog/) → Log (/blog/), Moon (/moon/), Shop (https://shop.example/)" in admin.text
    assert shape(runtime) == [
        ("About", "/about/", 0), ("Log", "/blog/", 0), ("Moon", "/moon/", 1), ("Tides", "/tides/", 1),
        ("Shop", "https://shop.example/", 0),
    ]  # fmt: skip
    assert shape(runtime, "es") == [("Notas", "/es/blog/", 0)]
    assert [each.id for each in runtime.database.read(VERSIONS[EntryKind.ITEM].of_type, "menu") if each.locale == "en"][
        :2
    ] == [4, 3]


def test_another_language_has_entries_of_its_own(runtime: Runtime, admin: Browser) -> None:
    """An entry that is removed in one language stays in the others."""
    assert send(admin, MenuRow("Tienda", "/es/tienda/"), locale="es") == 200
    assert shape(runtime, "es") == [("Tienda", "/es/tienda/", 0)]
    assert shape(runtime) == [("Notes", "/blog/", 0), ("Tides", "/tides/", 1), ("About", "/about/", 0)]


def test_errors_stand_at_their_row_and_nothing_is_written(runtime: Runtime, admin: Browser) -> None:
    """A missing address, a text that is too long, and an entry below nothing."""
    before = shape(runtime)
    assert send(admin, MenuRow("Below", "/x/", 1), MenuRow("Empty", "")) == 400
    assert 'id="0.label-problem">Nothing is above it' in admin.page
    assert 'id="1.url-problem">Say where it leads.' in admin.page
    assert send(admin, NOTES, MenuRow("x" * 101, "/x/", 1), ABOUT) == 400
    assert 'id="1.label-problem"' in admin.page
    assert shape(runtime) == before


def test_a_menu_that_somebody_changed_meanwhile_is_not_overwritten(runtime: Runtime, admin: Browser) -> None:
    """What was typed stays in the form."""
    admin.get(MENU)
    page = admin.page
    send(admin, NOTES, ABOUT)
    admin.page = page
    answered = press_settings(admin, MENU, {"label": ["Mine"], "url": ["/mine/"], "level": ["0"], "id": [""]})
    assert answered.status_code == 400
    assert "Somebody else changed the menu" in admin.text
    assert 'value="Mine"' in admin.page
    assert shape(runtime) == [("Notes", "/blog/", 0), ("About", "/about/", 0)]


def test_the_menu_is_put_back_as_a_whole(runtime: Runtime, admin: Browser) -> None:
    """Removed entries come back, in their order; not over a later change."""
    before = shape(runtime)
    send(admin, ABOUT)
    admin.get("/studio/site/changes/")
    assert admin.send("/studio/site/changes/", id="1").status_code == 200
    assert shape(runtime) == before
    send(admin, MenuRow("Other", "/other/"))
    admin.send("/studio/site/changes/", id="2")
    assert "changed again since" in admin.text


def test_buttons_of_rows_work_without_scripts_and_save_nothing(runtime: Runtime, admin: Browser) -> None:
    """Up and down take along what is below an entry."""
    before = shape(runtime)
    admin.get(MENU)
    for button, labels in (
        ("down:0", ["About", "Notes", "Tides"]),
        ("up:1", ["Notes", "Tides", "About"]),
        ("in:2", ["Notes", "Tides", "About"]),
        ("up:2", ["Notes", "About", "Tides"]),
        ("remove:1", ["Notes", "Tides"]),
        ("add", ["Notes", "Tides", ""]),
    ):
        press_settings(admin, MENU, {}, button)
        page = admin.page[admin.page.index('<ol class="menu-rows">') : admin.page.index("</ol>")]
        assert [part.split('"')[0] for part in page.split('name="label" value="')[1:]] == labels, button
    assert shape(runtime) == before


def test_a_site_without_a_menu_gets_one(runtime: Runtime, admin: Browser, make_page: MakePage) -> None:
    """The form begins with what the site shows; saving it makes the collection, with its file."""
    make_page("about", {"body": "<p>We.</p>"}, page_type="")
    admin.get(MENU)
    assert "no menu of its own" in admin.text
    assert press_settings(admin, MENU, {}).status_code == 200
    assert shape(runtime)[0] == ("All posts", "/blog/", 0)
    assert (runtime.settings.folder / "schema/collections/menu.yaml").read_text() == SCHEMA.read_text()


def test_addresses_are_found_by_name(admin: Browser, make_post: MakePost) -> None:
    """Of posts, pages, archives and lists."""
    make_post("spring-tide", title="Spring tide", categories=["Moon"])
    found = admin.get("/studio/site/addresses/?text=spring").get_json()["found"]
    assert found == [{"label": "Spring tide", "url": "/blog/spring-tide/", "kind": "Post"}]
    assert admin.get("/studio/site/addresses/?text=moon").get_json()["found"][0]["kind"] == "Category"
    assert admin.get("/studio/site/addresses/?text=/blog").get_json()["found"][0]["label"] == "All posts"


@pytest.mark.parametrize(("role", "reason"), [
    (Role.ADMIN, 'The menu is edited as a whole, in one place. <a href="/studio/site/menu/">Edit the menu</a>'),
    (Role.EDITOR, "You see the menu as it is. Admins edit it, under Site, Menu."),
])  # fmt: skip
def test_the_collection_leads_to_the_one_editor_of_the_menu(
    admin: Browser, signed_in: SignedIn, runtime: Runtime, role: Role, reason: str
) -> None:
    """List and items are shown as they are, with the reason; a form that was sent all the same changes nothing."""
    user = admin if role is Role.ADMIN else signed_in(role)
    before = shape(runtime)
    user.get("/studio/collections/")
    assert ('href="/studio/site/menu/"' in user.page.split("<main")[1]) == (role is Role.ADMIN)
    user.get("/studio/collections/menu/")
    assert reason in user.page
    assert not [each for each in ("New item", 'class="pick"', "Move up") if each in user.page]
    user.get("/studio/collections/menu/3/")
    assert reason in user.page
    assert 'value="publish"' not in user.page
    sent = user.send("/studio/collections/menu/3/", do="publish", complete="1", fields__label="Mine")
    assert sent.status_code == 403
    assert user.get("/studio/collections/menu/new/").request.path == "/studio/collections/menu/"
    assert shape(runtime) == before


def test_a_menu_with_more_fields_is_edited_in_the_collection_too(admin: Browser, runtime: Runtime) -> None:
    """The editor of the menu does not show them."""
    path = runtime.settings.folder / "schema/collections/menu.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}  - {{slug: icon, name: Icon, type: short_text}}\n", encoding="utf-8")
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    admin.get("/studio/collections/menu/")
    assert "New item" in admin.text
    admin.get("/studio/collections/menu/3/")
    press(admin, "publish", fields__icon="sun")
    with runtime.database.reading() as session:
        assert [
            each.fields["icon"]
            for each in VERSIONS[EntryKind.ITEM].of_type(session, "menu")
            if each.id == 3 and each.locale == "en"
        ] == ["sun"]
