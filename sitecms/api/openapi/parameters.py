"""Parameters as OpenAPI describes them: those of the query from `api.params`, those of the path from the table here."""

from collections.abc import Mapping
from dataclasses import dataclass

from sitecms.api.params import PARAMETERS, Parameter
from sitecms.content.json_schema import JsonSchema
from sitecms.content.locale import Locales
from sitecms.content.schema import ContentSchema
from sitecms.site.feed_texts import FEEDS, SITEMAP

IF_NONE_MATCH: JsonSchema = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an answer that the client has: 304 as long as it still holds.",
    "schema": {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class PathName:
    """A parameter of a path, `<name>`."""

    help: str
    max_length: int = 100


PATH_NAMES: Mapping[str, PathName] = {
    "slug": PathName("Slug, as lists and other answers give it."),
    "page_type": PathName("Slug of a page type. `*`, raw or as %2A: see above."),
    "page_slug": PathName("Slug of the page."),
    "keys": PathName("Key of a collection, or several keys separated by commas.", 1000),
    "key": PathName("Key of a collection."),
    "item_id": PathName("The item's `meta.id`.", 15),
    "name": PathName("Which one."),
}


def path_parameter(name: str, example: str) -> JsonSchema:
    """Return a parameter of a path, of which unknown values are answered 404."""
    kind = PATH_NAMES[name]
    schema: dict[str, object] = {"type": "string", "minLength": 1, "maxLength": kind.max_length}
    if name == "name":
        schema = {"type": "string", "enum": [*FEEDS, SITEMAP]}
    description = f"{kind.help} Unknown: 404."
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema} | (
        {"example": example} if example else {}
    )


def query_parameters(locales: Locales, schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return every parameter of the query by its name, with the loaded site's locales, page types and collections."""
    parameters: dict[str, JsonSchema] = {name: _query_parameter(parameter) for name, parameter in PARAMETERS.items()}
    _refine(parameters, "locale", enum=locales.codes)
    _refine(parameters, "page_type", examples=("*", *schema.page_types))
    if schema.collections:
        _refine(parameters, "keys", examples=(*schema.collections, ",".join(schema.collections)))
    return parameters


def _refine(parameters: dict[str, JsonSchema], name: str, **words: tuple[str, ...]) -> None:
    lists = {word: list(dict.fromkeys(values)) for word, values in words.items()}
    parameters[name] = {**parameters[name], "schema": {**parameters[name]["schema"], **lists}}


def _query_parameter(parameter: Parameter) -> dict[str, object]:
    description = f"{parameter.help} {parameter.leniency}".strip()
    shown: dict[str, object] = {"name": parameter.name, "in": "query", "description": description}
    if parameter.prefixed:
        shown |= {"style": "form", "explode": True}
    return {**shown, "schema": dict(parameter.schema)}
