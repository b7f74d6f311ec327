"""One action on several entries: each is checked and changed by itself, and a refusal of one stops no other."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from sitecms.actions.editing import entries, posts
from sitecms.actions.editing.entries import EditedEntry, Target
from sitecms.actions.editing.posts import EditedPost
from sitecms.actions.writing.accept import WriteContext
from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.content.user import User
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


def change_posts(
    context: WriteContext, user: User, ids: Iterable[int], action: BulkAction, settle: Settle
) -> tuple[BulkResult, ...]:
    """Publish, unpublish or delete posts, each as its form does."""

    def change(post_id: int) -> Iterator[str]:
        with context.database.reading() as session:
            edited = posts.get_edited(session, user, post_id)
        yield edited.post.title or edited.post.slug
        yield from filter(None, [_change_post(context, user, edited, action, settle)])

    return tuple(_attempt(each, f"Post {each}", change) for each in ids)


def _change_post(context: WriteContext, user: User, edited: EditedPost, action: BulkAction, settle: Settle) -> str:
    """Change one post; return the name of the action if it changed something."""
    post, values, revision = edited.post, edited.values, edited.revision
    match action:
        case BulkAction.DELETE:
            posts.delete(context, user, post.id, revision)
            return action
        case BulkAction.PUBLISH:
            saved = posts.publish(context, user, post.id, values, revision)
        case BulkAction.UNPUBLISH:
            if post.status is Status.DRAFT:
                return ""
            saved = posts.unpublish(context, user, post.id, values, revision)
    if saved.write_id:
        settle(saved.write_id)
    return "" if saved.outcome is posts.SaveOutcome.UNCHANGED else action


def change_entries(
    context: WriteContext,
    user: User,
    kind: EntryKind,
    ids: Iterable[int],
    action: BulkAction,
    settle: Settle,
    collection: str = "",
) -> tuple[BulkResult, ...]:
    """Publish, unpublish or delete pages, or items of a collection, in all locales."""

    def in_locale(entry_id: int, locale: str) -> EditedEntry:
        with context.database.reading() as session:
            edited = entries.get_entry(session, user, kind, entry_id, locale)
        if edited.collection != collection:
            raise NotFound(entries.NOT_FOUND)
        return edited

    def change(entry_id: int) -> Iterator[str]:
        edited = in_locale(entry_id, context.locales.default)
        yield edited.title
        if action is BulkAction.DELETE:
            entries.delete(context, user, edited, edited.revision)
            yield action
            return
        for locale in edited.locales:
            now = in_locale(entry_id, locale)
            withdrawn = Target.UNPUBLISH if now.live else Target.UNSCHEDULE
            target = Target.PUBLISH if action is BulkAction.PUBLISH else withdrawn
            accepted = entries.save(context, user, now, {}, locale, now.revision, target)
            if accepted is not None:
                settle(accepted.write_id)
                yield action

    noun = "Page" if kind is EntryKind.PAGE else "Item"
    return tuple(_attempt(each, f"{noun} {each}", change) for each in ids)


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
