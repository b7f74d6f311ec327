"""One or more calls of every operation of the API, for clients that are generated from its document."""

from dataclasses import dataclass, field
from typing import Any

READ, WRITE, NONE = "read", "write", "none"


@dataclass(frozen=True, slots=True)
class Call:
    """An operation, its arguments by where they stand, the token to use, and the status of the answer.

    `fields_of` names the schema of the `fields` of a body that could be of several.
    """

    operation: str
    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    header: dict[str, str] = field(default_factory=dict)
    token: str = READ
    status: int = 200
    fields_of: str = ""


def _write(operation: str, body: Any = None, status: int = 202, token: str = WRITE, /, **path: Any) -> Call:
    page_type, key = path.get("page_type"), path.get("key")
    fields_of = f"PageFields.{page_type}" if page_type else f"ItemFields.{key}" if key else ""
    return Call(operation, path, body=body, token=token, status=status, fields_of=fields_of)


POST = {"slug": "test-post"}
NEWS = {"page_type": "news", "page_slug": "hello-world"}
MADE, LOST = {**NEWS, "page_slug": "generated"}, {**NEWS, "page_slug": "nothing"}
RUT = {"key": "team", "item_id": 10}
NEW_POST = {
    "title": "Generated",
    "slug": "generated",
    "status": "published",
    "author": {"slug": "adam-yala"},
    "categories": ["Beer", {"name": "Cold Cellar"}],
    "tags": ["oak"],
    "body": "<p>Sent by a generated client.</p>",
}
NEW_NEWS = {
    "title": "Generated",
    "slug": "generated",
    "page_type": "news",
    "status": "published",
    "fields": {"headline": "Sent by a generated client.", "day": "2026-03-01T08:00:00Z", "author": "10"},
}
NEW_LANDING = {
    "title": "Landing",
    "slug": "landing",
    "page_type": "landing",
    "fields": {
        "headline": "Every type of group",
        "hero": {"title": "Down the stairs"},
        "body": [{"type": "quote", "fields": {"text": "Cold.", "stars": 4}}],
        "logos": [{"label": "One"}],
        "mood": "still",
    },
}
NEW_SINGLE = {"title": "Legal", "slug": "legal", "page_type": None, "fields": {"body": "Words."}}
NEW_CONTACT = {"title": "Contact", "slug": "contact", "page_type": None, "fields": {"street": "Cellar Lane 1"}}
NEW_ITEMS = {"key": "team", "fields": [{"name": "Generated", "casks": 2}, {"name": "Second"}], "status": "published"}
READS = (
    Call("get_posts"),
    Call("get_posts", query={"page": 2, "page_size": 2, "preview": 1, "exclude_body": True}),
    Call("get_posts", query={"limit": 2, "offset": 1, "locale": "es"}),
    Call("get_posts", query={"author_slug": "adam-yala", "category_slug": "beer", "tag_slug": "oak"}),
    Call("get_posts", query={"page": 1, "limit": 1}, status=400),
    Call("get_posts_slug", POST),
    Call("get_posts_slug", {"slug": "unfinished"}, {"preview": 1}),
    Call("get_posts_slug", {"slug": "nothing"}, status=404),
    Call("get_posts_search", query={"query": "test"}),
    Call("get_search", query={"query": "test", "page_size": 1}),
    Call("get_authors"),
    Call("get_authors", query={"include": "recent_posts", "locale": "es"}),
    Call("get_authors_slug", {"slug": "adam-yala"}, {"include": "recent_posts"}),
    Call("get_authors_slug", {"slug": "nobody"}, status=404),
    Call("get_categories"),
    Call("get_categories_slug", {"slug": "beer"}, {"include": "recent_posts"}),
    Call("get_categories_slug", {"slug": "nothing"}, status=404),
    Call("get_tags", query={"include": "recent_posts"}),
    Call("get_tags_slug", {"slug": "oak"}),
    Call("get_tags_slug", {"slug": "nothing"}, status=404),
    Call("get_feeds_name", {"name": "rss"}),
    Call("get_feeds_name", {"name": "sitemap"}, {"locale": "es"}),
    Call("get_pages"),
    Call("get_pages", query={"preview": 1, "levels": 5, "alt_media_text": 1}),
    Call("get_pages_page_type", {"page_type": "news"}),
    Call("get_pages_page_type", {"page_type": "landing"}, {"levels": 1, "alt_media_text": 1, "limit": 5}),
    Call("get_pages_page_type", {"page_type": "news"}, {"fields": {"fields.author.name": "Per Moss"}, "order": "-day"}),
    Call("get_pages_page_type", {"page_type": "news"}, {"fields": {"fields.nothing": "x"}}, status=403),
    Call("get_pages_page_type", {"page_type": "nothing"}, status=404),
    Call("get_pages_page_type_page_slug", NEWS),
    Call("get_pages_page_type_page_slug", {"page_type": "*", "page_slug": "about"}),
    Call("get_pages_page_type_page_slug", {"page_type": "landing", "page_slug": "front"}, {"levels": 5}),
    Call("get_pages_page_type_page_slug", {"page_type": "news", "page_slug": "not-yet"}, {"preview": 1}),
    Call("get_pages_page_type_page_slug", {"page_type": "*", "page_slug": "bare"}, status=403),
    Call("get_pages_page_type_page_slug", {"page_type": "news", "page_slug": "nothing"}, status=404),
    Call("get_pages_search", query={"query": "test"}),
    Call("get_pages_search_page_type", {"page_type": "news"}, {"query": "test"}),
    Call("get_content", query={"keys": "team,homepage_title"}),
    Call("get_content", query={"keys": "team", "page_size": 1}),
    Call("get_content"),
    Call("get_content", query={"keys": "nothing"}, status=404),
    Call("get_content_keys", {"keys": "team"}, {"levels": 3, "order": "-name", "preview": 1}),
    Call("get_content_keys", {"keys": "team"}, {"alt_media_text": 1, "fields": {"fields.name": "Rut Hale"}}),
    Call("get_content_keys", {"keys": "team,empty_shelf"}, {"limit": 1}),
    Call("get_content_keys", {"keys": "nothing"}, status=404),
    Call("get_content_key_item_id", RUT),
    Call("get_content_key_item_id", {"key": "homepage_title", "item_id": 3}),
    Call("get_content_key_item_id", {"key": "team", "item_id": 999}, status=404),
)
OPEN = (
    Call("get_health_live", token=NONE),
    Call("get_health_ready", token=NONE),
    Call("get_metrics", token=NONE, status=404),
    Call("get_openapi_json", token=NONE),
    Call("get_docs", token=NONE),
    Call("get_docs_name", {"name": "docs.css"}, token=NONE),
    Call("get_docs_name", {"name": "nothing.css"}, token=NONE, status=404),
    Call("get_media_name", {"name": "{media}"}, token=NONE),
    Call("get_media_name", {"name": "{media}"}, header={"Range": "bytes=0-9"}, token=NONE, status=206),
    Call("get_media_name", {"name": "nothing.svg"}, token=NONE, status=404),
)
WRITES = (
    _write("post_posts", NEW_POST),
    _write("post_posts", {"title": "x" * 201}, 400),
    _write("post_posts", {"title": "Read token"}, 403, READ),
    _write("patch_posts_slug", {"title": "Changed", "scheduled": None}, slug="generated"),
    _write("patch_posts_slug", {"title": "Changed"}, 404, slug="nothing"),
    _write("put_posts_slug", {"status": "draft"}, slug="generated"),
    Call("put_posts_slug", {"slug": "plain"}, {}, {"title": "Stale"}, {"If-Match": '"old"'}, WRITE, 412),
    _write("delete_posts_slug", None, 204, slug="generated"),
    _write("delete_posts_slug", None, 404, slug="generated"),
    _write("post_pages", NEW_NEWS),
    _write("post_pages", NEW_LANDING),
    Call("post_pages", body=NEW_SINGLE, token=WRITE, status=202, fields_of="DefaultPageFields"),
    Call("post_pages", body=NEW_CONTACT, token=WRITE, status=202, fields_of="SinglePageFields.contact"),
    _write("post_pages", {**NEW_NEWS, "slug": "unknown", "fields": {"headline": ""}}, 400),
    _write("patch_pages_page_type_page_slug", {"fields": {"intro": "Patched."}}, **MADE),
    _write("patch_pages_page_type_page_slug", {"fields": {"intro": "x"}}, 404, **LOST),
    _write("put_pages_page_type_page_slug", {"status": "draft"}, **MADE),
    _write("delete_pages_page_type_page_slug", None, 204, **MADE),
    _write("post_content", NEW_ITEMS),
    _write("post_content", {"key": "team", "fields": [{"name": ""}]}, 400),
    _write("patch_content_key_item_id", {"fields": {"casks": 13}}, **RUT),
    _write("patch_content_key_item_id", {"fields": {"casks": "many"}}, 400, **RUT),
    _write("put_content_key_item_id", {"fields": {"name": "Ida Wren"}}, key="team", item_id=12),
    _write("delete_content_key_item_id", None, 204, key="team", item_id=13),
    _write("delete_content_key_item_id", None, 404, key="team", item_id=13),
)
CALLS = (*OPEN, *READS, *WRITES)
"""In the order to send them; `{media}` stands for the name of a media file of the site."""
WRITE_OUTCOME = "get_writes_write_id"
"""The operation that the clients call after each accepted write."""
