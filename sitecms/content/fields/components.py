"""What components, component pickers and repeaters hold."""

from collections.abc import Iterator

from sitecms.content.field_value import FieldValue
from sitecms.content.schema.types import ContentSchema, FieldSpec, FieldType


def parts(
    value: FieldValue, spec: FieldSpec, schema: ContentSchema
) -> Iterator[tuple[dict[str, FieldValue], tuple[FieldSpec, ...]]]:
    """The objects inside a component, component picker or repeater, each with its fields' declarations."""
    for entry in value if isinstance(value, list) else [value]:
        if not isinstance(entry, dict):
            continue
        if spec.type is FieldType.REPEATER:
            yield entry, spec.fields
        elif spec.type is FieldType.COMPONENT:
            component = schema.components.get(spec.component)
            yield entry, component.fields if component else ()
        else:
            component = schema.components.get(str(entry.get("type")))
            inner = entry.get("fields")
            yield inner if isinstance(inner, dict) else {}, component.fields if component else ()
