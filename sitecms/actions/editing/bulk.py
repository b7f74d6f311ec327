"""One action on several entries: each is checked and changed by itself, and a refusal of one stops no other."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from sitecms.actions.editing.edited import NOT_FOUND, EditContext, Edited, get_edited
from sitecms.actions.editing.entries import Form, Outcome, Target, delete, save
from sitecms.content.kinds import EntryKind
from sitecms.errors import Conflict, Forbidden, InvalidFields, InvalidInput, NotFound, SitecmsError, Stale

Settle = Callable[[str], None]
"""Waits until a write is applied. Raises InvalidFields with the errors of one that is not."""
_REFUSALS = (Forbidden, NotFound, InvalidInput, Conflict, Stale)
_HIDDEN = "It does not exist any more, or you may not see it."


class BulkAction(StrEnum):
    """The actions that several entries can take at once."""

    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    DELETE = "delete"


class BulkResult(Struct, frozen=True):
    """The result for one entry: its title, if the user may see it, and the reason for a refusal.

    `is_changed` is False for an entry that was refused, or was in that state already.
    """

    name: str
    is_changed: bool = False
    problem: str = ""


def change_entries(
    context: EditContext,
    kind: EntryKind,
    ids: Iterable[int],
    action: BulkAction,
    settle: Settle,
    collection: str = "",
) -> tuple[BulkResult, ...]:
    """Publish, unpublish or delete entries, those of a collection for items, in all locales."""

    def in_locale(entry_id: int, locale: str) -> Edited:
        with context.writes.database.reading() as session:
            edited = get_edited(session, context.user, kind, entry_id, locale)
        if collection and edited.type != collection:
            raise NotFound(NOT_FOUND)
        return edited

    def change(entry_id: int) -> Iterator[str]:
        edited = in_locale(entry_id, context.writes.locales.default)
        yield edited.title
        if action is BulkAction.DELETE:
            delete(context, edited, edited.revision)
            yield action
            return
        for locale in edited.locales:
            now = in_locale(entry_id, locale)
            withdrawn = Target.UNPUBLISH if now.live else Target.UNSCHEDULE
            target = Target.PUBLISH if action is BulkAction.PUBLISH else withdrawn
            saved = save(context, now, Form(now.values, now.revision), target)
            if saved.write_id:
                settle(saved.write_id)
            if saved.outcome is not Outcome.UNCHANGED:
                yield action

    return tuple(_attempt(each, f"{kind.capitalize()} {each}", change) for each in ids)


def _attempt(entry_id: int, unnamed: str, change: Callable[[int], Iterator[str]]) -> BulkResult:
    """Change one entry; `change` yields its title once the user may see it, then a text for each change."""
    name, is_changed, steps = "", False, change(entry_id)
    try:
        name = next(steps)
        for _done in steps:
            is_changed = True
    except _REFUSALS as error:
        return BulkResult(name or unnamed, is_changed, _reason(error) if name else _HIDDEN)
    return BulkResult(name, is_changed)


def _reason(error: SitecmsError) -> str:
    if isinstance(error, InvalidFields):
        return " ".join(f"{place}: {text}" for place, texts in error.messages.items() for text in texts)
    return str(error)
