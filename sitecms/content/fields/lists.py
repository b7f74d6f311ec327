"""Lists of groups of fields: component pickers and repeaters."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from sitecms.content.field_value import FieldValue, JsonObject
from sitecms.content.fields.cleaning import Context, as_table, check_length
from sitecms.content.fields.component import INDENT, component_example, entries_of, fields_of, missing_component
from sitecms.content.fields.field_type import DeclarationError, FieldType, Inside, Names, Nesting, Part
from sitecms.content.fields.group import clean_group, example_fields, group_to_file, without_unset
from sitecms.content.fields.outputs import FileOutput, JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema, any_of, array, record, word
from sitecms.content.query import Each, Key
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.documents import nearest
from sitecms.messages import N_


class _ListType(FieldType):
    """A list of objects, replaced as a whole."""

    empty: ClassVar[FieldValue] = []
    allows_default: ClassVar[bool] = False
    is_group: ClassVar[bool] = True
    is_sortable: ClassVar[bool] = False
    length_unit: ClassVar[str] = "entries"
    stored_types: ClassVar[tuple[type, ...]] = (list,)

    def empty_of(self, spec: FieldSpec) -> FieldValue:
        """Return a new empty list."""
        return []

    def yaml_lines(self, spec: FieldSpec, indent: str, output: YamlOutput) -> Iterator[str]:
        """Yield the entries that are needed, or an empty list below an example of each kind as a comment."""
        count = max(1, spec.min_length or 0) if spec.required else 0
        if count:
            yield f"{indent}{spec.slug}:"
            for _ in range(count):
                yield from self.yaml_entries(spec, indent + INDENT, output)[0]
            return
        for example in output.example(spec):
            yield from (f"{indent}# {line}" for line in example if not _is_comment(line))
        yield f"{indent}{spec.slug}: []"

    @abstractmethod
    def yaml_entries(self, spec: FieldSpec, indent: str, output: YamlOutput) -> list[list[str]]:
        """Return the lines of one entry of each kind that the list takes."""


class ComponentPickerType(_ListType):
    """`[{"type": slug, "fields": {...}}]`, also written `[{"<slug>": {...}}]`; replaced as a whole."""

    name: ClassVar[str] = "component_picker"
    input_hint: ClassVar[str] = "a list of components"
    template_hint: ClassVar[str] = "tuple of ComponentView"
    nesting: ClassVar[Nesting] = Nesting.COMPONENTS
    own_key: ClassVar[str] = "components"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the entries in the first form, their fields cleaned."""
        entries = _sent_list(value, context)
        cleaned = [_clean_picked(entry, spec, context.entry(number)) for number, entry in enumerate(entries)]
        check_length(cleaned, spec, context)
        return cleaned

    def declaration_errors(self, entry: Mapping[str, Any], names: Names) -> Iterator[DeclarationError]:
        """Yield an error for each component that does not exist."""
        for number, slug in enumerate(entry.get("components", ())):
            if slug not in names.components:
                yield missing_component(("components", number), slug, names)

    def parts(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> Iterator[Part]:
        """Yield the fields of each entry."""
        for number, entry in enumerate(entries_of(value)):
            if isinstance(entry, dict):
                slug, inner = str(entry.get("type")), entry.get("fields")
                fields = inner if isinstance(inner, dict) else {}
                yield Part((number, "fields"), fields, fields_of(slug, schema), slug, slug in schema.components)

    def inside(self, spec: FieldSpec, schema: ContentSchema) -> Iterator[Inside]:
        """Yield the fields of each component."""
        for slug in spec.components:
            yield Inside((Key(spec.slug), Each(slug)), fields_of(slug, schema), {})

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the list; entries of components that are no longer declared are left out."""
        entries: list[JsonObject] = []
        for part in self.parts(value if isinstance(value, list) else [], spec, output.schema):
            if part.is_declared:
                fields = output.fields(part.fields, part.specs, levels)
                output.size.spend(len(part.component) + 23)  # {"type":"","fields":...},
                entries.append({"type": part.component, "fields": fields})
        return entries

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a list of any of the components."""
        picked = [_picked_schema(slug, output.component(slug) or record({})) for slug in spec.components]
        return array(any_of(*picked) if picked else record({}))

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a list of any of the components that are declared."""
        known = {slug: fields for slug in spec.components if (fields := output.component(slug))}
        picked = [_picked_schema(slug, fields) for slug, fields in known.items()]
        if output.has_short_forms:
            picked += [record({slug: fields}, additionalProperties=False) for slug, fields in known.items()]
        return array(any_of(*picked) if picked else record({}))

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a list of the first component that has an example."""
        examples = ({"type": slug, "fields": component_example(slug, schema)} for slug in spec.components)
        return _repeated(next((each for each in examples if each["fields"]), None), spec)

    def takes(self, spec: FieldSpec) -> str:
        """Return the names of the components."""
        return f"{self.input_hint}, of {', '.join(spec.components)}"

    def yaml_entries(self, spec: FieldSpec, indent: str, output: YamlOutput) -> list[list[str]]:
        """Return an entry of each component."""
        return [
            _list_entry(
                [f"type: {slug}", "fields:", *output.group(output.schema.component(slug).fields, INDENT)], indent
            )
            for slug in spec.components
        ]

    def without_unset(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> FieldValue:
        """Return the entries, each with what is set of it."""
        if not isinstance(value, list):
            return value
        parts = self.parts(value, spec, schema)
        return [{"type": part.component, "fields": without_unset(part.fields, part.specs, schema)} for part in parts]

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return the entries of components that are declared."""
        if not isinstance(value, list):
            return value
        return [
            {"type": part.component, "fields": group_to_file(part.fields, part.specs, schema, output)}
            for part in self.parts(value, spec, schema)
            if part.is_declared
        ]

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return a tuple of the components that are declared."""
        entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
        shown = [output.component(str(each.get("type")), each.get("fields"), levels) for each in entries]
        return tuple(component for component in shown if component)


class RepeaterType(_ListType):
    """A list of flat objects of the repeater's fields; replaced as a whole."""

    name: ClassVar[str] = "repeater"
    input_hint: ClassVar[str] = "a list"
    template_hint: ClassVar[str] = "tuple of mappings from slugs to values"
    nesting: ClassVar[Nesting] = Nesting.ROWS
    own_key: ClassVar[str] = "fields"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the rows with their fields cleaned."""
        cleaned: list[FieldValue] = []
        for number, entry in enumerate(_sent_list(value, context)):
            here, table = context.entry(number), as_table(entry)
            if table is None:
                here.report(N_("Must be an object."))
            else:
                cleaned.append(clean_group(table, spec.fields, here))
        check_length(cleaned, spec, context)
        return cleaned

    def parts(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> Iterator[Part]:
        """Yield each row."""
        for number, entry in enumerate(entries_of(value)):
            if isinstance(entry, dict):
                yield Part((number,), entry, spec.fields)

    def inside(self, spec: FieldSpec, schema: ContentSchema) -> Iterator[Inside]:
        """Yield the fields of the rows."""
        yield Inside((Key(spec.slug), Each()), spec.fields, {})

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the rows."""
        return [output.fields(part.fields, part.specs, levels) for part in self.parts(value or [], spec, output.schema)]

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a list of rows."""
        return array(output.fields(spec.fields))

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a list of rows."""
        return array(output.fields(spec.fields))

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a list of as many rows as the field needs."""
        return _repeated(example_fields(spec.fields, schema), spec)

    def yaml_entries(self, spec: FieldSpec, indent: str, output: YamlOutput) -> list[list[str]]:
        """Return one row."""
        return [_list_entry(list(output.group(spec.fields, "")), indent)]

    def without_unset(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> FieldValue:
        """Return the rows, each with what is set of it."""
        if not isinstance(value, list):
            return value
        return [without_unset(part.fields, part.specs, schema) for part in self.parts(value, spec, schema)]

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return the rows."""
        if not isinstance(value, list):
            return value
        return [group_to_file(part.fields, part.specs, schema, output) for part in self.parts(value, spec, schema)]

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return a tuple of mappings."""
        rows = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
        return tuple(output.fields(row, spec.fields, levels) for row in rows)


def _sent_list(value: object, context: Context) -> list[object]:
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        context.report(N_("Must be a list."))
        return []
    return value


def _clean_picked(value: object, spec: FieldSpec, context: Context) -> FieldValue:
    slug, fields, inner = _read_picked(value, context)
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


def _read_picked(value: object, context: Context) -> tuple[str, Mapping[str, object], Context]:
    """Return slug, fields and the context of the fields of one entry of a picker; slug "" if it is none."""
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


def _picked_schema(slug: str, fields: JsonSchema) -> JsonSchema:
    return record({"type": word(slug), "fields": fields})


def _repeated(entry: dict[str, Any] | None, spec: FieldSpec) -> list[dict[str, Any]] | None:
    return [entry] * max(1, spec.min_length or 1) if entry else None


def _list_entry(lines: list[str], indent: str) -> list[str]:
    """Return the lines as one entry of a list: the dash stands before the first that is not a comment."""
    first = next((number for number, line in enumerate(lines) if not _is_comment(line)), 0)
    dashed = [f"- {line}" if number == first else INDENT + line for number, line in enumerate(lines)]
    return [indent + line for line in dashed]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
