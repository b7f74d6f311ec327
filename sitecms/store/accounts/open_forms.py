"""Forms of the studio that users have open, and the fields that they have not saved yet.

Both are kept by user, place (the path of the form) and session (one opening of the form in a window). A row of presence
counts for 45 seconds; the page renews it. A session that was saved stays for a day, without fields: its window may have
been closed before the answer came, and has kept the text.
"""

from datetime import datetime, timedelta

from msgspec import Struct
from peewee import SQL, fn

from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import PresenceRow, UnsavedFormRow, UserRow

PRUNED_AT_ONCE = 1000
SAVED_LIFETIME = timedelta(days=1)
PRESENCE_LIFETIME = timedelta(seconds=45)
FormPairs = tuple[tuple[str, str], ...]
_NO_FIELDS = SQL("'[]'")
_IS_UNSAVED = UnsavedFormRow.fields != _NO_FIELDS
_WAS_UNSAVED = SQL("unsaved_form.fields_json <> '[]'")  # in a conflict, PostgreSQL wants the name of the table
_FORM = [UnsavedFormRow.user_id, UnsavedFormRow.place, UnsavedFormRow.form_session]


class UnsavedForm(Struct, frozen=True):
    """The fields of a form that was not saved, as (name, value) in the order of the form."""

    form_session: str
    fields: FormPairs
    saved_at: datetime


def save_unsaved(
    transaction: Transaction, user_id: int, place: str, form_session: str, fields: FormPairs, at: datetime
) -> None:
    """Insert or replace the fields of a form, unless its session was saved: then they come too late."""
    form = UnsavedFormRow.insert(user_id=user_id, place=place, form_session=form_session, fields=fields, saved_at=at)
    saved = [UnsavedFormRow.fields, UnsavedFormRow.saved_at]
    transaction.run(form.on_conflict(conflict_target=_FORM, preserve=saved, where=_WAS_UNSAVED))


def note_saved(transaction: Transaction, user_id: int, place: str, form_session: str, at: datetime) -> None:
    """Remove the fields of a form that was saved, and keep its session for a day."""
    is_old = (UnsavedFormRow.user_id == user_id) & ~_IS_UNSAVED & (UnsavedFormRow.saved_at < at - SAVED_LIFETIME)
    transaction.run(UnsavedFormRow.delete().where(is_old))
    form = UnsavedFormRow.insert(user_id=user_id, place=place, form_session=form_session, fields=[], saved_at=at)
    transaction.run(form.on_conflict(conflict_target=_FORM, preserve=[UnsavedFormRow.fields, UnsavedFormRow.saved_at]))


def find_saved(session: Session, user_id: int, place: str) -> tuple[str, ...]:
    """Return the sessions of forms at a place that a user has saved in the last day."""
    is_at_place = (UnsavedFormRow.user_id == user_id) & (UnsavedFormRow.place == place)
    rows = session.rows(UnsavedFormRow.select(UnsavedFormRow.form_session).where(is_at_place, ~_IS_UNSAVED))
    return tuple(row[0] for row in rows)


def find_unsaved(session: Session, user_id: int, place: str) -> tuple[UnsavedForm, ...]:
    """Return the unsaved forms of a user at a place, the newest first."""
    forms = UnsavedFormRow.select(UnsavedFormRow.form_session, UnsavedFormRow.fields, UnsavedFormRow.saved_at)
    at_place = forms.where(UnsavedFormRow.user_id == user_id, UnsavedFormRow.place == place, _IS_UNSAVED)
    rows = session.rows(at_place.order_by(UnsavedFormRow.saved_at.desc(), UnsavedFormRow.id.desc()))
    return tuple(
        UnsavedForm(form_session, tuple(map(tuple, pairs)), saved_at) for form_session, pairs, saved_at in rows
    )


def count_unsaved(session: Session, user_id: int) -> int:
    """Return the number of unsaved forms of a user."""
    return session.count(UnsavedFormRow.select().where(UnsavedFormRow.user_id == user_id, _IS_UNSAVED))


def delete_unsaved(transaction: Transaction, user_id: int, place: str, form_session: str) -> None:
    """Remove an unsaved form."""
    is_form = (
        (UnsavedFormRow.user_id == user_id)
        & (UnsavedFormRow.place == place)
        & (UnsavedFormRow.form_session == form_session)
    )
    transaction.run(UnsavedFormRow.delete().where(is_form))


def prune_unsaved(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE forms that were saved last before then, and return their number."""
    old = UnsavedFormRow.select(UnsavedFormRow.id).where(UnsavedFormRow.saved_at < before).limit(PRUNED_AT_ONCE)
    return transaction.run(UnsavedFormRow.delete().where(UnsavedFormRow.id.in_(old)))


class Present(Struct, frozen=True):
    """A user who has a form open, in another window if it is the same user."""

    name: str
    has_changes: bool


def note_presence(
    transaction: Transaction, user_id: int, form_session: str, place: str, at: datetime, *, has_changes: bool
) -> None:
    """Record that a user has a form open; remove expired rows."""
    transaction.run(PresenceRow.delete().where(PresenceRow.seen_at <= at - PRESENCE_LIFETIME))
    row = PresenceRow.insert(
        user_id=user_id, form_session=form_session, place=place, has_changes=has_changes, seen_at=at
    )
    state = [PresenceRow.place, PresenceRow.has_changes, PresenceRow.seen_at]
    transaction.run(row.on_conflict(conflict_target=[PresenceRow.user_id, PresenceRow.form_session], preserve=state))


def end_presence(transaction: Transaction, user_id: int, form_session: str) -> None:
    """Record that a form was closed."""
    transaction.run(
        PresenceRow.delete().where(PresenceRow.user_id == user_id, PresenceRow.form_session == form_session)
    )


def find_present(session: Session, place: str, at: datetime, user_id: int, form_session: str) -> tuple[Present, ...]:
    """Return the users who have the form at a place open, but for this session of this user's, by name."""
    is_own = (PresenceRow.user_id == user_id) & (PresenceRow.form_session == form_session)
    is_present = (PresenceRow.place == place) & (PresenceRow.seen_at > at - PRESENCE_LIFETIME) & ~is_own
    names = PresenceRow.select(UserRow.name, fn.MAX(PresenceRow.has_changes)).join(UserRow).where(is_present)
    return tuple(Present(*row) for row in session.rows(names.group_by(UserRow.name).order_by(UserRow.name)))
