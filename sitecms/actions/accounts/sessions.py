"""Sessions of users: started, found, confirmed and ended."""

from contextlib import suppress
from datetime import datetime, timedelta

from sitecms.actions.accounts.passwords import verify_password
from sitecms.actions.accounts.permissions import require
from sitecms.content.token import secret_digest
from sitecms.content.user import Action, User, UserSession, new_session_secret
from sitecms.errors import InvalidFields, NotFound, StoreUnusable
from sitecms.messages import N_
from sitecms.store.accounts import sessions, users
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.sessions import remember_device
from sitecms.store.database import Database, Transaction

MAX_CLIENT_LENGTH = 200
SEEN_EVERY = timedelta(minutes=5)
WRONG_PASSWORD = N_("This is not your password.")
NO_SESSION = N_("There is no such session; it may have ended.")


def start_session(transaction: Transaction, user: User, at: datetime, address: str, client: str) -> str:
    """Start a session of a user who has proved who it is; return its secret."""
    secret = new_session_secret()
    sessions.end_expired(transaction, at)
    sessions.insert_session(transaction, secret_digest(secret), user, at, address, client[:MAX_CLIENT_LENGTH])
    users.note_sign_in(transaction, user.id, at)
    record_action(transaction, user, "sign in", f"user {user.name}", at, address)
    return secret


def start_next_session(database: Database, user: User, at: datetime, address: str, client: str) -> str:
    """Start a session of a user whose sessions have ended with a change that the user made; return its secret."""
    with database.writing(counts_as_change=False) as transaction:
        return start_session(transaction, user, at, address, client)


def find_current(database: Database, secret: str, at: datetime) -> UserSession | None:
    """Return the current session of that secret, or None."""
    found = database.read(sessions.find_session, secret_digest(secret))
    return found if found is not None and found.is_current(at) else None


def note_use(database: Database, session: UserSession, at: datetime) -> None:
    """Record now and then that a session is used; a store that takes no writes at the moment is still read."""
    if at - session.seen_at < SEEN_EVERY:
        return
    with suppress(StoreUnusable), database.writing(counts_as_change=False, is_durable=False) as transaction:
        sessions.note_seen(transaction, session.digest, at)


def confirm(database: Database, session: UserSession, password: str, at: datetime) -> None:
    """Record that the user of a session has typed the password again. Raises InvalidFields under `current`."""
    found = database.read(users.find_user, session.user.name)
    if not verify_password(password, found[1] if found else None):
        raise InvalidFields({"current": [WRONG_PASSWORD]})
    with database.writing(counts_as_change=False) as transaction:
        sessions.note_confirmed(transaction, session.digest, at)


def sign_out(database: Database, session: UserSession, at: datetime) -> None:
    """End the session."""
    with database.writing(counts_as_change=False) as transaction:
        sessions.end_session(transaction, session.digest)
        record_action(transaction, session.user, "sign out", f"user {session.user.name}", at)


def end_other(database: Database, session: UserSession, at: datetime) -> int:
    """End all other sessions of the user; return their number."""
    with database.writing(counts_as_change=False) as transaction:
        count = sessions.end_sessions(transaction, session.user.id, but=session.digest)
        record_action(transaction, session.user, "end other sessions", f"user {session.user.name}", at, str(count))
    return count


def end_one(database: Database, by: User, name: str, session_id: str, at: datetime) -> None:
    """End one session of a user, the own one or by an admin. Raises NotFound, also for sessions of other users."""
    require(by, Action.OWN_ACCOUNT if by.name == name else Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        ended = next((each for each in sessions.find_sessions(transaction, user.id) if each.id == session_id), None)
        if ended is None:
            raise NotFound(NO_SESSION)
        sessions.end_session(transaction, ended.digest)
        record_action(transaction, by, "end session", f"user {name}", at, ended.address)


def end_all(database: Database, by: User, name: str, at: datetime) -> int:
    """End all sessions of a user; return their number. Raises NotFound and Forbidden."""
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        count = sessions.end_sessions(transaction, users.get_user(transaction, name).id)
        record_action(transaction, by, "end sessions", f"user {name}", at, str(count))
    return count


def remember(database: Database, secret: str, user: User, at: datetime) -> str:
    """Record that a user signed in with the device of that secret ("": a new one); return its next secret."""
    new = new_session_secret()
    with database.writing(counts_as_change=False, is_durable=False) as transaction:
        remember_device(transaction, secret_digest(secret), secret_digest(new), user.id, at)
    return new
