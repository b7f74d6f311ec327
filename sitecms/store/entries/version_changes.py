"""Changes of pages and items: an entry is stored with all its versions, and what is replaced is kept."""

from datetime import datetime
from typing import Any, TypeAlias

from sitecms.content.change import EntryChange, Origin, VersionChange, publication
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.revision import UNKNOWN_CAUSE, ChangeCause
from sitecms.content.status import Status, Version
from sitecms.store.database import Transaction
from sitecms.store.entries.entry_rows import is_entry
from sitecms.store.entries.entry_state import set_origin
from sitecms.store.entries.trash import take_out
from sitecms.store.entries.version_history import VersionHistory, keep_versions
from sitecms.store.entries.versions import EntryTables, read_version
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.prepared import prepared

SHORTENED = 60
ADDED = "fields.added."
"""Mark before the name of a field that a version did not have: no value of it was replaced."""
_ABSENT = object()
_Row: TypeAlias = dict[str, Any] | None
_OWN = ("page_type", "slug", "title", "titles", "addresses")
_COLUMNS = (EntryRow.type, EntryRow.slug, EntryRow.title, EntryRow.titles, EntryRow.addresses)


@prepared
def _own_row(kind: str, entry_id: int) -> Any:
    query = EntryRow.select(*_COLUMNS, EntryRow.origin, EntryRow.deleted_at)
    return query.where(EntryRow.kind == kind, EntryRow.id == entry_id)


@prepared
def _stored_versions(kind: str, entry_id: int) -> Any:
    query = VersionRow.select(VersionRow.id, *EntryTables(EntryKind.PAGE).columns)
    return query.where(VersionRow.kind == kind, VersionRow.entry_id == entry_id)


def save_entry(
    transaction: Transaction,
    change: EntryChange,
    origin: Origin,
    at: datetime,
    cause: ChangeCause = UNKNOWN_CAUSE,
) -> dict[str, str]:
    """Store an entry with all its versions, out of the trash if it is there; return the replaced values, shortened.

    Its name and addresses come first: a trigger keeps the former ones of an entry that was published already.
    """
    kind = change.kind
    row = transaction.row(_own_row(kind.value, change.id))
    *own, last_origin, deleted_at = row or ("", None, "", {}, {}, Origin.API, None)
    before: dict[str, Any] = dict(zip(_OWN, own, strict=True))
    values = {name: value for name, value in _own_values(change).items() if before[name] != value}
    replaced = {name: str(before[name]) for name in values}
    if values:
        columns = {("type" if name == "page_type" else name): value for name, value in values.items()}
        transaction.run(EntryRow.update(**columns).where(is_entry(kind, change.id)))
    named = {} if before["slug"] is None else {name: before[name] for name in ("slug", "title")}
    is_renamed = not values.keys().isdisjoint(("slug", "title", "titles"))
    history = VersionHistory(cause, Origin(last_origin), named, before["titles"], is_renamed=is_renamed)
    replaced |= _save_versions(transaction, kind, change, at, history)
    if deleted_at is not None:
        replaced["deleted"] = "restored"
        take_out(transaction, kind, change.id)
    if replaced and origin != last_origin:
        set_origin(transaction, kind, change.id, origin)
    return replaced


def _own_values(change: EntryChange) -> dict[str, object]:
    """Return the values of the entry itself that a change sets."""
    values: dict[str, object] = {"page_type": change.type, "slug": change.slug or None}
    if change.title is not None:
        values |= {"title": change.title, "titles": dict(change.titles)}
    if change.addresses is not None:
        values["addresses"] = change.addresses.as_json()
    return values


