"""Values of entries as texts for people, by label."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from sitecms.actions.editing.values import Values
from sitecms.actions.editing.values import fields_in as fields_of_entry
from sitecms.content.entry import FIELDS
from sitecms.content.fields import shown_type
from sitecms.content.kinds import AUTHOR, BODY, FORMAT, HTML, KINDS, MARKDOWN
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.messages import N_
from sitecms.studio.field_controls import Control
from sitecms.studio.field_form import fields_in, label_of_field, typed_group
from sitecms.studio.texts import _

FORMATS = {"long_text": MARKDOWN, "wysiwyg": HTML, "html": HTML}
"""The formats of fields with formatted text, by the type that is shown."""
_LABELS = {
    **{spec.slug: spec.name for kind in KINDS.values() for spec in kind.built_in},
    FORMAT: N_("Format of the text"), "scheduled_at": N_("Publish later"),
    "published_at": N_("Date of publication"), "new_categories": N_("New category"),
}  # fmt: skip
"""Labels of the built-in values of entries, and of other fields of their forms."""


class FieldText(Struct, frozen=True):
    """The text of a value, and its format where it is formatted: `html` or `markdown`."""

    text: str
    format: str = ""


Texts = Mapping[str, FieldText]
"""Texts of the fields of an entry, or of the parts of one field, by label."""


def label_of(name: str) -> str:
    """Return the label of a built-in value of an entry, or of a field of its form."""
    return _(_LABELS[name]) if name in _LABELS else name.replace("_", " ").capitalize()


def texts_of_values(
    values: Values, specs: Sequence[FieldSpec], schema: ContentSchema, authors: Mapping[str, str]
) -> dict[str, FieldText]:
    """Return the values of an entry as text by label, its declared fields included; `authors` are names by slug."""
    named = {**values, AUTHOR: authors.get(str(values[AUTHOR]), values[AUTHOR])} if AUTHOR in values else values
    formats = {BODY: str(values.get(FORMAT, ""))}
    texts = {
        label_of(name): FieldText(text_of(value), formats.get(name, ""))
        for name, value in named.items()
        if name != FIELDS
    }
    return {**texts, **dict(texts_of_fields(typed_group(fields_of_entry(values), specs, schema), specs, schema))}


def labels_of(controls: Iterable[Control], path: str = "") -> dict[str, str]:
    """Return the label of each control by its name; those of rows and components have their path before it."""
    labels = {}
    for control in controls:
        label = f"{path}{control.label}"
        labels[control.name] = label
        for number, group in enumerate(control.groups, 1):
            count = "" if control.type == "component" else f" {number}"
            title = f", {group.title}" if group.component else ""
            labels |= labels_of(group.controls, f"{label}{count}{title}: ")
    return labels


def texts_of_fields(
    typed: Mapping[str, Any], specs: Sequence[FieldSpec], schema: ContentSchema, path: str = ""
) -> Iterator[tuple[str, FieldText]]:
    """Yield label and text of each field; those of rows and components have their path before the label."""
    for spec in specs:
        label, value = f"{path}{label_of_field(spec)}", typed.get(spec.slug)
        match shown_type(spec):
            case "component":
                yield from texts_of_fields(value or {}, fields_in(spec, schema), schema, f"{label}: ")
            case "repeater":
                for number, row in enumerate(value or (), 1):
                    yield from texts_of_fields(row, spec.fields, schema, f"{label} {number}: ")
            case "component_picker":
                for number, row in enumerate(value or (), 1):
                    component = schema.component(row["type"])
                    part = f"{label} {number}, {component.name or component.slug}: "
                    yield from texts_of_fields(row["fields"], component.fields, schema, part)
            case _:
                yield label, FieldText(text_of(value), FORMATS.get(shown_type(spec), ""))


def texts_of_field(value: Any, spec: FieldSpec, schema: ContentSchema) -> dict[str, FieldText]:
    """Return the typed value of one field as people read it; parts of a component or row have their label, else ""."""
    texts, field_label = texts_of_fields({spec.slug: value}, [spec], schema), label_of_field(spec)
    return {"" if label == field_label else label: text for label, text in texts}


def text_of(value: Any) -> str:
    """Return a value as people read it."""
    match value:
        case None | "" | False:
            return ""
        case True:
            return _("yes")
        case list():
            return "\n".join(map(text_of, value))
        case {"url": url, "alt": alt, **rest} if not rest:
            return f"{url}\n{alt}".strip()
        case dict():
            return "\n".join(f"{name}: {text_of(inner)}" for name, inner in value.items())
    return str(value)
