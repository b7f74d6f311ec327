"""Users of the studio. A removed user keeps the row, without a password, since writes and the log name it."""

from datetime import datetime
from typing import Any

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.user import Role, User
from sitecms.errors import Conflict, NotFound
from sitecms.store.database import Session, Transaction

COLUMNS = """
studio_user.id, name, role, author, studio_user.created_at, signed_in_at, deactivated_at,
 EXISTS (SELECT 1 FROM second_factor WHERE second_factor.user_id = studio_user.id AND turned_on_at IS NOT NULL)"""
COLUMN_COUNT = 8
_SELECT = f"SELECT {COLUMNS} FROM studio_user WHERE removed_at IS NULL"


def user_of(row: tuple[Any, ...]) -> User:
    """Return the user of a row with COLUMNS."""
    signed_in_at, deactivated_at = (None if value is None else from_microseconds(value) for value in row[5:7])
    created_at = from_microseconds(row[4])
    return User(row[0], row[1], Role(row[2]), row[3], created_at, signed_in_at, deactivated_at, bool(row[7]))


def has_users(session: Session) -> bool:
    """Return whether there is a user."""
    return session.sql_row("SELECT 1 FROM studio_user WHERE removed_at IS NULL LIMIT 1") is not None


def find_users(session: Session) -> tuple[User, ...]:
    """Return all users, by name."""
    return tuple(user_of(row) for row in session.sql(f"{_SELECT} ORDER BY name"))


def find_user(session: Session, name: str) -> tuple[User, str] | None:
    """Return the user of that name and the hash of the password, or None."""
    row = session.sql_row(
        f"SELECT {COLUMNS}, password_hash FROM studio_user WHERE name = ? AND removed_at IS NULL", name
    )
    return (user_of(row), str(row[COLUMN_COUNT])) if row else None


def get_user(session: Session, name: str) -> User:
    """Return the user of that name. Raises NotFound."""
    found = find_user(session, name)
    if found is None:
        raise NotFound(f"There is no user named {name!r}. List the users: sitecms user list")
    return found[0]


def find_user_by_id(session: Session, user_id: int) -> User | None:
    """Return the user with that id, or None, also for a removed one."""
    row = session.sql_row(f"{_SELECT} AND studio_user.id = ?", user_id)
    return user_of(row) if row else None


def find_user_name(session: Session, user_id: int) -> str | None:
    """Return the name of a user, removed or not."""
    row = session.sql_row("SELECT name FROM studio_user WHERE id = ?", user_id)
    return str(row[0]) if row else None


def insert_user(transaction: Transaction, name: str, role: Role, author: str, password_hash: str, at: datetime) -> User:
    """Insert a user. Raises Conflict if the name is taken."""
    if find_user(transaction, name) is not None:
        raise Conflict("name", f"There is a user named {name!r} already; choose another name.")
    statement = (
        "INSERT INTO studio_user (name, role, author, password_hash, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id"
    )
    user_id = transaction.sql(statement, name, role.value, author, password_hash, to_microseconds(at))[0][0]
    return User(int(user_id), name, role, author, at)


def set_role(transaction: Transaction, user_id: int, role: Role, author: str) -> None:
    """Set the role of a user, and the author whose posts are the user's own."""
    transaction.sql("UPDATE studio_user SET role = ?, author = ? WHERE id = ?", role.value, author, user_id)


def set_password_hash(transaction: Transaction, user_id: int, password_hash: str) -> None:
    """Set the hash of the password of a user."""
    transaction.sql("UPDATE studio_user SET password_hash = ? WHERE id = ?", password_hash, user_id)


def set_deactivated(transaction: Transaction, user_id: int, at: datetime | None) -> None:
    """Deactivate a user from that time on; None: activate the user again."""
    moment = None if at is None else to_microseconds(at)
    transaction.sql("UPDATE studio_user SET deactivated_at = ? WHERE id = ?", moment, user_id)


def note_sign_in(transaction: Transaction, user_id: int, at: datetime) -> None:
    """Record the time of the last sign-in."""
    transaction.sql("UPDATE studio_user SET signed_in_at = ? WHERE id = ?", to_microseconds(at), user_id)


def remove_user(transaction: Transaction, user_id: int, at: datetime) -> None:
    """Remove a user: the name is free, the password is gone."""
    statement = "UPDATE studio_user SET removed_at = ?, password_hash = '' WHERE id = ?"
    transaction.sql(statement, to_microseconds(at), user_id)
