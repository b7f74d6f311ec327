"""Settings of the site for admins: forms made from the schema of site.toml, the changes made here, and undo."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from zoneinfo import available_timezones

from flask import Response
from msgspec import Struct

from sitecms.actions.site_settings.files import redirects_file, settings_file
from sitecms.actions.site_settings.menu import MENU
from sitecms.actions.site_settings.pictures import place_picture
from sitecms.actions.site_settings.site_file import (
    SiteFile,
    Values,
    change_site_file,
    fields_of,
    find_value,
    in_words,
    read_values,
    why_not_changeable,
)
from sitecms.actions.site_settings.undo import undo
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.user import Action
from sitecms.errors import ConfigurationError, Conflict, InvalidFields, InvalidFiles, InvalidRequest
from sitecms.messages import N_, text_of
from sitecms.settings.current import read_beside
from sitecms.settings.fonts import FONT_USES
from sitecms.settings.site import REDIRECTS_FILE, SETTINGS_FILE, SiteSettings
from sitecms.settings.theme_folder import OPTIONS, ThemeFolder, declared_options, read_theme, theme_chain, theme_places
from sitecms.site.plan.redirect_rules import rules_of
from sitecms.site.theme.theme import load_theme
from sitecms.site.views.site_view import check_theme
from sitecms.store.entries.authors import find_authors
from sitecms.store.listings.entries import EntryFilter, list_entries
from sitecms.store.site_state.settings_changes import SettingsChange, ValueChange, find_settings_changes
from sitecms.studio.sent_form import check_complete
from sitecms.studio.site_form import (
    Choices,
    Control,
    all_controls,
    changes_of,
    controls_of,
    font_options,
    name_of,
    shown_values,
    typed_controls,
)
from sitecms.studio.site_sections import GENERAL, SECTIONS, SERVICES, SITE, THEME, Group, Section
from sitecms.studio.site_targets import Target, all_targets
from sitecms.studio.texts import _
from sitecms.studio.views.picture_choice import choose_picture
from sitecms.studio.visit import Route, Visit, paging, redirect, settling

CHANGES = f"{SITE}changes/"
MOST_PAGES = 500
PAGES_OF_KIND = 5
IN_USE = N_("It is in %(file)s: the studio and the API use it already, and the next build has it.")
NEXT_BUILD = N_("It is in %(file)s, and the next build has it.")
FORMER_SETTINGS = N_("%(file)s has errors. Until they are corrected there, the studio uses the settings from before:")
WAITING = N_("These settings take effect when sitecms is started again: %(names)s.")
_THEME_NAME = ("theme", "name")


TABS = (
    (N_("Publish"), f"{SITE}builds/"),
    (GENERAL.title, GENERAL.address),
    (N_("Menu"), f"{SITE}menu/"),
    (THEME.title, THEME.address),
    (N_("Redirects"), f"{SITE}redirects/"),
    (SERVICES.title, SERVICES.address),
    (N_("Tokens"), f"{SITE}tokens/"),
    (N_("Webhooks"), f"{SITE}webhooks/"),
    (N_("Changes"), CHANGES),
)
SETTINGS = settings_file(lambda settings: check_theme(load_theme(settings.folder, settings.theme)))
FILES: Mapping[str, SiteFile] = {SETTINGS_FILE: SETTINGS, REDIRECTS_FILE: redirects_file(rules_of)}


class ShownForm(Struct, frozen=True):
    """A form of settings as it is shown, with its errors by the name of the control."""

    groups: Sequence[tuple[Group, Sequence[Control]]]
    errors: Mapping[str, Sequence[str]] = {}
    status: int = 200


def show_section(section: Section, visit: Visit) -> Response:
    """Show the form of a section."""
    try:
        form = ShownForm(section_groups(visit, section))
    except ConfigurationError as error:
        return _unreadable(visit, section, error)
    return _page(visit, section, form)


def save_section(section: Section, visit: Visit) -> Response:
    """Save what was changed, or choose a picture, as the button says."""
    check_complete(visit.request.form)
    try:
        groups, errors = typed_controls(visit.request.form, section_groups(visit, section))
    except ConfigurationError as error:
        return _unreadable(visit, section, error)
    chosen = choose_picture(visit, section.address)
    if isinstance(chosen, Response):
        return chosen
    if chosen is not None:
        return _page(visit, section, ShownForm(_with_picture(groups, chosen.name, chosen.address)))
    if errors:
        return _page(visit, section, ShownForm(groups, errors, 400))
    try:
        change_id = _save(visit, groups)
    except InvalidFields as error:
        return _page(visit, section, ShownForm(groups, _by_control(groups, error), 400))
    except (InvalidRequest, InvalidFiles) as error:
        return _page(visit, section, ShownForm(groups, {"": [text_of(error)]}, 400))
    return redirect(section.address, said="unchanged") if not change_id else changed(section.address, change_id)


def changed(address: str, change_id: int, **query: str) -> Response:
    """Lead to a page that says what was changed, with a button that takes it back."""
    return redirect(address, **query, change=str(change_id))


def _save(visit: Visit, groups: Sequence[tuple[Group, Sequence[Control]]]) -> int:
    changes = theme_changes(visit, groups)
    placed = [
        ValueChange(each.key, each.before, place_picture(visit.editing, each.after))
        if isinstance(each.after, str)
        else each
        for each in changes
    ]
    return change_site_file(visit.editing, SETTINGS, placed)


def theme_changes(visit: Visit, groups: Sequence[tuple[Group, Sequence[Control]]]) -> Sequence[ValueChange]:
    """Return the changes that a form makes; another theme takes the options of the former one away."""
    changes = changes_of(all_controls(groups))
    name = next((each for each in changes if each.key == _THEME_NAME), None)
    if name is None:
        return changes
    return _of_theme(visit, str(name.after), changes, read_values(visit.studio.runtime.settings, SETTINGS))


def _of_theme(visit: Visit, name: str, changes: Sequence[ValueChange], values: Values) -> Sequence[ValueChange]:
    """Return the changes without options that another theme does not have; those of the former one go."""
    options = declared_options(_chain(visit.studio.runtime.settings, name))
    place = ("theme", OPTIONS)
    written = find_value(values, place) or {}
    gone = [ValueChange((*place, key), value, None) for key, value in written.items() if key not in options]
    return [*(each for each in changes if each.key[:2] != place or each.key[2] in options), *gone]


def section_groups(visit: Visit, section: Section) -> list[tuple[Group, list[Control]]]:
    """Return the controls of a section with the values of site.toml. Raises InvalidFiles."""
    settings = visit.studio.runtime.settings
    values = read_values(settings, SETTINGS)
    return controls_of(section.groups, values, choices_of(visit, values))


def choices_of(visit: Visit, values: Values) -> Choices:
    """Return what settings can name. Raises InvalidFiles for a theme that has errors."""
    settings = visit.studio.runtime.settings
    chain = _chain(settings, str(find_value(values, _THEME_NAME) or "default"))
    with visit.studio.runtime.database.reading() as session:
        authors = find_authors(session)
        published = EntryFilter(published_only=True)
        pages = list_entries(session, EntryKind.PAGE, None, published, Window(MOST_PAGES)).entries
    main = str(values.get("default_locale", "en"))
    locales = (main, *(each for each in values.get("locales", ()) if each != main))
    own = [each["family"] for each in find_value(values, ("theme", "fonts")) or ()]
    fonts = font_options([*own, *(font.family for theme in chain for font in theme.fonts)])
    names = [("/".join(filter(None, (each.type, each.slug))), each.title or each.slug) for each in pages]
    by_key = {
        "owner": (("", _("none, or the only one there is")), *((each.slug, each.name) for each in authors)),
        "build.home": (("", _("the latest posts")), *names),
        "theme.name": tuple(_themes(settings)),
        "theme.favicon": (),
        **{f"theme.{use}": fonts for use in FONT_USES},
    }
    return Choices(locales, chain, by_key)


def _chain(settings: SiteSettings, name: str) -> tuple[ThemeFolder, ...]:
    return theme_chain(name, settings.folder, settings.theme.of_plugins)


def _themes(settings: SiteSettings) -> Iterator[tuple[str, str]]:
    """Yield the themes that the site can have, with what they say of themselves."""
    for name, place in theme_places(settings.folder, settings.theme.of_plugins).items():
        with suppress(InvalidFiles):
            description = read_theme(place.folder, place.path).description
            yield name, f"{name}: {description}" if description else name


def _with_picture(
    groups: Sequence[tuple[Group, Sequence[Control]]], name: str, address: str
) -> list[tuple[Group, list[Control]]]:
    """Return the controls with a picture that was chosen; with none, as they are."""
    replaced = []
    for group, controls in groups:
        new = [_with_value(each, address) if each.name == name and address else each for each in controls]
        replaced.append((group, new))
    return replaced


def _with_value(control: Control, value: str) -> Control:
    return Control(
        control.key, control.label, control.help, control.kind, value, control.raw, control.held, control.options
    )


def _by_control(groups: Sequence[tuple[Group, Sequence[Control]]], error: InvalidFields) -> dict[str, list[str]]:
    """Return errors by the control whose setting they are about; others by "", with the name of the setting."""
    names = [each.name for each in all_controls(groups)]
    found: dict[str, list[str]] = {}
    for place, messages in error.messages.items():
        mine = [name for name in names if place == name or place.startswith((f"{name}.", f"{name}["))]
        prefix = "" if mine or not place else f"{place}: "
        found.setdefault(max(mine, key=len, default=""), []).extend(f"{prefix}{message}" for message in messages)
    return found


def messages_by_control(groups: Sequence[tuple[Group, Sequence[Control]]], error: InvalidFiles) -> dict[str, list[str]]:
    """Return errors of a file by the control whose setting they are about."""
    return _by_control(groups, fields_of(error))


def _page(visit: Visit, section: Section, form: ShownForm) -> Response:
    return visit.page(
        "site_form.html",
        status=form.status,
        section=section,
        form=form,
        shown=shown_values(form.groups),
        labels={each.name: each.label for each in all_controls(form.groups)},
        timezones=sorted(available_timezones()) if section is GENERAL else (),
        preview=section is THEME,
        targets=_pages_to_look_at(visit) if section is THEME else (),
        **frame(visit),
    )


def _pages_to_look_at(visit: Visit) -> list[Target]:
    """Return pages of each kind for the preview of the theme."""
    _number, snapshot = visit.studio.published.now()
    settings, pages = visit.studio.runtime.settings, dict[str, list[Target]]()
    for each in all_targets(snapshot, settings, settings.default_locale):
        of_kind = pages.setdefault(each.kind, [])
        if len(of_kind) < PAGES_OF_KIND:
            of_kind.append(each)
    return [each for of_kind in pages.values() for each in of_kind]


def frame(visit: Visit) -> dict[str, Any]:
    """Return what all pages of *Site* show: its tabs, why nothing can be changed, and the change made just now."""
    text = visit.query("change")
    notice: dict[str, object] | None = None
    if text.isdecimal() and len(text) < 10:
        changes = visit.studio.runtime.database.read(find_settings_changes, Window(1)).entries
        if changes and changes[0].id == int(text):
            notice = {
                "id": changes[0].id,
                "lines": lines_of(changes[0].values),
                "effect": effect_of(changes[0]),
            }
    settings = visit.studio.runtime.settings
    warnings = unused_settings(settings)
    return {"tabs": TABS, "notice": notice, "closed": why_not_changeable(settings), "warnings": warnings}


def unused_settings(settings: SiteSettings) -> list[str]:
    """Return lines that say which settings of site.toml, as it is now, the studio does not use."""
    try:
        _written, waiting = read_beside(settings)
    except ConfigurationError as error:
        return [_(FORMER_SETTINGS, file=SETTINGS_FILE), *str(error).splitlines()]
    return [_(WAITING, names=", ".join(waiting))] if waiting else []


def effect_of(change: SettingsChange) -> str:
    """Return where a change is, and when it takes effect."""
    if change.file == MENU:
        return _("The next build has it.")
    return _(IN_USE if change.file == SETTINGS_FILE else NEXT_BUILD, file=change.file)


def lines_of(changes: Sequence[ValueChange]) -> list[tuple[str, str, str]]:
    """Return changes as people read them: the setting, and what it was and is."""
    lines = []
    for each in changes:
        if each.key[0] == MENU:
            lines += _menu_lines(each)
        else:
            lines.append((name_of(each.key), in_words(each.before), in_words(each.after)))
    return lines


def _menu_lines(change: ValueChange) -> list[tuple[str, str, str]]:
    """Return the rows of the menu that came or went; of another order, all rows at the top."""
    before, after = ([f"{label} ({url})" for label, url, _level, _id in rows] for rows in (change.before, change.after))
    gone = [row for row in before if row not in after]
    new = [row for row in after if row not in before]
    if not gone and not new:
        tops = ([label for label, _url, level, _id in rows if not level] for rows in (change.before, change.after))
        gone, new = tops
    return [(_("Menu"), ", ".join(gone) or "–", ", ".join(new) or "–")]


def _unreadable(visit: Visit, section: Section, error: ConfigurationError) -> Response:
    """Show why a file of settings cannot be read: it has to be corrected where it was written."""
    form = ShownForm((), {"": str(error).splitlines()}, 409)
    return _page(visit, section, form)


def show_changes(visit: Visit, problem: str = "") -> Response:
    """Show the changes that were made here, the last first."""
    with visit.studio.runtime.database.reading() as session:
        page = paging(visit, find_settings_changes(session, Window(0)).count)
        changes = find_settings_changes(session, page.window).entries
    listed = [(each, lines_of(each.values)) for each in changes]
    status = 409 if problem else 200
    return visit.page("site_changes.html", status=status, listed=listed, paging=page, problem=problem, **frame(visit))


def undo_change(visit: Visit) -> Response:
    """Take a change back."""
    text = visit.field("id")
    try:
        change_id = undo(visit.editing, int(text[:9]) if text.isdecimal() else 0, FILES, settling(visit))
    except Conflict as error:
        return show_changes(visit, text_of(error))
    except (InvalidRequest, InvalidFiles) as error:
        return show_changes(visit, str(fields_of(error) if isinstance(error, InvalidFiles) else error))
    return changed(CHANGES, change_id)


ROUTES = (
    *(
        Route(method, section.address, partial(view, section), Action.MANAGE_SITE)
        for section in SECTIONS
        for method, view in (("GET", show_section), ("POST", save_section))
    ),
    Route("GET", CHANGES, show_changes, Action.MANAGE_SITE),
    Route("POST", CHANGES, undo_change, Action.MANAGE_SITE),
)
