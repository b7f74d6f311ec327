"""The declared fields of stored versions, without the rest of the entries."""

from typing import Any, NamedTuple

from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session
from sitecms.store.entries.entry_tables import IS_VERSION, EntryTables
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.prepared import prepared


class StoredFields(NamedTuple):
    """The fields of a version; `type` is a page type or collection, `slug` is "" where the kind has none."""

    version_id: int
    entry_id: int
    type: str
    slug: str
    is_in_trash: bool
    fields: Fields


@prepared
def _of_entry(kind: str, entry_id: int) -> Any:
    return _columns().where(VersionRow.kind == kind, VersionRow.saved_by.is_null(), VersionRow.entry_id == entry_id)


def _columns() -> Any:
    columns = (VersionRow.id, EntryRow.id, EntryRow.type, EntryRow.slug, EntryRow.deleted_at, VersionRow.fields)
    return VersionRow.select(*columns).join(EntryRow, on=IS_VERSION)


def fields_of_versions(session: Session, kind: EntryKind, entry_id: int = 0) -> list[StoredFields]:
    """Return the fields of the versions of an entry, or of all of the kind, those in the trash too.

    Working copies are left out.
    """
    rows = session.rows(_of_entry(kind.value, entry_id) if entry_id else _columns().where(EntryTables(kind).is_own))
    return [
        StoredFields(version_id, of, owner, slug or "", deleted_at is not None, fields)
        for version_id, of, owner, slug, deleted_at, fields in rows
    ]
