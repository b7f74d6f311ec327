"""Components: fields that hold the fields of one component."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import Context, as_table
from sitecms.content.fields.field_type import DeclarationError, FieldType, Inside, Names, Nesting, Part
from sitecms.content.fields.group import clean_group, example_fields, group_to_file, without_unset
from sitecms.content.fields.outputs import FileOutput, JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.fields.types import type_of
from sitecms.content.json_schema import EMPTY_OBJECT, JsonSchema, any_of, record
from sitecms.content.query import Key
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.documents import suggest

INDENT = "  "


class ComponentType(FieldType):
    """An object of the component's fields; `{}` if unset. A partial update keeps the keys it does not send."""

    name: ClassVar[str] = "component"
    empty: ClassVar[FieldValue] = {}
    input_hint: ClassVar[str] = "the component"
    template_hint: ClassVar[str] = "ComponentView, or None"
    nesting: ClassVar[Nesting] = Nesting.COMPONENTS
    own_key: ClassVar[str] = "component"
    allows_default: ClassVar[bool] = False
    is_group: ClassVar[bool] = True
    stored_types: ClassVar[tuple[type, ...]] = (dict,)

    def empty_of(self, spec: FieldSpec) -> FieldValue:
        """Return a new empty object."""
        return {}

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the object with its fields cleaned."""
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

    def declaration_errors(self, entry: Mapping[str, Any], names: Names) -> Iterator[DeclarationError]:
        """Yield an error if there is no such component."""
        if entry.get("component") and entry["component"] not in names.components:
            yield missing_component(("component",), entry["component"], names)

    def parts(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> Iterator[Part]:
        """Yield the object."""
        for entry in entries_of(value):
            if isinstance(entry, dict):
                yield Part((), entry, fields_of(spec.component, schema))

    def inside(self, spec: FieldSpec, schema: ContentSchema) -> Iterator[Inside]:
        """Yield the component's fields."""
        yield Inside((Key(spec.slug),), fields_of(spec.component, schema), {})

    def orders(self, spec: FieldSpec, schema: ContentSchema) -> Mapping[str, tuple[str, ...]]:
        """Return the sortable fields of the component."""
        return {
            f"{spec.slug}.{name}": (spec.slug, *path)
            for field in fields_of(spec.component, schema)
            for name, path in type_of(field).orders(field, schema).items()
        }

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the object, {} if unset."""
        parts = self.parts(value, spec, output.schema) if value else ()
        return next((output.fields(part.fields, part.specs, levels) for part in parts), {})

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return the component's schema or the empty object."""
        return any_of(output.component(spec.component) or record({}), EMPTY_OBJECT)

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return the component's schema."""
        return output.component(spec.component) or record({})

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return an example of the component."""
        return component_example(spec.component, schema)

    def takes(self, spec: FieldSpec) -> str:
        """Return the name of the component."""
        return f"{self.input_hint} {spec.component}"

    def yaml_lines(self, spec: FieldSpec, indent: str, output: YamlOutput) -> Iterator[str]:
        """Yield the component's fields, indented."""
        yield f"{indent}{spec.slug}:"
        yield from output.group(output.schema.component(spec.component).fields, indent + INDENT)

    def without_unset(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> FieldValue:
        """Return the object with what is set of it; one field stays, since `{}` is an unset component."""
        if not isinstance(value, dict):
            return value
        return without_unset(value, fields_of(spec.component, schema), schema) or dict(list(value.items())[:1])

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return the object. An empty one of a draft is null: `{}` would leave the live one in its place."""
        if not isinstance(value, dict):
            return value
        fields = group_to_file(value, schema.component(spec.component).fields, schema, output, is_draft=is_draft)
        return fields or (None if is_draft else {})

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return the component; None for one without any value, as where content leaves it out."""
        return output.component(spec.component, value, levels) if value else None


def entries_of(value: FieldValue) -> list[FieldValue]:
    """Return the entries of a list; a value that was stored when the field had another type counts as one."""
    return value if isinstance(value, list) else [value]


def fields_of(slug: str, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """Return the fields of a component; none if it is not declared."""
    component = schema.components.get(slug)
    return component.fields if component else ()


def missing_component(path: tuple[str | int, ...], slug: str, names: Names) -> DeclarationError:
    """Return the error about the name of a component that does not exist."""
    return DeclarationError(path, f'is "{slug}", but there is no such component', suggest(slug, names.components))


def component_example(slug: str, schema: ContentSchema) -> dict[str, Any] | None:
    """Return values that a new component can have; None if there is no example."""
    return example_fields(schema.components[slug].fields, schema) if slug in schema.components else None
