"""Reviews of entries: one of an entry in a locale at most."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import asdict
from peewee import JOIN

from sitecms.content.kinds import EntryKind
from sitecms.content.review import Review, ReviewState
from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import UserRow
from sitecms.store.models.entries import EntryRow
from sitecms.store.models.reviews import ReviewRow
from sitecms.store.prepared import prepared

_COLUMNS = [getattr(ReviewRow, name) for name in Review.__struct_fields__]


class ListedReview(NamedTuple):
    """A review of an entry that is not in the trash, with its type and the names of the users."""

    review: Review
    type: str
    submitter: str
    assignee: str | None


@prepared
def _review(kind: EntryKind, entry_id: int, locale: str) -> Any:
    return ReviewRow.select(*_COLUMNS).where(_is_of(kind, entry_id, locale))


def find_review(session: Session, kind: EntryKind, entry_id: int, locale: str) -> Review | None:
    """Return the review of an entry in a locale, or None."""
    row = session.row(_review(kind, entry_id, locale))
    return Review(*row) if row else None


def save_review(transaction: Transaction, review: Review) -> None:
    """Insert the review of an entry in a locale, or replace it."""
    delete_review(transaction, review.kind, review.entry_id, review.locale)
    transaction.insert(ReviewRow, asdict(review))


def delete_review(transaction: Transaction, kind: EntryKind, entry_id: int, locale: str) -> None:
    """Remove the review of an entry in a locale, if there is one."""
    transaction.run(ReviewRow.delete().where(_is_of(kind, entry_id, locale)))


def decide(transaction: Transaction, review: Review, state: ReviewState, by: int, at: datetime) -> None:
    """Store the decision about a review."""
    decided = ReviewRow.update(state=state, decided_by=by, decided_at=at)
    transaction.run(decided.where(_is_of(review.kind, review.entry_id, review.locale)))


def list_reviews(
    session: Session, state: ReviewState | None = None, user_id: int | None = None
) -> Sequence[ListedReview]:
    """Return the reviews in a state, or all, the longest waiting first.

    With a user, those that wait for a decision are those assigned to the user or to nobody and not submitted by the
    user; those sent back are those that the user submitted.
    """
    row, entry, submitter, assignee = ReviewRow, EntryRow, UserRow.alias(), UserRow.alias()
    is_entry = (entry.id == row.entry_id) & (entry.kind == row.kind) & entry.deleted_at.is_null()
    query = (
        row.select(*_COLUMNS, entry.type, submitter.name, assignee.name)
        .join(entry, on=is_entry)
        .join_from(row, submitter, on=submitter.id == row.submitted_by)
        .join_from(row, assignee, JOIN.LEFT_OUTER, on=assignee.id == row.assigned_to)
        .order_by(row.submitted_at, row.id)
    )
    if state is not None:
        query = query.where(row.state == state)
    if user_id is not None:
        own = row.submitted_by == user_id
        for_user = (row.assigned_to == user_id) | (row.assigned_to.is_null() & ~own)
        query = query.where(for_user if state is ReviewState.WAITING else own)
    count = len(_COLUMNS)
    return [ListedReview(Review(*each[:count]), *each[count:]) for each in session.rows(query)]


def posts_in_review(state: ReviewState) -> Any:
    """Return the query of the ids of posts with a review in a state."""
    return ReviewRow.select(ReviewRow.entry_id).where(ReviewRow.kind == EntryKind.POST.value, ReviewRow.state == state)


def _is_of(kind: EntryKind, entry_id: int, locale: str) -> Any:
    is_entry = (ReviewRow.entry_id == entry_id) & (ReviewRow.kind == kind)
    return is_entry & (ReviewRow.locale == locale)
