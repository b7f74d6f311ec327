"""JSON Schemas of the files of one site, by which editors complete and check them.

They are those of `content_schema` with what the site itself declares: the fields of its page types, collections,
components and posts, its locales, and the options of its theme.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson
from msgspec import Struct

from sitecms.actions.loading.reading.schema_files import read_content_schema
from sitecms.actions.post_like_keys import post_like_keys
from sitecms.content.fields import own_types, type_of, types_of
from sitecms.content.json_schema import JsonSchema, any_of, nullable
from sitecms.content.schema import FEATURED_IMAGE, SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec
from sitecms.content.term import TERM_FIELDS
from sitecms.documents import load_schema
from sitecms.files import write_atomically
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.settings.theme_folder import OPTIONS, options_schema, theme_chain, theme_places

FOLDER = f"{STATE_FOLDER}/schemas"
POST, SITE = "post", "site"
SINGLE_PAGES = "_single"
_FIXED: Mapping[str, Sequence[str]] = {
    "media": ("content/media.yaml",),
    "authors": ("content/authors.yaml",),
    "terms": ("content/categories.yaml", "content/tags.yaml"),
    "page_type": ("schema/page_types/*.yaml", "schema/single_pages/*.yaml"),
    "collection": ("schema/collections/*.yaml",),
    "post_fields": ("schema/post.yaml",),
    "component": ("schema/components/*.yaml",),
    "redirects": ("redirects.yaml",),
}
"""The files that each schema describes which is the same for every site."""
_FIELD, _THEME = "field", "theme"
_SUFFIX = ".schema.json"
_NAMES = ("$schema", "$id", "format")
"""Keys that programs for Markdown refuse where they do not know what they name."""


class FileSchema(Struct, frozen=True):
    """A schema, its name, and the patterns of the YAML files of a site that it describes."""

    name: str
    schema: Mapping[str, Any]
    files: Sequence[str] = ()

    @property
    def path(self) -> str:
        """Its path in the site folder."""
        return f"{FOLDER}/{self.name}{_SUFFIX}"


def file_schemas(settings: SiteSettings) -> tuple[FileSchema, ...]:
    """Return the schemas of the site. Raises InvalidFiles if its own schema is invalid."""
    content = read_content_schema(settings.folder, own_types(settings.plugins))
    values = _FieldValues(content, settings.locales)
    pages: dict[str, JsonSchema] = {slug: values.by_locale(kind.fields) for slug, kind in content.page_types.items()}
    single = [values.by_locale(each.fields) for each in content.single_pages.values()]
    pages[SINGLE_PAGES] = any_of(*single, values.by_locale(SINGLE_PAGE_FIELDS))
    keys = {slug: post_like_keys(kind.fields) for slug, kind in content.page_types.items()}
    keys[SINGLE_PAGES] = tuple({key for each in content.single_pages.values() for key in post_like_keys(each.fields)})
    return (
        *(FileSchema(name, load_schema(name), files) for name, files in _FIXED.items()),
        FileSchema(_FIELD, _field_schema(settings)),
        FileSchema(_THEME, load_schema(_THEME)),
        FileSchema(SITE, _site_schema(settings)),
        FileSchema(POST, _post_schema(content, values)),
        *(
            FileSchema(
                f"page.{slug}", _with_fields("page", fields, values, keys[slug]), (f"content/pages/{slug}/*.yaml",)
            )
            for slug, fields in pages.items()
        ),
        *(
            FileSchema(
                f"items.{key}",
                _with_fields("items", values.by_locale(kind.fields), values, post_like_keys(kind.fields)),
                (f"content/collections/{key}.yaml",),
            )
            for key, kind in content.collections.items()
        ),
    )


def write_schemas(settings: SiteSettings) -> tuple[FileSchema, ...]:
    """Write the schemas into the site's folder of schemas, and remove others; return them.

    A file that says the same stays as it is. Raises InvalidFiles if the schema of the site is invalid.
    """
    schemas = file_schemas(settings)
    folder = settings.folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for each in schemas:
        path, data = settings.folder / each.path, orjson.dumps(each.schema, option=orjson.OPT_INDENT_2)
        if not path.is_file() or path.read_bytes() != data:
            write_atomically(path, data)
    names = {Path(each.path).name for each in schemas}
    for path in folder.glob(f"*{_SUFFIX}"):
        if path.name not in names:
            path.unlink()
    return schemas


def has_schemas(settings: SiteSettings) -> bool:
    """Return whether schemas were written for this site."""
    return (settings.folder / FOLDER).is_dir()


class _FieldValues(Struct, frozen=True):
    """The schemas of fields as files write them (`SchemaOutput` of field types)."""

    has_short_forms: ClassVar[bool] = True
    schema: ContentSchema
    locales: Sequence[str]

    def fields(self, specs: Sequence[FieldSpec]) -> dict[str, Any]:
        """Return the schema of an object of these fields."""
        needed = [spec.slug for spec in specs if spec.required and spec.default is None]
        return {"required": needed, **self.optional(specs)} if needed else self.optional(specs)

    def optional(self, specs: Sequence[FieldSpec]) -> dict[str, Any]:
        """Return the schema of an object of these fields, of which none is required."""
        properties = {spec.slug: self.field(spec) for spec in specs}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def field(self, spec: FieldSpec) -> dict[str, Any]:
        """Return the schema of one field; null unsets it."""
        schema = type_of(spec).write_schema(spec, self)
        described = f"{spec.name}: {type_of(spec).takes(spec)}. {spec.help}".strip()
        default = {"default": spec.default} if spec.default is not None else {}
        return {"title": spec.name, "description": described, **_or_null(schema), **default}

    def by_locale(self, specs: Sequence[FieldSpec]) -> dict[str, Any]:
        """Return the schema of fields, or of an object with such fields for each locale.

        An alternative in place of a condition, of which editors complete one side alone.
        """
        inner = self.optional(specs)
        locales = {"properties": dict.fromkeys(self.locales, inner), "additionalProperties": False}
        return {"anyOf": [_or_null(self.fields(specs)), {"type": "object", "minProperties": 1, **locales}]}

    def component(self, slug: str) -> JsonSchema | None:
        """Return the schema of a component's fields; None where there is no such component."""
        return self.fields(self.schema.components[slug].fields) if slug in self.schema.components else None

    def targets(self, targets: Sequence[str]) -> Sequence[JsonSchema]:  # noqa: ARG002
        """Return nothing: files name entries, and do not contain them."""
        return ()


