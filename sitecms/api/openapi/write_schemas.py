"""Component schemas of requests and answers of writes (API reference, Writes)."""

from collections.abc import Mapping
from typing import Any

from sitecms.actions.writing.accept.built_in import MAX_TITLE_LENGTH, TEXTS, UNSET, UPLOAD
from sitecms.actions.writing.accept.create import MAX_ELEMENTS
from sitecms.content.json_schema import JsonSchema, any_of, array, nullable, one_of, record, ref, word
from sitecms.content.locale import Locales
from sitecms.content.schema import ContentSchema
from sitecms.content.term import MAX_TERM_NAME_LENGTH, MAX_TERMS
from sitecms.content.text.slug import MAX_SLUG_LENGTH

_STATUS: JsonSchema = {"type": "string", "enum": ["draft", "published"], "description": "Left out: draft."}
_KEPT: JsonSchema = {**_STATUS, "description": "Left out: as it is."}
_TITLE: JsonSchema = {"type": "string", "minLength": 1, "maxLength": MAX_TITLE_LENGTH, "description": "Title."}
_SLUG: JsonSchema = {"type": "string", "maxLength": MAX_SLUG_LENGTH}
_TERMS: JsonSchema = array(
    any_of(
        {"type": "string", "minLength": 1, "maxLength": MAX_TERM_NAME_LENGTH},
        record(
            {"name": {"type": "string"}, "slug": {"type": "string"}},
            optional=("name", "slug"),
            description="As reads answer it; one of the two is enough.",
            additionalProperties=True,
        ),
    ),
    maxItems=MAX_TERMS,
)
_AUTHOR: JsonSchema = any_of(
    record(
        {"slug": {"type": "string"}, "email": {"type": "string"}},
        optional=("slug", "email"),
        description="Either one; further keys are ignored.",
        additionalProperties=True,
    ),
    {"type": "string", "description": "A slug or an email."},
)
_MEANINGS = {
    "featured_image_alt": "What the picture shows.",
    "body": "HTML; sanitised when it is stored.",
    "summary": "Plain text.",
    "seo_title": "Title for search engines.",
    "meta_description": "Description for search engines.",
}
_LAID_OVER = {"description": "What is left out stays, in components too; null unsets a field."}
_ANY_ITEMS = record(
    {"key": {"type": "string"}, "fields": array({"type": "object", "additionalProperties": True}), "status": _STATUS}
)


def write_schemas(schema: ContentSchema, locales: Locales) -> dict[str, JsonSchema]:
    """Return the schemas by name, those of the site's page types and collections included."""
    return {**_post_schemas(schema), **_page_schemas(schema, locales), **_item_schemas(schema, locales), **_answers()}


def _post_schemas(schema: ContentSchema) -> dict[str, JsonSchema]:
    post: dict[str, JsonSchema] = {
        "title": _TITLE,
        "slug": {**_SLUG, "description": "Left out: made of the title."},
        "status": _STATUS,
        "author": {**_AUTHOR, "description": "Who must be there already; left out: the site's owner."},
        "categories": {**_TERMS, "description": "Missing ones are made."},
        "tags": {**_TERMS, "description": "Missing ones are made."},
        "featured_image": {"type": "string", "description": "Address of a picture, which goes to the media library."},
        **{name: _text(_MEANINGS[name], longest) for name, longest in TEXTS.items()},
        UPLOAD: {"type": "boolean", "description": "true: pictures in the body go to the media library, too."},
    }
    fields = {**ref("PostFields"), "description": "The fields that the site declares in schema/post.yaml."}
    if schema.post_fields:
        post["fields"] = fields
    status: dict[str, Any] = {**_KEPT, "enum": ["draft", "published", "scheduled"]}
    status["description"] = "Left out: as it is. scheduled is ignored, with a warning."
    change: dict[str, JsonSchema] = {
        **{name: nullable(each) if name in UNSET else each for name, each in post.items()},
        "slug": {**_SLUG, "description": "A new slug."},
        "status": status,
        "author": {**_AUTHOR, "description": "Who must be there already."},
        "scheduled": {
            "type": ["string", "null"],
            "description": "null: a scheduled post becomes a draft. Others are ignored.",
        },
    }
    unknown = "Keys that cannot be set are ignored"
    return {
        "CreatePost": record(post, optional=tuple(post)[1:], description=f"{unknown}; null counts as left out."),
        "PostChange": record(
            change, optional=tuple(change), description=f"{unknown}, with a warning; null unsets a key."
        ),
    }


