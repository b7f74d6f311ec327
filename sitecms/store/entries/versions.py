"""Versions: what pages and items share. Each has a live and a draft version in each locale."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import fn

from sitecms.content.change import VersionChange
from sitecms.content.query import Scope
from sitecms.content.status import Status, Version
from sitecms.store.database import Session, Transaction

SHORTENED = 60
ADDED = ".fields.added."
"""Stands before the name of a field that a version did not have: nothing of it was replaced."""
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class VersionTable:
    """A table of versions and the table of what they are versions of."""

    versions: Any
    owners: Any

    def aliased(self) -> "VersionTable":
        """The same tables once more, for a query within a query."""
        return VersionTable(_model(self.versions).alias(), _model(self.owners).alias())

    @property
    def columns(self) -> tuple[Any, ...]:
        """Those of a version, in the order `content.page.Page` has them from `locale` on."""
        table = self.versions
        return (
            table.locale, table.version, table.status, table.fields,
            table.created_at, table.updated_at, table.published_at, table.scheduled_at,
        )  # fmt: skip


def _model(table: Any) -> Any:
    """The table of an alias; a table itself."""
    return getattr(table, "model", table)


def read_version(row: tuple[Any, ...]) -> dict[str, Any]:
    """The columns of a version as keyword arguments of a Page or Item."""
    locale, version, status, fields, created_at, updated_at, published_at, scheduled_at = row
    return {
        "locale": locale,
        "version": Version(version),
        "status": Status(status),
        "fields": fields,
        "created_at": created_at,
        "updated_at": updated_at,
        "published_at": published_at,
        "scheduled_at": scheduled_at,
    }


def visible(table: VersionTable, *, preview: bool) -> Any:
    """Live and published; with `preview` the draft version where there is one, else the live one."""
    here = table.owners.deleted_at.is_null()
    rows = table.versions
    if not preview:
        return here & (rows.version == Version.LIVE.value) & (rows.status == Status.PUBLISHED.value)
    other = _model(rows).alias()
    newer = other.select(other.id).where(
        other.owner_id == rows.owner_id, other.locale == rows.locale, other.version == Version.DRAFT.value
    )
    return here & ((rows.version == Version.DRAFT.value) | ~fn.EXISTS(newer))


def in_scope(table: VersionTable, scope: Scope) -> Any:
    """What a reader sees: one locale, and in it what is `visible`."""
    return visible(table, preview=scope.preview) & (table.versions.locale == scope.locale)


def save_versions(
    transaction: Transaction,
    table: VersionTable,
    owner_id: int,
    changes: Iterable[VersionChange],
    at: datetime,
) -> dict[str, str]:
    """Make these the only versions of the entry; what was replaced, by `locale.version.field`, shortened."""
    rows = table.versions
    before: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    name, owner = rows._meta.table_name, rows.owner_id.column_name
    if transaction.sql(f"SELECT 1 FROM {name} WHERE {owner} = ? LIMIT 1", owner_id):  # a new entry has none
        query = rows.select(rows.id, *table.columns).where(rows.owner_id == owner_id)
        before = {(row[1], row[2]): (row[0], read_version(row[1:])) for row in transaction.rows(query)}
    replaced: dict[str, str] = {}
    begun = {locale: version["created_at"] for (locale, _), (_, version) in sorted(before.items(), reverse=True)}
    for change in changes:
        found = before.pop((change.locale, change.version.value), None)
        old = found[1] if found else None
        values = _values(change, old, at, begun.get(change.locale))
        differing = _differing(change, old, values)
        if not differing:
            continue
        values["updated_at"] = change.times.updated_at or change.times.published_at or at
        if found:
            transaction.run(rows.update(**values).where(rows.id == found[0]))
        else:
            transaction.insert(rows, {"owner_id": owner_id, **values})
        replaced.update(differing)
    for (locale, version), (version_id, _old) in before.items():
        transaction.run(rows.delete().where(rows.id == version_id))
        replaced[f"{locale}.{version}"] = "removed"
    return replaced


def _values(change: VersionChange, old: dict[str, Any] | None, at: datetime, begun: datetime | None) -> dict[str, Any]:
    """The row; `begun` is when the entry was created in this locale, if a version of it is there."""
    times = change.times
    was_published_at = old["published_at"] if old else None
    published_at = times.published_at or was_published_at
    if change.status is Status.PUBLISHED and published_at is None:
        published_at = at
    return {
        "locale": change.locale,
        "version": change.version.value,
        "status": change.status.value,
        "fields": dict(change.fields),
        "created_at": times.created_at or (old["created_at"] if old else begun or times.published_at or at),
        "updated_at": times.updated_at or (old["updated_at"] if old else times.published_at or at),
        "published_at": published_at,
        "scheduled_at": times.scheduled_at if change.status is Status.SCHEDULED else None,
    }


def _differing(change: VersionChange, old: dict[str, Any] | None, values: dict[str, Any]) -> dict[str, str]:
    place = f"{change.locale}.{change.version.value}"
    if old is None:
        return {place: "new"}
    found = {
        f"{place}.{name}": str(old[name])[:SHORTENED]
        for name in ("status", "created_at", "updated_at", "published_at", "scheduled_at")
        if old[name] != values[name]
    }
    fields: dict[str, Any] = old["fields"]
    for name in sorted(fields.keys() | values["fields"].keys()):
        if name not in fields:
            found[f"{place}{ADDED}{name}"] = ""
        elif fields[name] != values["fields"].get(name, _ABSENT):
            found[f"{place}.fields.{name}"] = str(fields[name])[:SHORTENED]
    return found


def due_versions(session: Session, table: VersionTable, at: datetime) -> tuple[tuple[int, int], ...]:
    """(version id, owner id) of the scheduled versions whose time has come."""
    rows, owners = table.versions, table.owners
    query = (
        rows.select(rows.id, rows.owner_id)
        .join(owners, on=(owners.id == rows.owner_id))
        .where(rows.status == Status.SCHEDULED.value, rows.scheduled_at <= at, owners.deleted_at.is_null())
        .order_by(rows.id)
    )
    return tuple((row[0], row[1]) for row in session.rows(query))


def publish_version(transaction: Transaction, table: VersionTable, version_id: int) -> str:
    """Make a scheduled version the published live one, at the time it was scheduled for; its locale, "" if gone."""
    rows = table.versions
    mine = rows.id == version_id
    row = transaction.row(rows.select(rows.owner_id, rows.locale, rows.version, rows.scheduled_at).where(mine))
    if row is None:
        return ""
    owner_id, locale, version, scheduled_at = row
    if version == Version.DRAFT.value:
        live = (rows.owner_id == owner_id) & (rows.locale == locale) & (rows.version == Version.LIVE.value)
        transaction.run(rows.delete().where(live))
    transaction.run(
        rows.update(
            version=Version.LIVE.value,
            status=Status.PUBLISHED.value,
            published_at=scheduled_at,
            updated_at=scheduled_at,
            scheduled_at=None,
        ).where(mine)
    )
    return str(locale)
