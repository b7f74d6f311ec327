"""The own account: password and sessions."""

from flask import Response

from sitecms.actions.accounts.sessions import end_one, end_other, start_next_session
from sitecms.actions.accounts.users import change_own_password
from sitecms.content.user import Action
from sitecms.errors import InvalidFields
from sitecms.store.accounts.sessions import find_sessions
from sitecms.studio.access import set_secret
from sitecms.studio.views.signing_in import check_own_password
from sitecms.studio.visit import Route, Visit, redirect

ACCOUNT = "/studio/account/"
DIFFERENT = "The two passwords differ."


def show_account(visit: Visit, errors: InvalidFields | None = None) -> Response:
    """Show the own account: sessions, the second factor, and the form for a new password."""
    with visit.studio.runtime.database.reading() as session:
        sessions = [each for each in find_sessions(session, visit.user.id) if each.is_current(visit.at)]
    messages = errors.messages if errors else {}
    return visit.page("account.html", status=400 if errors else 200, sessions=sessions, errors=messages)


def change_password(visit: Visit) -> Response:
    """Change the own password; all sessions end, and a new one begins here."""
    database, current, new = visit.studio.runtime.database, visit.field("current"), visit.field("password")
    try:
        if new != visit.field("repeated"):
            raise InvalidFields({"repeated": [DIFFERENT]})
        check_own_password(visit, current)
        change_own_password(database, visit.user, current, new, visit.studio.runtime.settings.name, visit.at)
    except InvalidFields as error:
        return show_account(visit, error)
    response = redirect(ACCOUNT, said="password-changed")
    secret = start_next_session(database, visit.user, visit.at, visit.address, visit.client)
    set_secret(visit.request, response, secret)
    return response


def end_sessions(visit: Visit) -> Response:
    """End one other session of the user, or all others."""
    database, session_id = visit.studio.runtime.database, visit.field("session")
    if session_id:
        end_one(database, visit.user, visit.user.name, session_id, visit.at)
        return redirect(ACCOUNT, said="session-ended")
    if visit.session is not None:
        end_other(database, visit.session, visit.at)
    return redirect(ACCOUNT, said="sessions-ended")


ROUTES = (
    Route("GET", ACCOUNT, show_account, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/password/", change_password, Action.OWN_ACCOUNT),
    Route("POST", "/studio/account/sessions/", end_sessions, Action.OWN_ACCOUNT),
)
