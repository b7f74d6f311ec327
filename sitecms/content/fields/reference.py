"""References: to an item or a page, one or many."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any, ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import Context, ItemMatch, RawReference, as_table, check_length
from sitecms.content.fields.field_type import DeclarationError, FieldType, Inside, Names
from sitecms.content.fields.outputs import JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema, any_of, array, nullable, one_of
from sitecms.content.query import Each, FieldMatch, Follow, Key, Own, QueryStep
from sitecms.content.references import (
    MAX_ITEM_ID,
    PAGE_TARGET_PREFIX,
    SINGLE_PAGES,
    ItemTarget,
    PageTarget,
    Target,
    parse_target,
    read_item_id,
)
from sitecms.content.schema import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec
from sitecms.documents import suggest
from sitecms.messages import N_, Text

_SLUG = "slug"
_PAGE_OWN = {"slug": Own.SLUG, "name": Own.NAME}
_URI: JsonSchema = {
    "type": "string",
    "description": "Its URI, beyond the levels asked for.",
    "examples": ["/v2/content/?keys=team[_id=41]"],
}
_WRITTEN: JsonSchema = one_of(
    {"type": "string", "description": "A page's slug, an item's id, or a URI; empty for none."},
    {"type": "integer", "minimum": 1, "description": "An item's id."},
    {"type": "object", "description": "An entry as reads answer it.", "additionalProperties": True},
)


class ReferenceType(FieldType):
    """A page or item; stored as its URI, None if unset; a list of them if the field is `many`.

    Written as a page's slug, an item's id, the slug of an item whose collection declares a field `slug`, a URI,
    `{key, where}`, `{key, id}`, or an object as reads return it (`{"meta": {"id": 41}, ...}`,
    `{"slug": ..., "page_type": ...}`).
    """

    name: ClassVar[str] = "reference"
    empty: ClassVar[FieldValue] = None
    input_hint: ClassVar[str] = "the id or slug"
    template_hint: ClassVar[str] = "EntryView, or None; with many a tuple of EntryView"
    own_key: ClassVar[str] = "targets"
    allows_many: ClassVar[bool] = True
    allows_default: ClassVar[bool] = False
    length_unit: ClassVar[str] = "long"
    stored_types: ClassVar[tuple[type, ...]] = (str, list)
    is_sortable: ClassVar[bool] = False

    def empty_of(self, spec: FieldSpec) -> FieldValue:
        """Return None, or [] for `many`."""
        return [] if spec.many else None

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the URI of the entry that is meant, or a list of URIs."""
        if value is None or value == "":
            return self.empty_of(spec)
        if not spec.many:
            return _uri(value, spec, context)
        if not isinstance(value, list):
            context.report(N_("Must be a list of page slugs or item ids."))
            return []
        uris = [_uri(entry, spec, context.at(number)) for number, entry in enumerate(value)]
        known: list[FieldValue] = list(dict.fromkeys(uri for uri in uris if uri is not None))  # each entry once
        check_length(known, spec, context)
        return known

    def declaration_errors(self, entry: Mapping[str, Any], names: Names) -> Iterator[DeclarationError]:
        """Yield each target that does not exist."""
        pages = [PAGE_TARGET_PREFIX + slug for slug in (*names.page_types, SINGLE_PAGES)]
        known = [*names.collections, *pages]
        for number, target in enumerate(entry.get("targets", ())):
            if target in known:
                continue
            remedy = f'did you mean "page:{target}"?' if target in names.page_types else suggest(target, known)
            problem = f'is "{target}", but there is no such collection or page type'
            yield DeclarationError(("targets", number), problem, remedy)

    def fits(self, value: FieldValue, spec: FieldSpec) -> bool:
        """Return whether the value is a URI or a list of URIs."""
        named = value if isinstance(value, list) else [value]
        return super().fits(value, spec) and all(isinstance(uri, str) and parse_target(uri) for uri in named)

    def targets(self, value: FieldValue) -> Iterator[Target]:
        """Yield the targets of the URIs."""
        for uri in value if isinstance(value, list) else [value]:
            if isinstance(uri, str) and (target := parse_target(uri)):
                yield target

    def inside(self, spec: FieldSpec, schema: ContentSchema) -> Iterator[Inside]:
        """Yield the fields of each target."""
        for target in spec.targets:
            own: Mapping[str, Own] = _PAGE_OWN if target.startswith(PAGE_TARGET_PREFIX) else {}
            for fields in _fields_of_targets(target, schema):
                yield Inside((*_to_uri(spec), Follow(target)), fields, own)
                own = {}  # once is enough

    def matches(self, steps: tuple[QueryStep, ...], spec: FieldSpec, text: str, zone: tzinfo) -> Iterator[FieldMatch]:
        """Yield conditions on an item's id, a page's slug or a URI; "" is unset. Following it keeps drafts hidden."""
        if not text:
            yield FieldMatch(steps, (None,))
            return
        meant = parse_target(text) if len(text) < 500 else None
        for target in spec.targets:
            to_entry = (*steps, *_to_uri(spec)[1:], Follow(target))
            if target.startswith(PAGE_TARGET_PREFIX):
                slug = text
                if isinstance(meant, PageTarget):
                    slug = meant.slug if target == PAGE_TARGET_PREFIX + (meant.page_type or SINGLE_PAGES) else ""
                if slug:
                    yield FieldMatch((*to_entry, Own.SLUG), (slug,))
            elif isinstance(meant, ItemTarget):
                if meant.collection == target and 0 < meant.id <= MAX_ITEM_ID:
                    yield FieldMatch((*to_entry, Own.ID), (meant.id,))
            elif item_id := read_item_id(text):
                yield FieldMatch((*to_entry, Own.ID), (item_id,))

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the entry, its URI beyond the levels, or None; a list of them for `many`."""
        uris = [uri for uri in (value if isinstance(value, list) else [value]) if isinstance(uri, str)]
        entries = [entry for entry in (output.reference(uri, levels) for uri in uris) if entry is not None]
        return entries if spec.many else next(iter(entries), None)

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a URI or any of the targets."""
        entry = any_of(_URI, *output.targets(spec.targets))
        return array(entry) if spec.many else nullable(entry)

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a slug, an id, a URI or an entry."""
        return array(_WRITTEN) if spec.many else any_of(_WRITTEN, {"type": "null"})

    def takes(self, spec: FieldSpec) -> str:
        """Return what the field takes, and its targets."""
        return f"{'a list of ids or slugs' if spec.many else self.input_hint} from {', '.join(spec.targets)}"

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return an entry among the targets; a field that needs several gets one, since each counts once."""
        entry = output.reference(spec)
        if entry is None:
            return self.empty_of(spec)
        return [entry] if spec.many else entry

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return the entry or None; a tuple of entries for `many`."""
        shown = [output.entry(uri, levels) for uri in (value if isinstance(value, list) else [value])]
        entries = tuple(entry for entry in shown if entry)
        return entries if spec.many else next(iter(entries), None)


def _uri(value: object, spec: FieldSpec, context: Context) -> str | None:
    for raw in (*_readings(value), *_items_by_slug(value, spec, context.schema)):
        if _may_be_among(raw, spec.targets) and (target := context.lookup.find_reference(spec.targets, raw)):
            return target.uri
    targets = ", ".join(spec.targets)
    context.report(Text("%(value)s is not found among %(targets)s.", value=_shown(value), targets=targets))
    return None


def _readings(value: object) -> list[RawReference]:
    """Return what the value may mean, most likely first; [] if it is not a reference."""
    if isinstance(value, str) and value:
        if target := parse_target(value):
            return [target]
        return [int(value), value] if value.isascii() and value.isdigit() and len(value) < 16 else [value]
    if isinstance(value, int) and not isinstance(value, bool):
        return [value] if 0 < value <= MAX_ITEM_ID else []
    return _table_readings(as_table(value) or {})


def _items_by_slug(value: object, spec: FieldSpec, schema: ContentSchema) -> Iterator[ItemMatch]:
    """Yield the item with this slug in each collection that may be meant, and declares slugs."""
    if not isinstance(value, str):
        return
    for target in spec.targets:
        collection = schema.collections.get(target)
        if collection and any(field.slug == _SLUG for field in collection.fields):
            yield ItemMatch(target, {_SLUG: value})


def _table_readings(table: Mapping[str, object]) -> list[RawReference]:
    key, where, slug = table.get("key"), as_table(table.get("where")), table.get("slug")
    if isinstance(key, str) and where:
        return [ItemMatch(key, {name: _plain(wanted) for name, wanted in where.items()})]
    meta = as_table(table.get("meta")) or {}
    number = meta.get("id", table.get("id"))
    if isinstance(number, int) and not isinstance(number, bool):
        return [ItemTarget(key, number) if isinstance(key, str) else number]
    if isinstance(slug, str) and "page_type" in table:
        page_type = table["page_type"]
        return [PageTarget(page_type if isinstance(page_type, str) and page_type != SINGLE_PAGES else "", slug)]
    return [slug] if isinstance(slug, str) and slug else []


def _plain(value: object) -> FieldValue:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _may_be_among(raw: RawReference, targets: tuple[str, ...]) -> bool:
    """Return whether what is meant could be among the targets at all."""
    if isinstance(raw, PageTarget):
        return PAGE_TARGET_PREFIX + (raw.page_type or SINGLE_PAGES) in targets
    if isinstance(raw, ItemTarget | ItemMatch):
        return raw.collection in targets
    return any(target.startswith(PAGE_TARGET_PREFIX) == isinstance(raw, str) for target in targets)


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else "null" if value is None else str(value)
    return text if len(text) <= 60 else text[:60] + "…"


def _to_uri(spec: FieldSpec) -> tuple[QueryStep, ...]:
    return (Key(spec.slug), Each()) if spec.many else (Key(spec.slug),)


def _fields_of_targets(target: str, schema: ContentSchema) -> list[Sequence[FieldSpec]]:
    """Return the fields of the entries that the target stands for: one list, more for Single Pages that differ."""
    if not target.startswith(PAGE_TARGET_PREFIX):
        collection = schema.collections.get(target)
        return [collection.fields if collection else ()]
    slug = target.removeprefix(PAGE_TARGET_PREFIX)
    if slug == SINGLE_PAGES:
        return _single_page_fields(schema)
    return [schema.page_type(slug).fields if slug in schema.page_types else ()]


def _single_page_fields(schema: ContentSchema) -> list[Sequence[FieldSpec]]:
    """Return the fields of all Single Pages; each list has a slug once, so a slug with two types is in two lists."""
    own = [spec for _, page in sorted(schema.single_pages.items()) for spec in page.fields]
    lists: list[dict[str, FieldSpec]] = [{spec.slug: spec for spec in SINGLE_PAGE_FIELDS}]
    for spec in own:
        for fields in lists:
            if _leads_alike(fields.setdefault(spec.slug, spec), spec):
                break
        else:
            lists.append({spec.slug: spec})
    return [tuple(fields.values()) for fields in lists]


def _leads_alike(first: FieldSpec, second: FieldSpec) -> bool:
    """Return whether a filter leads to the same values through both fields."""
    return all(
        getattr(first, name) == getattr(second, name)
        for name in ("type", "targets", "many", "options", "component", "components", "fields")
    )
