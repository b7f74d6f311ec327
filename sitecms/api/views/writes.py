"""Writes (API reference, Paths and Writes)."""

from collections.abc import Mapping
from dataclasses import asdict

from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Accepted
from sitecms.api.write_handler import WriteCall, WriteEndpoint
from sitecms.clock import format_timestamp
from sitecms.content.change import EntryKind, Write
from sitecms.content.field_value import JsonObject
from sitecms.content.token import Token
from sitecms.errors import NotFound


def create_post(call: WriteCall) -> Accepted:
    """Create a post, by default as a draft in the default locale."""
    return accept.create_post(call.context, call.caller, call.body, call.locale)


def update_post(call: WriteCall, slug: str) -> Accepted:
    """Change the fields in the body. In a locale without a variant of the post, one is created as a copy of it."""
    return accept.update_post(call.context, call.caller, slug, call.body, call.locale)


def delete_post(call: WriteCall, slug: str) -> None:
    """Delete the post: it goes to the trash. With `locale`, the variant of the post in that locale is deleted."""
    accept.delete_post(call.context, call.caller, slug, call.locale)


def create_page(call: WriteCall) -> Accepted:
    """Create a page of a page type, or a Single Page; slugs are unique within a type."""
    return accept.create_page(call.context, call.caller, call.body, call.locale)


def update_page(call: WriteCall, page_type: str, page_slug: str) -> Accepted:
    """Change the fields in the body; a draft keeps the published version. The page type `*` stands for any."""
    return accept.update_page(call.context, call.caller, page_type, page_slug, call.body, call.locale)


def delete_page(call: WriteCall, page_type: str, page_slug: str) -> None:
    """Delete the page, or with `locale` that locale of it alone: it goes to the trash. `*` stands for any page type."""
    accept.delete_page(call.context, call.caller, page_type, page_slug, call.locale)


def create_items(call: WriteCall) -> Accepted:
    """Create one item for each element of `fields`, all or none."""
    return accept.create_items(call.context, call.caller, call.body, call.locale)


def update_item(call: WriteCall, key: str, item_id: str) -> Accepted:
    """Change the fields in the body; a draft keeps the published version."""
    return accept.update_item(call.context, call.caller, key, item_id, call.body, call.locale)


def replace_item(call: WriteCall, key: str, item_id: str) -> Accepted:
    """Replace all fields in the locales that are sent; a missing field gets its default."""
    return accept.update_item(call.context, call.caller, key, item_id, call.body, call.locale, replaces=True)


def delete_item(call: WriteCall, key: str, item_id: str) -> None:
    """Delete the item, or with `locale` that locale of it alone: it goes to the trash."""
    accept.delete_item(call.context, call.caller, key, item_id, call.locale)


def write_json(write: Write, token: Token) -> JsonObject:
    """Return the state of a write as JSON.

    {"id", "status", "operation", "kind", "slug" or "item_id", "ids", "errors", "warnings", "warnings_left_out",
    "accepted_at", "finished_at"}: `ids` are those of all entries that the write creates or changes, `item_id` is the
    first of them.

    Raises NotFound for the write of another token if the token has limits.
    """
    if token.limits.is_limited and write.token_id != token.id:
        raise NotFound("Not found.")
    named: Mapping[str, object] = {"slug": write.payload.get("slug")}
    if write.kind is EntryKind.ITEM:
        named = {"item_id": write.entry_ids[0]}
    return {
        "id": write.id,
        "status": write.status.value,
        "operation": write.operation.value,
        "kind": write.kind.value,
        **named,
        "ids": list(write.entry_ids),
        "errors": dict(write.errors),
        "warnings": [asdict(warning) for warning in write.warnings.shown],
        "warnings_left_out": write.warnings.left_out,
        "accepted_at": format_timestamp(write.accepted_at),
        "finished_at": format_timestamp(write.finished_at) if write.finished_at else None,
    }


_POST, _POST_NAMES = "/v2/posts/<slug>/", {"slug": "counting-meteors-honestly"}
_PAGE, _PAGE_NAMES = "/v2/pages/<page_type>/<page_slug>/", {"page_type": "*", "page_slug": "about"}
_ITEM, _ITEM_NAMES = "/v2/content/<key>/<item_id>/", {"item_id": "1"}
WRITE_ENDPOINTS = (
    WriteEndpoint("POST", "/v2/posts/", create_post, "Posts", "Create a post", "NewPost"),
    WriteEndpoint("PATCH", _POST, update_post, "Posts", "Update a post", "PostChange", _POST_NAMES),
    WriteEndpoint("PUT", _POST, update_post, "Posts", "Update a post (same as PATCH)", "PostChange", _POST_NAMES),
    WriteEndpoint("DELETE", _POST, delete_post, "Posts", "Delete a post", examples=_POST_NAMES),
    WriteEndpoint("POST", "/v2/pages/", create_page, "Pages", "Create a page", "NewPage"),
    WriteEndpoint("PATCH", _PAGE, update_page, "Pages", "Update a page", "PageChange", _PAGE_NAMES),
    WriteEndpoint("PUT", _PAGE, update_page, "Pages", "Update a page (same as PATCH)", "PageChange", _PAGE_NAMES),
    WriteEndpoint("DELETE", _PAGE, delete_page, "Pages", "Delete a page", examples=_PAGE_NAMES),
    WriteEndpoint("POST", "/v2/content/", create_items, "Collections", "Create items", "NewItems"),
    WriteEndpoint("PATCH", _ITEM, update_item, "Collections", "Update an item", "ItemChange", _ITEM_NAMES),
    WriteEndpoint("PUT", _ITEM, replace_item, "Collections", "Replace an item", "ItemReplacement", _ITEM_NAMES),
    WriteEndpoint("DELETE", _ITEM, delete_item, "Collections", "Delete an item", examples=_ITEM_NAMES),
)