def _page_schemas(schema: ContentSchema, locales: Locales) -> dict[str, JsonSchema]:
    names = {f"CreatePage.{slug}": (slug, kind.name) for slug, kind in schema.page_types.items()}
    pages = {
        name: _new_page(slug, title, _fields(f"PageFields.{slug}", locales)) for name, (slug, title) in names.items()
    }
    fields = [ref("PageFields"), *(ref(f"PageFields.{slug}") for slug in schema.page_types)]
    return {
        "CreatePage": {"description": "A page of any type.", **one_of(*map(ref, names), ref("CreateSinglePage"))},
        **pages,
        "CreateSinglePage": _new_page(None, "Single Page", _fields("PageFields", locales)),
        "PageChange": record(
            {"status": _KEPT, "fields": {**any_of(*fields, _by_locale(any_of(*fields), locales)), **_LAID_OVER}},
            optional=("status", "fields"),
            description="Title and slug stay as they are.",
        ),
    }


def _new_page(page_type: str | None, title: str, fields: JsonSchema) -> JsonSchema:
    kinds = word(page_type) if page_type else {"type": ["string", "null"], "enum": [None, "", "*"]}
    properties = {
        "title": _TITLE,
        "slug": {**_SLUG, "minLength": 1, "description": "Name in addresses."},
        "page_type": {**kinds, "description": "Also spelled page-type; null, empty or * for a Single Page."},
        "status": _STATUS,
        "fields": fields,
    }
    optional = ("status", "fields") if page_type else ("page_type", "status", "fields")
    return record(properties, optional=optional, description=f"New page: {title}.")


def _item_schemas(schema: ContentSchema, locales: Locales) -> dict[str, JsonSchema]:
    news = {f"CreateItems.{key}": (key, kind.name) for key, kind in schema.collections.items()}
    changes = [ref(f"ItemFields.{key}") for key in schema.collections] or [record({})]
    either = any_of(*changes, _by_locale(any_of(*changes), locales))
    return {
        "CreateItems": {
            "description": "Items of any collection.",
            **one_of(*(map(ref, news) if news else [_ANY_ITEMS])),
        },
        **{name: _new_items(key, title, locales) for name, (key, title) in news.items()},
        "ItemChange": record(
            {"status": _KEPT, "fields": {**either, **_LAID_OVER}},
            optional=("status", "fields"),
            description="A change.",
        ),
        "ItemReplacement": record(
            {"status": _KEPT, "fields": {**either, "description": "What is left out takes its default."}},
            optional=("status",),
            description="All fields, replaced.",
        ),
    }


def _new_items(key: str, title: str, locales: Locales) -> JsonSchema:
    elements = array(_fields(f"ItemFields.{key}", locales), minItems=1, maxItems=MAX_ELEMENTS)
    properties = {
        "key": word(key, description="The collection."),
        "fields": {**elements, "description": "One element for each item; an object counts as a list of one."},
        "status": _STATUS,
    }
    return record(properties, optional=("status",), description=f"New items: {title}.")


def _fields(name: str, locales: Locales) -> JsonSchema:
    return any_of(ref(name), _by_locale(ref(name), locales))


def _by_locale(fields: JsonSchema, locales: Locales) -> JsonSchema:
    return {
        "type": "object",
        "description": "The fields by locale, where every key is one.",
        "minProperties": 1,
        "propertyNames": {"enum": list(locales.codes)},
        "additionalProperties": fields,
    }


def _text(description: str, longest: int | None) -> JsonSchema:
    return {"type": "string", "description": description, **({"maxLength": longest} if longest else {})}


def _answers() -> Mapping[str, JsonSchema]:
    texts = array({"type": "string"}, minItems=1)
    return {
        "Accepted": {
            **record({"status": word("pending")}, description="The write is kept, and carried out soon."),
            "patternProperties": {"^warning: ": {"type": "string", "description": "Of a key that was ignored."}},
        },
        "FieldErrors": {
            "type": "object",
            "description": "What is wrong, by the name of the field or where it stands in one: `fields[0].hero.title`.",
            "minProperties": 1,
            "additionalProperties": texts,
        },
        "LimitReached": record({"error": {"type": "string"}}, description="A limit of the whole site."),
    }
