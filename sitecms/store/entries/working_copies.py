"""Working copies: unpublished changes of published posts. A post has one at most; it ends when it is published.

A working copy is the draft of the post: its fields are the changed values by name.
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
from sitecms.store.models.entries import VersionRow
from sitecms.store.prepared import prepared

_DRAFT = {"kind": EntryKind.POST.value, "version": Version.DRAFT.value, "status": Status.DRAFT.value}


class WorkingCopy(Struct, frozen=True):
    """The changed values of a post by name, and the user who saved them last. A Markdown `body` is the source."""

    values: Mapping[str, FieldValue]
    user_name: str
    saved_at: datetime


@prepared
def _copy(post_id: int) -> Any:
    copies = VersionRow.select(VersionRow.fields, UserRow.name, VersionRow.updated_at)
    return copies.join(UserRow, on=UserRow.id == VersionRow.saved_by).where(VersionRow.entry_id == post_id, IS_COPY)


@prepared
def _place(post_id: int) -> Any:
    return VersionRow.select(VersionRow.locale, VersionRow.slug).where(VersionRow.entry_id == post_id, IS_POST)


def find_copy(session: Session, post_id: int) -> WorkingCopy | None:
    """Return the working copy of a post, or None."""
    row = session.row(_copy(post_id))
    return WorkingCopy(*row) if row else None


def save_copy(
    transaction: Transaction, post_id: int, values: Mapping[str, FieldValue], user_id: int, at: datetime
) -> None:
    """Insert or replace the working copy of a post."""
    saved = {"fields": dict(values), "saved_by": user_id, "created_at": at, "updated_at": at}
    if not transaction.run(VersionRow.update(**saved).where(VersionRow.entry_id == post_id, IS_COPY)):
        for locale, slug in transaction.rows(_place(post_id)):
            transaction.insert(VersionRow, {**_DRAFT, "entry_id": post_id, "locale": locale, "slug": slug, **saved})


def change_copy(transaction: Transaction, post_id: int, values: Mapping[str, FieldValue]) -> None:
    """Replace the values of a working copy, which stays that of the user who saved it."""
    transaction.run(VersionRow.update(fields=dict(values)).where(VersionRow.entry_id == post_id, IS_COPY))


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
