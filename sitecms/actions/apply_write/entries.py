"""A write to a page or an item, carried out."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sitecms.actions.apply_write.stored_html import stored_html
from sitecms.actions.request_fields import Merged, RequestLookup, SentFields, merge_fields
from sitecms.actions.request_media import AskedMedia, FetchedMedia, MediaSource
from sitecms.actions.save_page import save_page
from sitecms.content.html import sanitize
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.write import EntryKind, ItemChange, Operation, Origin, PageChange, Write
from sitecms.errors import InvalidFields, NotFound
from sitecms.store import items, pages
from sitecms.store.database import Session, Transaction
from sitecms.store.documents import load_content_schema

Saved = tuple[tuple[str, Status], ...]
GONE = "The {kind} was deleted before this write was applied."
ID_TAKEN = "A file of the site folder took the id {id} meanwhile; send the item again."


def media_of_fields(session: Session, write: Write) -> tuple[tuple[str, str], ...]:
    """("fields", URL) of each remote file to fetch."""
    media = AskedMedia(session)
    _merged(session, write, load_content_schema(session), media, sanitize)
    return tuple(("fields", url) for url in media.asked)


def apply_page(transaction: Transaction, write: Write, media: FetchedMedia, at: datetime) -> Saved:
    """Raises InvalidFields where what was sent does not fit any more, NotFound where the page is gone.

    Gives the locales that were written, with the status that the page has in each.
    """
    schema, payload = load_content_schema(transaction), write.payload
    page_type = None if payload["page_type"] is None else str(payload["page_type"])
    slug, title = str(payload["slug"]), str(payload.get("title") or "")
    if write.operation is Operation.CREATE:
        if pages.find_page_id(transaction, page_type, slug) is not None:
            raise InvalidFields({"slug": [f'A page with the slug "{slug}" already exists.']})
        pages.insert_page(transaction, page_type, slug, title, Origin.API, at, write.entry_id)
    elif (named := pages.find_page_title(transaction, write.entry_id)) is None:
        raise NotFound(GONE.format(kind="page"))
    else:
        page_type, slug, title = named
    merged = _sound(_merged(transaction, write, schema, media, lambda text: stored_html(transaction, text, media)))
    change = PageChange(write.entry_id, page_type, slug, title, merged.versions)
    save_page(transaction, change, schema, origin=Origin.API, at=at)
    return merged.saved


def apply_item(transaction: Transaction, write: Write, media: FetchedMedia, at: datetime) -> Saved:
    """As `apply_page`."""
    collection = str(write.payload["collection"])
    if write.operation is Operation.CREATE:
        if items.find_collection_of(transaction, write.entry_id) is not None:
            raise InvalidFields({"id": [ID_TAKEN.format(id=write.entry_id)]})
        items.insert_item(transaction, collection, Origin.API, at, write.entry_id)
    elif not items.item_exists(transaction, write.entry_id, (collection,)):
        raise NotFound(GONE.format(kind="item"))
    schema = load_content_schema(transaction)
    merged = _sound(_merged(transaction, write, schema, media, lambda text: stored_html(transaction, text, media)))
    items.save_item(transaction, ItemChange(write.entry_id, collection, merged.versions), Origin.API, at)
    return merged.saved


def _merged(
    session: Session, write: Write, schema: ContentSchema, media: MediaSource, html: Callable[[str], str]
) -> Merged:
    current = () if write.operation is Operation.CREATE else _versions(session, write)
    return merge_fields(current, _sent(write), _specs(write, schema), schema, RequestLookup(session, media, html))


def _versions(session: Session, write: Write) -> Sequence[Page | Item]:
    if write.kind is EntryKind.PAGE:
        return pages.page_versions(session, write.entry_id)
    return items.item_versions(session, (write.entry_id,))


def _specs(write: Write, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """The declared fields. Raises NotFound where the page type or collection is gone from the schema."""
    if write.kind is EntryKind.PAGE:
        page_type: Any = write.payload["page_type"]
        return schema.page_fields(page_type)
    return schema.collection(str(write.payload["collection"])).fields


def _sent(write: Write) -> SentFields:
    payload: Mapping[str, Any] = write.payload
    status = Status(payload["status"]) if payload["status"] else None
    return SentFields(payload["fields"], status, payload["replaces"])


def _sound(merged: Merged) -> Merged:
    if merged.errors:
        raise InvalidFields(merged.errors)
    return merged
