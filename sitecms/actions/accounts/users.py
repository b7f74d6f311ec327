"""Users of the studio: added, deactivated and removed, with their roles and passwords.

`by` is the user who acts, None for somebody at the command line of the server. Each action is recorded.
"""

from collections.abc import Iterable
from datetime import datetime

from sitecms.actions.accounts.passwords import check_new_password, hash_password, verify_password
from sitecms.actions.accounts.permissions import require
from sitecms.actions.accounts.sessions import WRONG_PASSWORD
from sitecms.content.mail import MailKind
from sitecms.content.user import MAX_USER_NAME_LENGTH, Action, Role, User
from sitecms.email_address import InvalidAddress, email_address
from sitecms.errors import Conflict, InvalidFields
from sitecms.messages import N_, Text
from sitecms.store.accounts import links, second_factors, sessions, users
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.saved_filters import delete_filters_of
from sitecms.store.accounts.sessions import forget_devices
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries.authors import find_author_slug, find_authors

LAST_ADMIN = N_("There would be no admin left. Give another user the role admin first.")


def add_user(
    database: Database,
    by: User | None,
    name: str,
    role: Role,
    author: str,
    password: str,
    site_name: str,
    at: datetime,
    email: str = "",
) -> User:
    """Add a user. Raises InvalidFields, Conflict and Forbidden."""
    require(by, Action.MANAGE_PEOPLE)
    name, email = check_name(name), check_email(email)
    check_new_password(password, name, site_name)
    password_hash = hash_password(password)
    with database.writing(counts_as_change=False) as transaction:
        slug = author_of(transaction, role, author)
        added = users.insert_user(transaction, name, role, slug, password_hash, at, email)
        record_action(transaction, by, "add user", f"user {name}", at, role.value)
    return added


def set_role(database: Database, by: User | None, name: str, role: Role, author: str, at: datetime) -> int:
    """Give a user a role, and end all sessions of the user; return their number.

    A user who was deactivated may sign in again. `author` "" keeps the author. Raises NotFound,
    InvalidFields, Conflict and Forbidden.
    """
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        if role is not Role.ADMIN:
            _keep_an_admin(transaction, user)
            links.delete_links_made_by(transaction, user.id)
        if not user.is_active:
            _activate(transaction, by, user, at)
        users.set_role(transaction, user.id, role, author_of(transaction, role, author or user.author))
        record_action(transaction, by, "set role", f"user {name}", at, f"{user.role} to {role}")
        return sessions.end_sessions(transaction, user.id)


def set_password(database: Database, by: User | None, name: str, password: str, site_name: str, at: datetime) -> int:
    """Give a user a new password, and end all sessions of the user; return their number.

    Raises NotFound, InvalidFields and Forbidden.
    """
    require(by, Action.MANAGE_PEOPLE)
    user = database.read(users.get_user, name)
    check_new_password(password, name, site_name)
    password_hash = hash_password(password)
    with database.writing(counts_as_change=False) as transaction:
        users.set_password_hash(transaction, users.get_user(transaction, name).id, password_hash)
        links.delete_links_for(transaction, user.id)
        forget_devices(transaction, user.id)
        record_action(transaction, by, "set password", f"user {name}", at)
        return sessions.end_sessions(transaction, user.id)


def change_own_password(database: Database, user: User, current: str, new: str, site_name: str, at: datetime) -> None:
    """Change the password of a user who knows the current one, and end all sessions of the user.

    Raises InvalidFields under `current` and `password`.
    """
    require(user, Action.OWN_ACCOUNT)
    found = database.read(users.find_user, user.name)
    if not verify_password(current, found[1] if found else None):
        raise InvalidFields({"current": [WRONG_PASSWORD]})
    check_new_password(new, user.name, site_name)
    password_hash = hash_password(new)
    with database.writing(counts_as_change=False) as transaction:
        users.set_password_hash(transaction, user.id, password_hash)
        links.delete_links_for(transaction, user.id)
        sessions.end_sessions(transaction, user.id)
        record_action(transaction, user, "change password", f"user {user.name}", at)


def set_own_language(database: Database, user: User, language: str) -> None:
    """Set the language in which a user wants the studio; "": that of the browser."""
    require(user, Action.OWN_ACCOUNT)
    with database.writing(counts_as_change=False) as transaction:
        users.set_language(transaction, user.id, language)


