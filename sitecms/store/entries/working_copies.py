"""Working copies: unpublished changes of published posts. A post has one at most; it ends when it is published.

A working copy is the draft version of the post. Its row has the changed values alone, by the names of forms: what a
request or a file changes in the live version meanwhile shows through. One that is scheduled was checked and has its
media already; its body is beside it, as HTML.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from peewee import JOIN

from sitecms.content.author import Author
from sitecms.content.change import EntryChange
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import AUTHOR, BODY, FORMAT, HTML, KINDS, MARKDOWN, EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import TERM_FIELDS, Term
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_tables import POSTS, sql_text
from sitecms.store.models.accounts import UserRow
from sitecms.store.models.entries import VersionBodyRow, VersionRow
from sitecms.store.prepared import prepared

_DRAFT, _DRAFT_BODY = VersionRow.alias(), VersionBodyRow.alias()
IS_COPY = POSTS.is_of_kind(VersionRow) & (VersionRow.version == sql_text(Version.DRAFT))
"""The condition of working copies."""
_NEW = {"kind": EntryKind.POST.value, "version": Version.DRAFT.value}
_NAMES = ("title", "slug")


class WorkingCopy(Struct, frozen=True):
    """The changed values of a post by name, as they are saved; a Markdown `body` is the source.

    One that is scheduled has the time of its publication, and the `html` of its body if that changes.
    """

    values: Mapping[str, FieldValue]
    saved_at: datetime
    user_id: int | None
    scheduled_at: datetime | None = None
    html: str | None = None


@prepared
def _beside(post_id: int) -> Any:
    """Return the query of what the rows of posts do not contain: the Markdown, and the working copy."""
    is_draft = POSTS.is_of_kind(_DRAFT) & (_DRAFT.entry_id == VersionRow.entry_id) & (_DRAFT.version == Version.DRAFT)
    copy = UserRow.name, _DRAFT.fields, _DRAFT.updated_at, _DRAFT.scheduled_at, _DRAFT_BODY.html
    return (
        VersionRow.select(VersionBodyRow.markdown, *copy)
        .join(VersionBodyRow, on=VersionBodyRow.version_id == VersionRow.id)
        .join_from(VersionRow, _DRAFT, JOIN.LEFT_OUTER, on=is_draft)
        .join_from(_DRAFT, UserRow, JOIN.LEFT_OUTER, on=UserRow.id == _DRAFT.saved_by)
        .join_from(_DRAFT, _DRAFT_BODY, JOIN.LEFT_OUTER, on=_DRAFT_BODY.version_id == _DRAFT.id)
        .where(VersionRow.entry_id == post_id, POSTS.is_own)
    )


@prepared
def _place(post_id: int) -> Any:
    return VersionRow.select(VersionRow.locale, VersionRow.slug).where(VersionRow.entry_id == post_id, POSTS.is_own)


@prepared
def _saved(post_id: int) -> Any:
    saved = VersionRow.select(UserRow.name, VersionRow.updated_at).join(UserRow, on=UserRow.id == VersionRow.saved_by)
    return saved.where(VersionRow.entry_id == post_id, IS_COPY)


def find_saved(session: Session, post_id: int) -> Sequence[tuple[str, datetime]]:
    """Return the name of the user who saved the working copy of a post and the time; () without one."""
    return session.rows(_saved(post_id))


def with_copy(session: Session, post: Entry) -> tuple[Entry, ...]:
    """Return the live version of a post with its Markdown, after the draft over it if there is one."""
    markdown, user, *copy = session.row(_beside(post.id)) or (None, None)
    live = replace(post, markdown=markdown)
    return (live,) if user is None else (_laid_over(live, user, *copy), live)


def _laid_over(
    live: Entry,
    user: str,
    values: Mapping[str, Any],
    saved_at: datetime,
    scheduled_at: datetime | None,
    html: str | None,
) -> Entry:
    """Return the draft that a working copy is: the live version with the changed values.

    Authors and terms have their names alone. A changed text that is not scheduled has no HTML yet.
    """
    changed = dict(values)
    if (text := changed.pop(BODY, None)) is not None:
        is_html = changed.pop(FORMAT, HTML if live.markdown is None else MARKDOWN) == HTML
        changed |= {BODY: html or (text if is_html else ""), "markdown": None if is_html else text}
    changed[FIELDS] = {**live.fields, **changed.get(FIELDS, {})}
    if AUTHOR in changed:
        changed[AUTHOR] = Author(changed[AUTHOR])
    for name in changed.keys() & TERM_FIELDS.keys():
        changed[name] = tuple(Term(TERM_FIELDS[name], "", each) for each in changed[name])
    return replace(
        live, version=Version.DRAFT, status=_status(scheduled_at), created_at=saved_at, updated_at=saved_at,
        scheduled_at=scheduled_at, saved_by=user, **changed,
    )  # fmt: skip


def _status(scheduled_at: datetime | None) -> Status:
    return Status.DRAFT if scheduled_at is None else Status.SCHEDULED


def copied_values(live: EntryChange, draft: EntryChange) -> dict[str, FieldValue]:
    """Return the values in which a draft differs from the live version, as a working copy has them."""
    before, after = live.only, draft.only
    values, stored = _values(draft), _values(live)
    copied = {name: value for name, value in values.items() if value != stored[name]}
    if (after.body, after.markdown) != (before.body, before.markdown):
        is_html = after.markdown is None
        copied |= {BODY: after.body if is_html else after.markdown, FORMAT: HTML if is_html else MARKDOWN}
    fields = {name: value for name, value in after.fields.items() if value != before.fields.get(name)}
    return {**copied, FIELDS: fields} if fields else copied


def _values(change: EntryChange) -> dict[str, Any]:
    """Return the values of a post but for its text and declared fields; of terms the names."""
    named = ((name, getattr(change if name in _NAMES else change.only, name)) for name in KINDS[change.kind].names)
    return {name: _names(value) if name in TERM_FIELDS else value for name, value in named if name != BODY}


def _names(terms: Iterable[str | Term]) -> list[str]:
    return [each if isinstance(each, str) else each.name for each in terms]


def save_copy(transaction: Transaction, post_id: int, copy: WorkingCopy) -> None:
    """Insert or replace the working copy of a post."""
    delete_copy(transaction, post_id)
    own: dict[str, object] = {
        "fields": dict(copy.values), "status": _status(copy.scheduled_at).value, "scheduled_at": copy.scheduled_at,
        "created_at": copy.saved_at, "updated_at": copy.saved_at, "saved_by": copy.user_id,
    }  # fmt: skip
    for locale, slug in transaction.rows(_place(post_id)):
        version_id = transaction.insert(
            VersionRow, {**_NEW, "entry_id": post_id, "locale": locale, "slug": slug, **own}
        )
        if copy.html is not None:
            transaction.insert(VersionBodyRow, {"version_id": version_id, "html": copy.html, "markdown": None})


def unschedule_copy(transaction: Transaction, post_id: int) -> None:
    """Keep a scheduled working copy as a draft that waits for a user."""
    draft = VersionRow.update(status=Status.DRAFT.value, scheduled_at=None)
    transaction.run(draft.where(VersionRow.entry_id == post_id, IS_COPY))


def change_copy(
    transaction: Transaction, post_id: int, values: Mapping[str, FieldValue], html: str | None = None
) -> None:
    """Replace the values of a working copy, which stays that of its user; also the HTML of its body, if it has that."""
    transaction.run(VersionRow.update(fields=dict(values)).where(VersionRow.entry_id == post_id, IS_COPY))
    if html is not None:
        of_copy = VersionRow.select(VersionRow.id).where(VersionRow.entry_id == post_id, IS_COPY)
        transaction.run(VersionBodyRow.update(html=html).where(VersionBodyRow.version_id.in_(of_copy)))


def delete_copy(transaction: Transaction, post_id: int) -> None:
    """Remove the working copy of a post."""
    transaction.run(VersionRow.delete().where(VersionRow.entry_id == post_id, IS_COPY))


def rename_in_copies(transaction: Transaction, key: str, old: str, new: str) -> None:
    """Replace a name by a new one in all working copies: the value of the key itself, or an element of its list."""
    for post_id, values in transaction.rows(VersionRow.select(VersionRow.entry_id, VersionRow.fields).where(IS_COPY)):
        value = values.get(key)
        if value == old:
            change_copy(transaction, post_id, {**values, key: new})
        elif isinstance(value, list) and old in value:
            change_copy(transaction, post_id, {**values, key: [new if each == old else each for each in value]})
