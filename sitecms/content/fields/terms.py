"""Categories and tags of pages and items: their names, as posts have them."""

from collections.abc import Iterator
from datetime import tzinfo
from typing import ClassVar

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields.cleaning import Context, as_table, read_text
from sitecms.content.fields.field_type import FieldType
from sitecms.content.fields.outputs import JsonOutput, SchemaOutput, TemplateOutput
from sitecms.content.json_schema import JsonSchema, any_of, array, record, ref
from sitecms.content.query import Each, FieldMatch, QueryStep
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.term import MAX_TERM_NAME_LENGTH, MAX_TERMS, TERM_FIELDS, name_key
from sitecms.content.term_slugs import base_slug

_NAME: JsonSchema = {"type": "string", "minLength": 1, "maxLength": MAX_TERM_NAME_LENGTH}


class TermsType(FieldType):
    """Categories or tags, by the name of the field; stored as their names, each once.

    Written as names, or as objects with a `name`, as reads return them.
    """

    name: ClassVar[str] = "terms"
    empty: ClassVar[FieldValue] = []
    input_hint: ClassVar[str] = "a list of names"
    template_hint: ClassVar[str] = "tuple of Link"
    allows_many: ClassVar[bool] = True
    allows_default: ClassVar[bool] = False
    is_sortable: ClassVar[bool] = False
    stored_types: ClassVar[tuple[type, ...]] = (list,)

    def empty_of(self, spec: FieldSpec) -> FieldValue:
        """Return a new empty list."""
        return []

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the names."""
        if value is None or value == "":
            return []
        if not isinstance(value, list):
            context.report("Must be a list of names.")
            return []
        if len(value) > MAX_TERMS:
            context.report(f"Ensure this field has no more than {MAX_TERMS} entries; it has {len(value)}.")
        names: dict[str, FieldValue] = {}
        for number, entry in enumerate(value):
            if name := _name(entry, context.at(number)):
                names.setdefault(name_key(name), name)
        return [*names.values()]

    def fits(self, value: FieldValue, spec: FieldSpec) -> bool:
        """Return whether the value is a list of names."""
        return isinstance(value, list) and all(isinstance(name, str) for name in value)

    def matches(self, steps: tuple[QueryStep, ...], spec: FieldSpec, text: str, zone: tzinfo) -> Iterator[FieldMatch]:
        """Yield the condition that one of the names is equal; "" is unset."""
        yield FieldMatch((*steps, Each()), (text,)) if text else FieldMatch(steps, (None,))

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the terms as those of posts: name and slug."""
        return [output.term(TERM_FIELDS[spec.slug], name) for name in _names(value)]

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a list of terms."""
        return array(ref("Term"))

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return a list of names or terms."""
        if output.has_short_forms:
            return array(_NAME, maxItems=MAX_TERMS)
        return array(any_of(_NAME, record({"name": _NAME, "slug": {"type": "string"}}, optional=("slug",))))

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> list[str]:
        """Return one name."""
        return ["Weather"]

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return links to the archives of the terms."""
        return tuple(output.term(TERM_FIELDS[spec.slug], name) for name in _names(value))


def names_in(fields: Fields, spec: FieldSpec) -> list[str]:
    """Return the names that the stored fields of an entry have in a field of terms."""
    return _names(fields.get(spec.slug))


def _names(value: FieldValue) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _name(value: object, context: Context) -> str:
    """Return the name of a term; report one from which no address can be made."""
    table = as_table(value)
    name = read_text(value if table is None else table.get("name"), context).strip()
    if len(name) > MAX_TERM_NAME_LENGTH:
        context.report(f"Ensure this field has no more than {MAX_TERM_NAME_LENGTH} characters; it has {len(name)}.")
    elif isinstance(value, str | dict) and not base_slug(name):
        context.report(f'"{name[:60]}" is a name from which no address can be made: name it with letters or digits.')
        return ""
    return name
