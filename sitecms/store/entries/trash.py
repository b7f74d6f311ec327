"""The trash: deleted entries, deleted locales of entries, and former versions.

A former version is a copy of an entry, made before a file replaced what a person wrote.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import count
from typing import Any

from peewee import fn

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.trash import TrashedEntry
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import is_entry, next_version_id
from sitecms.store.entries.entry_state import set_origin
from sitecms.store.models.entries import EntryRow, VersionBodyRow, VersionRow, VersionTermRow
from sitecms.store.site_state.last_ids import last_id
from sitecms.store.writes.reservations import next_entry_ids

_UNTYPED = ", ".join(f"'{kind}'" for kind, each in KINDS.items() if each.has_slug and not each.type_key)
_LIST = f"""
SELECT kind, id, CASE WHEN kind IN ({_UNTYPED}) THEN slug WHEN slug IS NULL THEN type
  ELSE coalesce(nullif(type, ''), '*') || '/' || slug END
 || CASE WHEN part_of IS NULL THEN '' ELSE CASE WHEN slug IS NULL THEN ' ' || part_of ELSE '' END
 || ' (' || (SELECT min(locale) FROM version WHERE version.kind = entry.kind AND entry_id = entry.id) || ')' END,
 deleted_at, former_of FROM entry WHERE deleted_at IS NOT NULL
ORDER BY deleted_at DESC, kind, id DESC"""
_NAME = ("kind", "type", "slug", "title", "created_at")  # of a page or item, which its part in the trash has too


def find_trash(session: Session) -> tuple[TrashedEntry, ...]:
    """Return all entries in the trash, the last deleted first."""
    return tuple(
        TrashedEntry(EntryKind(kind), entry_id, name, from_microseconds(deleted_at), former_of)
        for kind, entry_id, name, deleted_at, former_of in session.sql(_LIST)
    )


def move_to_trash(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Move the entry to the trash; its slug is free."""
    transaction.run(EntryRow.update(deleted_at=at).where(is_entry(kind, entry_id)))


def take_out(transaction: Transaction, kind: EntryKind, entry_id: int) -> None:
    """Take the entry out of the trash. Raises NotFound if it is not there."""
    is_gone = is_entry(kind, entry_id) & EntryRow.deleted_at.is_null(is_null=False)
    if not transaction.run(EntryRow.update(deleted_at=None).where(is_gone)):
        raise NotFound(f"There is no {kind} {entry_id} in the trash; `sitecms trash list` shows what is.")


def part_locale(transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, at: datetime) -> None:
    """Move the versions of a page or item in one locale to the trash, as an entry of their own."""
    (part_id,) = next_entry_ids(transaction, kind)
    own = {"id": part_id, "part_of": entry_id, "origin": Origin.API.value, "deleted_at": to_microseconds(at)}
    _copy_rows(transaction, EntryRow, _NAME, own, {"kind": kind.value, "id": entry_id})
    of_locale = _is_version_of(kind, entry_id) & (VersionRow.locale == locale)
    transaction.run(VersionRow.update(entry_id=part_id, deleted_at=at).where(of_locale))
    set_origin(transaction, kind, entry_id, Origin.API)


def find_part(session: Session, kind: EntryKind, part_id: int) -> tuple[int, str] | None:
    """Return (entry id, locale) if this entry in the trash is one locale of a page or item."""
    is_part = is_entry(kind, part_id) & EntryRow.deleted_at.is_null(is_null=False)
    query = EntryRow.select(EntryRow.part_of, fn.MIN(VersionRow.locale))
    query = query.join(VersionRow, on=_is_version_of(kind, part_id))
    row = session.row(query.where(is_part, EntryRow.part_of.is_null(is_null=False)).group_by(EntryRow.part_of))
    return (int(row[0]), str(row[1])) if row else None


