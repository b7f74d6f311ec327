"""Forms of fields as the schema declares them, and their typed values.

A typed value is what a form shows of a stored one: text, a boolean, {"url", "alt"} of media, a list of URIs, groups by
slug, and lists of them. Only fields whose typed value differs from the one that was shown are sent, so that nothing
else is rewritten. Names of controls are paths: `fields.steps.0.title`. A row also has the number that it had when the
form was opened, `fields.steps.0.-from`, so that its values are compared with its own wherever it is moved to.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sitecms.content.fields import shown_type
from sitecms.content.schema import TERMS, ContentSchema, FieldSpec, is_post_like
from sitecms.errors import InvalidRequest
from sitecms.studio.sent_form import Form, names_in, typed_text
from sitecms.studio.texts import _

ROOT = "fields"
MAX_ROWS = 500
COUNT, ORIGIN = "count", "-from"  # no slug begins with a hyphen
AREAS = frozenset({"long_text", "wysiwyg", "html"})
ROWS = frozenset({"repeater", "component_picker"})
_TEXTS = frozenset({"short_text", "number", "date", "dropdown", "color", *AREAS})
_KNOWN = frozenset({*_TEXTS, *ROWS, "checkbox", "media", "reference", "component", TERMS})
Typed = Mapping[str, Any]


def label_of_field(spec: FieldSpec) -> str:
    """Return the name of a field for people."""
    return _(spec.name) if is_post_like(spec) else spec.name or spec.slug


def is_editable(spec: FieldSpec, schema: ContentSchema) -> bool:
    """Return whether forms know the type of the field, and those of all fields inside it."""
    return shown_type(spec) in _KNOWN and all(is_editable(each, schema) for each in fields_in(spec, schema))


def fields_in(spec: FieldSpec, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """Return the fields inside a field: those of its rows or components."""
    if shown_type(spec) == "repeater":
        return spec.fields
    slugs = (spec.component,) if shown_type(spec) == "component" else spec.components
    return tuple(each for slug in slugs if slug in schema.components for each in schema.components[slug].fields)


def typed_group(values: Mapping[str, Any], specs: Sequence[FieldSpec], schema: ContentSchema) -> dict[str, Any]:
    """Return the typed values of stored fields."""
    return {spec.slug: typed_value(values.get(spec.slug), spec, schema) for spec in specs}


def typed_value(value: Any, spec: FieldSpec, schema: ContentSchema) -> Any:
    """Return the typed value of a stored one."""
    match shown_type(spec):
        case "checkbox":
            return bool(value)
        case "media":
            stored = value if isinstance(value, dict) else {}
            return {"url": str(stored.get("url") or ""), "alt": str(stored.get("alt") or "")}
        case "reference" | "terms" if spec.many:
            return [str(each) for each in value] if isinstance(value, list) else []
        case "component":
            return typed_group(value if isinstance(value, dict) else {}, fields_in(spec, schema), schema)
        case "repeater":
            return [typed_group(row, spec.fields, schema) for row in _rows(value)]
        case "component_picker":
            return [_typed_picked(row, schema) for row in _rows(value) if row.get("type") in schema.components]
    return "" if value is None else str(value)


def _typed_picked(row: Mapping[str, Any], schema: ContentSchema) -> dict[str, Any]:
    fields = row.get("fields")
    specs = schema.component(str(row["type"])).fields
    return {"type": row["type"], "fields": typed_group(fields if isinstance(fields, dict) else {}, specs, schema)}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def read_fields(form: Form, specs: Sequence[FieldSpec], schema: ContentSchema, before: Typed) -> dict[str, Any]:
    """Return the typed values of a form; a field that is missing has the value that was shown.

    Raises InvalidRequest for names that the schema does not have.
    """
    used: set[str] = set()
    editable = [spec for spec in specs if is_editable(spec, schema)]
    typed = {**before, **_read_group(form, ROOT, editable, schema, before, used)}
    unknown = next((name for name in form if name.startswith(f"{ROOT}.") and name not in used), None)
    if unknown is not None:
        raise InvalidRequest(
            _("There is no field “%(name)s”. The schema may have changed: open the page again.", name=unknown[:100])
        )
    return typed


def _read_group(
    form: Form, path: str, specs: Sequence[FieldSpec], schema: ContentSchema, before: Typed, used: set[str]
) -> dict[str, Any]:
    return {spec.slug: _read(form, f"{path}.{spec.slug}", spec, schema, before.get(spec.slug), used) for spec in specs}


def _read(form: Form, name: str, spec: FieldSpec, schema: ContentSchema, before: Any, used: set[str]) -> Any:
    used.update((name, f"{name}.shown", f"{name}.url", f"{name}.alt", f"{name}.count"))
    match shown_type(spec):
        case "checkbox":
            return form.get(name) == "1" if f"{name}.shown" in form else bool(before)
        case "media":
            stored = before if isinstance(before, dict) else {}
            return {key: typed_text(form.get(f"{name}.{key}"), stored.get(key, "")) for key in ("url", "alt")}
        case "reference" if spec.many:
            if f"{name}.shown" not in form:
                return before if isinstance(before, list) else []
            return [each for each in dict.fromkeys(form.getlist(name)) if each]
        case "terms":
            return names_in(form[name]) if name in form else before or []
        case "component":
            return _read_group(
                form, name, fields_in(spec, schema), schema, before if isinstance(before, dict) else {}, used
            )
        case "repeater" | "component_picker":
            return _read_rows(form, name, spec, schema, before if isinstance(before, list) else [], used)
        case "date" if form.get(name) == shown_date(str(before or "")):
            return before or ""
    return typed_text(form.get(name), before or "", is_area=shown_type(spec) in AREAS)


def _read_rows(
    form: Form, name: str, spec: FieldSpec, schema: ContentSchema, rows_before: Sequence[Any], used: set[str]
) -> list[Any]:
    count = count_of_rows(form, name)
    if count is None:
        return list(rows_before)
    rows = []
    for number in range(count):
        here = f"{name}.{number}"
        used.add(f"{here}.{ORIGIN}")
        if shown_type(spec) == "repeater":
            before = _row_before(form, here, number, rows_before)
            before = new_group(spec.fields, schema) if before is None else before
            rows.append(_read_group(form, here, spec.fields, schema, before, used))
            continue
        used.add(f"{here}.type")
        component = form.get(f"{here}.type", "")
        if component not in spec.components or component not in schema.components:
            raise InvalidRequest(
                _("There is no component “%(name)s” in the field %(field)s.", name=component[:100], field=spec.slug)
            )
        specs = schema.component(component).fields
        before = _row_before(form, here, number, rows_before)
        if before is None:
            inner = new_group(specs, schema)
        else:
            inner = before.get("fields", {}) if before.get("type") == component else {}
        rows.append({"type": component, "fields": _read_group(form, f"{here}.fields", specs, schema, inner, used)})
    return rows


def count_of_rows(form: Form, name: str) -> int | None:
    """Return the number of rows that a form has of a list; None if it does not have the list."""
    return row_number(form.get(f"{name}.{COUNT}", ""))


def row_number(text: str) -> int | None:
    """Return the number of a row, or of rows; None for a text that is no such number."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_ROWS)) and int(text) <= MAX_ROWS
    return int(text) if is_number else None


