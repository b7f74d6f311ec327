"""The field types of a site: built-in ones, and those of its plug-ins, which its schema carries."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from inspect import isgeneratorfunction
from typing import Any, ClassVar, TypeVar

from msgspec.structs import replace

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import Context
from sitecms.content.fields.field_type import FieldType
from sitecms.content.fields.outputs import JsonOutput, SchemaOutput
from sitecms.content.json_schema import JsonSchema
from sitecms.content.schema import FEATURED_IMAGE, TERMS, Collection, Component, ContentSchema, FieldSpec, PageType
from sitecms.errors import ConfigurationError
from sitecms.plugins.discovery import Plugin
from sitecms.plugins.site_plugins import FIELD_TYPES, SitePlugins, resolve

Group = TypeVar("Group", PageType, Collection, Component)
_HOOK_KIND = "field type"
_BUILT_IN: Mapping[str, str] = {
    "short_text": "sitecms.content.fields.text:ShortTextType",
    "long_text": "sitecms.content.fields.text:LongTextType",
    "wysiwyg": "sitecms.content.fields.text:WysiwygType",
    "html": "sitecms.content.fields.text:HtmlType",
    "number": "sitecms.content.fields.scalar:NumberType",
    "date": "sitecms.content.fields.scalar:DateType",
    "dropdown": "sitecms.content.fields.text:DropdownType",
    "checkbox": "sitecms.content.fields.scalar:CheckboxType",
    "color": "sitecms.content.fields.text:ColorType",
    "media": "sitecms.content.fields.media:MediaType",
    "reference": "sitecms.content.fields.reference:ReferenceType",
    "component": "sitecms.content.fields.component:ComponentType",
    "component_picker": "sitecms.content.fields.lists:ComponentPickerType",
    "repeater": "sitecms.content.fields.lists:RepeaterType",
}
_OF_OWNERS: Mapping[str, str] = {
    TERMS: "sitecms.content.fields.terms:TermsType",
    FEATURED_IMAGE: "sitecms.content.fields.media:FeaturedImageType",
}
"""The types of fields that no field declares: page types and collections add them."""


def field_types() -> Mapping[str, str]:
    """Return the addresses of the built-in types, as the hook of that name does."""
    return _BUILT_IN


@cache
def built_in_types() -> Mapping[str, FieldType]:
    """Return the built-in types by name."""
    return {name: resolve(address)() for name, address in _BUILT_IN.items()}


@cache
def _types_of_owners() -> Mapping[str, FieldType]:
    return {name: resolve(address)() for name, address in _OF_OWNERS.items()}


@lru_cache(maxsize=8)
def own_types(plugins: SitePlugins) -> tuple[FieldType, ...]:
    """Return the field types that the plug-ins of a site add. Raises ConfigurationError, PluginFailed."""
    if not plugins.has(FIELD_TYPES):
        return ()
    plugins.named(FIELD_TYPES, _HOOK_KIND)  # each name is free
    return tuple(_own_types(plugins))


def types_of(own: Iterable[FieldType]) -> Mapping[str, FieldType]:
    """Return all field types of a site by name, given those of its plug-ins."""
    return {**built_in_types(), **{each.name: each for each in own}}


def type_of(spec: FieldSpec) -> FieldType:
    """Return the type of a declared field."""
    own: FieldType | None = spec.own_type
    return own or built_in_types().get(spec.type) or _types_of_owners().get(spec.type) or MissingType()


def shown_type(spec: FieldSpec) -> str:
    """Return the name of the built-in type as which forms and templates show the field."""
    return type_of(spec).template_type or spec.type


def with_types(schema: ContentSchema, own: Iterable[FieldType]) -> ContentSchema:
    """Return the schema, whose fields carry the types that plug-ins add."""
    by_name = {each.name: each for each in own}
    if not by_name:
        return schema

    def typed(group: Mapping[str, Group]) -> dict[str, Group]:
        return {slug: replace(each, fields=typed_fields(each.fields, by_name)) for slug, each in group.items()}

    return ContentSchema(
        typed(schema.page_types),
        typed(schema.collections),
        typed(schema.components),
        typed(schema.single_pages),
        typed_fields(schema.post_fields, by_name),
    )


def typed_fields(specs: Iterable[FieldSpec], own: Mapping[str, FieldType]) -> tuple[FieldSpec, ...]:
    """Return the declarations with the types of plug-ins that they name, those of rows included."""
    return tuple(replace(spec, own_type=own.get(spec.type), fields=typed_fields(spec.fields, own)) for spec in specs)


class MissingType(FieldType):
    """The type of a field whose plug-in this process leaves out: values stay as they are stored."""

    name: ClassVar[str] = "missing"
    empty: ClassVar[FieldValue] = None
    input_hint: ClassVar[str] = "a value of a type that no plug-in adds"
    stored_types: ClassVar[tuple[type, ...]] = (str, int, float, bool, list, dict)

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the stored value, and report that no other can be checked."""
        if value not in (None, "", context.current):
            context.report(f'No plug-in adds the field type "{spec.type}".')
        return context.current

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the text."""
        return value

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the value as it is stored."""
        return value

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return what allows any value."""
        return {}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return what allows any value."""
        return {}


def _own_types(plugins: SitePlugins) -> Iterator[FieldType]:
    """Yield the types of plug-ins, whose errors name their plug-in."""
    added = [(plugin, each) for plugin, values in plugins.mappings(FIELD_TYPES) for each in values.items()]
    for plugin, (name, value) in added:
        with plugins.blaming(FIELD_TYPES, name):
            kind = resolve(value)
            if not (isinstance(kind, type) and issubclass(kind, FieldType)):
                problem = f"The plug-in {plugin.name}: the field type {name}"
                raise ConfigurationError(f"{problem} is no subclass of sitecms.content.fields.FieldType.")
            yield _guarded_class(plugins, plugin, name, kind)()


def _guarded_class(plugins: SitePlugins, plugin: Plugin, name: str, kind: type[FieldType]) -> type[FieldType]:
    """Return a subclass whose methods name the plug-in in errors."""
    methods = {
        method: _guarded(plugins, plugin, f"{_HOOK_KIND} {name}", getattr(kind, method))
        for method, value in vars(FieldType).items()
        if callable(value) and not method.startswith("_")
    }
    return type(kind.__name__, (kind,), {**methods, "name": name, "origin": plugins.identity(plugin)})


def _guarded(plugins: SitePlugins, plugin: Plugin, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    if not isgeneratorfunction(method):
        return plugins.guarded(plugin, name, method)

    def call(*args: Any, **kwargs: Any) -> Any:
        return iter(plugins.guarded(plugin, name, lambda: list(method(*args, **kwargs)))())

    return call
