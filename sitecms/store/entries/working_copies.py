"""Working copies: unpublished changes of published posts. A post has one at most; it ends when it is published.

A working copy is the draft of the post: its fields are the changed values by name. One that is scheduled was checked
and has its media already; its body is beside it, as HTML.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.live_posts import IS_COPY, IS_POST
from sitecms.store.models.accounts import UserRow
from sitecms.store.models.entries import VersionBodyRow, VersionRow
from sitecms.store.prepared import prepared

_DRAFT = {"kind": EntryKind.POST.value, "version": Version.DRAFT.value}


class WorkingCopy(Struct, frozen=True):
    """The changed values of a post by name, and the user who saved them last. A Markdown `body` is the source.

    `scheduled_at` is the time at which the changes are published, None if nobody set one.
    """

    values: Mapping[str, FieldValue]
    user_name: str
    saved_at: datetime
    scheduled_at: datetime | None = None


@prepared
def _copy(post_id: int) -> Any:
    copies = VersionRow.select(VersionRow.fields, UserRow.name, VersionRow.updated_at, VersionRow.scheduled_at)
    return copies.join(UserRow, on=UserRow.id == VersionRow.saved_by).where(VersionRow.entry_id == post_id, IS_COPY)


@prepared
def _place(post_id: int) -> Any:
    return VersionRow.select(VersionRow.locale, VersionRow.slug).where(VersionRow.entry_id == post_id, IS_POST)


def find_copy(session: Session, post_id: int) -> WorkingCopy | None:
    """Return the working copy of a post, or None."""
    row = session.row(_copy(post_id))
    return WorkingCopy(*row) if row else None


@prepared
def _html(post_id: int) -> Any:
    bodies = VersionBodyRow.select(VersionBodyRow.html).join(VersionRow, on=VersionBodyRow.version_id == VersionRow.id)
    return bodies.where(VersionRow.entry_id == post_id, IS_COPY)


def find_html(session: Session, post_id: int) -> str | None:
    """Return the body of a scheduled working copy as HTML; None if the body does not change."""
    row = session.row(_html(post_id))
    return str(row[0]) if row else None


def save_copy(
    transaction: Transaction, post_id: int, copy: WorkingCopy, user_id: int | None, html: str | None = None
) -> None:
    """Insert or replace the working copy of a post, with the `html` of a body that is scheduled."""
    delete_copy(transaction, post_id)
    at, status = copy.saved_at, Status.DRAFT if copy.scheduled_at is None else Status.SCHEDULED
    saved: dict[str, object] = {
        "fields": dict(copy.values), "status": status.value, "scheduled_at": copy.scheduled_at,
        "created_at": at, "updated_at": at, "saved_by": user_id,
    }  # fmt: skip
    for locale, slug in transaction.rows(_place(post_id)):
        own = {**_DRAFT, "entry_id": post_id, "locale": locale, "slug": slug}
        version_id = transaction.insert(VersionRow, {**own, **saved})
        if html is not None:
            transaction.insert(VersionBodyRow, {"version_id": version_id, "html": html, "markdown": None})


def unschedule_copy(transaction: Transaction, post_id: int) -> None:
    """Keep a scheduled working copy as a draft that waits for a user."""
    draft = VersionRow.update(status=Status.DRAFT.value, scheduled_at=None)
    transaction.run(draft.where(VersionRow.entry_id == post_id, IS_COPY))


def change_copy(
    transaction: Transaction, post_id: int, values: Mapping[str, FieldValue], html: str | None = None
) -> None:
    """Replace the values of a working copy, which stays that of the user who saved it; also its `html`, if given."""
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
