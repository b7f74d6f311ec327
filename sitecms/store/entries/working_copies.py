"""Working copies: unpublished changes of published posts. A post has one at most; it ends when it is published."""

from collections.abc import Mapping
from datetime import datetime

import orjson
from msgspec import Struct

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.field_value import FieldValue
from sitecms.store.database import Session, Transaction

_SAVE = """
INSERT INTO working_copy (post_id, values_json, user_id, saved_at) VALUES (?, ?, ?, ?)
ON CONFLICT (post_id) DO UPDATE SET values_json = excluded.values_json, user_id = excluded.user_id,
 saved_at = excluded.saved_at"""


class WorkingCopy(Struct, frozen=True):
    """The changed values of a post by name, and the user who saved them last. A Markdown `body` is the source."""

    values: Mapping[str, FieldValue]
    user_name: str
    saved_at: datetime


def find_copy(session: Session, post_id: int) -> WorkingCopy | None:
    """Return the working copy of a post, or None."""
    row = session.sql_row(
        "SELECT values_json, name, saved_at FROM working_copy JOIN studio_user ON studio_user.id = user_id "
        "WHERE post_id = ?",
        post_id,
    )
    return WorkingCopy(orjson.loads(row[0]), row[1], from_microseconds(row[2])) if row else None


def save_copy(
    transaction: Transaction, post_id: int, values: Mapping[str, FieldValue], user_id: int, at: datetime
) -> None:
    """Insert or replace the working copy of a post."""
    transaction.sql(_SAVE, post_id, orjson.dumps(dict(values)).decode(), user_id, to_microseconds(at))


def change_copy(transaction: Transaction, post_id: int, values: Mapping[str, FieldValue]) -> None:
    """Replace the values of a working copy, which stays that of the user who saved it."""
    text = orjson.dumps(dict(values)).decode()
    transaction.sql("UPDATE working_copy SET values_json = ? WHERE post_id = ?", text, post_id)


def delete_copy(transaction: Transaction, post_id: int) -> None:
    """Remove the working copy of a post."""
    transaction.sql("DELETE FROM working_copy WHERE post_id = ?", post_id)


def rename_in_copies(transaction: Transaction, key: str, old: str, new: str) -> None:
    """Replace a name by a new one in all working copies: the value of the key itself, or an element of its list."""
    rows = transaction.sql("SELECT post_id, values_json FROM working_copy")
    for post_id, text in rows:
        values = orjson.loads(text)
        value = values.get(key)
        if value == old:
            values[key] = new
        elif isinstance(value, list) and old in value:
            values[key] = [new if each == old else each for each in value]
        else:
            continue
        named = orjson.dumps(values).decode()
        transaction.sql("UPDATE working_copy SET values_json = ? WHERE post_id = ?", named, post_id)
