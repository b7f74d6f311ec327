"""Filters of lists that users gave names: each user has their own, which belong to no content."""

from msgspec import Struct

from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import SavedFilterRow

_OF_USER = [SavedFilterRow.user_id, SavedFilterRow.place, SavedFilterRow.name]


class SavedFilter(Struct, frozen=True):
    """A filter with its name; `query` is the query of the address that shows the list so."""

    id: int
    name: str
    query: str


def find_saved_filters(session: Session, user_id: int, place: str) -> tuple[SavedFilter, ...]:
    """Return the filters of a user for the list at a path, in the order in which they were saved."""
    filters = SavedFilterRow.select(SavedFilterRow.id, SavedFilterRow.name, SavedFilterRow.query)
    own = filters.where(SavedFilterRow.user_id == user_id, SavedFilterRow.place == place)
    return tuple(SavedFilter(*row) for row in session.rows(own.order_by(SavedFilterRow.id)))


def save_filter(transaction: Transaction, user_id: int, place: str, name: str, query: str) -> None:
    """Save a filter, in place of one that has this name."""
    row = SavedFilterRow.insert(user_id=user_id, place=place, name=name, query=query)
    transaction.run(row.on_conflict(conflict_target=_OF_USER, preserve=[SavedFilterRow.query]))


def delete_filter(transaction: Transaction, user_id: int, filter_id: int) -> None:
    """Remove a filter, if it is one of the user."""
    is_own = (SavedFilterRow.user_id == user_id) & (SavedFilterRow.id == filter_id)
    transaction.run(SavedFilterRow.delete().where(is_own))


def delete_filters_of(transaction: Transaction, user_id: int) -> None:
    """Remove all filters of a user."""
    transaction.run(SavedFilterRow.delete().where(SavedFilterRow.user_id == user_id))