def _save_versions(
    transaction: Transaction, kind: EntryKind, change: EntryChange, at: datetime, history: VersionHistory
) -> dict[str, str]:
    """Make these the only versions of the entry; return replaced values by `locale.version.field`, shortened.

    What is replaced in a locale is kept as a revision.
    """
    rows = transaction.rows(_stored_versions(kind.value, change.id))
    before = {(row[1], row[2]): (int(row[0]), read_version(row[1:])) for row in rows}
    former = {place: version for place, (_id, version) in before.items()}
    replaced: dict[str, str] = {}
    begun = {locale: version["created_at"] for (locale, _), (_, version) in sorted(before.items(), reverse=True)}
    stay = {(each.locale, each.version.value) for each in change.versions}
    ended = {place[0]: version for place, version in former.items() if place not in stay}
    for version_change in change.versions:
        stored = before.pop((version_change.locale, version_change.version.value), None)
        old = stored[1] if stored else None
        locale = version_change.locale
        values = _values(version_change, old, at, begun.get(locale), ended.get(locale))
        differing = _differing(version_change, old, values)
        if not differing:
            continue
        times = version_change.times
        values["updated_at"] = times.updated_at or times.published_at or at
        if stored:
            transaction.run(VersionRow.update(**values).where(VersionRow.id == stored[0]))
        else:
            own = {"kind": kind.value, "entry_id": change.id, "slug": change.slug or None}
            transaction.insert(VersionRow, {**own, **values})
        replaced.update(differing)
    for (locale, version), (version_id, _old) in before.items():
        transaction.run(VersionRow.delete().where(VersionRow.id == version_id))
        replaced[f"{locale}.{version}"] = "removed"
    if former and (replaced or history.is_renamed):
        keep_versions(transaction, kind, change.id, former, change.versions, replaced, at, history)
    return replaced


def _values(change: VersionChange, old: _Row, at: datetime, begun: datetime | None, ended: _Row) -> dict[str, Any]:
    """Return the new row.

    `begun` is the creation of the entry in this locale, if it has a version; one that `ended` leaves its publication.
    """
    times = change.times
    before = next((each for each in (old, ended) if each and each["published_at"]), None)
    stored = (before["status"], before["published_at"]) if before else None
    return {
        "locale": change.locale,
        "version": change.version.value,
        "status": change.status.value,
        "fields": dict(change.fields),
        "created_at": times.created_at or (old["created_at"] if old else begun or times.published_at or at),
        "updated_at": times.updated_at or (old["updated_at"] if old else times.published_at or at),
        "published_at": publication(change.status, times, stored, at),
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
    return found | {f"{place}.{name}": text for name, text in replaced_fields(old["fields"], values["fields"]).items()}


def replaced_fields(old: Fields, new: Fields) -> dict[str, str]:
    """Return the old values that differ, shortened, by `fields.<name>`; ADDED marks fields that had no value."""
    found = {}
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            found[f"{ADDED}{name}"] = ""
        elif old[name] != new.get(name, _ABSENT):
            found[f"fields.{name}"] = str(old[name])[:SHORTENED]
    return found


def publish_version(transaction: Transaction, version_id: int) -> None:
    """Publish a scheduled version as of its scheduled time, if it still exists; readers' first publication stays."""
    rows = VersionRow
    is_version = rows.id == version_id
    columns = (rows.kind, rows.entry_id, rows.locale, rows.version, rows.scheduled_at)
    row = transaction.row(rows.select(*columns).where(is_version))
    if row is None:
        return
    kind, entry_id, locale, version, scheduled_at = row
    published_at = scheduled_at
    if version == Version.DRAFT.value:
        live = (rows.kind == kind) & (rows.entry_id == entry_id) & (rows.locale == locale)
        live &= rows.version == Version.LIVE.value
        former = transaction.row(rows.select(rows.published_at).where(live))
        published_at = (former and former[0]) or scheduled_at
        transaction.run(rows.delete().where(live))
    transaction.run(
        rows.update(
            version=Version.LIVE.value,
            status=Status.PUBLISHED.value,
            published_at=published_at,
            updated_at=scheduled_at,
            scheduled_at=None,
        ).where(is_version)
    )
