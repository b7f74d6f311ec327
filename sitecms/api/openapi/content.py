"""Component schemas of the loaded site: its page types, collections and components (API reference, Field types).

Names of schemas for reads are `Page.guide`, `Item.team`, `Component.hero`, those of the fields of writes
`PageFields.guide`, `ItemFields.team`, `ComponentFields.hero`. Objects inside them have names of
their own, such as `Page.guide.fields`, so that generated clients do not invent any. Lengths and options stand in
descriptions only: they bind writes, and an older entry may not keep to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitecms.api.openapi.schemas import text, time
from sitecms.content.fields import type_of
from sitecms.content.json_schema import JsonSchema, any_of, array, record, ref
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES
from sitecms.content.schema import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec


def content_schemas(schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return the schemas by name; `Page`, `Item` and `Collections` stand for all page types and collections."""
    make = _ContentSchemas(schema)
    pages = {f"Page.{slug}": make.page(slug, kind.name) for slug, kind in schema.page_types.items()}
    items = {f"Item.{key}": make.item(kind.name, kind.fields) for key, kind in schema.collections.items()}
    lists = {key: array(ref(f"Item.{key}")) for key in schema.collections}
    return {
        "Page": {"description": "A page of any type.", **any_of(*map(ref, pages), ref("SinglePage"))},
        "SinglePage": make.page(None, "Single Page"),
        "SinglePage.fields": make.fields(SINGLE_PAGE_FIELDS),
        **pages,
        **{f"Page.{slug}.fields": make.fields(kind.fields) for slug, kind in schema.page_types.items()},
        "Item": {
            "description": "An item of any collection.",
            **(any_of(*_richest_first(items)) if items else _ANY_ITEM),
        },
        "ItemMeta": record({"id": {"type": "integer", "description": "Names the item.", "examples": [41]}}),
        "Collections": record(lists, optional=tuple(lists), description="Items by their collection's key."),
        **items,
        **{
            f"Component.{slug}": record(make.properties(each.fields), description=f"Component: {each.name}.")
            for slug, each in schema.components.items()
        },
    }


_ANY_ITEM = record({"meta": ref("ItemMeta")})


def _richest_first(items: Mapping[str, JsonSchema]) -> list[JsonSchema]:
    """Return references to the schemas, those with the most keys first.

    An item does not name its collection: generated clients take the first schema whose keys all exist.
    """
    return [ref(name) for name in sorted(items, key=lambda name: -len(items[name]["properties"]))]


class _ContentSchemas:
    """The schemas of entries of one content schema, as reads return them (`SchemaOutput` of field types)."""

    def __init__(self, schema: ContentSchema) -> None:
        self._schema = schema

    def page(self, page_type: str | None, name: str) -> JsonSchema:
        kind: JsonSchema = {"const": page_type} if page_type else {"type": "null"}
        return record(
            {
                "slug": text("Name in addresses.", "a-page"),
                "name": text("Title.", "A page"),
                "page_type": {**kind, "description": "Slug of the page type; null for a Single Page."},
                "published": time("When it was published; of a draft that never was, when it was created."),
                "updated": time("When it was last changed."),
                "fields": ref(f"Page.{page_type}.fields" if page_type else "SinglePage.fields"),
            },
            description=f"Page: {name}.",
        )

    def item(self, name: str, specs: Sequence[FieldSpec]) -> JsonSchema:
        return record({"meta": ref("ItemMeta"), **self.properties(specs)}, description=f"Item: {name}.")

    def properties(self, specs: Sequence[FieldSpec]) -> dict[str, JsonSchema]:
        return {spec.slug: {**type_of(spec).read_schema(spec, self), "description": described(spec)} for spec in specs}

    def fields(self, specs: Sequence[FieldSpec]) -> JsonSchema:
        """Return the schema of an object of these fields."""
        return record(self.properties(specs))

    def component(self, slug: str) -> JsonSchema | None:
        """Return the schema of a component's fields; None where there is no such component."""
        return ref(f"Component.{slug}") if slug in self._schema.components else None

    def targets(self, targets: Sequence[str]) -> list[JsonSchema]:
        """Return the schemas of entries that a reference to these targets can lead to, those with most keys first."""
        richest_first = sorted(targets, key=self._number_of_keys, reverse=True)
        return [
            ref(name) for name in (dict.fromkeys(map(self._target, richest_first)) if targets else ("Page", "Item"))
        ]

    def _number_of_keys(self, target: str) -> int:
        """Return the sort key that puts items in the order of `_richest_first`; pages name their type."""
        return len(self._schema.collections[target].fields) if target in self._schema.collections else 0

    def _target(self, target: str) -> str:
        """Return the name of the schema of a target."""
        if target.startswith(PAGE_TARGET_PREFIX):
            slug = target.removeprefix(PAGE_TARGET_PREFIX)
            if slug == SINGLE_PAGES:
                return "SinglePage"
            return f"Page.{slug}" if slug in self._schema.page_types else "Page"
        return f"Item.{target}" if target in self._schema.collections else "Item"


def described(spec: FieldSpec) -> str:
    """Return the description of a field: its name and help, its type, its bounds."""
    notes = [spec.type.replace("_", " ") + (", several" if spec.many else "")]
    if spec.options:
        notes.append("one of " + ", ".join(option.value for option in spec.options))
    if spec.min_length is not None:
        notes.append(f"at least {spec.min_length}")
    if spec.max_length is not None:
        notes.append(f"at most {spec.max_length}")
    return f"{spec.name}: {spec.help} ({'; '.join(notes)})" if spec.help else f"{spec.name} ({'; '.join(notes)})"


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
