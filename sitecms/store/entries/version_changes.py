"""Changes of pages and items: an entry is stored with all its versions, and what is replaced is kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sitecms.content.change import EntryChange, Origin, VersionChange, publication
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.revision import UNKNOWN_CAUSE, ChangeCause
from sitecms.content.status import Status, Version
from sitecms.store.database import Transaction
from sitecms.store.entries.entry_rows import is_entry
from sitecms.store.entries.entry_state import set_origin
from sitecms.store.entries.revisions import StoredState, keep_state
from sitecms.store.entries.trash import take_out
from sitecms.store.entries.versions import VERSIONS, EntryTables
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.prepared import prepared

SHORTENED = 60
ADDED = "fields.added."
"""Mark before the name of a field that a version did not have: no value of it was replaced."""
_ABSENT = object()
_NAMES = {"slug", "title", "titles"}
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
    rows = transaction.rows(_stored_versions(kind.value, change.id))
    stored = {row[0]: VERSIONS[kind].read((change.id, *own, *row[1:])) for row in rows}
    replaced |= _save_versions(transaction, change, stored, at)
    for state, changed in _ended_states(tuple(stored.values()), change, replaced, Origin(last_origin)):
        keep_state(transaction, state, cause, changed, at)
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
    transaction: Transaction, change: EntryChange, stored: Mapping[int, Entry], at: datetime
) -> dict[str, str]:
    """Make these the only versions of the entry; return replaced values by `locale.version.field`, shortened.

    `stored` are the versions until now by the ids of their rows.
    """
    before = {(each.locale, each.version): (row_id, each) for row_id, each in stored.items()}
    replaced: dict[str, str] = {}
    begun = {locale: entry.created_at for (locale, _), (_, entry) in sorted(before.items(), reverse=True)}
    stay = {(each.locale, each.version) for each in change.versions}
    ended = {locale: entry for (locale, version), (_, entry) in before.items() if (locale, version) not in stay}
    for each in change.versions:
        row_id, old = before.pop((each.locale, each.version), (None, None))
        values = _values(each, old, at, begun.get(each.locale), ended.get(each.locale))
        differing = _differing(each, old, values)
        if not differing:
            continue
        values["updated_at"] = each.times.updated_at or each.times.published_at or at
        if row_id is None:
            own = {"kind": change.kind.value, "entry_id": change.id, "slug": change.slug or None}
            transaction.insert(VersionRow, {**own, **values})
        else:
            transaction.run(VersionRow.update(**values).where(VersionRow.id == row_id))
        replaced.update(differing)
    for (locale, version), (row_id, _old) in before.items():
        transaction.run(VersionRow.delete().where(VersionRow.id == row_id))
        replaced[f"{locale}.{version}"] = "removed"
    return replaced


def _ended_states(
    stored: Sequence[Entry], change: EntryChange, replaced: Iterable[str], origin: Origin
) -> Iterator[tuple[StoredState, tuple[Version, Status | None]]]:
    """Yield the state of each locale in which a change replaces something, and the version that it is about.

    That is the one that readers see before or afterwards if it changes, else the draft, with its status afterwards.
    """
    is_renamed = not _NAMES.isdisjoint(replaced)
    places = {tuple(place.split(".", 2)[:2]) for place in replaced}
    locales = {each.locale for each in stored}
    for locale in sorted(locales if is_renamed else locales & {place[0] for place in places}):
        state = StoredState(tuple(each for each in stored if each.locale == locale), origin=origin)
        after = {each.version: each.status for each in change.versions if each.locale == locale}
        is_public = after.get(Version.LIVE) is Status.PUBLISHED or any(each.is_live for each in state.versions)
        if is_public and (is_renamed or (locale, Version.LIVE) in places):
            yield state, (Version.LIVE, after.get(Version.LIVE))
        else:
            yield state, (Version.DRAFT, after.get(Version.DRAFT, Status.DRAFT))


def _values(
    change: VersionChange, old: Entry | None, at: datetime, begun: datetime | None, ended: Entry | None
) -> dict[str, Any]:
    """Return the new row.

    `begun` is the creation of the entry in this locale, if it has a version; one that `ended` leaves its publication.
    """
    times = change.times
    before = next((each for each in (old, ended) if each and each.published_at), None)
    stored = (before.status, before.published_at) if before else None
    return {
        "locale": change.locale,
        "version": change.version.value,
        "status": change.status.value,
        "fields": dict(change.fields),
        "created_at": times.created_at or (old.created_at if old else begun or times.published_at or at),
        "updated_at": times.updated_at or (old.updated_at if old else times.published_at or at),
        "published_at": publication(change.status, times, stored, at),
        "scheduled_at": times.scheduled_at if change.status is Status.SCHEDULED else None,
    }


def _differing(change: VersionChange, old: Entry | None, values: dict[str, Any]) -> dict[str, str]:
    place = f"{change.locale}.{change.version.value}"
    if old is None:
        return {place: "new"}
    found = {
        f"{place}.{name}": str(getattr(old, name))[:SHORTENED]
        for name in ("status", "created_at", "updated_at", "published_at", "scheduled_at")
        if getattr(old, name) != values[name]
    }
    return found | {f"{place}.{name}": text for name, text in replaced_fields(old.fields, values["fields"]).items()}


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
