"""Signing in to the studio: by the password, and by a code where the user has a second factor."""

from datetime import datetime

from msgspec import Struct

from sitecms.actions.accounts.passwords import hash_password, needs_rehash, verify_password
from sitecms.actions.accounts.second_factor import accept_code
from sitecms.actions.accounts.sessions import start_session
from sitecms.content.second_factor import STEP_LIFETIME
from sitecms.content.token import secret_digest
from sitecms.content.user import User, new_session_secret
from sitecms.errors import NotFound, Unauthenticated
from sitecms.messages import N_
from sitecms.store.accounts import second_factors, users
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.sessions import knows_device
from sitecms.store.database import Database

WRONG = N_("The name or the password is wrong.")
WRONG_CODE = N_("The code is wrong, or was used already. Wait for the next one.")
BEGIN_AGAIN = N_("Sign in again: the code was asked for too long ago, or too many codes were wrong.")
MAX_WRONG_CODES = 5


class SignedIn(Struct, frozen=True):
    """The secret of a new session; or, if a code is asked for, the secret of the sign-in that waits for it."""

    user: User
    secret: str
    needs_code: bool = False


def sign_in(database: Database, name: str, password: str, at: datetime, address: str, client: str) -> SignedIn:
    """Check a password, and start a session unless the user has a second factor.

    Raises Unauthenticated, after the same time for an unknown name and a user who is deactivated.
    """
    found = database.read(users.find_user, name.strip())
    user, password_hash = found or (None, None)
    is_right = verify_password(password, password_hash)
    if not is_right or user is None or password_hash is None or not user.is_active:
        raise Unauthenticated(WRONG)
    renewed = hash_password(password) if needs_rehash(password_hash) else None
    with database.writing(counts_as_change=False) as transaction:
        current = users.find_user(transaction, user.name)
        if current is None or not current[0].is_active or (current[0].id, current[1]) != (user.id, password_hash):
            raise Unauthenticated(WRONG)  # changed or removed meanwhile
        if renewed is not None:
            users.set_password_hash(transaction, user.id, renewed)
        if current[0].has_second_factor:
            secret = new_session_secret()
            second_factors.delete_old_steps(transaction, at - STEP_LIFETIME)
            second_factors.insert_step(transaction, secret_digest(secret), user.id, at)
            return SignedIn(current[0], secret, needs_code=True)
        return SignedIn(current[0], start_session(transaction, user, at, address, client))


def find_waiting(database: Database, secret: str, at: datetime) -> User:
    """Return the user who has typed the password in that sign-in, and no code yet. Raises NotFound."""
    with database.reading() as session:
        step = second_factors.find_step(session, secret_digest(secret))
        user = users.find_user_by_id(session, step.user_id) if step and at < step.created_at + STEP_LIFETIME else None
    if user is None:
        raise NotFound(BEGIN_AGAIN)
    return user


def give_code(database: Database, secret: str, code: str, at: datetime, address: str, client: str) -> SignedIn:
    """Check the code of the second factor, or a recovery code, and start the session.

    `secret` is that of the sign-in whose password was right, so that a code opens nothing elsewhere. A wrong code is
    recorded, since whoever typed it knows the password. Raises Unauthenticated for it, and NotFound where the password
    has to be typed again.
    """
    user, digest = find_waiting(database, secret, at), secret_digest(secret)
    with database.writing(counts_as_change=False) as transaction:
        step = second_factors.find_step(transaction, digest)
        current = users.find_user_by_id(transaction, user.id)
        if step is None or current is None or not current.is_active:
            raise NotFound(BEGIN_AGAIN)
        if accept_code(transaction, current, code, at):
            second_factors.delete_step(transaction, digest)
            return SignedIn(current, start_session(transaction, current, at, address, client))
        record_action(transaction, current, "wrong code", f"user {current.name}", at, address)
        if step.attempts + 1 >= MAX_WRONG_CODES:
            second_factors.delete_step(transaction, digest)
        else:
            second_factors.note_wrong_code(transaction, digest)
    raise Unauthenticated(WRONG_CODE)


def known_device(database: Database, secret: str, name: str) -> str:
    """Return the digest of a device with which the user of that name has signed in before; "" for any other."""
    if not secret:
        return ""
    digest = secret_digest(secret)
    return digest if database.read(knows_device, digest, name.strip()) else ""