def _or_null(schema: JsonSchema) -> JsonSchema:
    """Return the schema with null allowed, in the form of which editors make the clearest message."""
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        return {**schema, "type": ["string", "null"], "enum": [*schema["enum"], None]}
    return schema if isinstance(schema.get("type"), list) else nullable(schema)


def _with_fields(name: str, fields: Mapping[str, Any], values: _FieldValues, keys: Sequence[str]) -> dict[str, Any]:
    """Return the schema of pages, or of items, whose fields are these; those of a draft are a part of them.

    `keys` are fields that may stand at the top.
    """
    schema: dict[str, Any] = {key: value for key, value in load_schema(name).items() if key != "$id"}
    entry: dict[str, Any] = schema.get("items", schema)
    others = {*TERM_FIELDS, FEATURED_IMAGE} - set(keys)
    properties = {key: value for key, value in entry["properties"].items() if key not in others}
    properties["fields"] = {"description": properties["fields"]["description"], **fields}
    if "locale" in properties:
        properties["locale"] = {**properties["locale"], "enum": [*values.locales, None]}
    changed = {**entry, "properties": properties}
    return {**schema, "items": changed} if "items" in schema else {**schema, **changed}


def _post_schema(content: ContentSchema, values: _FieldValues) -> dict[str, Any]:
    """Return the schema of the front matter of posts: a field may stand under `fields`, or at the top.

    It names no version of JSON Schema and no format of its own, which programs for Markdown refuse.
    """
    schema: dict[str, Any] = _plain(load_schema("post"))
    properties = dict(schema["properties"])
    properties["locale"] = {**properties["locale"], "enum": [*values.locales, None]}
    own = {spec.slug: values.field(spec) for spec in content.post_fields if spec.slug not in properties}
    fields = _or_null(values.optional(content.post_fields))
    described = {"description": properties["fields"]["description"], **fields}
    return {**schema, "properties": {**properties, "fields": described, **own}}


def _plain(schema: Any) -> Any:
    """Return the schema without its name and version, and without formats."""
    if isinstance(schema, dict):
        named = {key for key, value in schema.items() if key in _NAMES and isinstance(value, str)}
        return {key: _plain(value) for key, value in schema.items() if key not in named}
    return [_plain(each) for each in schema] if isinstance(schema, list) else schema


def _field_schema(settings: SiteSettings) -> dict[str, Any]:
    """Return the schema of declarations, which names the types of fields that plug-ins add, too."""
    schema = load_schema(_FIELD)
    kind = {**schema["properties"]["type"], "enum": [*types_of(own_types(settings.plugins))]}
    return {**schema, "properties": {**schema["properties"], "type": kind}}


def _site_schema(settings: SiteSettings) -> dict[str, Any]:
    """Return the schema of site.toml with the themes that there are, and the options of the site's theme."""
    schema = load_schema(SITE)
    theme: dict[str, Any] = schema["properties"]["theme"]
    chain = theme_chain(settings.theme.name, settings.folder, settings.theme.of_plugins)
    names = list(theme_places(settings.folder, settings.theme.of_plugins))
    own = {
        **theme["properties"],
        "name": {**theme["properties"]["name"], "enum": names},
        OPTIONS: {**theme["properties"][OPTIONS], **options_schema(chain)["properties"][OPTIONS]},
    }
    return {**schema, "properties": {**schema["properties"], "theme": {**theme, "properties": own}}}
