"""Filters of lists that users save under a name."""

from sitecms.content.user import User
from sitecms.errors import InvalidInput
from sitecms.store.accounts import saved_filters
from sitecms.store.database import Database

MAX_NAME_LENGTH = 60
MAX_QUERY_LENGTH = 2_000
MAX_FILTERS = 30
"""Most filters of a user for one list."""


def save_filter(database: Database, user: User, place: str, name: str, query: str) -> None:
    """Save a filter of a list, in place of one that has this name. Raises InvalidInput."""
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME_LENGTH:
        raise InvalidInput(f"Give the filter a name of {MAX_NAME_LENGTH} characters at most.")
    if not 0 < len(query) <= MAX_QUERY_LENGTH:
        raise InvalidInput("Choose a filter before you save it.")
    with database.writing(counts_as_change=False) as transaction:
        others = [each for each in saved_filters.find_saved_filters(transaction, user.id, place) if each.name != name]
        if len(others) >= MAX_FILTERS:
            raise InvalidInput(f"You have {MAX_FILTERS} filters for this list. Delete one first.")
        saved_filters.save_filter(transaction, user.id, place, name, query)


def delete_filter(database: Database, user: User, filter_id: int) -> None:
    """Delete a filter, if it is one of the user."""
    with database.writing(counts_as_change=False) as transaction:
        saved_filters.delete_filter(transaction, user.id, filter_id)
