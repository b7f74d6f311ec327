"""Histories of entries for users who may read their drafts, and what brings former states back.

The newest version, 0, is the entry as it is now. Each older one was kept when a change replaced it. Beside versions,
entries come back from the trash, and writes that were rejected or failed are tried again.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.edited import NOT_FOUND, EditContext, Edited
from sitecms.actions.editing.values import Values
from sitecms.actions.writing.accept.acceptance import retry_write
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import Restored, restore_entry
from sitecms.content.change import Origin
from sitecms.content.entry import FIELDS
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import BODY, FORMAT, HTML, KINDS, MARKDOWN, EntryKind
from sitecms.content.query import Results, Window
from sitecms.content.revision import Change, ChangeKind, ChangeSource, Revision
from sitecms.content.status import Status, Version
from sitecms.content.trash import TrashedEntry
from sitecms.content.user import Action, Scope, User
from sitecms.content.writes import Write
from sitecms.errors import Forbidden, NotFound
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Session
from sitecms.store.entries import revisions
from sitecms.store.entries.entry_state import last_written, versions_of
from sitecms.store.entries.trash import find_trash
from sitecms.store.maintenance.media_usage import entry_label
from sitecms.store.site_state.loaded_files import file_of_entry

CURRENT = 0
LOOKED_THROUGH = 30
_NAMES = {name for kind in KINDS.values() for name in kind.names}
State = Mapping[str, Any]


class History(Struct, frozen=True):
    """An entry in one locale whose history a user may see. `state` is its state now."""

    kind: EntryKind
    entry_id: int
    locale: str
    state: State
    is_public: bool


class EntryVersion(Struct, frozen=True):
    """A version in the history of an entry: the change that made it, and whether readers saw or see it."""

    id: int
    made: Change
    was_public: bool


class Comparison(Struct, frozen=True):
    """The state of a version, and of the one before it; `before` is None for the oldest that is kept."""

    version: EntryVersion
    state: State
    before: State | None


class Deleted(Struct, frozen=True):
    """An entry in the trash, and whether the user may restore it."""

    entry: TrashedEntry
    may_restore: bool


def history_of(user: User, edited: Edited) -> History:
    """Return the history of an entry in its locale. Raises NotFound unless the user may read its drafts."""
    if not edited.allows(user, Action.READ_DRAFT):
        raise NotFound(NOT_FOUND)
    is_public = edited.live is not None and not edited.has_draft
    return History(edited.kind, edited.id, edited.locale, orjson.loads(edited.state.json), is_public)


def find_versions(session: Session, history: History, window: Window) -> Results[EntryVersion]:
    """Return the versions of an entry, the newest first; `window` counts the current one too."""
    place = history.kind, history.entry_id, history.locale
    first = [_current(session, history)] if window.offset == 0 else []
    older = Window(window.limit - len(first), max(0, window.offset - 1))
    found = revisions.find_revisions(session, *place, older)
    versions = tuple(_version(session, history, each) for each in found.entries)
    return Results(found.count + 1, (*first, *versions))


def find_live_version(session: Session, history: History) -> int | None:
    """Return the id of the version that readers see, None if there is none or it is not among the newest ones."""
    if history.is_public:
        return CURRENT
    place = history.kind, history.entry_id, history.locale
    shown = {**history.state, Version.DRAFT.value: None}
    if status_of(shown) != Status.PUBLISHED.value:
        return None
    for each in revisions.find_revisions(session, *place, Window(LOOKED_THROUGH)).entries:
        if revisions.get_revision(session, *place, each.id)[1] == shown:
            return each.id
    return None


def compare(session: Session, history: History, version_id: int) -> Comparison:
    """Return a version with the one before it. Raises NotFound."""
    place = history.kind, history.entry_id, history.locale
    if version_id == CURRENT:
        newest = revisions.find_revisions(session, *place, Window(1)).entries
        before = revisions.get_revision(session, *place, newest[0].id)[1] if newest else None
        return Comparison(_current(session, history), history.state, before)
    revision, state = revisions.get_revision(session, *place, version_id)
    older = revisions.find_before(session, *place, version_id)
    return Comparison(_version(session, history, revision), state, older[1] if older else None)


def base_of(session: Session, edited: Edited, revision: str) -> Values | None:
    """Return the values of the entry that a form with this revision began with; None if they are not kept."""
    token = revision.partition(".")[0]
    if token == edited.revision.partition(".")[0]:
        return edited.values
    state = revisions.find_state(session, edited.kind, edited.id, edited.locale, token)
    return None if state is None else values_of_state(state)


def values_at(session: Session, edited: Edited, at: datetime) -> Values | None:
    """Return the values that the entry had at a time; None if they are not kept, or if there were none yet."""
    place, replaced = (edited.kind, edited.id, edited.locale), None
    for each in revisions.find_revisions(session, *place, Window(LOOKED_THROUGH)).entries:
        if each.ended.at <= at:
            break
        replaced = each
    if replaced is None:
        return edited.values
    return None if replaced.made.at > at else values_of_state(revisions.get_revision(session, *place, replaced.id)[1])


def values_of_state(state: State) -> dict[str, FieldValue]:
    """Return the values of a state as the form of the entry shows them, and the format of the body."""
    shown = state[Version.DRAFT.value] or state[Version.LIVE.value] or {}
    values = {name: value for name, value in {**state, **shown}.items() if name in _NAMES}
    if BODY in values:
        is_html = shown[MARKDOWN] is None
        values |= {BODY: shown[BODY] if is_html else shown[MARKDOWN], FORMAT: HTML if is_html else MARKDOWN}
    return {**values, FIELDS: shown.get(FIELDS, {})}


def status_of(state: State) -> str:
    """Return the status of a state: of what readers see, else of the draft."""
    stored = state[Version.LIVE.value] or state[Version.DRAFT.value]
    return str(stored["status"]) if stored else ""


def _version(session: Session, history: History, revision: Revision) -> EntryVersion:
    return EntryVersion(revision.id, _made(session, history, revision.made, revision.ended), revision.was_public)


def _made(session: Session, history: History, made: Change, ended: Change | None = None) -> Change:
    """Return a change with the time of the load, if it is the first load of the entry's file and no other followed.

    What is stored of a first load is the time that the file names.
    """
    if made.source is not ChangeSource.FILE or made.name:
        return made
    file = file_of_entry(session, history.kind, history.entry_id)
    is_last = file is not None and (ended is None or file.loaded_at < ended.at)
    return replace(made, at=file.loaded_at) if file is not None and is_last else made


def _current(session: Session, history: History) -> EntryVersion:
    made = revisions.last_change(session, history.kind, history.entry_id, history.locale)
    if made is None:
        written = last_written(session, history.kind, history.entry_id)
        if written is None:
            raise NotFound(NOT_FOUND)
        origin, at = written
        is_loaded = origin is Origin.FILE
        kind, source = (ChangeKind.LOAD, ChangeSource.FILE) if is_loaded else (ChangeKind.SAVE, ChangeSource.UNKNOWN)
        made = _made(session, history, Change(at, kind, source, ""))
    return EntryVersion(CURRENT, made, history.is_public)


def restore(context: EditContext, kind: EntryKind, entry_id: int) -> Restored:
    """Restore an entry, a locale of one or a former version. Raises NotFound, Forbidden and Conflict."""
    settings, at = context.writes.settings, context.writes.clock()
    with context.writes.database.writing() as transaction:
        _require(transaction, context.user, kind, entry_id)
        label = entry_label(transaction, kind, entry_id)
        cause = EventCause(settings.default_locale, at, context.user.name)
        restored = restore_entry(transaction, kind, entry_id, settings, cause)
        record_action(transaction, context.user, "restore", label, at)
    return restored


def find_deleted(session: Session, user: User, kind: EntryKind, entry_id: int) -> Deleted | None:
    """Return an entry of the trash if the user might read it there; None if it is not there."""
    listed = next((each for each in find_trash(session) if (each.kind, each.id) == (kind, entry_id)), None)
    if listed is None:
        return None
    try:
        _require(session, user, kind, entry_id)
    except Forbidden:
        return Deleted(listed, may_restore=False)
    except NotFound:
        return None
    return Deleted(listed, may_restore=True)


def _require(session: Session, user: User, kind: EntryKind, entry_id: int) -> None:
    """Check the permission for the entry itself: a post comes back as it was, which may be published."""
    if not KINDS[kind].has_author:
        if user.scope(Action.RESTORE) is not Scope.ALL:
            raise NotFound(NOT_FOUND)
        return
    versions = versions_of(session, kind, entry_id, in_trash=True)
    if not versions or not user.may(Action.RESTORE, author := versions[-1].author.slug):
        raise NotFound(NOT_FOUND)
    if versions[-1].status is not Status.DRAFT:
        require(user, Action.PUBLISH, author)


def retry(context: EditContext, write_id: str) -> Write:
    """Accept a rejected or failed write again. Raises NotFound, Forbidden, and Conflict as `retry_write`."""
    require(context.user, Action.RETRY_WRITES)
    with context.writes.database.writing(counts_as_change=False) as transaction:
        write = retry_write(transaction, write_id, is_forced=False)
        record_action(transaction, context.user, "try again", f"write {write_id}", context.writes.clock())
    return write
