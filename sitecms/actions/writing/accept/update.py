"""Acceptance of changes of entries of every kind (API reference, Writes)."""

from collections.abc import Iterable, Mapping, Set

from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import Accepted, Body, Caller, NewWrite, WriteContext, WritePlan, accept
from sitecms.actions.writing.accept.body_reader import SCHEDULED_IGNORED, BodyReader
from sitecms.actions.writing.accept.built_in import MAX_TITLE_LENGTH, UNSET, WRITABLE, read_post
from sitecms.actions.writing.accept.create import is_free, new_post_address, without_meta
from sitecms.actions.writing.accept.planning import NO_STUDIO_VALUES, Planning, StudioValues, WriteRequest
from sitecms.actions.writing.free_addresses import PUBLIC, sent_locales
from sitecms.actions.writing.known_entries import (
    TAKEN,
    EntryName,
    KnownEntry,
    find_variant,
    get_known,
    is_taken,
    order_key,
    reserved_name,
)
from sitecms.actions.writing.request_fields import Merged, SentFields
from sitecms.actions.writing.request_media import AskedMedia, media_of
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.status import Status
from sitecms.content.text.slug import MAX_SLUG_LENGTH, RESERVED_SLUGS, slugify
from sitecms.content.writes import Operation, Save
from sitecms.store.database import Session
from sitecms.store.entries.addresses import StoredAddress, addresses_of, published_addresses_of
from sitecms.store.entries.entry_state import written_versions
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.reservations import variant_name

MAX_IGNORED_KEYS = 100
IMMUTABLE = "The field {name} was ignored: it cannot be changed once the page is there."
DECLARED = "A file in schema/single_pages declares the fields of the page of this slug; rename both files together."
IS_HOME = "The setting home in site.toml names this page by its slug; change the setting and the file of the page."


def update(
    context: WriteContext,
    caller: Caller,
    name: EntryName,
    body: Body,
    locale: str = "",
    studio: StudioValues = NO_STUDIO_VALUES,
) -> Accepted:
    """Change the entry, or create the variant of a post in a locale that has none (API reference, Writes).

    Requests leave title and slug of a page as they are. Raises NotFound, InvalidFields and Forbidden.
    """
    chosen = context.locale(locale) if locale else KINDS[name.kind].locale_key(context.locales.default)
    return _accept_change(WriteRequest(context, caller, name.kind, body, chosen, studio), name)


def replace_fields(
    context: WriteContext,
    caller: Caller,
    name: EntryName,
    body: Body,
    locale: str = "",
    studio: StudioValues = NO_STUDIO_VALUES,
) -> Accepted:
    """Replace all fields of an item in the locales that are sent. Raises as `update`."""
    request = WriteRequest(context, caller, name.kind, body, context.locale(locale), studio, replaces=True)
    return _accept_change(request, name)


def _accept_change(request: WriteRequest, name: EntryName) -> Accepted:

    def plan(media: AskedMedia) -> WritePlan:
        planning = request.planning(media)
        return CHANGES[name.kind](planning, get_known(planning.session, planning.schema, name))

    return accept(request.context, request.caller, plan)


def _changed_post(plan: Planning, named: KnownEntry) -> WritePlan:
    """Return the plan of a change of the post, or of its new variant in the locale of the request."""
    reader, session, locale = plan.reader, plan.session, plan.request.locale
    target = named if locale in ("", named.locale) else find_variant(session, plan.kind, named.group_id, locale)
    base = target or named
    plan.check_allowed(base.author)
    plan.media.stored = media_of(written_versions(session, plan.kind, base.id))
    body, declared = reader.body, {FIELDS} if plan.schema.post_fields else set()
    if body.get("status") == Status.SCHEDULED:
        reader.body = {name: value for name, value in body.items() if name != "status"}
    reader.resolve_nulls(UNSET, {*KINDS[plan.kind].required, *declared})
    save, removed = read_post(plan, target.locale if target else locale, base)
    if target:
        new_write = _update_of(plan, save, target)
        versions = _changed_addresses(plan, target, new_write.payload, (target.locale,))
        plan.check_addresses(versions)
    else:
        new_write = _variant_of(plan, save, named)
        versions = [plan.new_address(locale, new_write.payload.slug)]
    if "author" not in reader.errors:
        plan.check_allowed(save.author or base.author)
    reader.raise_errors()

    def holds(session: Session) -> bool:
        if not is_free(plan, session, versions):
            return False
        return target is not None or find_variant(session, plan.kind, named.group_id, locale) is None

    return WritePlan(new_write, holds, _ignored_keys(body, declared), removed)


def _update_of(plan: Planning, save: Save, post: KnownEntry) -> NewWrite:
    slug = plan.reader.slug()
    if slug and is_taken(plan.session, plan.kind, "", slug, post.id):
        plan.reader.refuse("slug", TAKEN.format(kind=plan.kind, slug=slug))
    save = replace(save, slug=slug or post.slug, new_slug=slug or "")
    return NewWrite(plan.kind, Operation.UPDATE, save, post.id, post.key, (slug,) if slug else ())


def _variant_of(plan: Planning, save: Save, original: KnownEntry) -> NewWrite:
    """Return the draft of a new variant, a copy of the original. A sent slug that is the original's own is ignored."""
    asked = plan.reader.slug()
    from_title = slugify(save.title or "")
    if not from_title or from_title in RESERVED_SLUGS or is_taken(plan.session, plan.kind, "", from_title):
        ending = f"-{slugify(save.locale)}"
        from_title = original.slug[: MAX_SLUG_LENGTH - len(ending)].rstrip("-_") + ending
    slug = new_post_address(plan, None if asked == original.slug else asked, from_title, save.locale).slug
    save = replace(save, slug=slug, author=save.author or original.author, copy_of=original.id)
    reserves = (slug, variant_name(original.group_id, save.locale))
    return NewWrite(plan.kind, Operation.CREATE, save, entry_key=original.key, reserves=reserves)


