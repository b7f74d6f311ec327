"""Actions of editors on pages and items: read, create, save, publish, schedule, unpublish, discard and delete.

Each concerns one locale; the title and the slug of a page are the same in all.

A saved change of what is published goes into the draft version, which readers do not see until it is published.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Accepted, Caller, EntryName, StudioValues, WriteContext
from sitecms.actions.writing.accept.acceptance import key_of
from sitecms.actions.writing.accept.create import NO_SLUG, NO_TITLE
from sitecms.actions.writing.accept.studio_values import NO_STUDIO_VALUES
from sitecms.actions.writing.names import free_slug
from sitecms.actions.writing.save import SaveContext, save_entry
from sitecms.actions.writing.trial import entry_on_trial, new_write_of
from sitecms.content.change import EntryKind, Origin, change_of_version, change_of_versions
from sitecms.content.field_value import Fields
from sitecms.content.fingerprint import revision_of
from sitecms.content.item import Entry
from sitecms.content.page import Page
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.revision import ChangeCause, ChangeKind, ChangeSource, state_token
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.text.slug import slugify
from sitecms.content.user import Action, User
from sitecms.errors import InvalidFields, NotFound, Stale
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.version_history import state_of
from sitecms.store.listings.entries import label_of
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema
from sitecms.store.writes.writes import is_waiting

NOT_FOUND = "Not found."
NAMES_ARE_PUBLIC = (
    "A page has one title and one address for all its versions, and readers see them. They change when you publish; to "
    "save a draft, change them back."
)
STALE = "Somebody else changed the entry, or the fields that it may have, since you opened it."


class EditedEntry(Struct, frozen=True):
    """A page or item in one locale, as its editor shows it.

    `shown` is its draft version, else its live one, else None: it is not in this locale yet. `versions` are those of
    all locales, drafts before live ones, and `locales` their locales. `revision` changes with the versions in this
    locale, and with the schema: it is the token of their state and a part of the digest of the schema.
    """

    kind: EntryKind
    id: int
    any_version: Entry
    shown: Entry | None
    live: Entry | None
    locales: tuple[str, ...]
    specs: tuple[FieldSpec, ...]
    schema: ContentSchema
    revision: str
    versions: tuple[Entry, ...] = ()

    @property
    def is_public(self) -> bool:
        """True if readers see the entry in some locale."""
        return any(each.status is Status.PUBLISHED for each in self.versions)

    def in_locale(self, locale: str) -> Entry | None:
        """Return the draft in a locale, else the live version, or None."""
        return next((each for each in self.versions if each.locale == locale), None)

    def is_older(self, locale: str, than: str) -> bool:
        """Return whether the text in a locale was saved before the one in another locale."""
        own, other = self.in_locale(locale), self.in_locale(than)
        return own is not None and other is not None and own.updated_at < other.updated_at

    @property
    def fields(self) -> Fields:
        """The stored values that the form shows."""
        return self.shown.fields if self.shown else {}

    @property
    def named_version(self) -> Entry:
        """The version whose title the form shows: that in its locale, if there is one."""
        return self.shown or self.any_version

    @property
    def title(self) -> str:
        """The title of a page, the text that names an item."""
        entry = self.named_version
        if isinstance(entry, Page):
            return entry.title
        return label_of(entry.fields, self.schema.collection(entry.collection)) or f"{entry.collection} {entry.id}"

    @property
    def name(self) -> EntryName:
        """The name that requests have for the entry."""
        entry = self.any_version
        if isinstance(entry, Page):
            return EntryName(self.kind, entry.slug, entry.page_type or SINGLE_PAGES)
        return EntryName(self.kind, str(entry.id), entry.collection)

    @property
    def collection(self) -> str:
        """The collection of an item, "" of a page."""
        return "" if isinstance(self.any_version, Page) else self.any_version.collection


def get_entry(session: Session, user: User, kind: EntryKind, entry_id: int, locale: str) -> EditedEntry:
    """Return a page or item in a locale. Raises NotFound and Forbidden."""
    require(user, Action.EDIT_PAGES)
    versions = versions_of(session, kind, entry_id)
    if not versions:
        raise NotFound(NOT_FOUND)
    schema = load_content_schema(session)
    own = {entry.version: entry for entry in versions if entry.locale == locale}
    shown = own.get(Version.DRAFT) or own.get(Version.LIVE)
    first = versions[0]
    token = state_token(state_of(own[version] for version in sorted(own))) if own else ""
    revision = f"{token}.{content_schema_digest(session)[:16]}"
    return EditedEntry(
        kind, entry_id, first, shown, own.get(Version.LIVE), tuple(dict.fromkeys(each.locale for each in versions)),
        specs_of(schema, first), schema, revision, tuple(versions),
    )  # fmt: skip


def specs_of(schema: ContentSchema, entry: Entry) -> tuple[FieldSpec, ...]:
    """Return the declared fields of a page or item. Raises NotFound."""
    if isinstance(entry, Page):
        return schema.page_fields(entry.page_type, entry.slug)
    return schema.collection(entry.collection).fields


def create_page(
    context: WriteContext,
    user: User,
    page_type: str,
    body: Mapping[str, Any],
    locale: str,
    status: Status,
    scheduled_at: datetime | None = None,
) -> Accepted:
    """Create a page of a type ("" for a Single Page). Raises InvalidFields and Forbidden."""
    studio = _new_values(context, user, status, scheduled_at)
    body = _with_slug(context, page_type, body)
    sent = {**body, "page_type": page_type or None, "status": _sent_status(status)}
    accepted = accept.create(context, Caller(user), EntryKind.PAGE, sent, locale, studio)
    record_by_user(context, user, "create", f"page {body.get('slug', '')}")
    return accepted


def create_item(
    context: WriteContext,
    user: User,
    key: str,
    fields: Mapping[str, Any],
    locale: str,
    status: Status,
    scheduled_at: datetime | None = None,
) -> Accepted:
    """Create an item of a collection. Raises InvalidFields, LimitReached and Forbidden."""
    studio = _new_values(context, user, status, scheduled_at)
    sent = {"key": key, "status": _sent_status(status), "fields": [dict(fields)]}
    accepted = accept.create(context, Caller(user), EntryKind.ITEM, sent, locale, studio)
    record_by_user(context, user, "create", f"item of {key}")
    return accepted


def _with_slug(context: WriteContext, page_type: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body of a request with a slug, made of the title where it has none."""
    slug = "" if body.get("slug") else slugify(str(body.get("title") or ""))
    if not slug:
        return body
    with context.database.reading() as session:
        return {**body, "slug": free_slug(session, EntryKind.PAGE, page_type or None, slug)}


