"""Conflicts of loads: values that a file replaced though somebody had changed them here, until a person decides."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from peewee import JOIN, SQL, fn

from sitecms.content.kinds import EntryKind
from sitecms.content.revision import Change
from sitecms.content.status import Version
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.revisions import change_of_json, json_of_change
from sitecms.store.models.entries import AuthorRow, EntryRow, LoadConflictRow, VersionRow

_COLUMNS = (
    "kind", "entry_id", "locale", "field", "value", "former", "path", "written", "found_at", "id",
)  # fmt: skip


class LoadConflict(Struct, frozen=True, kw_only=True):
    """A field that a file at `path` and somebody else changed: the file's `value` stands, the `former` one is kept.

    `field` is the name of a built-in value, `fields.rank` for a declared one, `draft.fields.rank` for one of a draft,
    `draft` for a whole draft, or "" for all fields in the locale. `written` is the change that made the former value,
    None where the history does not have it. Both values are plain data; a body is a table of its `text` and `format`.
    """

    kind: EntryKind
    entry_id: int
    locale: str
    field: str
    value: Any
    former: Any
    path: str
    written: Change | None
    found_at: datetime
    id: int = 0


class EntryInConflict(NamedTuple):
    """An entry with conflicts in a locale: its type is a page type or collection, its author a slug or None."""

    kind: EntryKind
    entry_id: int
    locale: str
    type: str
    author: str | None
    conflicts: int


def save_conflict(transaction: Transaction, conflict: LoadConflict) -> None:
    """Keep a conflict; its id is given out here."""
    values = {name: getattr(conflict, name) for name in _COLUMNS if name != "id"}
    written = None if conflict.written is None else json_of_change(conflict.written)
    transaction.insert(LoadConflictRow, {**values, "written": written})


def find_conflicts(session: Session, kind: EntryKind, entry_id: int, locale: str) -> tuple[LoadConflict, ...]:
    """Return the conflicts of an entry in a locale, oldest first."""
    query = LoadConflictRow.select(*(getattr(LoadConflictRow, name) for name in _COLUMNS))
    rows = session.rows(query.where(_is_of(kind, entry_id, locale)).order_by(LoadConflictRow.id))
    return tuple(_conflict(dict(zip(_COLUMNS, row, strict=True))) for row in rows)


def delete_conflicts(
    transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, ids: Iterable[int] | None = None
) -> None:
    """Remove the conflicts of an entry in a locale, or those of these ids among them."""
    is_meant = _is_of(kind, entry_id, locale)
    if ids is not None:
        is_meant &= LoadConflictRow.id.in_([*ids])
    transaction.run(LoadConflictRow.delete().where(is_meant))


def entries_in_conflict(session: Session, author: str | None = None) -> Sequence[EntryInConflict]:
    """Return the entries with conflicts that are not in the trash, the newest conflict first.

    With an author, only the posts of that author.
    """
    row, version, entry = LoadConflictRow, VersionRow, EntryRow
    is_entry = (entry.id == row.entry_id) & (entry.kind == row.kind) & entry.deleted_at.is_null()
    is_post = (version.entry_id == row.entry_id) & (version.kind == row.kind) & (version.version == Version.LIVE.value)
    is_post &= version.kind == EntryKind.POST.value
    query = (
        row.select(row.kind, row.entry_id, row.locale, entry.type, AuthorRow.slug, fn.COUNT(SQL("*")))
        .join(entry, on=is_entry)
        .join_from(row, version, JOIN.LEFT_OUTER, on=is_post)
        .join_from(version, AuthorRow, JOIN.LEFT_OUTER, on=AuthorRow.id == version.author_id)
        .group_by(row.kind, row.entry_id, row.locale, entry.type, AuthorRow.slug)
        .order_by(fn.MAX(row.id).desc())
    )
    if author is not None:
        query = query.where(AuthorRow.slug == author)
    return [EntryInConflict(*each) for each in session.rows(query)]


def _is_of(kind: EntryKind, entry_id: int, locale: str) -> Any:
    is_entry = (LoadConflictRow.entry_id == entry_id) & (LoadConflictRow.kind == kind)
    return is_entry & (LoadConflictRow.locale == locale)


def _conflict(values: dict[str, Any]) -> LoadConflict:
    written = values["written"]
    return LoadConflict(**{**values, "written": None if written is None else change_of_json(written)})
