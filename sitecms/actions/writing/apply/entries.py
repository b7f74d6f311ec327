"""Application of a write to a page or to items."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sitecms.actions.writing.request_fields import Merged, ReadHtml, RequestLookup, SentFields, media_of, merge_fields
from sitecms.actions.writing.request_media import AskedMedia, FetchedMedia, MediaSource
from sitecms.actions.writing.save_entry import save_page
from sitecms.content.change import SCHEMA_DIGEST, EntryKind, ItemChange, Operation, Origin, PageChange, Write
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.text.html import sanitize
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import items, pages
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema

GONE = "The {kind} was deleted before this write was applied."
ID_TAKEN = "A file of the site folder took the id {id} meanwhile; send the item again."


SavedVersion: TypeAlias = tuple[int, str, Status]
"""Entry id, locale and status of a version that a write saved."""


def media_of_fields(session: Session, write: Write) -> tuple[tuple[str, str], ...]:
    """Return ("fields", URL) of each remote file to fetch."""
    media = AskedMedia(session)
    schema = load_content_schema(session)
    for part in _parts(write):
        _merged(session, write, part, schema, media, lambda html, _report: html)
    return tuple(("fields", url) for url in media.asked)


def apply_page(transaction: Transaction, write: Write, media: FetchedMedia, at: datetime) -> tuple[SavedVersion, ...]:
    """Apply a write to a page; return the versions that it saved.

    Raises InvalidFields where the sent fields are no longer valid, NotFound where the page was deleted.
    """
    (part,) = _parts(write)
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
    merged = _merged(transaction, write, part, schema, media, _html_reader(transaction, write, media))
    if merged.errors:
        raise InvalidFields(merged.errors)
    change = PageChange(write.entry_id, page_type, slug, title, merged.versions)
    save_page(transaction, change, schema, origin=Origin.API, at=at)
    return tuple((write.entry_id, locale, status) for locale, status in merged.saved)


def apply_item(transaction: Transaction, write: Write, media: FetchedMedia, at: datetime) -> tuple[SavedVersion, ...]:
    """Apply a write to an item, or create all items of the write. Returns and raises the same as `apply_page`."""
    collection, schema, parts = str(write.payload["collection"]), load_content_schema(transaction), _parts(write)
    saved: list[SavedVersion] = []
    errors: dict[str, list[str]] = {}
    read_html = _html_reader(transaction, write, media)
    for part in parts:
        _place_item(transaction, write, part.entry_id, collection, at)
        merged = _merged(transaction, write, part, schema, media, read_html)
        errors |= {part.place(place, len(parts)): texts for place, texts in merged.errors.items()}
        if not errors:
            items.save_item(transaction, ItemChange(part.entry_id, collection, merged.versions), Origin.API, at)
            saved += [(part.entry_id, locale, status) for locale, status in merged.saved]
    if errors:
        raise InvalidFields(errors)
    return tuple(saved)


def is_schema_changed(session: Session, write: Write) -> bool:
    """Return whether the content schema has changed since the write was accepted."""
    return write.payload[SCHEMA_DIGEST] != content_schema_digest(session)


def _html_reader(transaction: Transaction, write: Write, media: FetchedMedia) -> ReadHtml:
    """Return the function that resolves media in HTML, which was sanitised when the write was accepted.

    If the schema has changed since then, a field that was plain text may hold HTML now: it is sanitised here.
    """
    if is_schema_changed(transaction, write):
        return lambda html, report: media.place_in(sanitize(html, report))
    return lambda html, _report: media.place_in(html)


def _place_item(transaction: Transaction, write: Write, item_id: int, collection: str, at: datetime) -> None:
    """Create the item without versions, or check that it exists."""
    if write.operation is Operation.CREATE:
        if items.find_collection_of(transaction, item_id) is not None:
            raise InvalidFields({"id": [ID_TAKEN.format(id=item_id)]})
        items.insert_item(transaction, collection, Origin.API, at, item_id)
    elif not items.item_exists(transaction, item_id, (collection,)):
        raise NotFound(GONE.format(kind="item"))


@dataclass(frozen=True, slots=True)
class _Part:
    """The fields that a write sends for one entry; `number` is its place among the elements of a creation."""

    entry_id: int
    sent: SentFields
    number: int = 0

    def place(self, place: str, count: int) -> str:
        """Return the place of an error in a request of `count` elements."""
        return place if count == 1 else f"fields[{self.number}].{place}"


def _merged(
    session: Session,
    write: Write,
    part: _Part,
    schema: ContentSchema,
    media: MediaSource,
    html: ReadHtml,
) -> Merged:
    current = () if write.operation is Operation.CREATE else versions_of(session, write.kind, write.entry_id)
    media.stored = media_of(current)
    return merge_fields(current, part.sent, _specs(write, schema), schema, RequestLookup(session, media, html))


def _specs(write: Write, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """Return the declared fields. Raises NotFound if the schema no longer has the page type or collection."""
    if write.kind is EntryKind.PAGE:
        page_type: Any = write.payload["page_type"]
        return schema.page_fields(page_type)
    return schema.collection(str(write.payload["collection"])).fields


def _parts(write: Write) -> tuple[_Part, ...]:
    """Return the fields of each entry that the write creates or changes."""
    payload: Mapping[str, Any] = write.payload
    status = Status(payload["status"]) if payload["status"] else None
    if "elements" not in payload:
        sent = SentFields(payload["fields"], status, payload["replaces"], payload["unschedules"])
        return (_Part(write.entry_id, sent),)
    each = enumerate(zip(write.entry_ids, payload["elements"], strict=True))
    return tuple(_Part(entry_id, SentFields(fields, status), number) for number, (entry_id, fields) in each)