def _new_values(context: WriteContext, user: User, status: Status, scheduled_at: datetime | None) -> StudioValues:
    require(user, Action.EDIT_PAGES)
    if status is not Status.DRAFT:
        require(user, Action.PUBLISH)
    if status is not Status.SCHEDULED:
        return StudioValues()
    return StudioValues(scheduled_at=_future(context, scheduled_at))


def _sent_status(status: Status) -> str:
    """Return the status in the body of a request, which no schedule can have."""
    return (Status.DRAFT if status is Status.SCHEDULED else status).value


def _future(context: WriteContext, scheduled_at: datetime | None) -> datetime:
    if scheduled_at is None or scheduled_at <= context.clock():
        raise InvalidFields({"scheduled_at": ["Choose a time that has not passed yet."]})
    return scheduled_at


class Target(StrEnum):
    """The state that a saved form of a page or item aims at, as histories and the log name it."""

    DRAFT = "save draft"
    PUBLISH = "publish"
    SCHEDULE = "schedule"
    UNSCHEDULE = "unschedule"
    UNPUBLISH = "unpublish"


def new_names(edited: EditedEntry, title: str, slug: str) -> StudioValues:
    """Return the names of a page that differ from the stored ones. Raises InvalidFields for empty ones."""
    page = edited.named_version
    if not isinstance(page, Page):
        return StudioValues()
    empty = {name: [text] for name, value, text in (("title", title, NO_TITLE), ("slug", slug, NO_SLUG)) if not value}
    if empty:
        raise InvalidFields(empty)
    return StudioValues(title=title if title != page.title else "", slug=slug if slug != page.slug else "")


def save(
    context: WriteContext,
    user: User,
    edited: EditedEntry,
    fields: Mapping[str, Any],
    locale: str,
    revision: str,
    target: Target = Target.DRAFT,
    names: StudioValues = NO_STUDIO_VALUES,
    *,
    scheduled_at: datetime | None = None,
    restores: bool = False,
) -> Accepted | None:
    """Save the changed fields and names as the target says; return None if there is nothing to do.

    `restores`: the fields bring a former version back. Raises NotFound, Forbidden, InvalidFields and Stale.
    """
    require(user, Action.EDIT_PAGES)
    if target is not Target.DRAFT:
        require(user, Action.PUBLISH)
    if edited.revision != revision:
        raise Stale(STALE)
    is_named = bool(names.title or names.slug)
    if is_named and edited.is_public and target is not Target.PUBLISH:
        changed = [name for name in ("title", "slug") if getattr(names, name)]
        raise InvalidFields({name: [NAMES_ARE_PUBLIC] for name in changed})
    if not fields and not is_named and _is_reached(edited, target):
        return None
    at = _future(context, scheduled_at) if target is Target.SCHEDULE else None
    studio = replace(names, scheduled_at=at, unpublishes=target is Target.UNPUBLISH)
    body = {"fields": dict(fields), **_status_of(edited, target)}
    matched = frozenset({revision_of(edited.shown)}) if edited.shown else None
    caller = Caller(user, if_match=matched, restores=restores)
    accepted = accept.update(context, caller, edited.name, body, locale, studio)
    record_by_user(context, user, target.value, subject_of(edited))
    return accepted