def _ignored_keys(body: Body, also: Set[str]) -> dict[str, str]:
    """Return warnings about ignored keys: keys that cannot be written, `scheduled` among them, and that status."""
    ignored = [name for name in body if name not in WRITABLE | also]
    if body.get("status") == Status.SCHEDULED:
        ignored.append("status")
    return {
        f"warning: {name[:100]} field": f"The field {name[:100]} was ignored: it cannot be set here."
        for name in ignored[:MAX_IGNORED_KEYS]
    }


def _changed_versions(plan: Planning, entry: KnownEntry) -> WritePlan:
    """Return the plan of a change of a page or item in the locales that are sent."""
    reader, request, session = plan.reader, plan.request, plan.session
    plan.check_allowed(entry.type)
    reader.resolve_nulls({}, KINDS[entry.kind].required)
    specs = declared_fields(plan.schema, entry.kind, entry.type, entry.slug)
    fields = SentFields(plan.kind, _sent_fields(plan, entry), plan.status(), request.replaces)
    merged = plan.merged(fields, specs, entry)
    reader.refuse_all(merged.errors)
    plan.check_marks()
    title, new_slug = _new_names(plan, entry)
    save = Save(
        slug=entry.slug, new_slug=new_slug, type=entry.type, locale=request.locale, title=title,
        **plan.saved_values(fields, [merged]),
    )  # fmt: skip
    versions = _changed_addresses(plan, entry, save, sent_locales(save, request.locale))
    plan.check_addresses(versions)
    items = _changed_items(plan, entry, merged)
    reader.raise_errors()
    operation, key = Operation.REPLACE if request.replaces else Operation.UPDATE, order_key(session, entry)
    reserves = (reserved_name(entry.kind, entry.type, new_slug),) if new_slug else ()
    new_write = NewWrite(entry.kind, operation, save, entry.id, key, reserves, locale=request.locale)

    def holds(session: Session) -> bool:
        return is_free(plan, session, versions, items) and order_key(session, entry) == key

    return WritePlan(new_write, holds, _warnings(request.body, entry), merged.warnings)


def _changed_addresses(plan: Planning, entry: KnownEntry, save: Save, locales: Iterable[str]) -> list[StoredAddress]:
    """Return what the addresses follow from that a change gives an entry: by a new slug, or by its publication."""
    if not KINDS[entry.kind].has_slug or not (save.new_slug or save.status in PUBLIC):
        return []
    by_locale = {each.locale: each for each in reversed(addresses_of(plan.session, entry.kind, entry.id))}
    public = {each.locale for each in published_addresses_of(plan.session, entry.kind, entry.id)}
    changed = dict.fromkeys(by_locale if save.new_slug else ())
    changed |= dict.fromkeys(each for each in locales if save.status in PUBLIC and each not in public)
    new = plan.new_address("", entry.slug, entry.type or "")
    return [
        by_locale.get(each, new)._replace(id=entry.id, locale=each, slug=save.new_slug or entry.slug)
        for each in changed
    ]


def _changed_items(plan: Planning, entry: KnownEntry, merged: Merged) -> list[Entry]:
    """Return the versions of a stored item that get another address by the change."""
    if KINDS[entry.kind].has_slug:
        return []
    stored = VERSIONS[entry.kind].of(plan.session, (entry.id,))
    return plan.item_versions(stored[0], merged, stored) if stored else []


def _sent_fields(plan: Planning, entry: KnownEntry) -> Mapping[str, Mapping[str, object]]:
    """Return the fields by locale. For an item, a list of one object counts as the object, as in its creation."""
    raw = plan.reader.body.get("fields")
    if not KINDS[entry.kind].creates_several:
        return plan.split({} if raw is None else raw)
    raw = raw[0] if isinstance(raw, list) and len(raw) == 1 else {} if raw is None else raw
    return without_meta(plan.split(raw), plan.schema.collection(entry.type))


def _new_names(plan: Planning, page: KnownEntry) -> tuple[str | None, str]:
    """Return the new title and slug that a form gives a page, and note what is wrong with them."""
    studio, settings = plan.request.studio, plan.request.context.settings
    own = BodyReader({"title": studio.title, "slug": studio.slug})
    title = own.title(MAX_TITLE_LENGTH) if studio.title else None
    slug = own.slug() if studio.slug else None
    if slug == page.slug:
        slug = None
    if slug:
        if is_taken(plan.session, plan.kind, page.type, slug, page.id):
            own.refuse("slug", TAKEN.format(kind=plan.kind, slug=slug))
        elif not page.type and not plan.schema.single_pages.keys().isdisjoint({page.slug, slug}):
            own.refuse("slug", DECLARED)
        elif settings.build.home == (f"{page.type}/{page.slug}" if page.type else page.slug):
            own.refuse("slug", IS_HOME)
    plan.reader.refuse_all(own.errors)
    return title, slug or ""


def _warnings(body: Body, entry: KnownEntry) -> dict[str, str]:
    """Return warnings about sent keys that cannot be changed here."""
    stored = {"slug": entry.slug}
    ignored = [name for name in KINDS[entry.kind].immutable if body.get(name) not in (None, stored.get(name))]
    warnings = {f"warning: {name} field": IMMUTABLE.format(name=name) for name in ignored}
    return {**warnings, **(SCHEDULED_IGNORED if "scheduled" in body else {})}


CHANGES = {EntryKind.POST: _changed_post, EntryKind.PAGE: _changed_versions, EntryKind.ITEM: _changed_versions}
