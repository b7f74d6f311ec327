"""The form of an entry of any kind: typed values, read from what a browser sends, and laid over what is stored.

Typed values have the names of `editing.values`. Declared `fields` are typed as `field_form` says, and kinds with a body
always have its `format`. A field that is missing from a form is not changed.
"""

from collections.abc import Mapping
from typing import Any

from sitecms.actions.editing.values import Values, empty_values, fields_in
from sitecms.content.entry import FIELDS
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import BODY, FORMAT, HTML, MARKDOWN
from sitecms.content.schema import FieldSpec
from sitecms.content.text.empty_blocks import without_empty_blocks
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.field_controls import control_name
from sitecms.studio.field_form import (
    AREAS,
    changed_fields,
    laid_over,
    new_group,
    read_fields,
    typed_group,
    with_formatted,
)
from sitecms.studio.sent_form import Form, names_in, typed_text, with_picture

_OF_FORM = frozenset({"fields", "locale", "scheduled_at", "published_at"})
Typed = Mapping[str, Any]


def typed_values(place: EntryPlace, values: Values) -> dict[str, Any]:
    """Return the typed values of a stored entry with these values."""
    typed = {**values, FIELDS: typed_group(fields_in(values), place.specs, place.schema)}
    if place.properties.has_body and FORMAT not in typed:
        typed[FORMAT] = MARKDOWN if place.edited is None or place.edited.is_markdown else HTML
    return typed


def shown_values(place: EntryPlace, text_format: str = MARKDOWN) -> dict[str, Any]:
    """Return the typed values of the stored entry, or of a new one whose body has this format."""
    if place.edited is not None:
        return typed_values(place, place.edited.values)
    new = {**empty_values(place.kind), FIELDS: new_group(place.specs, place.schema)}
    return {**new, FORMAT: text_format} if place.properties.has_body else new


def tidied(place: EntryPlace, typed: Typed) -> tuple[dict[str, Any], int]:
    """Return typed values without the empty blocks of formatted texts, and how many these were.

    Texts that are as they are stored, and texts in Markdown, keep their bytes.
    """
    stored = typed_values(place, place.edited.stored) if place.edited else {FIELDS: {}}
    known, count = {stored.get(BODY)}, 0

    def keep(text: str) -> str:
        known.add(text)
        return text

    def tidy(text: str) -> str:
        nonlocal count
        clean, dropped = (text, 0) if text in known else without_empty_blocks(text)
        count += dropped
        return clean

    with_formatted(stored[FIELDS], place.specs, place.schema, keep)
    body = {BODY: tidy(typed[BODY])} if typed.get(FORMAT) == HTML else {}
    return {**typed, **body, FIELDS: with_formatted(typed[FIELDS], place.specs, place.schema, tidy)}, count


def values_of_typed(place: EntryPlace, typed: Typed) -> dict[str, FieldValue]:
    """Return typed values as they are saved: fields that are equal to the stored ones stay as they are stored.

    A new entry gets those that are not blank, and those that could take a declared default instead.
    """
    specs, schema, fields = place.specs, place.schema, typed[FIELDS]
    if place.edited is not None:
        return {**typed, FIELDS: laid_over(fields_in(place.edited.stored), fields, specs, schema)}
    defaults = {spec.slug: fields[spec.slug] for spec in specs if spec.default is not None}
    return {**typed, FIELDS: {**defaults, **changed_fields(typed_group({}, specs, schema), fields)}}


def read_form(form: Form, place: EntryPlace, before: Typed) -> dict[str, Any]:
    """Return the typed values in a form; `before` are those that the form showed.

    Raises InvalidRequest for fields that the schema does not have.
    """
    typed = {**before, **{spec.slug: _read(form, spec, before[spec.slug]) for spec in place.properties.built_in}}
    if form.get(FORMAT) in (MARKDOWN, HTML) and place.properties.has_body:
        typed[FORMAT] = form[FORMAT]
    return {**typed, FIELDS: read_fields(form, place.specs, place.schema, before[FIELDS])}


def _read(form: Form, spec: FieldSpec, before: Any) -> Any:
    """Return a built-in value; of terms the names, from boxes and a field for new ones, or one on each line."""
    name = spec.slug
    if f"{name}_shown" in form:
        checked = form.getlist(name)
        kept = [each for each in before if each in checked]
        return [*dict.fromkeys((*kept, *checked, *names_in(form.get(f"new_{name}", ""))))]
    if spec.many:
        return names_in(form[name]) if name in form else before
    if spec.targets:
        return form.get(name, before)
    return typed_text(form.get(name), before, is_area=spec.type in AREAS)


def with_chosen_picture(typed: Typed, name: str, address: str, alt: str) -> dict[str, Any]:
    """Return the typed values with a picture: at the end of the text for the name of the body, else the featured one.

    The picture that the entry has keeps its description if there is no new one.
    """
    if name == BODY:
        text = with_picture(typed[BODY], address, alt, is_markdown=typed[FORMAT] == MARKDOWN)
        return {**typed, BODY: text}
    if address == typed["featured_image"]:
        alt = alt or typed["featured_image_alt"]
    return {**typed, "featured_image": address, "featured_image_alt": alt}


def control_of(place: EntryPlace, name: str) -> str:
    """Return the name of the control of an error: that of a built-in value or of the form, or the path of a field."""
    declared = set() if place.properties.has_body else {spec.slug for spec in place.specs}
    if name in place.properties.names or name in _OF_FORM - declared:
        return name
    return control_name(name.removeprefix(f"{FIELDS}."))


def flat_values(typed: Typed) -> dict[str, Any]:
    """Return typed values by the names of their controls, without the format of the body."""
    plain = {name: value for name, value in typed.items() if name not in (FIELDS, FORMAT)}
    return {**plain, **{control_name(slug): value for slug, value in typed[FIELDS].items()}}


def nested_values(flat: Mapping[str, Any], typed: Typed) -> dict[str, Any]:
    """Return typed values with these values by the names of their controls."""
    fields = {slug: flat.get(control_name(slug), value) for slug, value in typed[FIELDS].items()}
    return {**{name: flat.get(name, value) for name, value in typed.items()}, FIELDS: fields}