def set_email(database: Database, by: User | None, name: str, email: str, at: datetime) -> User:
    """Set the e-mail address of a user, of another one by an admin; "" removes it. Return the user as before.

    Raises NotFound, InvalidFields, Conflict and Forbidden.
    """
    require(by, Action.OWN_ACCOUNT if by is not None and by.name == name else Action.MANAGE_PEOPLE)
    email = check_email(email)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        if email != user.email:
            users.set_email(transaction, user, email)
            record_action(transaction, by, "set e-mail address", f"user {name}", at, email or "none")
    return user


def set_unwanted_mail(database: Database, user: User, kinds: Iterable[MailKind]) -> None:
    """Set the kinds of e-mail that a user does without."""
    require(user, Action.OWN_ACCOUNT)
    with database.writing(counts_as_change=False) as transaction:
        users.set_unwanted_mail(transaction, user.id, " ".join(kinds))


def deactivate(database: Database, by: User | None, name: str, at: datetime) -> int:
    """Keep a user from signing in, and end all sessions; return their number. What the user wrote stays.

    Raises NotFound, Conflict and Forbidden.
    """
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        _keep_an_admin(transaction, user)
        if user.is_active:
            users.set_deactivated(transaction, user.id, at)
            record_action(transaction, by, "deactivate user", f"user {name}", at)
        return _shut_out(transaction, user)


def activate(database: Database, by: User | None, name: str, at: datetime) -> None:
    """Let a deactivated user sign in again, with the same role and password. Raises NotFound and Forbidden."""
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        if not user.is_active:
            _activate(transaction, by, user, at)


def remove_user(database: Database, by: User | None, name: str, at: datetime) -> None:
    """Remove a user and end the sessions. Raises NotFound, Conflict and Forbidden."""
    require(by, Action.MANAGE_PEOPLE)
    with database.writing(counts_as_change=False) as transaction:
        user = users.get_user(transaction, name)
        _keep_an_admin(transaction, user, is_last_user_allowed=by is None)
        _shut_out(transaction, user)
        second_factors.delete_second_factor(transaction, user.id)
        delete_filters_of(transaction, user.id)
        users.remove_user(transaction, user.id, at)
        record_action(transaction, by, "remove user", f"user {name}", at)


def _activate(transaction: Transaction, by: User | None, user: User, at: datetime) -> None:
    users.set_deactivated(transaction, user.id, None)
    record_action(transaction, by, "activate user", f"user {user.name}", at)


def _shut_out(transaction: Transaction, user: User) -> int:
    """End the sessions of a user, and withdraw the links that the user made or has; return the number of sessions."""
    links.delete_links_made_by(transaction, user.id)
    links.delete_links_for(transaction, user.id)
    forget_devices(transaction, user.id)
    return sessions.end_sessions(transaction, user.id)


def check_name(name: str) -> str:
    """Return the name of a user without surrounding space. Raises InvalidFields."""
    plain = name.strip()
    is_fit = plain.isprintable() and "/" not in plain and plain not in ("", ".", "..")
    if not is_fit or len(plain) > MAX_USER_NAME_LENGTH:
        raise InvalidFields(
            {"name": [Text("Use 1 to %(num)s printable characters, without a slash.", num=MAX_USER_NAME_LENGTH)]}
        )
    return plain


def check_email(email: str) -> str:
    """Return an e-mail address as it is stored, "" for none. Raises InvalidFields under `email`."""
    try:
        return email_address(email)
    except InvalidAddress as error:
        raise InvalidFields({"email": [str(error)]}) from None


def author_of(session: Session, role: Role, named: str) -> str:
    """Return the slug of the author, who must exist. A writer needs one, since writers change their own posts only."""
    if not named:
        if role is Role.WRITER:
            raise InvalidFields({"author": [f"A writer needs an author, whose posts are their own. {_known(session)}"]})
        return ""
    slug = find_author_slug(session, named)
    if slug is None:
        raise InvalidFields({"author": [f'There is no author "{named[:100]}". {_known(session)}']})
    return slug


def _known(session: Session) -> str:
    names = [each.name if each.name == each.slug else f"{each.name} ({each.slug})" for each in find_authors(session)]
    return f"Authors: {', '.join(names[:20])}." if names else "There are no authors yet."


def _keep_an_admin(transaction: Transaction, user: User, *, is_last_user_allowed: bool = False) -> None:
    """Raise Conflict if the user is the only active admin, unless it is the only user of all."""
    others = [each for each in users.find_users(transaction) if each.id != user.id]
    if user.role is not Role.ADMIN or any(each.role is Role.ADMIN and each.is_active for each in others):
        return
    if others or not is_last_user_allowed:
        raise Conflict("role", LAST_ADMIN)
