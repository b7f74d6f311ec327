"""One action on several entries: each is checked and changed by itself, and a refusal of one stops no other."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from sitecms.actions.editing.edited import NOT_FOUND, EditContext, Edited, get_edited
from sitecms.actions.editing.entries import Form, Outcome, Target, delete, save
from sitecms.actions.editing.history import find_deleted, restore
from sitecms.actions.editing.values import Values
from sitecms.content.kinds import AUTHOR, CATEGORIES, TAGS, EntryKind
from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.user import Action
from sitecms.errors import Conflict, Forbidden, InvalidFields, InvalidInput, NotFound, SitecmsError, Stale
from sitecms.messages import N_, text_of
from sitecms.store.listings.entries import titles_of
from sitecms.store.site_state.documents import load_content_schema

Revise = Callable[[Values], Values]
"""Returns the values of an entry with what is to be changed of them."""
Steps = Iterator[str]
Settle = Callable[[str], None]
"""Waits until a write is applied. Raises InvalidFields with the errors of one that is not."""
_REFUSALS = (Forbidden, NotFound, InvalidInput, Conflict, Stale)
_TERM_FIELDS = {TermKind.CATEGORY: CATEGORIES, TermKind.TAG: TAGS}
_HIDDEN = N_("It does not exist any more, or you may not see it.")


class BulkAction(StrEnum):
    """The actions that several entries can take at once."""

    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    DELETE = "delete"


class TermChange(StrEnum):
    """A change of a category or tag that is made to several posts."""

    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"


class BulkResult(Struct, frozen=True):
    """The result for one entry: its title, if the user may see it, and the reason for a refusal.

    `is_changed` is False for an entry that was refused, or was in that state already; `is_draft` says that readers do
    not see the change yet.
    """

    name: str
    is_changed: bool = False
    problem: str = ""
    is_draft: bool = False


def change_entries(
    context: EditContext, kind: EntryKind, ids: Iterable[int], action: BulkAction, settle: Settle, collection: str = ""
) -> tuple[BulkResult, ...]:
    """Publish, unpublish or delete entries, those of a collection for items, in all locales."""

    def in_locale(entry_id: int, locale: str) -> Edited:
        with context.writes.database.reading() as session:
            edited = get_edited(session, context.user, kind, entry_id, locale)
        if collection and edited.type != collection:
            raise NotFound(NOT_FOUND)
        return edited

    def change(entry_id: int) -> Steps:
        edited = in_locale(entry_id, context.writes.locales.default)
        yield edited.title
        if action is BulkAction.DELETE:
            delete(context, edited, edited.revision)
            yield Outcome.WRITTEN
            return
        for locale in edited.locales:
            now = in_locale(entry_id, locale)
            withdrawn = Target.UNPUBLISH if now.live else Target.UNSCHEDULE
            target = Target.PUBLISH if action is BulkAction.PUBLISH else withdrawn
            yield _save(context, now, now.values, target, settle)

    return tuple(attempt(f"{kind.capitalize()} {each}", change(each)) for each in ids)


def change_terms(term: Term, change: TermChange) -> Revise:
    """Return what adds a category or tag to posts, takes it from them, or puts it in place of all others."""
    field, key = _TERM_FIELDS[term.kind], name_key(term.name)

    def revise(values: Values) -> Values:
        stored = values[field]
        names = [str(name) for name in stored] if isinstance(stored, list) else []
        others = [name for name in names if name_key(name) != key]
        has_term = len(others) < len(names)
        match change:
            case TermChange.ADD:
                names = names if has_term else [*names, term.name]
            case TermChange.REMOVE:
                names = others
            case TermChange.REPLACE:
                names = names if has_term and not others else [term.name]
        return {**values, field: list(names)}

    return revise


def change_author(slug: str) -> Revise:
    """Return what makes posts those of an author."""
    return lambda values: {**values, AUTHOR: slug}


def revise_entries(
    context: EditContext, kind: EntryKind, ids: Iterable[int], revise: Revise, settle: Settle
) -> tuple[BulkResult, ...]:
    """Change values of entries: what readers see at once, or the draft if there is one, or if the role asks for it.

    An entry keeps its status, and the time that is set for it.
    """

    def change(entry_id: int) -> Steps:
        with context.writes.database.reading() as session:
            edited = get_edited(session, context.user, kind, entry_id)
        yield edited.title
        is_seen = edited.live is not None and not edited.has_draft and edited.allows(context.user, Action.PUBLISH)
        target = Target.PUBLISH if is_seen else Target.DRAFT
        yield _save(context, edited, revise(edited.values), target, settle)

    return tuple(attempt(f"{kind.capitalize()} {each}", change(each)) for each in ids)


def restore_entries(context: EditContext, entries: Iterable[tuple[EntryKind, int]]) -> tuple[BulkResult, ...]:
    """Restore entries from the trash."""

    def change(kind: EntryKind, entry_id: int) -> Steps:
        with context.writes.database.reading() as session:
            deleted = find_deleted(session, context.user, kind, entry_id)
            if deleted is None:
                raise NotFound(NOT_FOUND)
            titles = titles_of(session, [(kind, entry_id)], load_content_schema(session))
        yield titles.get((kind, entry_id), deleted.entry.name)
        restore(context, kind, entry_id)
        yield Outcome.WRITTEN

    return tuple(attempt(f"{kind.capitalize()} {entry_id}", change(kind, entry_id)) for kind, entry_id in entries)


def _save(context: EditContext, edited: Edited, values: Values, target: Target, settle: Settle) -> Outcome:
    """Save values of an entry, and wait until they are stored."""
    saved = save(context, edited, Form(values, edited.revision), target)
    if saved.write_id:
        settle(saved.write_id)
    return saved.outcome


def attempt(unnamed: str, steps: Steps) -> BulkResult:
    """Change one entry or file; `steps` yield its title once the user may see it, then the outcome of each change."""
    name, outcomes = "", list[str]()
    try:
        name = next(steps)
        outcomes.extend(steps)
    except _REFUSALS as error:
        return BulkResult(name or unnamed, _is_changed(outcomes), _reason(error) if name else _HIDDEN)
    return BulkResult(name, _is_changed(outcomes), is_draft=Outcome.DRAFT_SAVED in outcomes)


def _is_changed(outcomes: Iterable[str]) -> bool:
    return any(each != Outcome.UNCHANGED for each in outcomes)


def _reason(error: SitecmsError) -> str:
    if isinstance(error, InvalidFields):
        return " ".join(f"{place}: {text}" for place, texts in error.messages.items() for text in texts)
    return text_of(error)
