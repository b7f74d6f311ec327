"""Actions of users on entries of every kind: create, save, publish, schedule, unpublish, discard and delete.

Each concerns one locale. Changes of what readers see wait until they are published: in the draft version, which can be
published at a time. That of a post is a working copy; it also takes what a writer changes of a scheduled post. Each
function checks the permission of the user for the entry, and the revision that the form was made of.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.edited import EditContext, Edited, NewEntry, get_edited, require_for
from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.actions.editing.values import Values, differing, fields_in, is_markdown, without_unset
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Accepted, Caller, StudioValues
from sitecms.actions.writing.accept.create import NO_SLUG, NO_TITLE
from sitecms.actions.writing.known_entries import key_of
from sitecms.actions.writing.trial import entry_on_trial
from sitecms.content.change import Origin
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.fingerprint import canonical
from sitecms.content.kinds import AUTHOR, BODY, FORMAT, HTML, KINDS, MARKDOWN, SLUG
from sitecms.content.revision import ChangeCause, ChangeKind, ChangeSource
from sitecms.content.status import Status, Version
from sitecms.content.text.slug import slugify
from sitecms.content.user import Action
from sitecms.errors import Forbidden, InvalidFields, Stale
from sitecms.messages import N_
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Transaction
from sitecms.store.entries.entry_rows import VersionPlace, remove_version
from sitecms.store.entries.entry_state import set_origin
from sitecms.store.entries.load_conflicts import delete_conflicts
from sitecms.store.entries.revisions import keep_state
from sitecms.store.entries.working_copies import WorkingCopy, delete_copy, save_copy
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.store.writes.writes import is_waiting

NAMES_ARE_PUBLIC = (
    "A page has one title and one address for all its versions, and readers see them. They change when you publish; to "
    "save a draft, change them back."
)
STALE = N_("Somebody else changed the entry, or the fields that it may have, since you opened it.")
NO_CHANGES = N_("Readers see the post as it is here. Change it before you choose a time to publish the changes.")
ADDRESS_IS_PUBLIC = N_("The address changes when you publish; to schedule the other changes, change it back.")
IS_SCHEDULED = N_("These changes are going to be published at a time that an editor set. Ask an editor to change them.")
HAS_PASSED = N_("Choose a time that has not passed yet.")
IS_TO_COME = N_("Choose a time that has passed. To publish it later, schedule it.")
DATE_IS_PUBLIC = N_("The date changes when you publish; to save a draft or schedule it, change the date back.")
MAX_COPY_BYTES = 4 * 1024 * 1024
_NO_NAME = {"title": NO_TITLE, "slug": NO_SLUG}


class Outcome(StrEnum):
    """The result of an action on an entry."""

    UNCHANGED = "unchanged"
    WRITTEN = "written"
    DRAFT_SAVED = "draft-saved"
    DISCARDED = "discarded"


class Saved(Struct, frozen=True):
    """The result of an action on an entry, and the id of the write that was accepted for it."""

    outcome: Outcome
    write_id: str = ""


class Target(StrEnum):
    """The state that a form aims at, as histories and the log name it."""

    DRAFT = "save draft"
    PUBLISH = "publish"
    SCHEDULE = "schedule"
    UNSCHEDULE = "unschedule"
    UNPUBLISH = "unpublish"


class Form(Struct, frozen=True):
    """A form of an entry as it was sent: the values, the revision that it began with, and the time to publish at.

    `published_at` is another date of publication for a post, None if it keeps its own.
    """

    values: Values
    revision: str = ""
    scheduled_at: datetime | None = None
    published_at: datetime | None = None


def create(context: EditContext, new: NewEntry, form: Form, target: Target = Target.DRAFT) -> Saved:
    """Create an entry as a draft, published or scheduled. Raises InvalidFields, LimitReached and Forbidden."""
    if target is not Target.DRAFT or form.published_at:
        require_for(context.user, Action.PUBLISH, new.kind, context.user.author)
    _check_date(context, form.published_at)
    at = _future(context, form.scheduled_at) if target is Target.SCHEDULE else None
    accepted = accept_creation(context, new, replace(form, scheduled_at=at), target)
    name = form.values.get("slug") or form.values.get("title")
    subject = f"{new.kind} {name}" if name else f"{new.kind} of {new.type}"
    context.record("create" if target is Target.DRAFT else target.value, subject)
    return Saved(Outcome.WRITTEN, accepted.write_id)


def accept_creation(
    context: EditContext,
    new: NewEntry,
    form: Form,
    target: Target = Target.DRAFT,
) -> Accepted:
    """Accept the write that creates an entry; Markdown is the format of a body that does not say its own."""
    require_for(context.user, Action.CREATE, new.kind, context.user.author)
    kind, source, values = KINDS[new.kind], None, form.values
    sent = without_unset({name: values.get(name) for name in kind.names})
    if kind.has_body and is_markdown(values, default=True):
        source = str(values.get(BODY, ""))
        sent[BODY] = _rendered(context, values, new)  # also an empty one, so that the entry stays in Markdown
    if sent.get("title") and not sent.get("slug") and (slug := slugify(str(sent["title"]))):
        sent["slug"] = context.free_slug(new, slug)
    fields = without_unset(fields_in(values))
    sent |= {FIELDS: [fields] if kind.creates_several else fields, "status": _status(target).value}
    if kind.type_key:
        sent[kind.type_key] = new.type
    studio = StudioValues(scheduled_at=form.scheduled_at, published_at=form.published_at, markdown=source)
    return accept.create(context.writes, Caller(context.user), new.kind, sent, new.locale, studio)


def save(
    context: EditContext, edited: Edited, form: Form, target: Target = Target.DRAFT, *, restores: bool = False
) -> Saved:
    """Save a form as the target says; `restores`: it brings a former version back.

    Raises NotFound, Forbidden, InvalidFields and Stale.
    """
    user, values = context.user, form.values
    edited.require(user, Action.EDIT if target is Target.DRAFT else Action.PUBLISH)
    _require_author(context, edited, values)
    _check_revision(edited, form.revision)
    if form.published_at is None and _is_reached(edited, values, target):
        return Saved(Outcome.UNCHANGED)
    changed, at = _changed(edited, values), None
    if target is Target.DRAFT and _has_scheduled_copy(edited):
        target, at = _rescheduled(context, edited)
    if form.published_at is not None:
        edited.require(user, Action.PUBLISH)
        _check_date(context, form.published_at)
        if edited.live is not None and target is not Target.PUBLISH:
            raise InvalidFields({"published_at": [DATE_IS_PUBLIC]})
    if target in (Target.DRAFT, Target.UNSCHEDULE) and _is_kept_apart(context, edited):
        return _save_copy(context, edited, form, target, restores=restores)
    is_as_live = not changed and form.published_at is None and edited.written is edited.live
    if target is Target.PUBLISH and is_as_live and edited.has_draft:
        return discard(context, edited, form.revision)
    _check_names(edited, changed, target)
    if target is Target.SCHEDULE:
        if not changed and edited.live is not None and not KINDS[edited.kind].has_draft_version:
            raise InvalidFields({"scheduled_at": [NO_CHANGES]})
        at = at or _future(context, form.scheduled_at)
    accepted = _accept_change(context, edited, replace(form, scheduled_at=at), target, restores=restores)
    context.record(target.value, edited.subject)
    is_draft = target is Target.DRAFT and edited.live is not None
    return Saved(Outcome.DRAFT_SAVED if is_draft else Outcome.WRITTEN, accepted.write_id)


def _has_scheduled_copy(edited: Edited) -> bool:
    """Return whether the form shows changes of a published version that are scheduled."""
    return edited.has_draft and edited.live is not None and edited.is_scheduled


def _rescheduled(context: EditContext, edited: Edited) -> tuple[Target, datetime | None]:
    """Return the target and the time of scheduled changes that are saved: they keep their time. Raises Forbidden."""
    if not edited.allows(context.user, Action.PUBLISH):
        raise Forbidden(IS_SCHEDULED)
    return Target.SCHEDULE, edited.scheduled_at


def _save_copy(context: EditContext, edited: Edited, form: Form, target: Target, *, restores: bool) -> Saved:
    """Save changes of a post that readers do not see yet, in its working copy."""
    changed, at = _changed(edited, form.values), context.writes.clock()
    if len(canonical(changed)) > MAX_COPY_BYTES:
        raise InvalidFields({BODY: [N_("The text is too long.")]})
    with context.writes.database.writing() as transaction:
        now = get_edited(transaction, context.user, edited.kind, edited.id, edited.locale)
        _check_revision(now, form.revision)
        _keep_state(transaction, context, now, ChangeKind.RESTORE if restores else ChangeKind.SAVE, at)
        if changed:
            save_copy(transaction, edited.id, WorkingCopy(changed, at, context.user.id))
        else:
            delete_copy(transaction, edited.id)
        delete_conflicts(transaction, edited.kind, edited.id, edited.locale)
        record_action(transaction, context.user, target.value, edited.subject, at)
    if target is Target.UNSCHEDULE:
        return Saved(Outcome.WRITTEN)
    return Saved(Outcome.DRAFT_SAVED if changed else Outcome.DISCARDED)


def discard(context: EditContext, edited: Edited, revision: str) -> Saved:
    """Remove the draft over what readers see. Raises NotFound, Forbidden and Stale."""
    with context.writes.database.writing() as transaction:
        now = get_edited(transaction, context.user, edited.kind, edited.id, edited.locale)
        now.require(context.user, Action.EDIT)
        _check_revision(now, revision)
        if now.has_draft:
            _remove_draft(transaction, context, now)
        record_action(transaction, context.user, "discard draft", now.subject, context.writes.clock())
    return Saved(Outcome.DISCARDED)


def keep_file(context: EditContext, edited: Edited, conflict_id: int) -> None:
    """Forget a conflict of a load, so that what the file says stays. Raises NotFound and Forbidden."""
    edited.require(context.user, Action.EDIT)
    with context.writes.database.writing(counts_as_change=False) as transaction:
        delete_conflicts(transaction, edited.kind, edited.id, edited.locale, [conflict_id])
        record_action(transaction, context.user, "keep file", edited.subject, context.writes.clock())


def _remove_draft(transaction: Transaction, context: EditContext, edited: Edited) -> None:
    """Remove the draft version in the locale; a file that has one loses it."""
    kind = edited.kind
    _keep_state(transaction, context, edited, ChangeKind.DISCARD, context.writes.clock())
    remove_version(transaction, VersionPlace(kind, edited.id, edited.locale, Version.DRAFT))
    if KINDS[kind].has_draft_version:
        if is_waiting(transaction, key_of(kind, edited.id)):
            raise Stale(STALE)
        set_origin(transaction, kind, edited.id, Origin.API)
        note_file_change(transaction, kind, edited.id, editor=context.user.name)


def _keep_state(transaction: Transaction, context: EditContext, edited: Edited, kind: ChangeKind, at: datetime) -> None:
    """Keep the state of an entry as a revision, before its draft changes."""
    cause = ChangeCause(ChangeSource.USER, context.user.name, kind)
    keep_state(transaction, edited.state, cause, (Version.DRAFT, Status.DRAFT), at)


def delete(context: EditContext, edited: Edited, revision: str, locale: str = "") -> None:
    """Move the entry, or what it has in one locale, to the trash. Raises as `save`."""
    edited.require(context.user, Action.DELETE)
    if edited.status is not Status.DRAFT:
        edited.require(context.user, Action.DELETE_PUBLISHED)
    _check_revision(edited, revision)
    is_whole = not KINDS[edited.kind].has_locales  # the condition concerns one version
    accept.delete(context.writes, _caller(context, edited) if is_whole else Caller(context.user), edited.name, locale)
    context.record("delete", f"{edited.subject} in {locale}" if locale else edited.subject)


def entry_of_form(context: EditContext, place: Edited | NewEntry, values: Values) -> Entry:
    """Return the entry with the values of a form, as if it was published; nothing is stored.

    The values are checked as those of a save. Raises Forbidden, InvalidFields and NotFound.
    """
    trial = replace(context, writes=replace(context.writes, is_trial=True))
    if isinstance(place, NewEntry):
        accepted = accept_creation(trial, place, Form(values))
    else:
        place.require(context.user, Action.EDIT)
        _require_author(context, place, values)
        accepted = _accept_change(trial, place, Form(values), None)
    return entry_on_trial(context.writes, accepted, context.writes.locale(place.locale))


def as_rich_text(context: EditContext, place: Edited | NewEntry, values: Values) -> dict[str, FieldValue]:
    """Return the values of a form with HTML in place of its Markdown; nothing is stored.

    A text that was not changed becomes the HTML that is stored of it. Raises Forbidden and InvalidFields.
    """
    if isinstance(place, NewEntry):
        require_for(context.user, Action.CREATE, place.kind, context.user.author)
        return {**values, BODY: _rendered(context, values, place), FORMAT: HTML}
    place.require(context.user, Action.EDIT)
    stored = next((each.body for each in place.versions if each.body and each.markdown == values[BODY]), None)
    html = _rendered(context, values, place) if stored is None else stored
    return {**values, BODY: html, FORMAT: HTML}


def _rendered(context: EditContext, values: Values, place: Edited | NewEntry) -> str:
    """Return the HTML of the Markdown among the values."""
    text, title, code = str(values.get(BODY, "")), str(values.get("title", "")), context.writes.locale(place.locale)
    with context.writes.database.reading() as session:
        resolve = resolver_of(session, (place.kind, place.id) if isinstance(place, Edited) else None)
        return render_body(context.writes.settings, text, code, resolve, title=title)


def _accept_change(
    context: EditContext,
    edited: Edited,
    form: Form,
    target: Target | None,
    *,
    restores: bool = False,
) -> Accepted:
    """Accept a write of what differs from the stored version; without a target the entry keeps its status.

    Titles and slugs of pages go beside the request.
    """
    kind, values, source = KINDS[edited.kind], form.values, None
    sent = _changed(edited, values)
    sent.pop(FORMAT, None)
    if BODY in sent and is_markdown(values, default=edited.is_markdown):
        source = str(sent[BODY])
        sent[BODY] = _rendered(context, {**edited.stored, **values}, edited)
    names = _names(edited, {name: str(sent.pop(name)) for name in kind.immutable if name in sent})
    studio = StudioValues(
        scheduled_at=form.scheduled_at, published_at=form.published_at, title=names.get("title", ""),
        slug=names.get("slug", ""),
        unpublishes=target is Target.UNPUBLISH, markdown=source,
        ends_markdown=source is None and BODY in sent, ends_copy=True,
    )  # fmt: skip
    if target is not None and not (target is Target.DRAFT and edited.is_scheduled):  # a saved text keeps its time
        sent["status"] = _status(target).value
    caller, locale = _caller(context, edited, restores=restores), kind.locale_key(edited.locale)
    return accept.update(context.writes, caller, edited.name, sent, locale, studio)


def _names(edited: Edited, names: dict[str, str]) -> dict[str, str]:
    """Return changed names without space around them. Raises InvalidFields for empty ones."""
    names = {name: text.strip() for name, text in names.items()}
    empty = {name: [_NO_NAME[name]] for name, text in names.items() if not text}
    if empty:
        raise InvalidFields(empty)
    return {name: text for name, text in names.items() if text != edited.stored[name]}


def _check_names(edited: Edited, changed: Values, target: Target) -> None:
    """Refuse new names of a page that readers see, unless it is published, and to schedule a new address of a post."""
    names = [name for name in KINDS[edited.kind].immutable if name in changed]
    if names and edited.is_public and target is not Target.PUBLISH:
        raise InvalidFields({name: [NAMES_ARE_PUBLIC] for name in names})
    if SLUG in changed and edited.live is not None and target is Target.SCHEDULE:
        raise InvalidFields({SLUG: [ADDRESS_IS_PUBLIC]})


def _changed(edited: Edited, values: Values) -> dict[str, FieldValue]:
    """Return the values that differ from the stored version, with the format of the body if that is another one."""
    changed, is_stored = differing(edited.stored, values), edited.source is not None
    now = is_markdown(values, default=edited.is_markdown)
    if KINDS[edited.kind].has_body and now != is_stored:
        changed |= {BODY: values[BODY], FORMAT: MARKDOWN if now else HTML}
    return changed


def _is_reached(edited: Edited, values: Values, target: Target) -> bool:
    """Return whether the entry is as the target says already."""
    is_converted = is_markdown(values, default=edited.is_markdown) != edited.is_markdown
    if is_converted or differing(edited.values, values):
        return False
    match target:
        case Target.DRAFT:
            return edited.shown is not None
        case Target.PUBLISH:
            return edited.live is not None and not edited.has_draft
        case Target.UNSCHEDULE:
            return not edited.is_scheduled
        case Target.UNPUBLISH:
            return edited.live is None
    return False


def _is_kept_apart(context: EditContext, edited: Edited) -> bool:
    """Return whether a saved change goes into a working copy: for kinds without draft versions, unless it is a draft.

    A scheduled post is changed by users who may publish it.
    """
    if KINDS[edited.kind].has_draft_version or edited.status is Status.DRAFT:
        return False
    return edited.live is not None or not edited.allows(context.user, Action.PUBLISH)


def _status(target: Target) -> Status:
    """Return the status in a request, which no schedule can have."""
    return Status.PUBLISHED if target is Target.PUBLISH else Status.DRAFT


def _future(context: EditContext, scheduled_at: datetime | None) -> datetime:
    if scheduled_at is None or scheduled_at <= context.writes.clock():
        raise InvalidFields({"scheduled_at": [HAS_PASSED]})
    return scheduled_at


def _check_date(context: EditContext, published_at: datetime | None) -> None:
    if published_at is not None and published_at > context.writes.clock():
        raise InvalidFields({"published_at": [IS_TO_COME]})


def _require_author(context: EditContext, edited: Edited, values: Values) -> None:
    """Check that the user may change entries of the author that the form names, too."""
    if KINDS[edited.kind].has_author:
        require(context.user, Action.EDIT, str(values.get(AUTHOR, "")))


def _check_revision(edited: Edited, revision: str) -> None:
    if edited.revision != revision:
        raise Stale(STALE)


def _caller(context: EditContext, edited: Edited, *, restores: bool = False) -> Caller:
    matched = frozenset({edited.written.revision}) if edited.written else None
    return Caller(context.user, if_match=matched, restores=restores)
