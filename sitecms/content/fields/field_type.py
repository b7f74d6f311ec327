"""The interface of field types: one class owns everything that differs by type."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import Context
from sitecms.content.fields.outputs import FileOutput, JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema
from sitecms.content.query import FieldMatch, Own, QueryStep
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.documents import Step


class Nesting(IntEnum):
    """The nesting of a type's values. Repeaters take SIMPLE types, components ROWS too, all others all."""

    SIMPLE = 0
    ROWS = 1
    COMPONENTS = 2


class Part(NamedTuple):
    """A group of fields inside a value: the steps that lead to it, its values, and their declarations.

    `component` is the slug of the component that an entry of a component picker is of; `is_declared` is False where
    the schema has no such component.
    """

    steps: tuple[Step, ...]
    fields: dict[str, FieldValue]
    specs: Sequence[FieldSpec]
    component: str = ""
    is_declared: bool = True


class Inside(NamedTuple):
    """Fields that a filter's dotted name can go on to from a field: steps to them, and their declarations.

    `own` are names of what an entry has beside its fields.
    """

    steps: tuple[QueryStep, ...]
    specs: Sequence[FieldSpec]
    own: Mapping[str, Own]


class DeclarationError(NamedTuple):
    """An error in the declaration of a field; `path` leads to it from there."""

    path: tuple[Step, ...]
    problem: str
    remedy: str


class Names(NamedTuple):
    """Names that declarations may use: slugs of page types and components, keys of collections; and all types."""

    page_types: Sequence[str]
    collections: Sequence[str]
    components: Sequence[str]
    types: "Mapping[str, FieldType]"


class FieldType(ABC):
    """One type of field. Instances have no state: what differs from field to field stands in the FieldSpec."""

    name: ClassVar[str]
    """The name in declarations, as `short_text`."""
    empty: ClassVar[FieldValue]
    """The stored form of an unset field; see `empty_of`."""
    input_hint: ClassVar[str]
    """The accepted values, in comments of new files; see `takes`."""
    template_hint: ClassVar[str] = ""
    """The values that templates see, in the manual; see `to_template`."""
    nesting: ClassVar[Nesting] = Nesting.SIMPLE
    own_key: ClassVar[str] = ""
    """The key of a declaration that this type alone has, and needs."""
    allows_many: ClassVar[bool] = False
    """True if a declaration may say `many`."""
    length_unit: ClassVar[str] = ""
    """The unit of min_length and max_length in comments of new files; "" where values have no length."""
    allows_default: ClassVar[bool] = True
    is_always_set: ClassVar[bool] = False
    """True if the empty value counts as a value (a checkbox that is not ticked)."""
    is_html: ClassVar[bool] = False
    """True if values are HTML, so that the body of a Markdown file is rendered for it."""
    is_group: ClassVar[bool] = False
    """True if a filter cannot name the field itself, only fields inside it."""
    is_sortable: ClassVar[bool] = True
    """True if lists can be ordered by the field."""
    stored_types: ClassVar[tuple[type, ...]] = (str,)
    template_type: ClassVar[str] = ""
    """The built-in type as which forms and the theme's default templates show values; "": this one."""
    origin: ClassVar[str] = ""
    """The plug-in that the type is of, with all that decides what it does; "" for a built-in type."""

    def __repr__(self) -> str:
        """Return what tells types apart."""
        return f"{self.name} {self.origin}".strip()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldType) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    # Cleaning

    @abstractmethod
    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the value as it is stored; report errors to the context, and return the empty value then.

        None and "" mean unset. Cleaning a stored value returns the same value.
        """

    def default_of(self, spec: FieldSpec) -> FieldValue:
        """Return the declared default, as if it had been sent; HTML is sanitised."""
        return spec.default

    def empty_of(self, spec: FieldSpec) -> FieldValue:
        """Return the stored form of the field where it is unset."""
        return self.empty

    # Declarations

    def declaration_errors(self, entry: Mapping[str, Any], names: Names) -> Iterator[DeclarationError]:
        """Yield the errors in a field's declaration that concern this type's own key."""
        yield from ()

    # Stored values

    def fits(self, value: FieldValue, spec: FieldSpec) -> bool:
        """Return whether a stored value, which is not empty, has the form of this type (it may have had another)."""
        return isinstance(value, self.stored_types)

    def parts(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> Iterator[Part]:
        """Yield the groups of fields inside a stored value."""
        yield from ()

    def targets(self, value: FieldValue) -> Iterator[Target]:
        """Yield the entries that a stored value itself refers to, those in its parts not included."""
        yield from ()

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the readable text of a stored value; "" if search does not look into this type."""
        return ""

    def lacks_alt_text(self, value: FieldValue) -> bool:
        """Return whether the value shows a picture without alt text."""
        return False

    # Filters and orders

    def inside(self, spec: FieldSpec, schema: ContentSchema) -> Iterator[Inside]:
        """Yield the groups of fields to which a filter's dotted name can go on from this field."""
        yield from ()

    def matches(self, steps: tuple[QueryStep, ...], spec: FieldSpec, text: str, zone: tzinfo) -> Iterator[FieldMatch]:
        """Yield the conditions under which the field at these steps equals the text of a filter."""
        yield FieldMatch(steps, self.wanted(spec, text, zone))

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the stored values that the text of a filter means; () if it means nothing this type can hold."""
        return (text,) if text else ("", None)  # None: of a field declared after the entry was stored

    def orders(self, spec: FieldSpec, schema: ContentSchema) -> Mapping[str, tuple[str, ...]]:
        """Return the ways to values that lists can be ordered by, by their dotted name."""
        return {spec.slug: (spec.slug,)} if self.is_sortable else {}

    # API

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return a stored value as API answers show it, references `levels` deep; None is a field declared later."""
        return output.text(str(value or ""))

    @abstractmethod
    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return the JSON Schema of what `to_json` returns."""

    @abstractmethod
    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return the JSON Schema of what `clean` accepts."""

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> Any:
        """Return a value that `clean` accepts; None where it would have to name an entry or a file."""
        return None

    # Files

    def takes(self, spec: FieldSpec) -> str:
        """Return the accepted values, for the comment above the field in a new file."""
        return self.input_hint

    def choices(self, spec: FieldSpec) -> Iterator[str]:
        """Yield lines that list the values to choose from."""
        yield from ()

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return a value of the right type and length for a required field of a new file."""
        return self.empty_of(spec)

    def yaml_lines(self, spec: FieldSpec, indent: str, output: YamlOutput) -> Iterator[str]:
        """Yield the lines of the field in a new file."""
        yield from output.pair(spec.slug, output.value(spec), indent)

    def yaml_entries(self, spec: FieldSpec, indent: str, output: YamlOutput) -> list[list[str]]:
        """Return the lines of one entry of each kind that a list takes."""
        return []

    def without_unset(self, value: FieldValue, spec: FieldSpec, schema: ContentSchema) -> FieldValue:
        """Return a stored value without the fields inside it that are unset; cleaning it gives the stored value."""
        return value

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return a stored value as content files write it; `is_draft`: of a draft over a live version."""
        return value

    # Templates

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return a stored value as templates see it, references `levels` deep."""
        return value
