"""Fields that hold fields: component, component picker, repeater; and how a group of fields is cleaned."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.field import Context, Field, as_table, check_length
from sitecms.content.fields.media import MediaField
from sitecms.content.fields.reference import ReferenceField
from sitecms.content.fields.scalar import CheckboxField, DateField, NumberField
from sitecms.content.fields.text import ColorField, DropdownField, HtmlField, TextField
from sitecms.content.schema.types import FieldSpec, FieldType
from sitecms.documents import nearest


class ComponentField(Field):
    """An object of the component's fields; `{}` if unset. A partial update keeps the keys it does not send."""

    empty: ClassVar[FieldValue] = {}

    def empty_of(self, spec: FieldSpec) -> FieldValue:  # noqa: ARG002
        return {}

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        if value is None or value == "":
            return {}
        table = as_table(value)
        if table is None:
            context.report("Must be an object.")
            return {}
        current = as_table(context.current)
        if not table:
            return dict(context.current) if isinstance(context.current, dict) else {}
        here = replace(context, is_partial=context.is_partial and bool(current))
        return clean_group(table, context.schema.component(spec.component).fields, here)


class ComponentPickerField(Field):
    """`[{"type": slug, "fields": {...}}]`, also written `[{"<slug>": {...}}]`; replaced as a whole."""

    empty: ClassVar[FieldValue] = []

    def empty_of(self, spec: FieldSpec) -> FieldValue:  # noqa: ARG002
        return []

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        entries = _list(value, context)
        cleaned = [self._entry(entry, spec, context.entry(number)) for number, entry in enumerate(entries)]
        check_length(cleaned, spec, context)
        return cleaned

    def _entry(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        slug, fields, inner = _picked(value, context)
        if slug not in spec.components:
            meant = nearest(slug, spec.components)
            hint = f' Did you mean "{meant}"?' if meant else ""
            shown = f'There is no component "{slug}" here.' if slug else "Must be an object with type and fields."
            context.at("type").report(f"{shown}{hint} Components: {', '.join(spec.components)}.")
            return None
        stored = as_table(context.current) or {}
        held = stored.get("fields") if stored.get("type") == slug else None
        here = replace(inner, current=held if isinstance(held, dict) else None)
        return {"type": slug, "fields": clean_group(fields, context.schema.component(slug).fields, here)}


class RepeaterField(Field):
    """A list of flat objects of the repeater's fields; replaced as a whole."""

    empty: ClassVar[FieldValue] = []

    def empty_of(self, spec: FieldSpec) -> FieldValue:  # noqa: ARG002
        return []

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        cleaned: list[FieldValue] = []
        for number, entry in enumerate(_list(value, context)):
            here, table = context.entry(number), as_table(entry)
            if table is None:
                here.report("Must be an object.")
            else:
                cleaned.append(clean_group(table, spec.fields, here))
        check_length(cleaned, spec, context)
        return cleaned


FIELDS: Mapping[FieldType, Field] = {
    FieldType.SHORT_TEXT: TextField(),
    FieldType.LONG_TEXT: TextField(),
    FieldType.WYSIWYG: HtmlField(),
    FieldType.HTML: HtmlField(),
    FieldType.NUMBER: NumberField(),
    FieldType.DATE: DateField(),
    FieldType.DROPDOWN: DropdownField(),
    FieldType.CHECKBOX: CheckboxField(),
    FieldType.COLOR: ColorField(),
    FieldType.MEDIA: MediaField(),
    FieldType.REFERENCE: ReferenceField(),
    FieldType.COMPONENT: ComponentField(),
    FieldType.COMPONENT_PICKER: ComponentPickerField(),
    FieldType.REPEATER: RepeaterField(),
}


def clean_group(raw: Mapping[str, object], specs: Sequence[FieldSpec], context: Context) -> dict[str, FieldValue]:
    """Every field of the group, in declared order: what was sent, else (partial) what is stored, else the default.

    After them come the stored values of fields that the schema no longer has: nobody could send them. Lists are
    replaced whole, so their entries keep none.
    """
    known = [spec.slug for spec in specs]
    for slug in raw:
        if slug not in known:
            context.at(slug).report(unknown_field(slug, known))
    current = context.current if isinstance(context.current, dict) else {}
    cleaned = {spec.slug: _clean_one(raw, spec, current, context) for spec in specs}
    hidden = {} if context.is_listed else {slug: value for slug, value in current.items() if slug not in known}
    return cleaned | hidden


def unknown_field(slug: str, known: Sequence[str]) -> str:
    """The sentence about a field there is not."""
    meant = nearest(slug, known)
    hint = f' Did you mean "{meant}"?' if meant else ""
    return f'There is no field "{slug[:100]}".{hint} Fields: {", ".join(known)}.'


def _clean_one(
    raw: Mapping[str, object], spec: FieldSpec, current: Mapping[str, FieldValue], context: Context
) -> FieldValue:
    here = context.at(spec.slug, current=current.get(spec.slug))
    if context.is_partial and spec.slug not in raw and spec.slug in current:
        return current[spec.slug]
    before = len(here.messages)
    value = FIELDS[spec.type].clean(raw.get(spec.slug, spec.default), spec, here)
    unset = value == FIELDS[spec.type].empty_of(spec) and spec.type is not FieldType.CHECKBOX
    sent_or_new = spec.slug in raw or not context.is_partial
    if spec.required and unset and sent_or_new and len(here.messages) == before:
        here.report("This field is required.")
    return value


def _picked(value: object, context: Context) -> tuple[str, Mapping[str, object], Context]:
    """Slug, fields, and the context of the fields, of one entry of a picker; slug "" if it is none."""
    table = as_table(value) or {}
    slug, fields = table.get("type"), as_table(table.get("fields", {}))
    if isinstance(slug, str) and fields is not None and table.keys() <= {"type", "fields"}:
        return slug, fields, context.at("fields")
    if len(table) == 1:
        ((slug, inner),) = table.items()
        fields = as_table(inner)
        if fields is not None:
            return slug, fields, context.at(slug)
    return "", {}, context


def _list(value: object, context: Context) -> list[object]:
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        context.report("Must be a list.")
        return []
    return value
