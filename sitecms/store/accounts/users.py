"""Users of the studio. A removed user keeps the row, without a password, since writes and the log name it."""

from datetime import datetime

from peewee import SQL, fn

from sitecms.content.user import Role, User
from sitecms.errors import Conflict, NotFound
from sitecms.messages import Text
from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import SecondFactorRow, UserRow

_SECOND_FACTOR = SecondFactorRow.select(SQL("1")).where(
    SecondFactorRow.user_id == UserRow.id, SecondFactorRow.turned_on_at.is_null(False)
)
COLUMNS = (
    UserRow.id, UserRow.name, UserRow.role, UserRow.author, UserRow.created_at, UserRow.signed_in_at,
    UserRow.deactivated_at, fn.EXISTS(_SECOND_FACTOR, python_value=bool), UserRow.language, UserRow.email,
    UserRow.unwanted_mail,
)  # fmt: skip
"""The columns of a `User`, in its order."""
_PRESENT = UserRow.removed_at.is_null()


def has_users(session: Session) -> bool:
    """Return whether there is a user."""
    return session.row(UserRow.select(UserRow.id).where(_PRESENT)) is not None


def find_users(session: Session) -> tuple[User, ...]:
    """Return all users, by name."""
    return tuple(User(*row) for row in session.rows(UserRow.select(*COLUMNS).where(_PRESENT).order_by(UserRow.name)))


def find_user(session: Session, name: str) -> tuple[User, str] | None:
    """Return the user of that name and the hash of the password, or None."""
    row = session.row(UserRow.select(*COLUMNS, UserRow.password_hash).where(UserRow.name == name, _PRESENT))
    return (User(*row[:-1]), row[-1]) if row else None


def get_user(session: Session, name: str) -> User:
    """Return the user of that name. Raises NotFound."""
    match = find_user(session, name)
    if match is None:
        raise NotFound(f"There is no user named {name!r}. List the users: sitecms user list")
    return match[0]


def find_user_by_id(session: Session, user_id: int) -> User | None:
    """Return the user with that id, or None, also for a removed one."""
    row = session.row(UserRow.select(*COLUMNS).where(UserRow.id == user_id, _PRESENT))
    return User(*row) if row else None


def find_user_name(session: Session, user_id: int) -> str | None:
    """Return the name of a user, removed or not."""
    row = session.row(UserRow.select(UserRow.name).where(UserRow.id == user_id))
    return str(row[0]) if row else None


def find_user_by_email(session: Session, email: str) -> User | None:
    """Return the user with that e-mail address, in any case, or None."""
    row = session.row(UserRow.select(*COLUMNS).where(fn.LOWER(UserRow.email) == email.lower(), _PRESENT))
    return User(*row) if row and email else None


def insert_user(
    transaction: Transaction, name: str, role: Role, author: str, password_hash: str, at: datetime, email: str = ""
) -> User:
    """Insert a user. Raises Conflict if the name or the e-mail address is taken."""
    if find_user(transaction, name) is not None:
        raise Conflict("name", Text("There is a user named %(name)s already; choose another name.", name=repr(name)))
    check_free(transaction, email)
    row = {"name": name, "role": role, "author": author, "password_hash": password_hash, "created_at": at}
    return User(transaction.insert(UserRow, {**row, "email": email}), name, role, author, at, email=email)


def set_email(transaction: Transaction, user: User, email: str) -> None:
    """Set the e-mail address of a user; "" removes it. Raises Conflict if another user has it."""
    if email.lower() != user.email.lower():
        check_free(transaction, email)
    transaction.run(UserRow.update(email=email).where(UserRow.id == user.id))


def set_unwanted_mail(transaction: Transaction, user_id: int, kinds: str) -> None:
    """Set the kinds of e-mail that a user does without, with spaces between them."""
    transaction.run(UserRow.update(unwanted_mail=kinds).where(UserRow.id == user_id))


def check_free(session: Session, email: str) -> None:
    """Raise Conflict if a user has that e-mail address; "" is always free."""
    if other := find_user_by_email(session, email):
        raise Conflict("email", f"{email} is the address of the user {other.name!r} already.")


def set_role(transaction: Transaction, user_id: int, role: Role, author: str) -> None:
    """Set the role of a user, and the author whose posts are the user's own."""
    transaction.run(UserRow.update(role=role, author=author).where(UserRow.id == user_id))


def set_password_hash(transaction: Transaction, user_id: int, password_hash: str) -> None:
    """Set the hash of the password of a user."""
    transaction.run(UserRow.update(password_hash=password_hash).where(UserRow.id == user_id))


def set_deactivated(transaction: Transaction, user_id: int, at: datetime | None) -> None:
    """Deactivate a user from that time on; None: activate the user again."""
    transaction.run(UserRow.update(deactivated_at=at).where(UserRow.id == user_id))


def set_language(transaction: Transaction, user_id: int, language: str) -> None:
    """Set the language of the studio for a user; "": that of the browser."""
    transaction.run(UserRow.update(language=language).where(UserRow.id == user_id))


def note_sign_in(transaction: Transaction, user_id: int, at: datetime) -> None:
    """Record the time of the last sign-in."""
    transaction.run(UserRow.update(signed_in_at=at).where(UserRow.id == user_id))


def remove_user(transaction: Transaction, user_id: int, at: datetime) -> None:
    """Remove a user: the name is free, the password and the e-mail address are gone."""
    transaction.run(UserRow.update(removed_at=at, password_hash="", email="").where(UserRow.id == user_id))