def _is_reached(edited: EditedEntry, target: Target) -> bool:
    """Return whether the entry is as the target says, if no field changes."""
    shown = edited.shown
    match target:
        case Target.DRAFT:
            return shown is not None
        case Target.PUBLISH:
            return shown is not None and shown.version is Version.LIVE
        case Target.UNSCHEDULE:
            return shown is None or shown.status is not Status.SCHEDULED
        case Target.UNPUBLISH:
            return edited.live is None
    return False


def _status_of(edited: EditedEntry, target: Target) -> dict[str, str]:
    """Return the status of a request: none where a saved draft keeps its schedule."""
    is_scheduled = edited.shown is not None and edited.shown.status is Status.SCHEDULED
    if target is Target.DRAFT and is_scheduled:
        return {}
    return {"status": (Status.PUBLISHED if target is Target.PUBLISH else Status.DRAFT).value}


def entry_of_form(
    context: WriteContext,
    user: User,
    edited: EditedEntry,
    fields: Mapping[str, Any],
    locale: str,
    names: StudioValues = NO_STUDIO_VALUES,
) -> Entry:
    """Return the page or item with the changed fields of a form, as if it was published; nothing is stored.

    The fields are checked as those of a save. Raises Forbidden, InvalidFields and NotFound.
    """
    require(user, Action.EDIT_PAGES)
    trial, body = replace(context, is_trial=True), {"fields": dict(fields), "status": Status.DRAFT.value}
    accepted = accept.update(trial, Caller(user), edited.name, body, locale, names)
    return _on_trial(context, accepted, locale)


def _on_trial(context: WriteContext, accepted: Accepted, locale: str) -> Entry:
    with context.database.reading() as session:
        return entry_on_trial(session, new_write_of(accepted), locale, context.settings, context.clock())


def new_page_of_form(context: WriteContext, user: User, page_type: str, body: Mapping[str, Any], locale: str) -> Entry:
    """Return the new page of a form as `entry_of_form` does."""
    require(user, Action.EDIT_PAGES)
    sent = {**_with_slug(context, page_type, body), "page_type": page_type or None, "status": Status.DRAFT.value}
    accepted = accept.create(replace(context, is_trial=True), Caller(user), EntryKind.PAGE, sent, locale)
    return _on_trial(context, accepted, locale)


def new_item_of_form(context: WriteContext, user: User, key: str, fields: Mapping[str, Any], locale: str) -> Entry:
    """Return the new item of a form as `entry_of_form` does."""
    require(user, Action.EDIT_PAGES)
    sent = {"key": key, "status": Status.DRAFT.value, "fields": [dict(fields)]}
    accepted = accept.create(replace(context, is_trial=True), Caller(user), EntryKind.ITEM, sent, locale)
    return _on_trial(context, accepted, locale)


def delete(context: WriteContext, user: User, edited: EditedEntry, revision: str, locale: str = "") -> None:
    """Move the entry, or what it has in one locale, to the trash. Raises as `save`."""
    require(user, Action.EDIT_PAGES)
    require(user, Action.DELETE_PUBLISHED)
    if edited.revision != revision:
        raise Stale(STALE)
    accept.delete(context, Caller(user), edited.name, locale)
    record_by_user(context, user, "delete", f"{subject_of(edited)} in {locale}" if locale else subject_of(edited))


def discard(context: WriteContext, user: User, edited: EditedEntry, locale: str, revision: str) -> None:
    """Remove the draft over the published version in a locale. Raises NotFound, Forbidden and Stale."""
    require(user, Action.EDIT_PAGES)
    with context.database.writing() as transaction:
        now = get_entry(transaction, user, edited.kind, edited.id, locale)
        if now.revision != revision or is_waiting(transaction, key_of(edited.kind, edited.id)):
            raise Stale(STALE)
        if now.live is None or now.shown is now.live:
            return
        stored = versions_of(transaction, edited.kind, edited.id)
        kept = [each for each in stored if (each.locale, each.version) != (locale, Version.DRAFT)]
        cause, at = ChangeCause(ChangeSource.USER, user.name, ChangeKind.DISCARD), context.clock()
        change = change_of_versions(stored[0], tuple(map(change_of_version, kept)))
        save_entry(SaveContext(transaction, Origin.API, at, cause, schema=now.schema), change)
        record_action(transaction, user, "discard draft", subject_of(edited), at)


def subject_of(edited: EditedEntry) -> str:
    """Return the entry as the log names it."""
    entry = edited.any_version
    return f"page {entry.slug}" if isinstance(entry, Page) else f"item {entry.id} of {entry.collection}"


def record_by_user(context: WriteContext, user: User, action: str, subject: str) -> None:
    """Record an action of a user in the log."""
    with context.database.writing(counts_as_change=False) as transaction:
        record_action(transaction, user, action, subject, context.clock())
