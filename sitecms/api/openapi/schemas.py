"""Component schemas that every site has: posts, authors, terms, pagination, errors (API reference, Read shapes)."""

from sitecms.content.json_schema import JsonSchema, array, nullable, record, ref

TEXT: JsonSchema = {"type": "string"}


def text(description: str, *examples: str) -> JsonSchema:
    """Return the schema of a text that is "" where unset."""
    return {"type": "string", "description": description, **({"examples": list(examples)} if examples else {})}


def time(description: str) -> JsonSchema:
    """Return the schema of a UTC time, with six digits of fraction or none."""
    return {"type": "string", "format": "date-time", "description": description, "examples": ["2026-03-01T08:00:00Z"]}


_IMAGE: JsonSchema = {
    "type": ["string", "null"],
    "description": "Address of the picture; null where there is none.",
    "examples": ["https://api.example/media/5f2c.jpg"],
}
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
_RECENT: JsonSchema = array(
    ref("Post"), maxItems=10, description="Newest published posts; only with include=recent_posts.", examples=[[]]
)
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
_COUNT: JsonSchema = {"type": "integer", "minimum": 0, "description": "Entries in the whole list.", "examples": [23]}


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
