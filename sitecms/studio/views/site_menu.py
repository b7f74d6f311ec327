"""The menu of the site as a tree: rows that are moved, indented, added by search and removed, and saved at once."""

from collections.abc import Mapping, Sequence
from itertools import islice

from flask import Response
from msgspec import Struct, structs

from sitecms.actions.site_settings.menu import ADDRESS, LABEL, MENU, Menu, MenuRow, read_menu, save_menu
from sitecms.content.user import Action
from sitecms.errors import InvalidFields, InvalidInput, NotFound, Stale
from sitecms.messages import text_of
from sitecms.site.routes import Routes
from sitecms.site.views.site_view import NOT_IN_MENUS
from sitecms.studio.sent_form import check_complete
from sitecms.studio.site_sections import SITE
from sitecms.studio.site_targets import all_targets, find_targets
from sitecms.studio.texts import _
from sitecms.studio.views.site_settings import changed, frame
from sitecms.studio.visit import Route, Visit, redirect, settling

ADDRESS_OF_PAGE = f"{SITE}menu/"
MOST_FOUND, MOST_LISTED, DEFAULT_PAGES = 12, 200, 6
_MAX_DIGITS = 18


class ShownMenu(Struct, frozen=True):
    """The form of the menu as it is shown; `before` are the rows that it was opened with."""

    menu: Menu
    rows: Sequence[MenuRow]
    before: Sequence[MenuRow]
    errors: Mapping[str, Sequence[str]] = {}
    status: int = 200


def show_menu(visit: Visit) -> Response:
    """Show the menu in a locale; for a site without one, what it shows in place of it."""
    menu = _menu(visit)
    rows = menu.rows if menu.exists else _present_rows(visit, menu.locale)
    return _page(visit, ShownMenu(menu, rows, menu.rows))


def save_rows(visit: Visit) -> Response:
    """Save the menu, or change its rows as a button says, which saves nothing."""
    check_complete(visit.request.form)
    menu = _menu(visit)
    rows, before = _typed(visit, ""), _typed(visit, "was.")
    button, _colon, number = visit.field("do").partition(":")
    if button != "save":
        return _page(visit, ShownMenu(menu, _moved(rows, button, number), before))
    kept = [row for row in rows if row.label or row.url]
    try:
        change_id = save_menu(visit.editing, before, kept, menu.locale, settling(visit))
    except InvalidFields as error:
        return _page(visit, ShownMenu(menu, kept, before, error.messages, 400))
    except (InvalidInput, Stale) as error:
        return _page(visit, ShownMenu(menu, kept, before, {"": [text_of(error)]}, 400))
    query = {} if menu.locale == visit.studio.runtime.settings.default_locale else {"locale": menu.locale}
    if not change_id:
        return redirect(ADDRESS_OF_PAGE, **query, said="unchanged")
    return changed(ADDRESS_OF_PAGE, change_id, **query)


def find_addresses(visit: Visit) -> Response:
    """Return the addresses of the site that match a text, for a script."""
    _number, snapshot = visit.studio.published.now()
    settings = visit.studio.runtime.settings
    found = find_targets(snapshot, settings, _locale(visit), visit.query("text"), MOST_FOUND)
    return visit.json({"found": [structs.asdict(each) for each in found]})


def _menu(visit: Visit) -> Menu:
    return visit.studio.runtime.database.read(read_menu, _locale(visit))


def _locale(visit: Visit) -> str:
    settings = visit.studio.runtime.settings
    locale = visit.query("locale") or settings.default_locale
    if locale not in settings.locales:
        raise NotFound(_("Not found."))
    return locale


def _present_rows(visit: Visit, locale: str) -> list[MenuRow]:
    """Return what a site without a menu shows: the posts and a few Single Pages."""
    _number, snapshot = visit.studio.published.now()
    routes = Routes(visit.studio.runtime.settings)
    own = (page for page in snapshot.pages if page.locale == locale and not page.type and not routes.is_home(page))
    single = [page for page in own if not NOT_IN_MENUS.fullmatch(page.slug)]
    single.sort(key=lambda page: (routes.path(page).strip("/").count("/"), page.slug))
    pages = (MenuRow(page.title, routes.path(page)) for page in single)
    return [MenuRow(_("All posts"), routes.blog(locale)), *islice(pages, DEFAULT_PAGES)]


def _typed(visit: Visit, prefix: str) -> list[MenuRow]:
    """Return the rows of the form in its order; those with `prefix` are the rows that it was opened with."""
    form = visit.request.form
    columns = (form.getlist(f"{prefix}{name}") for name in (LABEL, ADDRESS, "level", "id"))
    rows = zip(*columns, strict=False)
    return [
        MenuRow(" ".join(label.split()), url.strip(), int(level == "1"), _number(item))
        for label, url, level, item in rows
    ]


def _number(text: str) -> int:
    return int(text[:_MAX_DIGITS]) if text.isascii() and text.isdecimal() else 0


def _moved(rows: list[MenuRow], button: str, text: str) -> list[MenuRow]:
    """Return the rows after a button: one moved up or down, indented or not, removed, or an empty one added."""
    number = _number(text) if text else len(rows)
    if button == "add":
        return [*rows, MenuRow("", "", 0)]
    if number >= len(rows):
        return rows
    end = _end_of(rows, number)
    match button:
        case "remove":
            return rows[:number] + rows[number + 1 :]
        case "in" | "out" if number:
            row = structs.replace(rows[number], level=int(button == "in"), id=rows[number].id * (button == "out"))
            return [*rows[:number], row, *rows[number + 1 :]]
        case "up" if number > rows[number].level:
            before = number - 1
            while rows[before].level > rows[number].level:
                before -= 1
            return [*rows[:before], *rows[number:end], *rows[before:number], *rows[end:]]
        case "down" if end < len(rows):
            after = _end_of(rows, end) if not rows[number].level else end + 1
            return [*rows[:number], *rows[end:after], *rows[number:end], *rows[after:]]
    return rows


def _end_of(rows: Sequence[MenuRow], number: int) -> int:
    """Return the number behind a row and those below it."""
    if rows[number].level:
        return number + 1
    return next((each for each in range(number + 1, len(rows)) if not rows[each].level), len(rows))


def _page(visit: Visit, shown: ShownMenu) -> Response:
    _number, snapshot = visit.studio.published.now()
    settings, locale = visit.studio.runtime.settings, shown.menu.locale
    targets = list(islice(all_targets(snapshot, settings, locale), MOST_LISTED))
    query = f"?locale={locale}" if locale != settings.default_locale else ""
    return visit.page(
        "site_menu.html",
        status=shown.status,
        shown=shown,
        address=ADDRESS_OF_PAGE + query,
        targets=targets,
        collection=f"/studio/collections/{MENU}/",
        **frame(visit),
    )


ROUTES = (
    Route("GET", ADDRESS_OF_PAGE, show_menu, Action.MANAGE_SITE),
    Route("POST", ADDRESS_OF_PAGE, save_rows, Action.MANAGE_SITE),
    Route("GET", f"{SITE}addresses/", find_addresses, Action.MANAGE_SITE),
)
