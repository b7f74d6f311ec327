"""The locales of an entry: versions or variants in them, beside each other where that is asked for, and new ones."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from flask import Response
from msgspec import Struct, field

from sitecms.actions.editing.copies import translate
from sitecms.actions.editing.edited import Edited, get_edited
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.user import Action
from sitecms.errors import NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.entry_rows import find_variants
from sitecms.studio.entry_form import Typed
from sitecms.studio.entry_place import STORED_FORMS, EntryPlace, number_of, route_action
from sitecms.studio.field_controls import Beside
from sitecms.studio.other_locale import values_beside
from sitecms.studio.rendering import language_name
from sitecms.studio.texts import _, ngettext
from sitecms.studio.visit import Route, Visit, redirect, wait_until_applied


class LocaleNotes(Struct, frozen=True):
    """The locales in which an entry is missing, and those whose text is older than that in the default locale."""

    missing: tuple[str, ...] = ()
    older: tuple[str, ...] = ()


class LocaleTab(Struct, frozen=True):
    """A locale of the site and the form in it, "" where a translation makes one, and what there is to say of it.

    `beside` is the query of the form that shows, or hides again, the text of that locale; "" where there is none.
    """

    locale: str
    address: str
    note: str
    beside: str = ""


class Translations(Struct, frozen=True):
    """The locales of an entry, and the values of one by the names of controls, if it is to stand beside."""

    tabs: tuple[LocaleTab, ...] = ()
    beside: str = ""
    values: Mapping[str, Beside] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """How many values are missing or outdated, "" where none is or no locale stands beside."""
        count = sum(bool(each.note) for each in self.values.values())
        if not count:
            return ""
        return ngettext("%(num)s field is missing or outdated", "%(num)s fields are missing or outdated", count)


def translations_of(visit: Visit, place: EntryPlace, typed: Typed) -> Translations:
    """Return the locales of a stored entry, with the values of the one that `beside` names beside those of the form."""
    settings, edited = visit.studio.runtime.settings, place.edited
    if len(settings.locales) < 2 or edited is None:
        return Translations()
    has_own = KINDS[place.kind].has_locales  # the versions of one entry, or else variants with ids of their own
    variants = {} if has_own else visit.studio.runtime.database.read(_variants, visit, edited)
    asked = visit.asked("beside")
    other = variant_in(visit, place, asked) if asked != place.locale else None
    beside = asked if other else ""
    times = {locale: _changed_at(edited, variants, locale) for locale in settings.locales}
    notes = locale_notes(settings, times)
    tabs = []
    for locale in settings.locales:
        if not has_own and variants.get(locale, edited) is None:
            continue  # a draft of somebody else
        variant = edited if has_own else variants.get(locale)
        address = f"{place.list_address}{variant.id}/" if variant else ""
        address += f"?locale={locale}" if has_own else ""
        query = _beside_query(place, locale, beside) if times[locale] else ""
        note = _("missing") if locale in notes.missing else older_note(settings) if locale in notes.older else ""
        tabs.append(LocaleTab(locale, address, note, query))
    return Translations(tuple(tabs), beside, values_beside(visit, place, typed, other) if other else {})


def locale_notes(settings: SiteSettings, changed_at: Mapping[str, datetime | None]) -> LocaleNotes:
    """Return what there is to say of the locales of an entry, by the times of their last changes."""
    times = {locale: changed_at.get(locale) for locale in settings.locales}
    first_at = times[settings.default_locale]
    older = (locale for locale, at in times.items() if at and first_at and at < first_at)
    return LocaleNotes(tuple(locale for locale, at in times.items() if at is None), tuple(older))


def older_note(settings: SiteSettings) -> str:
    """Return the words for a text that is older than that in the default locale."""
    return _("older than %(language)s", language=language_name(settings, settings.default_locale))


def _variants(session: Session, visit: Visit, edited: Edited) -> dict[str, Edited | None]:
    """Return the posts of the locale group by locale; None for one that the user may not see."""
    variants: dict[str, Edited | None] = {}
    for locale, post_id in find_variants(session, edited.named_version.group_id).items():
        try:
            variants[locale] = get_edited(session, visit.user, edited.kind, post_id)
        except NotFound:
            variants[locale] = None
    return variants


def _changed_at(edited: Edited, variants: Mapping[str, Edited | None], locale: str) -> datetime | None:
    if variant := variants.get(locale):
        return variant.saved_at
    version = edited.in_locale(locale)
    return version.updated_at if version else None


def _beside_query(place: EntryPlace, locale: str, beside: str) -> str:
    """Return the query that shows the text of a locale beside the form, or hides it; "" for that of the form."""
    if locale == place.locale:
        return ""
    parts = [f"{name}={value}" for name, value in place.query.items()]
    return "?" + "&".join(parts if locale == beside else [*parts, f"beside={locale}"])


def variant_in(visit: Visit, place: EntryPlace, locale: str) -> Edited | None:
    """Return what the entry has in another locale, as far as the user may see it; None if there is nothing."""
    edited = place.edited
    if edited is None or not locale:
        return None
    with visit.studio.runtime.database.reading() as session:
        if not KINDS[place.kind].has_locales:
            return _variants(session, visit, edited).get(locale)
        variant = get_edited(session, visit.user, place.kind, edited.id, locale)
        return variant if variant.shown else None


def send_translation(kind: EntryKind, visit: Visit, entry_id: str) -> Response:
    """Create the variant of an entry in a locale, and show its form beside the original."""
    edited = visit.studio.runtime.database.read(get_edited, visit.user, kind, number_of(entry_id))
    saved = translate(visit.editing, edited, visit.field("locale"))
    is_applied, new_id = wait_until_applied(visit, saved.write_id)
    if not is_applied:
        return redirect(KINDS[kind].list_address(edited.type), said="waiting")
    address = KINDS[kind].form_address(new_id, edited.type)
    return redirect(address, beside=edited.locale, said="translated")


ROUTES = tuple(
    Route("POST", f"{path}translate/", partial(send_translation, kind), route_action(kind, Action.CREATE))
    for kind, path in STORED_FORMS.items()
    if not KINDS[kind].has_locales
)
