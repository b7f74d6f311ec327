"""Forms that a user has not saved yet, kept for that user alone, and the presence of users at forms.

Neither is content: no read of the API or the site shows them, and they are no versions in the history.
"""

import re
from datetime import datetime

from sitecms.actions.editing.edited import NewEntry, get_edited, require_for
from sitecms.content.user import Action, User
from sitecms.errors import Forbidden, InvalidRequest, NotFound
from sitecms.messages import N_, Text
from sitecms.store.accounts import open_forms
from sitecms.store.accounts.open_forms import FormPairs, Present, UnsavedForm
from sitecms.store.database import Database, Session

MAX_FORMS = 200
TOO_MANY = N_("You have %(num)s forms with text that was never saved. Save or discard some of them first.")
NOT_FOUND = N_("There is no such form, or you may not change its entry.")
_FORM_SESSION = re.compile(r"[A-Za-z0-9-]{8,64}\Z")


def check_form(session: Session, user: User, place: NewEntry, entry_id: int | None) -> None:
    """Raise NotFound unless there is such a form, of a stored entry by its id, and the user may change the entry."""
    try:
        if entry_id is None:
            require_for(user, Action.CREATE, place.kind)
            return
        edited = get_edited(session, user, place.kind, entry_id, place.locale)
        edited.require(user, Action.EDIT)
    except Forbidden:
        raise NotFound(NOT_FOUND) from None
    if place.type and edited.type != place.type:
        raise NotFound(NOT_FOUND)


def check_session(form_session: str) -> str:
    """Return the id of a session of a form, which a browser has chosen. Raises InvalidRequest."""
    if not _FORM_SESSION.match(form_session):
        raise InvalidRequest(N_("The form has no id of its own. Open the page again."))
    return form_session


def keep_form(database: Database, user: User, place: str, form_session: str, fields: FormPairs, at: datetime) -> None:
    """Keep the fields of a form. Raises InvalidRequest if the user has too many of them."""
    check_session(form_session)
    if not fields:
        return
    with database.writing(counts_as_change=False) as transaction:
        open_forms.save_unsaved(transaction, user.id, place, form_session, fields, at)
        count = open_forms.count_unsaved(transaction, user.id)
        if count > MAX_FORMS:
            raise InvalidRequest(Text(TOO_MANY, num=count - 1))


def drop_form(database: Database, user: User, place: str, form_session: str) -> None:
    """Remove a form that was discarded."""
    with database.writing(counts_as_change=False) as transaction:
        open_forms.delete_unsaved(transaction, user.id, place, form_session)


def end_form(database: Database, user: User, place: str, form_session: str, at: datetime) -> None:
    """Remove what was kept of a form that was saved, and remember that it was."""
    if _FORM_SESSION.match(form_session):
        with database.writing(counts_as_change=False) as transaction:
            open_forms.note_saved(transaction, user.id, place, form_session, at)


def saved_sessions(session: Session, user: User, place: str) -> tuple[str, ...]:
    """Return the sessions of forms at a place that the user has saved lately."""
    return open_forms.find_saved(session, user.id, place)


def find_forms(session: Session, user: User, place: str) -> tuple[UnsavedForm, ...]:
    """Return the forms at a place that the user has not saved, the newest first."""
    return open_forms.find_unsaved(session, user.id, place)


def note_presence(
    database: Database, user: User, place: str, form_session: str, at: datetime, *, has_changes: bool
) -> tuple[Present, ...]:
    """Record that the user has a form open; return who else has."""
    check_session(form_session)
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        open_forms.note_presence(transaction, user.id, form_session, place, at, has_changes=has_changes)
        return open_forms.find_present(transaction, place, at, user.id, form_session)


def end_presence(database: Database, user: User, form_session: str) -> None:
    """Record that the user has closed a form."""
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        open_forms.end_presence(transaction, user.id, form_session)
