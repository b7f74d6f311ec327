"""The preview of the theme with settings that are not saved: pages of the published site as they would look.

The settings of a preview are kept under a key, by which its page asks for the files of the theme.
"""

from collections.abc import Sequence
from typing import Any

from flask import Response

from sitecms.actions.site_settings.files import new_settings
from sitecms.actions.site_settings.site_file import Values, read_values, set_value
from sitecms.content.fingerprint import canonical, digest
from sitecms.content.user import Action
from sitecms.errors import ConfigurationError, InvalidFiles, NotFound
from sitecms.messages import N_, text_of
from sitecms.site.routes import Routes, output_path
from sitecms.site.unsaved.page import UnsavedPages
from sitecms.store.site_state.documents import find_look, save_look
from sitecms.store.site_state.settings_changes import ValueChange
from sitecms.studio.sent_form import check_complete
from sitecms.studio.site_form import typed_controls
from sitecms.studio.site_sections import THEME
from sitecms.studio.texts import _
from sitecms.studio.views.previews import asset_response, media_file, page_response, show_faults
from sitecms.studio.views.site_settings import SETTINGS, messages_by_control, section_groups, theme_changes
from sitecms.studio.visit import Route, Studio, Visit

BASE_PATH = "/studio/look"
LOOK_AT = "look_at"
KEY_LENGTH = 32
NO_PAGE = N_("The site has no page there.")
NOT_KEPT = N_("The preview is too old. Change a setting to see it again.")


def preview_theme(visit: Visit) -> Response:
    """Return a page as it is with the settings of the form, or what is wrong with them."""
    check_complete(visit.request.form)
    try:
        groups, errors = typed_controls(visit.request.form, section_groups(visit, THEME))
    except ConfigurationError as error:
        return show_faults(visit, [("", text_of(error))], 400)
    if errors:
        return show_faults(visit, [(name, text) for name, texts in errors.items() for text in texts], 400)
    try:
        page = _pages(visit.studio, theme_changes(visit, groups)).page_at(output_path(_path(visit)))
    except InvalidFiles as error:
        found = messages_by_control(groups, error)
        return show_faults(visit, [(name, text) for name, texts in found.items() for text in texts], 400)
    except ConfigurationError as error:
        return show_faults(visit, [("", text_of(error))], 400)
    if page is None:
        return show_faults(visit, [("", _(NO_PAGE))], 404)
    if page.error:
        return show_faults(visit, [("", _("The theme cannot show the page: %(error)s", error=page.error))], 422)
    return page_response(visit, page)


def _path(visit: Visit) -> str:
    """Return the page that the form names, by default the home page."""
    settings = visit.studio.runtime.settings
    return visit.field(LOOK_AT) or Routes(settings).root(settings.default_locale)


def _pages(studio: Studio, changes: Sequence[ValueChange]) -> UnsavedPages:
    """Return the site with these changes of its settings, and keep them under a key. Raises InvalidFiles."""
    values = read_values(studio.runtime.settings, SETTINGS)
    unsaved = [[list(each.key), each.after] for each in changes]
    key = digest(canonical([values, unsaved]))[:KEY_LENGTH]
    pages = studio.looks.find(key)
    if pages is None:
        pages = studio.looks.keep(key, _opened(studio, key, values, unsaved))
        with studio.runtime.database.writing(counts_as_change=False) as transaction:
            save_look(transaction, key, unsaved)
    return pages


def _opened(studio: Studio, key: str, values: Values, unsaved: Sequence[Any]) -> UnsavedPages:
    for name, value in unsaved:
        set_value(values, name, value)
    settings = new_settings(studio.runtime.settings, values)
    return UnsavedPages(studio.published, settings, f"{BASE_PATH}/{key}")


def look_file(studio: Studio, key: str, name: str) -> Response:
    """Return a file of the theme as a preview has it."""
    pages = studio.looks.find(key)
    if pages is None:
        unsaved = studio.runtime.database.read(find_look, key)
        if unsaved is None:
            raise NotFound(_(NOT_KEPT))
        try:
            values = read_values(studio.runtime.settings, SETTINGS)
            pages = studio.looks.keep(key, _opened(studio, key, values, unsaved))
        except InvalidFiles as error:  # site.toml was broken meanwhile; the page of the theme says so
            raise NotFound(_(NOT_KEPT)) from error
    data = pages.asset(f"assets/{name}")
    if data is None:
        raise NotFound(_("Not found."))
    return asset_response(name, data)


def look_media(studio: Studio, key: str, name: str) -> Response:  # noqa: ARG001 - media are the same in all previews
    """Return a redirect to a file of the library."""
    return media_file(studio, name)


FILES = {f"{BASE_PATH}/<key>/assets/<path:name>": look_file, f"{BASE_PATH}/<key>/media/<name>": look_media}
"""Views of files without a session."""
ROUTES = (Route("POST", f"{THEME.address}preview/", preview_theme, Action.MANAGE_SITE),)
