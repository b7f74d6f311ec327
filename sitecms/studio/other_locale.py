"""Values of another locale of an entry, beside the controls of its form, and what to say of them.

Rows are beside those of the same number and component.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.history import values_at
from sitecms.content.fields import shown_type
from sitecms.content.kinds import BODY, FORMAT
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.user import Action
from sitecms.store.database import Session
from sitecms.studio.entry_form import Typed, flat_values, typed_values
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.field_controls import Beside, control_name
from sitecms.studio.field_form import AREAS, ROWS, fields_in
from sitecms.studio.rendering import language_name
from sitecms.studio.text_comparison import TextComparison, comparison_in
from sitecms.studio.texts import _
from sitecms.studio.value_texts import FORMATS, FieldText, text_of, texts_of_field
from sitecms.studio.visit import Visit

_IN_WORDS = frozenset({"short_text", "media", *AREAS})
_COMPONENT = re.compile(r":[^.]*")
_NOTHING = FieldText("")
Values = Mapping[str, "_Value"]


class _Value(Struct, frozen=True):
    """The text of a value, and whether it is text that is translated."""

    text: FieldText
    is_in_words: bool


class _Changes(Struct, frozen=True):
    """The values of the newer one of two locales, `there` or here, when the older one was saved; None if unknown."""

    former: Values | None
    there: bool

    def has(self, name: str, now: Values) -> bool:
        """Return whether a value was changed since."""
        return self.former is not None and name in now and self.former.get(name) != now[name]


def texts_of_locale(place: EntryPlace) -> tuple[str, ...]:
    """Return the built-in values that are texts of a locale: all but names that its versions share, and relations."""
    kind, shared = place.properties, ("slug", *place.properties.immutable)
    return tuple(spec.slug for spec in kind.built_in if not spec.targets and spec.slug not in shared)


def values_beside(visit: Visit, place: EntryPlace, typed: Typed, other: Edited) -> dict[str, Beside]:
    """Return the values that another locale has beside those of a form, by the names of controls."""
    comparison = comparison_in(visit, place)
    their_values = typed_values(place, other.values)
    here, there = _values_of_locale(place, typed), _values_of_locale(place, their_values)
    stored = _values_of_locale(place, typed_values(place, place.edited.values)) if place.edited else here
    with visit.studio.runtime.database.reading() as session:
        changes = _changes(session, visit, place, other)
    language, beside = language_name(visit.studio.runtime.settings, other.locale), {}
    for name in dict.fromkeys((*there, *here)):
        value, own = there.get(name), here.get(name)
        if value is None or own is None:
            continue
        note = _missing(own, value, language)
        if not note and changes.has(name, there if changes.there else stored):
            note = _outdated(language, is_there=changes.there)
        if note or (value.text.text and (value.is_in_words or value != own)):
            html = _shown(comparison, name, value, changes)
            control = _COMPONENT.sub("", name)
            beside[control] = Beside(control, other.locale, html, note)
    return {**beside, **dict(_lists_beside(comparison, place, typed, their_values, other.locale))}


def _values_of_locale(place: EntryPlace, typed: Typed) -> dict[str, _Value]:
    """Return the values that each locale has of its own, by the names of controls; rows with their component."""
    flat = flat_values(typed)
    values = {
        name: _Value(FieldText(text_of(flat[name]), str(typed[FORMAT]) if name == BODY else ""), is_in_words=True)
        for name in texts_of_locale(place)
    }
    for spec in place.specs:
        values |= dict(_field_values(control_name(spec.slug), flat[control_name(spec.slug)], spec, place.schema))
    return values


def _field_values(name: str, value: Any, spec: FieldSpec, schema: ContentSchema) -> Iterator[tuple[str, _Value]]:
    if not spec.translatable:
        return
    match shown_type(spec):
        case "component":
            for inner in fields_in(spec, schema):
                yield from _field_values(f"{name}.{inner.slug}", (value or {}).get(inner.slug), inner, schema)
        case "repeater":
            for number, row in enumerate(value or ()):
                for inner in spec.fields:
                    yield from _field_values(f"{name}.{number}.{inner.slug}", row.get(inner.slug), inner, schema)
        case "component_picker":
            for number, row in enumerate(value or ()):
                path = f"{name}.{number}:{row['type']}.fields"
                for inner in schema.component(row["type"]).fields:
                    yield from _field_values(f"{path}.{inner.slug}", row["fields"].get(inner.slug), inner, schema)
        case shown:
            yield name, _Value(FieldText(text_of(value), FORMATS.get(shown, "")), shown in _IN_WORDS)


def _changes(session: Session, visit: Visit, place: EntryPlace, other: Edited) -> _Changes:
    """Return what the newer one of two locales had when the older one was saved.

    A translation that is newer than the text in the default locale does not make that outdated.
    """
    edited, default = place.edited, visit.studio.runtime.settings.default_locale
    here_at, there_at = edited.saved_at if edited else None, other.saved_at
    if edited is None or here_at is None or there_at is None or here_at == there_at:
        return _Changes(None, there=False)
    newer, older_at = (other, here_at) if there_at > here_at else (edited, there_at)
    if newer.locale != default and (newer is edited or edited.locale == default):
        return _Changes(None, there=False)
    values = values_at(session, newer, older_at) if newer.allows(visit.user, Action.READ_DRAFT) else None
    former = None if values is None else _values_of_locale(place, typed_values(place, {**newer.values, **values}))
    return _Changes(former, newer is other)


def _missing(here: _Value, there: _Value, language: str) -> str:
    if not there.is_in_words or bool(here.text.text) == bool(there.text.text):
        return ""
    return _("Missing in %(language)s", language=language) if here.text.text else _("Missing here")


def _outdated(language: str, *, is_there: bool) -> str:
    if is_there:
        return _("Changed in %(language)s after this was saved", language=language)
    return _("Changed here after %(language)s was saved", language=language)


def _shown(comparison: TextComparison, name: str, value: _Value, changes: _Changes) -> Markup:
    """Return a value as HTML, with its changed words marked where they are known."""
    former = (changes.former or {}).get(name) if changes.there else None
    if former is not None and former != value:
        return comparison.compare("", {"": former.text}, {"": value.text}).html
    return comparison.show(value.text)


def _lists_beside(
    comparison: TextComparison, place: EntryPlace, here: Typed, there: Typed, locale: str
) -> Iterator[tuple[str, Beside]]:
    """Yield the lists that have not the same rows in both locales, with all of the other one."""
    for spec in place.specs:
        own, value = flat_values(here)[control_name(spec.slug)], flat_values(there)[control_name(spec.slug)]
        if not (spec.translatable and shown_type(spec) in ROWS and _kinds(own) != _kinds(value)):
            continue
        note = _("Missing here") if not own else _("The rows are not the same")
        texts = texts_of_field(value, spec, place.schema)
        html = comparison.compare("", texts, texts).html
        yield control_name(spec.slug), Beside(control_name(spec.slug), locale, html, note)


def _kinds(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the component of each row, "" in a repeater."""
    return [str(row.get("type", "")) if set(row) == {"type", "fields"} else "" for row in rows]
