"""Component schemas: those that every site has, and those of the loaded site.

Every site has posts, authors, terms, pagination and errors (API reference, Read shapes); a site adds its page types,
collections and components (API reference, Field types).
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from sitecms.content.fields import type_of
from sitecms.content.json_schema import JsonSchema, any_of, array, nullable, one_of, record, ref, word
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES
from sitecms.content.schema import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec

_IMAGE: JsonSchema = {
    "type": ["string", "null"],
    "description": "Address of the picture; null where there is none.",
    "examples": ["https://api.example/media/5f2c.jpg"],
}
_RECENT: JsonSchema = array(
    ref("Post"), maxItems=10, description="Newest published posts; only with include=recent_posts.", examples=[[]]
)
_COUNT: JsonSchema = {"type": "integer", "minimum": 0, "description": "Entries in the whole list.", "examples": [23]}
_NO_TYPE: JsonSchema = {"type": ["string", "null"], "maxLength": 0, "examples": [None]}
"""null, in words that generators have a type for; the length keeps pages of a type out."""
_ANY_ITEM = record({"meta": ref("ItemMeta")})


def text(description: str, *examples: str) -> JsonSchema:
    """Return the schema of a text that is "" where unset."""
    return {"type": "string", "description": description, **({"examples": list(examples)} if examples else {})}


def time(description: str) -> JsonSchema:
    """Return the schema of a UTC time, with six digits of fraction or none."""
    return {"type": "string", "format": "date-time", "description": description, "examples": ["2026-03-01T08:00:00Z"]}


_SLUG = text("Name in addresses.", "counting-meteors")
_AUTHOR: dict[str, JsonSchema] = {
    "slug": text("Name in addresses.", "mira-okafor"),
    "first_name": text("First name.", "Mira"),
    "last_name": text("Last name.", "Okafor"),
    "email": text("Email address.", "mira@example.com"),
    "bio": text("A few words about them."),
    "title": text("What they do.", "Editor"),
    "linkedin_url": text("Address at LinkedIn."),
    "facebook_url": text("Address at Facebook."),
    "pinterest_url": text("Address at Pinterest."),
    "instagram_url": text("Address at Instagram."),
    "twitter_handle": text("Name at Twitter."),
    "profile_image": text("Address of their picture.", "https://api.example/media/3a91.jpg"),
}
_TERM: dict[str, JsonSchema] = {"name": text("As people read it.", "Weather"), "slug": text("In addresses.", "weather")}
_POST: dict[str, JsonSchema] = {
    "url": text("Address of the post on the site.", "https://site.example/blog/counting-meteors/"),
    "created": time("When it was created."),
    "updated": time("When it was last changed."),
    "published": time("When it was published; of a draft that never was, when it was created."),
    "author": ref("PostAuthor"),
    "categories": array(ref("Term"), description="Its categories."),
    "tags": array(ref("Term"), description="Its tags."),
    "featured_image": _IMAGE,
    "featured_image_alt": text("What the picture shows."),
    "slug": _SLUG,
    "title": text("Title.", "Counting meteors"),
    "body": text("HTML; left out with exclude_body=true.", "<p>Lie down, look up.</p>"),
    "summary": text("Plain text.", "A night outside, with numbers."),
    "seo_title": text("Title for search engines."),
    "meta_description": text("Description for search engines."),
    "status": {
        "type": "string",
        "enum": ["published", "draft", "scheduled"],
        "description": "published, unless preview=1 shows others.",
    },
}


def _number(description: str, example: int | None, minimum: int) -> JsonSchema:
    kind = ["integer", "null"]
    return {"type": kind, "minimum": minimum, "description": description, "examples": [example]}


def fixed_schemas() -> dict[str, JsonSchema]:
    """Return the schemas by name."""
    embedded = {name: schema for name, schema in _AUTHOR.items() if name not in ("pinterest_url", "instagram_url")}
    rank: JsonSchema = {"type": "number", "description": "Relevance; greater is better.", "examples": [1.42]}
    request_id = text("The id that the server's log has beside the cause.", "9f86d081884c7d65")
    return {
        "Post": record(_POST, optional=("body",), description="A blog post."),
        "FoundPost": record({**_POST, "rank": rank}, optional=("body",), description="A post that a search found."),
        "PostLink": record(
            {"slug": _SLUG, "title": _POST["title"], "featured_image": _IMAGE}, description="A neighbouring post."
        ),
        "PostAuthor": record(embedded, description="The author inside a post. Unset texts are empty."),
        "Author": record(
            {**_AUTHOR, "recent_posts": _RECENT}, optional=("recent_posts",), description="Unset texts are empty."
        ),
        "Term": record(_TERM, description="A category or tag inside a post."),
        "Category": record({**_TERM, "recent_posts": _RECENT}, optional=("recent_posts",), description="A category."),
        "Tag": record({**_TERM, "recent_posts": _RECENT}, optional=("recent_posts",), description="A tag."),
        "PageMeta": record(
            {
                "count": _COUNT,
                "next_page": _number("null on the last page.", 2, 1),
                "previous_page": _number("null on the first page.", None, 1),
            },
            description="Where a list stands that is paged by page and page_size.",
        ),
        "OffsetMeta": record(
            {
                "count": _COUNT,
                "next_offset": _number("null at the end.", 10, 1),
                "previous_offset": _number("null at the beginning.", None, 0),
            },
            description="Where a list stands that is paged by limit and offset.",
        ),
        "PostMeta": record(
            {"next_post": nullable(ref("PostLink")), "previous_post": nullable(ref("PostLink"))},
            description="The posts next to this one; next is the newer.",
        ),
        "MediaObject": record(
            {"url": text("Address.", "https://api.example/media/5f2c.jpg"), "alt": text("What it shows.", "A comet")},
            optional=("alt",),
            description="A media field with alt_media_text=1; without an `alt` where none was given.",
        ),
        "Error": record({"detail": text("What is wrong.", "Not found.")}, description="Every error of a read."),
        "Crash": record(
            {"detail": text("Always the same.", "Internal server error."), "request_id": request_id},
            description="An error of the server.",
        ),
    }


def content_schemas(schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return the schemas by name; `Page`, `Item` and `Collections` stand for all page types and collections."""
    make = _ContentSchemas(schema)
    pages = {f"Page.{slug}": make.page(slug, kind.name) for slug, kind in schema.page_types.items()}
    items = {f"Item.{key}": make.item(kind.name, kind.fields) for key, kind in schema.collections.items()}
    lists = {key: array(ref(f"Item.{key}")) for key in schema.collections}
    return {
        **_post_with_fields(make, schema),
        "Page": {"description": "A page of any type.", **one_of(*map(ref, pages), ref("SinglePage"))},
        "SinglePage": make.page(None, "Single Page"),
        **_single_page_fields(make, schema),
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


def _post_with_fields(make: "_ContentSchemas", schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return the schemas of posts of a site that declares fields of posts."""
    if not schema.post_fields:
        return {}
    fields: JsonSchema = {**ref("Post.fields"), "description": "The fields that the site declares in schema/post.yaml."}
    plain = fixed_schemas()
    posts = {name: {**plain[name]} for name in ("Post", "FoundPost")}
    for post in posts.values():
        post["properties"] = {**post["properties"], "fields": fields}
        post["required"] = [*post["required"], "fields"]
    return {**posts, "Post.fields": make.fields(schema.post_fields)}


def _single_page_fields(make: "_ContentSchemas", schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return the schema of the fields of Single Pages, and of those that declare fields of their own.

    Every choice has a name, which generated clients need for its class.
    """
    plain = make.fields(SINGLE_PAGE_FIELDS)
    single_pages = {f"SinglePage.{slug}.fields": make.fields(each.fields) for slug, each in schema.single_pages.items()}
    if not single_pages:
        return {"SinglePage.fields": plain}
    return {
        "SinglePage.fields": any_of(*map(ref, single_pages), ref("DefaultFields")),
        "DefaultFields": plain,
        **single_pages,
    }


def _richest_first(items: Mapping[str, JsonSchema]) -> list[JsonSchema]:
    """Return references to the schemas, those with the most keys first.

    An item does not name its collection: generated clients take the first schema whose keys all exist.
    """
    return [ref(name) for name in sorted(items, key=lambda name: -len(items[name]["properties"]))]


class _ContentSchemas:
    """The schemas of entries of one content schema, as reads return them (`SchemaOutput` of field types)."""

    has_short_forms: ClassVar[bool] = False

    def __init__(self, schema: ContentSchema) -> None:
        self._schema = schema

    def page(self, page_type: str | None, name: str) -> JsonSchema:
        kind = word(page_type) if page_type else _NO_TYPE
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
    specs |= {f"SinglePageFields.{slug}": each.fields for slug, each in schema.single_pages.items()}
    if schema.post_fields:
        specs["PostFields"] = schema.post_fields
    schemas = _WriteSchemas(schema)
    result = {name: schemas.fields(each) for name, each in specs.items()}
    if schema.single_pages:
        single_pages = (ref(f"SinglePageFields.{slug}") for slug in schema.single_pages)
        result["DefaultPageFields"] = result["PageFields"]
        result["PageFields"] = any_of(*single_pages, ref("DefaultPageFields"))
    return result


class _WriteSchemas(Struct, frozen=True):
    """The schemas of fields as writes take them (`SchemaOutput` of field types)."""

    has_short_forms: ClassVar[bool] = False
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
