"""Acceptance of new entries of every kind (API reference, Writes)."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import Accepted, Body, Caller, NewWrite, WriteContext, WritePlan, accept
from sitecms.actions.writing.accept.body_reader import REQUIRED
from sitecms.actions.writing.accept.built_in import MAX_TITLE_LENGTH, read_post
from sitecms.actions.writing.accept.planning import NO_STUDIO_VALUES, NOT_ACCEPTED, Planning, StudioValues, WriteRequest
from sitecms.actions.writing.known_entries import TAKEN, count_known_items, is_taken, reserved_name
from sitecms.actions.writing.request_fields import Merged, SentFields
from sitecms.actions.writing.save_context import default_author
from sitecms.clock import EPOCH
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.schema import Collection
from sitecms.content.status import Status, Version
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.slug import slugify
from sitecms.content.writes import Operation, Save
from sitecms.errors import InvalidFields, LimitReached
from sitecms.messages import N_
from sitecms.store.database import Session
from sitecms.store.entries.addresses import StoredAddress

META = "meta"
MAX_ELEMENTS = 1000
NO_TITLE = N_("You must specify a page title.")
NO_SLUG = N_("You must specify a page slug.")
EMPTY = "This list may not be empty."
LIMIT_REACHED = "Cannot create a new Collection Item. Collection Item Limit Reached."


def create(
    context: WriteContext,
    caller: Caller,
    kind: EntryKind,
    body: Body,
    locale: str = "",
    studio: StudioValues = NO_STUDIO_VALUES,
) -> Accepted:
    """Create a post, a page, or an item for each element of `fields`, in the default locale unless another is named.

    Raises InvalidFields, Forbidden, and LimitReached for items.
    """
    request = WriteRequest(context, caller, kind, body, context.locale(locale), studio)
    return accept(context, caller, lambda media: CREATIONS[kind](request.planning(media)))


def _new_post(plan: Planning) -> WritePlan:
    reader = plan.reader
    plan.check_allowed(plan.request.caller.limits.author)
    save, removed = read_post(plan, plan.request.locale)
    version = new_post_address(plan, reader.slug(), slugify(save.title or "") or "post", save.locale)
    author = save.author or _default_author(plan)
    if "author" not in reader.errors:
        plan.check_allowed(author)
    reader.raise_errors()
    slug = version.slug
    new_write = NewWrite(plan.kind, Operation.CREATE, replace(save, slug=slug, author=author), reserves=(slug,))
    return WritePlan(new_write, lambda session: is_free(plan, session, [version]), removed=removed)


def new_post_address(plan: Planning, asked: str | None, otherwise: str, locale: str) -> StoredAddress:
    """Return the address of a new post: by the sent slug, which must be free, or by a free one."""
    if asked is None:
        base = plan.new_address(locale, otherwise)
        return base._replace(slug=plan.addresses.free_slug(base))
    version = plan.new_address(locale, asked)
    if is_taken(plan.session, plan.kind, "", asked):
        plan.reader.refuse("slug", TAKEN.format(kind=plan.kind, slug=asked))
    plan.check_addresses([version])
    return version


def is_free(plan: Planning, session: Session, versions: Iterable[StoredAddress], items: Iterable[Entry] = ()) -> bool:
    """Return whether no other entry has the slug or the address of a version, within the transaction that accepts it.

    Another write may have reserved the one or the other since the plan.
    """
    rule = plan.addresses_in(session)
    return not any(rule.occupant_for(each) for each in items) and not any(
        is_taken(session, each.kind, each.place, each.slug, each.id) or rule.occupant(each) for each in versions
    )


def _default_author(plan: Planning) -> str:
    """Return the slug of the author of a new post that names none; "" if there is none, or none that is known."""
    if "author" in plan.reader.errors:
        return ""
    owner = plan.request.caller.limits.author or plan.request.context.settings.owner
    try:
        return default_author(plan.session, owner)
    except InvalidFields as error:
        plan.reader.refuse("author", *error.messages["author"])
        return ""


def _new_page(plan: Planning) -> WritePlan:
    reader, schema = plan.reader, plan.schema
    title = reader.title(MAX_TITLE_LENGTH, NO_TITLE)
    page_type, is_known = _page_type(plan)
    if is_known:
        plan.check_allowed(page_type)
    raw = reader.body.get("fields")
    by_locale = plan.split({} if raw is None else raw)
    slug = _page_slug(plan, page_type)
    versions = [plan.new_address(each, slug, page_type or "") for each in by_locale or (plan.request.locale,)]
    if slug:
        plan.check_addresses(versions)
    fields = SentFields(plan.kind, by_locale, plan.status() or Status.DRAFT)
    merged = plan.merged(fields, schema.page_fields(page_type, slug) if is_known else ())
    if is_known:
        reader.refuse_all(merged.errors)
    plan.check_marks()
    reader.raise_errors()
    save = Save(slug=slug, type=page_type, title=title, **plan.saved_values(fields, [merged]))
    reserves = (reserved_name(plan.kind, page_type, slug),)
    new_write = NewWrite(plan.kind, Operation.CREATE, save, reserves=reserves)
    return WritePlan(new_write, lambda session: is_free(plan, session, versions), removed=merged.warnings)


def _page_type(plan: Planning) -> tuple[str, bool]:
    """Return the page type ("": a Single Page), and whether it is valid. Clients spell the key in two ways."""
    value = plan.reader.body.get("page_type")
    value = plan.reader.body.get("page-type") if value is None else value
    if value is None or value in ("", SINGLE_PAGES):
        return "", True
    if isinstance(value, str) and value in plan.schema.page_types:
        return value, True
    known = ", ".join(sorted(plan.schema.page_types)) or "none"
    plan.reader.refuse("page_type", f'There is no page type "{str(value)[:100]}". Page types: {known}.')
    return "", False


def _page_slug(plan: Planning, page_type: str) -> str:
    slug = plan.reader.slug()
    if slug is None:
        if "slug" not in plan.reader.errors:
            plan.reader.refuse("slug", NO_SLUG)
        return ""
    if is_taken(plan.session, plan.kind, page_type, slug):
        plan.reader.refuse("slug", TAKEN.format(kind=plan.kind, slug=slug))
    return slug


def _new_items(plan: Planning) -> WritePlan:
    reader, context = plan.reader, plan.request.context
    collection = _collection(plan)
    if collection is not None:
        plan.check_allowed(collection.key)
    status = plan.status() or Status.DRAFT
    elements = _elements(plan)
    parts: list[Merged] = []
    removed: list[tuple[str, Dropped]] = []
    for number, raw in enumerate(elements):
        by_locale = plan.split(raw)
        if collection is None or not by_locale:
            continue
        merged = plan.merged(SentFields(plan.kind, without_meta(by_locale, collection), status), collection.fields)
        where = "" if len(elements) == 1 else f"fields[{number}]."
        reader.refuse_all(merged.errors, where)
        parts.append(merged)
        removed += [(where + place, dropped) for place, dropped in merged.warnings]
    plan.check_marks()
    reader.raise_errors()
    if not _is_within_limit(context, len(parts), plan.session):
        raise LimitReached(LIMIT_REACHED)
    key = collection.key if collection else ""
    items = [each for merged in parts for each in plan.item_versions(new_item(plan, NOT_ACCEPTED, key), merged)]
    reader.raise_errors()
    save = Save(type=key, **plan.saved_values(SentFields(plan.kind, {}, status), parts))
    new_write = NewWrite(plan.kind, Operation.CREATE, save)

    def holds(session: Session) -> bool:
        return _is_within_limit(context, len(parts), session) and is_free(plan, session, (), items)

    return WritePlan(new_write, holds, removed=removed)


def new_item(plan: Planning, item_id: int, key: str) -> Entry:
    """Return an item of a collection without values; its address does not follow from a time."""
    return Entry(plan.kind, item_id, item_id, key, "", "", "", Version.DRAFT, Status.DRAFT, {}, EPOCH, EPOCH)


def without_meta(
    by_locale: Mapping[str, Mapping[str, object]], collection: Collection
) -> Mapping[str, Mapping[str, object]]:
    """Return the fields without `meta`, which clients send back as they read it."""
    if any(spec.slug == META for spec in collection.fields):
        return by_locale
    return {locale: {name: raw[name] for name in raw if name != META} for locale, raw in by_locale.items()}


def _collection(plan: Planning) -> Collection | None:
    key = plan.reader.text("key")
    if not key:
        if "key" not in plan.reader.errors:
            plan.reader.refuse("key", REQUIRED)
        return None
    if key not in plan.schema.collections:
        plan.reader.refuse("key", f'There is no collection "{key[:100]}".')
        return None
    return plan.schema.collections[key]


def _elements(plan: Planning) -> list[object]:
    """Return the elements of `fields`; an object counts as a list of one."""
    raw = plan.reader.body.get("fields")
    if raw is None:
        plan.reader.refuse("fields", REQUIRED)
        return []
    elements = raw if isinstance(raw, list) else [raw]
    if not elements:
        plan.reader.refuse("fields", EMPTY)
    if len(elements) > MAX_ELEMENTS:
        plan.reader.refuse("fields", f"Ensure this field has no more than {MAX_ELEMENTS} elements.")
        return []
    return elements


def _is_within_limit(context: WriteContext, wanted: int, session: Session) -> bool:
    """Return whether `wanted` more items may be stored; accepted items count (API reference, Limits)."""
    return count_known_items(session) + wanted <= context.settings.limits.collection_items


CREATIONS = {EntryKind.POST: _new_post, EntryKind.PAGE: _new_page, EntryKind.ITEM: _new_items}