def _row_before(form: Form, name: str, number: int, rows_before: Sequence[Any]) -> Any | None:
    """Return the row as it was when the form was opened, None for a row that was added since."""
    origin = row_number(form.get(f"{name}.{ORIGIN}", str(number)))
    if origin is None:
        return None
    return rows_before[origin] if origin < len(rows_before) else {}


def laid_over(
    stored: Mapping[str, Any], typed: Typed, specs: Sequence[FieldSpec], schema: ContentSchema
) -> dict[str, Any]:
    """Return the stored values with the typed ones that differ from them; the others stay as they are stored."""
    return {**stored, **changed_fields(typed_group(stored, specs, schema), typed)}


def changed_fields(before: Typed, typed: Typed) -> dict[str, Any]:
    """Return the typed values that differ from those that were shown, as requests send them."""
    return {slug: value for slug, value in typed.items() if value != before.get(slug)}


def set_picture(
    typed: dict[str, Any], name: str, picture: tuple[str, str], specs: Sequence[FieldSpec], schema: ContentSchema
) -> None:
    """Set address and alt text of the media field of that name; the same picture keeps its text if there is no new one.

    Raises InvalidRequest if there is no such field.
    """
    try:
        group, spec = _group_at(typed, name.split(".")[1:], specs, schema)
        if shown_type(spec) != "media":
            raise KeyError(name)
        stored = group[spec.slug]
        url, alt = picture
        group[spec.slug] = {"url": url, "alt": alt or (stored["alt"] if stored["url"] in ("", url) else "")}
    except (KeyError, IndexError, ValueError, TypeError, StopIteration):
        raise InvalidRequest(_("There is no such field any more. Open the page again.")) from None


def _group_at(
    typed: Any, steps: Sequence[str], specs: Sequence[FieldSpec], schema: ContentSchema
) -> tuple[dict[str, Any], FieldSpec]:
    """Return the group that holds the field at these steps, and the field's declaration."""
    spec = next(each for each in specs if each.slug == steps[0])
    value, rest = typed[steps[0]], steps[1:]
    if not rest:
        return typed, spec
    if shown_type(spec) == "component":
        return _group_at(value, rest, fields_in(spec, schema), schema)
    row = value[int(rest[0])]
    if shown_type(spec) == "component_picker":
        return _group_at(row["fields"], rest[2:], schema.component(row["type"]).fields, schema)
    return _group_at(row, rest[1:], spec.fields, schema)


def with_formatted(
    group: Typed, specs: Sequence[FieldSpec], schema: ContentSchema, change: Callable[[str], str]
) -> dict[str, Any]:
    """Return the values of fields with their formatted texts changed, those in components and rows included."""
    changed = {
        spec.slug: _with_formatted(group[spec.slug], spec, schema, change) for spec in specs if spec.slug in group
    }
    return {**group, **changed}


def _with_formatted(value: Any, spec: FieldSpec, schema: ContentSchema, change: Callable[[str], str]) -> Any:
    match shown_type(spec):
        case "wysiwyg":
            return change(value) if isinstance(value, str) else value
        case "component" if value:
            return with_formatted(value, fields_in(spec, schema), schema, change)
        case "repeater":
            return [with_formatted(row, spec.fields, schema, change) for row in value]
        case "component_picker":
            specs = [schema.component(row["type"]).fields for row in value]
            inner = [
                with_formatted(row["fields"], each, schema, change) for row, each in zip(value, specs, strict=True)
            ]
            return [{**row, "fields": fields} for row, fields in zip(value, inner, strict=True)]
    return value


def new_group(specs: Sequence[FieldSpec], schema: ContentSchema) -> dict[str, Any]:
    """Return the typed values of the fields of a new entry, row or component: the declared defaults."""
    return typed_group({spec.slug: spec.default for spec in specs}, specs, schema)


def shown_date(value: str) -> str:
    """Return the value of a date field as a field `datetime-local` has it; "" for a text that is no time."""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return ""
    if moment.tzinfo is not None:
        return ""
    is_exact = moment.second or moment.microsecond
    return moment.isoformat() if is_exact else moment.isoformat(timespec="minutes")
