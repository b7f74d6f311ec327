"""Acceptance of item writes (API reference, Writes)."""

from collections.abc import Mapping
from functools import partial

from sitecms.actions.writing.accept.acceptance import (
    Accepted,
    Body,
    Caller,
    NewWrite,
    WriteContext,
    WritePlan,
    accept,
    key_of,
)
from sitecms.actions.writing.accept.body_reader import REQUIRED, SCHEDULED_IGNORED, BodyReader
from sitecms.actions.writing.accept.fields import FieldCheck, sent_values, status_of
from sitecms.actions.writing.accept.studio_values import NO_STUDIO_VALUES, StudioValues
from sitecms.actions.writing.request_fields import Merged, SentFields
from sitecms.actions.writing.request_media import AskedMedia
from sitecms.content.change import EntryKind
from sitecms.content.references import parse_item_id
from sitecms.content.schema import Collection, ContentSchema
from sitecms.content.status import Status
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.writes import Operation, Save
from sitecms.errors import Forbidden, LimitReached, NotFound
from sitecms.store.database import Session
from sitecms.store.entries import items
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes import reservations, writes

META = "meta"
MAX_ELEMENTS = 1000
EMPTY = "This list may not be empty."
LIMIT_REACHED = "Cannot create a new Collection Item. Collection Item Limit Reached."
NEVER_NULL = ("fields",)
NOT_ALLOWED = "The token does not allow writes to this collection."


def create_items(
    context: WriteContext, caller: Caller, body: Body, locale: str = "", studio: StudioValues = NO_STUDIO_VALUES
) -> Accepted:
    """Create an item for each element of `fields`, all or none. Raises InvalidFields, LimitReached and Forbidden."""
    check = FieldCheck(context, context.locale(locale))

    def plan(session: Session, media: AskedMedia) -> WritePlan:
        reader, schema = BodyReader(body), load_content_schema(session)
        collection = _collection(reader, schema)
        if collection is not None:
            check_collection(caller, collection.key)
        status = status_of(reader) or Status.DRAFT
        elements = _elements(reader)
        parts: list[Merged] = []
        removed: list[tuple[str, Dropped]] = []
        for number, raw in enumerate(elements):
            by_locale = check.split(raw, reader)
            if collection is None or not by_locale:
                continue
            fields = SentFields(_own(by_locale, collection), status)
            merged = check.merged(session, media, fields, collection.fields, schema)
            where = "" if len(elements) == 1 else f"fields[{number}]."
            reader.refuse_all(merged.errors, where)
            parts.append(merged)
            removed += [(where + place, dropped) for place, dropped in merged.warnings]
        check.check_marks(reader)
        reader.raise_errors()
        if not _is_within_limit(context, len(parts), session):
            raise LimitReached(LIMIT_REACHED)
        key = collection.key if collection else ""
        save = Save(type=key, **sent_values(SentFields({}, status), parts, studio))
        new_write = NewWrite(EntryKind.ITEM, Operation.CREATE, save)
        return WritePlan(new_write, partial(_is_within_limit, context, len(parts)), removed=removed)

    return accept(context, caller, plan)


def update_item(
    context: WriteContext,
    caller: Caller,
    key: str,
    item_id: str,
    body: Body,
    locale: str = "",
    *,
    replaces: bool = False,
    studio: StudioValues = NO_STUDIO_VALUES,
) -> Accepted:
    """Change the item; with `replaces` (PUT), replace all its fields in the locales that are sent.

    Raises NotFound, InvalidFields and Forbidden.
    """
    check = FieldCheck(context, context.locale(locale))

    def plan(session: Session, media: AskedMedia) -> WritePlan:
        schema = load_content_schema(session)
        collection = schema.collection(key)
        number = get_known_item(session, collection.key, item_id)
        check_collection(caller, collection.key)
        reader = BodyReader(body)
        reader.resolve_nulls({}, NEVER_NULL)
        raw = body.get("fields")
        raw = raw[0] if isinstance(raw, list) and len(raw) == 1 else {} if raw is None else raw
        by_locale = _own(check.split(raw, reader), collection)
        fields = SentFields(by_locale, status_of(reader), replaces)
        merged = check.merged(session, media, fields, collection.fields, schema, (EntryKind.ITEM, number))
        reader.refuse_all(merged.errors)
        check.check_marks(reader)
        reader.raise_errors()
        save = Save(type=collection.key, **sent_values(fields, [merged], studio))
        operation = Operation.REPLACE if replaces else Operation.UPDATE
        entry_key = _key_of_item(session, number)
        new_write = NewWrite(EntryKind.ITEM, operation, save, number, entry_key, locale=check.locale)
        holds = lambda now: _key_of_item(now, number) == entry_key  # noqa: E731
        warnings = SCHEDULED_IGNORED if "scheduled" in body else {}
        return WritePlan(new_write, holds, warnings, merged.warnings)

    return accept(context, caller, plan)


def get_known_item(session: Session, collection: str, item_id: str) -> int:
    """Return the id of a stored or accepted item of the collection as a number. Raises NotFound."""
    number = parse_item_id(item_id)
    if items.item_exists(session, number, (collection,)):
        return number
    creation = writes.find_creation(session, EntryKind.ITEM, number)
    if creation is None or creation.type != collection:
        raise NotFound("Not found.")
    return number


def _key_of_item(session: Session, number: int) -> str:
    """Return the key that writes to the item are ordered by: that of the creation of several items while one waits."""
    waiting = writes.find_open(session, EntryKind.ITEM, number)
    return waiting[-1].entry_key if waiting else key_of(EntryKind.ITEM, number)


def check_collection(caller: Caller, key: str) -> None:
    """Raise Forbidden if the token does not allow this collection."""
    if not caller.limits.allow_items_of(key):
        raise Forbidden(NOT_ALLOWED)


def _own(by_locale: Mapping[str, Mapping[str, object]], collection: Collection) -> Mapping[str, Mapping[str, object]]:
    """Return the fields without `meta`, which clients send back as they read it."""
    if any(spec.slug == META for spec in collection.fields):
        return by_locale
    return {locale: {name: raw[name] for name in raw if name != META} for locale, raw in by_locale.items()}


def _collection(reader: BodyReader, schema: ContentSchema) -> Collection | None:
    key = reader.text("key")
    if not key:
        if "key" not in reader.errors:
            reader.refuse("key", REQUIRED)
        return None
    if key not in schema.collections:
        reader.refuse("key", f'There is no collection "{key[:100]}".')
        return None
    return schema.collections[key]


def _elements(reader: BodyReader) -> list[object]:
    """Return the elements of `fields`; an object counts as a list of one."""
    raw = reader.body.get("fields")
    if raw is None:
        reader.refuse("fields", REQUIRED)
        return []
    elements = raw if isinstance(raw, list) else [raw]
    if not elements:
        reader.refuse("fields", EMPTY)
    if len(elements) > MAX_ELEMENTS:
        reader.refuse("fields", f"Ensure this field has no more than {MAX_ELEMENTS} elements.")
        return []
    return elements


def _is_within_limit(context: WriteContext, wanted: int, session: Session) -> bool:
    """Return whether `wanted` more items may be stored; accepted items count (API reference, Limits)."""
    held = items.count_items(session) + reservations.count_reserved_items(session)
    return held + wanted <= context.settings.limits.collection_items
