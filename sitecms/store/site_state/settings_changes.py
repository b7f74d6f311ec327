"""Changes of settings by users: what was changed in a file of the site folder, by whom, and what takes it back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from sitecms.content.query import Results, Window
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.models.site_state import SettingsChangeRow

MOST_KEPT = 1000
_COLUMNS = (
    SettingsChangeRow.file, SettingsChangeRow.at, SettingsChangeRow.user_name, SettingsChangeRow.changes,
    SettingsChangeRow.undone, SettingsChangeRow.id,
)  # fmt: skip


class ValueChange(Struct, frozen=True):
    """The change of one value: `key` are the names that lead to it; values are plain data, None for one not set."""

    key: tuple[str, ...]
    before: Any
    after: Any

    @property
    def reverse(self) -> "ValueChange":
        """The change that takes this one back."""
        return ValueChange(self.key, self.after, self.before)


class SettingsChange(Struct, frozen=True):
    """A change of a file by a user; `is_undone`: it was taken back."""

    file: str
    at: datetime
    user_name: str
    values: tuple[ValueChange, ...]
    is_undone: bool = False
    id: int = 0


def save_settings_change(transaction: Transaction, change: SettingsChange) -> int:
    """Keep a change, and return its id; the oldest ones go once there are very many."""
    values = [[list(each.key), each.before, each.after] for each in change.values]
    row = {"file": change.file, "at": change.at, "user_name": change.user_name, "changes": values}
    change_id = int(transaction.insert(SettingsChangeRow, row))
    transaction.run(SettingsChangeRow.delete().where(SettingsChangeRow.id <= change_id - MOST_KEPT))
    return change_id


def mark_undone(transaction: Transaction, change_id: int) -> None:
    """Note that a change was taken back."""
    transaction.run(SettingsChangeRow.update(undone=1).where(SettingsChangeRow.id == change_id))


def find_settings_changes(session: Session, window: Window) -> Results[SettingsChange]:
    """Return the changes, the last first."""
    changes = SettingsChangeRow.select(*_COLUMNS)
    newest = changes.order_by(SettingsChangeRow.id.desc()).limit(window.limit).offset(window.offset)
    return Results(session.count(changes), tuple(map(_change, session.rows(newest))))


def get_settings_change(session: Session, change_id: int) -> SettingsChange:
    """Return a change. Raises NotFound."""
    row = session.row(SettingsChangeRow.select(*_COLUMNS).where(SettingsChangeRow.id == change_id))
    if row is None:
        raise NotFound("Not found.")
    return _change(row)


def _change(row: Sequence[Any]) -> SettingsChange:
    file, at, user_name, values, undone, change_id = row
    changes = tuple(ValueChange(tuple(key), before, after) for key, before, after in values)
    return SettingsChange(file, at, user_name, changes, bool(undone), change_id)
