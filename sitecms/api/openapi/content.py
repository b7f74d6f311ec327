"""Component schemas of the loaded site: its page types, collections and components (decisions, Field types).

Their names begin with what they are: `Page.guide`, `Item.team`, `Component.hero`. Objects inside them have names of
their own, such as `Page.guide.fields`, so that generated clients do not invent any. Lengths and options are told in
words only: they bind what is written, and an older entry may not keep to them.
"""

from collections.abc import Mapping, Sequence

from sitecms.api.json_schema import NOTHING, Schema, any_of, array, nullable, record, ref
from sitecms.api.openapi.schemas import text, time
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES
from sitecms.content.schema.types import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec, FieldType

_EXAMPLES: dict[FieldType, str] = {
    FieldType.LONG_TEXT: "Text, or *Markdown*.",
    FieldType.WYSIWYG: "<p>HTML.</p>",
    FieldType.HTML: "<p>HTML.</p>",
    FieldType.COLOR: "#2d6a4f",
    FieldType.SHORT_TEXT: "A few words",
}


def content_schemas(schema: ContentSchema) -> dict[str, Schema]:
    """By name; `Page`, `Item` and `Collections` stand for all page types and collections."""
    make = _ContentSchemas(schema)
    pages = {f"Page.{slug}": make.page(slug, kind.name) for slug, kind in schema.page_types.items()}
    items = {f"Item.{key}": make.item(kind.name, kind.fields) for key, kind in schema.collections.items()}
    lists = {key: array(ref(f"Item.{key}")) for key in schema.collections}
    return {
        "Page": {"description": "A page of any type.", **any_of(*map(ref, pages), ref("SinglePage"))},
        "SinglePage": make.page(None, "Single Page"),
        "SinglePage.fields": record(make.fields(SINGLE_PAGE_FIELDS)),
        **pages,
        **{f"Page.{slug}.fields": record(make.fields(kind.fields)) for slug, kind in schema.page_types.items()},
        "Item": {
            "description": "An item of any collection.",
            **(any_of(*_richest_first(items)) if items else _ANY_ITEM),
        },
        "ItemMeta": record({"id": {"type": "integer", "description": "Names the item.", "examples": [41]}}),
        "Collections": record(lists, optional=tuple(lists), description="Items by their collection's key."),
        **items,
        **{
            f"Component.{slug}": record(make.fields(each.fields), description=f"Component: {each.name}.")
            for slug, each in schema.components.items()
        },
    }


_ANY_ITEM = record({"meta": ref("ItemMeta")})


def _richest_first(items: Mapping[str, Schema]) -> list[Schema]:
    """Return references to the schemas, those with the most keys first.

    Nothing in an item says which collection it is of: generated clients take the first schema whose keys are all there.
    """
    return [ref(name) for name in sorted(items, key=lambda name: -len(items[name]["properties"]))]


class _ContentSchemas:
    """Makes the schemas of entries of one content schema."""

    def __init__(self, schema: ContentSchema) -> None:
        self._schema = schema

    def page(self, page_type: str | None, name: str) -> Schema:
        kind: Schema = {"const": page_type} if page_type else {"type": "null"}
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

    def item(self, name: str, specs: Sequence[FieldSpec]) -> Schema:
        return record({"meta": ref("ItemMeta"), **self.fields(specs)}, description=f"Item: {name}.")

    def fields(self, specs: Sequence[FieldSpec]) -> dict[str, Schema]:
        return {spec.slug: {**self._field(spec), "description": described(spec)} for spec in specs}

    def _field(self, spec: FieldSpec) -> Schema:
        match spec.type:
            case FieldType.NUMBER:
                return {"type": ["number", "null"], "examples": [3]}
            case FieldType.DATE:
                return {"type": ["string", "null"], "examples": ["2026-03-01T08:00:00"]}
            case FieldType.CHECKBOX:
                return {"type": "boolean"}
            case FieldType.MEDIA:
                return any_of(text("Address.", "https://api.example/media/5f2c.jpg"), ref("MediaObject"))
            case FieldType.REFERENCE:
                return self._reference(spec)
            case FieldType.COMPONENT:
                return any_of(self._component(spec.component), NOTHING)
            case FieldType.COMPONENT_PICKER:
                return array(any_of(*map(self._picked, spec.components)) if spec.components else record({}))
            case FieldType.REPEATER:
                return array(record(self.fields(spec.fields)))
            case FieldType.DROPDOWN:
                return {"type": "string", "examples": [option.value for option in spec.options]}
            case _:
                return {"type": "string", "examples": [_EXAMPLES[spec.type]]}

    def _reference(self, spec: FieldSpec) -> Schema:
        uri = text("Its URI, beyond the levels asked for.", "/v2/content/?keys=team[_id=41]")
        targets = sorted(spec.targets, key=self._number_of_keys, reverse=True)
        names = dict.fromkeys(map(self._target, targets)) if targets else ("Page", "Item")
        target = any_of(uri, *map(ref, names))
        return array(target) if spec.many else nullable(target)

    def _number_of_keys(self, target: str) -> int:
        """Sort key by which schemas of items come in the order of `_richest_first`; pages name their type."""
        return len(self._schema.collections[target].fields) if target in self._schema.collections else 0

    def _target(self, target: str) -> str:
        """The name of the schema of what a reference may lead to."""
        if target.startswith(PAGE_TARGET_PREFIX):
            slug = target.removeprefix(PAGE_TARGET_PREFIX)
            if slug == SINGLE_PAGES:
                return "SinglePage"
            return f"Page.{slug}" if slug in self._schema.page_types else "Page"
        return f"Item.{target}" if target in self._schema.collections else "Item"

    def _component(self, slug: str) -> Schema:
        return ref(f"Component.{slug}") if slug in self._schema.components else record({})

    def _picked(self, slug: str) -> Schema:
        return record({"type": {"const": slug}, "fields": self._component(slug)})


def described(spec: FieldSpec) -> str:
    """What people are told of a field: its name and help, its type, its bounds."""
    notes = [spec.type.value.replace("_", " ") + (", several" if spec.many else "")]
    if spec.options:
        notes.append("one of " + ", ".join(option.value for option in spec.options))
    if spec.min_length is not None:
        notes.append(f"at least {spec.min_length}")
    if spec.max_length is not None:
        notes.append(f"at most {spec.max_length}")
    return f"{spec.name}: {spec.help} ({'; '.join(notes)})" if spec.help else f"{spec.name} ({'; '.join(notes)})"