def find_last_part(session: Session, kind: EntryKind, entry_id: int) -> int | None:
    """Return the id under which the locale of the entry that was deleted last is in the trash."""
    is_part = (
        (EntryRow.kind == kind.value) & (EntryRow.part_of == entry_id) & EntryRow.deleted_at.is_null(is_null=False)
    )
    row = session.row(EntryRow.select(fn.MAX(EntryRow.id)).where(is_part))
    return row[0] if row else None


def put_part_back(transaction: Transaction, kind: EntryKind, part_id: int, entry_id: int) -> None:
    """Give the versions of a deleted locale back to their page or item."""
    slug, deleted_at = (
        EntryRow.select(column).where(is_entry(kind, entry_id)) for column in (EntryRow.slug, EntryRow.deleted_at)
    )
    moved = VersionRow.update(entry_id=entry_id, slug=slug, deleted_at=deleted_at)
    transaction.run(moved.where(_is_version_of(kind, part_id)))
    remove_former_version(transaction, kind, part_id)


def _is_version_of(kind: EntryKind, entry_id: int) -> Any:
    return (VersionRow.kind == kind.value) & (VersionRow.entry_id == entry_id)


def _copy_rows(
    transaction: Transaction,
    table: Any,
    names: Collection[str],
    values: Mapping[str, object],
    key: Mapping[str, object],
) -> None:
    """Insert the rows of a key again with these columns, and with other values in others.

    By hand, so that bodies are copied within the store: Peewee cannot mix values and columns as plainly.
    """
    name = table._meta.table_name
    transaction.sql(
        f"INSERT INTO {name} ({', '.join((*values, *names))}) SELECT {', '.join((*'?' * len(values), *names))} "
        f"FROM {name} WHERE {' AND '.join(f'{column} = ?' for column in key)}",
        *values.values(),
        *key.values(),
    )


def remove_for_good(transaction: Transaction, before: datetime) -> int:
    """Remove entries deleted until `before`, with their versions; return their number. Ids are not used again."""
    return transaction.run(EntryRow.delete().where(EntryRow.deleted_at <= before))


def copy_to_trash(
    transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime, taken: Collection[int] = ()
) -> int:
    """Put a copy of the entry as it is now into the trash; return the id of the copy, which is not in `taken`."""
    copy_id = next(number for number in count(last_id(transaction, kind.value) + 1) if number not in taken)
    own = {"id": copy_id, "deleted_at": to_microseconds(at), "former_of": entry_id}
    _copy_rows(transaction, EntryRow, _others(EntryRow, own), own, {"kind": kind.value, "id": entry_id})
    versions = VersionRow.select(VersionRow.id).where(_is_version_of(kind, entry_id)).order_by(VersionRow.id)
    for number, (version_id,) in enumerate(transaction.rows(versions), next_version_id(transaction)):
        values = {"id": number, "entry_id": copy_id, "deleted_at": own["deleted_at"]}
        _copy_rows(transaction, VersionRow, _others(VersionRow, values), values, {"id": version_id})
        for table in (VersionBodyRow, VersionTermRow):
            beside = {"version_id": number}
            _copy_rows(transaction, table, _others(table, beside), beside, {"version_id": version_id})
    return copy_id


def _others(table: Any, names: Collection[str]) -> list[str]:
    """Return all columns of a table but these."""
    columns = (field.column_name for field in table._meta.sorted_fields)
    return [name for name in columns if name not in names]


def find_entry_of(session: Session, kind: EntryKind, copy_id: int) -> int | None:
    """Return the id of the entry that this is a former version of; None if it is not a former version."""
    is_copy = is_entry(kind, copy_id) & EntryRow.former_of.is_null(is_null=False)
    row = session.row(EntryRow.select(EntryRow.former_of).where(is_copy))
    return int(row[0]) if row else None


def remove_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Remove a former version permanently."""
    transaction.run(EntryRow.delete().where(is_entry(kind, copy_id)))


def forget_former_version(transaction: Transaction, kind: EntryKind, copy_id: int) -> None:
    """Make a former version an entry of its own."""
    transaction.run(EntryRow.update(former_of=None).where(is_entry(kind, copy_id)))
