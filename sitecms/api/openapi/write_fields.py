"""Fields of the loaded site as writes take them (API reference, Field types).

Component schemas are named by what they are: `PageFields.guide`, `ItemFields.team`, `ComponentFields.hero`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sitecms.api.openapi.content import described
from sitecms.content.fields import type_of
from sitecms.content.json_schema import JsonSchema, record, ref
from sitecms.content.schema.types import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec


def field_schemas(schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return the schemas by name. They require no field: its description says which ones a new entry needs."""
    specs: dict[str, Sequence[FieldSpec]] = {"PageFields": SINGLE_PAGE_FIELDS}
    specs |= {f"PageFields.{slug}": kind.fields for slug, kind in schema.page_types.items()}
    specs |= {f"ItemFields.{key}": kind.fields for key, kind in schema.collections.items()}
    specs |= {f"ComponentFields.{slug}": kind.fields for slug, kind in schema.components.items()}
    schemas = _WriteSchemas(schema)
    return {name: schemas.fields(each) for name, each in specs.items()}


@dataclass(frozen=True, slots=True)
class _WriteSchemas:
    """The schemas of fields as writes take them (`SchemaOutput` of field types)."""

    schema: ContentSchema

    def fields(self, specs: Sequence[FieldSpec]) -> JsonSchema:
        """Return the schema of an object of these fields, of which none is required."""
        properties = {
            spec.slug: {**type_of(spec).write_schema(spec, self), "description": _description(spec)} for spec in specs
        }
        return {**record(properties, optional=tuple(properties)), "additionalProperties": False}

    def component(self, slug: str) -> JsonSchema | None:
        """Return the schema of a component's fields; None where there is no such component."""
        return ref(f"ComponentFields.{slug}") if slug in self.schema.components else None

    def targets(self, targets: Sequence[str]) -> Sequence[JsonSchema]:  # noqa: ARG002
        """Return nothing: writes name entries, and do not contain them."""
        return ()


def _description(spec: FieldSpec) -> str:
    return f"{described(spec)} Required in a new entry." if spec.required else described(spec)
