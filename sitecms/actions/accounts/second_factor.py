"""The second factor of users: set up, used, and turned off."""

from datetime import datetime

from sitecms.actions.accounts.permissions import require
from sitecms.content.second_factor import matching_step, new_recovery_codes, new_totp_secret, recovery_digest
from sitecms.content.user import Action, User, UserSession
from sitecms.errors import Conflict, InvalidFields
from sitecms.messages import N_
from sitecms.store.accounts import second_factors as store
from sitecms.store.accounts import sessions, users
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Database, Transaction

WRONG_CODE = N_("This is not the current code. Look whether the clock of your device is right.")
IS_ON = N_("Your second factor is on already.")
IS_OFF = N_("There is no second factor to turn on. Begin again.")


def begin(database: Database, user: User, at: datetime) -> None:
    """Give the user a new secret for an app; it asks for codes once it is turned on. Raises Conflict."""
    require(user, Action.OWN_ACCOUNT)
    with database.writing(counts_as_change=False) as transaction:
        found = store.find_second_factor(transaction, user.id)
        if found is not None and found.turned_on_at is not None:
            raise Conflict("code", IS_ON)
        store.delete_second_factor(transaction, user.id)
        store.insert_second_factor(transaction, user.id, new_totp_secret(), at)


def turn_on(database: Database, session: UserSession, code: str, at: datetime) -> tuple[str, ...]:
    """Turn the second factor on, end all other sessions, and return the recovery codes.

    Raises InvalidFields under `code`, and Conflict.
    """
    user = session.user
    require(user, Action.OWN_ACCOUNT)
    with database.writing(counts_as_change=False) as transaction:
        found = store.find_second_factor(transaction, user.id)
        if found is None or found.turned_on_at is not None:
            raise Conflict("code", IS_ON if found else IS_OFF)
        step = matching_step(found.secret, code, at, found.last_step)
        if step is None:
            raise InvalidFields({"code": [WRONG_CODE]})
        store.note_turned_on(transaction, user.id, at)
        store.note_step(transaction, user.id, step)
        sessions.end_sessions(transaction, user.id, but=session.digest)
        record_action(transaction, user, "turn on second factor", f"user {user.name}", at)
        return _new_codes(transaction, user)


def renew_recovery_codes(database: Database, user: User, at: datetime) -> tuple[str, ...]:
    """Replace the recovery codes of the user, and return the new ones. Raises Conflict."""
    require(user, Action.OWN_ACCOUNT)
    with database.writing(counts_as_change=False) as transaction:
        found = store.find_second_factor(transaction, user.id)
        if found is None or found.turned_on_at is None:
            raise Conflict("code", N_("Your second factor is off."))
        record_action(transaction, user, "make recovery codes", f"user {user.name}", at)
        return _new_codes(transaction, user)


def turn_off_own(database: Database, session: UserSession, at: datetime) -> None:
    """Turn the own second factor off, and end all other sessions."""
    user = session.user
    require(user, Action.OWN_ACCOUNT)
    with database.writing(counts_as_change=False) as transaction:
        store.delete_second_factor(transaction, user.id)
        sessions.end_sessions(transaction, user.id, but=session.digest)
        record_action(transaction, user, "turn off second factor", f"user {user.name}", at)


def turn_off(database: Database, by: User | None, name: str, at: datetime) -> bool:
    """Turn the second factor of a user off, who has lost the device, and end all sessions of the user.

    Return whether it was on. Raises NotFound and Forbidden.
    """
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        store.delete_second_factor(transaction, user.id)
        if user.has_second_factor:
            sessions.end_sessions(transaction, user.id)
            record_action(transaction, by, "turn off second factor", f"user {name}", at)
    return user.has_second_factor


def accept_code(transaction: Transaction, user: User, typed: str, at: datetime) -> bool:
    """Return whether a code of the app, or a recovery code, is right; it is not accepted again."""
    found = store.find_second_factor(transaction, user.id)
    if found is None or found.turned_on_at is None:
        return False
    step = matching_step(found.secret, typed, at, found.last_step)
    if step is not None:
        store.note_step(transaction, user.id, step)
        return True
    if not store.use_recovery_code(transaction, user.id, recovery_digest(user.id, typed)):
        return False
    left = store.count_recovery_codes(transaction, user.id)
    record_action(transaction, user, "use recovery code", f"user {user.name}", at, f"{left} left")
    return True


def _new_codes(transaction: Transaction, user: User) -> tuple[str, ...]:
    codes = new_recovery_codes()
    store.replace_recovery_codes(transaction, user.id, [recovery_digest(user.id, code) for code in codes])
    return codes
