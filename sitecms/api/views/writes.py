"""Writes (specification, endpoints 1, 2 and 9; decisions, Paths and Writes)."""

from collections.abc import Mapping

from sitecms.actions import accept_write
from sitecms.actions.accept_write import Accepted
from sitecms.api.envelope import JsonObject
from sitecms.api.writer import WriteCall, WriteEndpoint
from sitecms.clock import format_timestamp
from sitecms.content.token import Token
from sitecms.content.write import EntryKind, Write
from sitecms.errors import NotFound


def create_post(call: WriteCall) -> Accepted:
    """A new post."""
    return accept_write.create_post(call.desk, call.caller, call.body, call.locale)


def update_post(call: WriteCall, slug: str) -> Accepted:
    """A change of a post, or a new variant of it."""
    return accept_write.update_post(call.desk, call.caller, slug, call.body, call.locale)


def delete_post(call: WriteCall, slug: str) -> None:
    """A post away."""
    accept_write.delete_post(call.desk, call.caller, slug, call.locale)


def create_page(call: WriteCall) -> Accepted:
    """A new page."""
    return accept_write.create_page(call.desk, call.caller, call.body, call.locale)


def update_page(call: WriteCall, page_type: str, page_slug: str) -> Accepted:
    """A change of a page."""
    return accept_write.update_page(call.desk, call.caller, page_type, page_slug, call.body, call.locale)


def delete_page(call: WriteCall, page_type: str, page_slug: str) -> None:
    """A page away."""
    accept_write.delete_page(call.desk, call.caller, page_type, page_slug, call.locale)


def create_items(call: WriteCall) -> Accepted:
    """New items of a collection."""
    return accept_write.create_items(call.desk, call.caller, call.body, call.locale)


def update_item(call: WriteCall, key: str, item_id: str) -> Accepted:
    """A change of an item."""
    return accept_write.update_item(call.desk, call.caller, key, item_id, call.body, call.locale)


def replace_item(call: WriteCall, key: str, item_id: str) -> Accepted:
    """All fields of an item anew."""
    return accept_write.update_item(call.desk, call.caller, key, item_id, call.body, call.locale, replaces=True)


def delete_item(call: WriteCall, key: str, item_id: str) -> None:
    """An item away."""
    accept_write.delete_item(call.desk, call.caller, key, item_id, call.locale)


def write_json(write: Write, token: Token) -> JsonObject:
    """{"id", "status", "operation", "kind", "slug" or "id" of the entry, "errors", "accepted_at", "finished_at"}.

    Raises NotFound for another's write if the token is limited.
    """
    if token.limits.is_limited and write.token_id != token.id:
        raise NotFound("Not found.")
    named: Mapping[str, object] = {"slug": write.payload.get("slug")}
    if write.kind is EntryKind.ITEM:
        named = {"item_id": write.entry_id}
    return {
        "id": write.id,
        "status": write.status.value,
        "operation": write.operation.value,
        "kind": write.kind.value,
        **named,
        "errors": dict(write.errors),
        "accepted_at": format_timestamp(write.accepted_at),
        "finished_at": format_timestamp(write.finished_at) if write.finished_at else None,
    }


WRITE_ENDPOINTS = (
    WriteEndpoint("POST", "/v2/posts/", create_post),
    WriteEndpoint("PATCH", "/v2/posts/<slug>/", update_post),
    WriteEndpoint("PUT", "/v2/posts/<slug>/", update_post),
    WriteEndpoint("DELETE", "/v2/posts/<slug>/", delete_post),
    WriteEndpoint("POST", "/v2/pages/", create_page),
    WriteEndpoint("PATCH", "/v2/pages/<page_type>/<page_slug>/", update_page),
    WriteEndpoint("PUT", "/v2/pages/<page_type>/<page_slug>/", update_page),
    WriteEndpoint("DELETE", "/v2/pages/<page_type>/<page_slug>/", delete_page),
    WriteEndpoint("POST", "/v2/content/", create_items),
    WriteEndpoint("PATCH", "/v2/content/<key>/<item_id>/", update_item),
    WriteEndpoint("PUT", "/v2/content/<key>/<item_id>/", replace_item),
    WriteEndpoint("DELETE", "/v2/content/<key>/<item_id>/", delete_item),
)
