"""Entries of any kind: whether they exist, who wrote them last, their revisions and their former addresses.

Triggers of the store keep the addresses that entries gave up (`store.schema`). Those that readers saw
(`was_shown`) lead to their entries on the built site. A translation in a file finds its original by a name that a
request has changed since. A name that a file changed is an error in the files that still use it.
"""

from datetime import datetime
from typing import Any

from peewee import SQL, Case, NodeList, fn

from sitecms.clock import from_microseconds
from sitecms.content.change import Origin
from sitecms.content.entry import Entry
from sitecms.content.former_addresses import FormerAddress
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import is_entry
from sitecms.store.entries.entry_tables import POSTS, EntryTables
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.entries.working_copies import with_copy
from sitecms.store.models.entries import EntryRow, FormerAddressRow, VersionRow
from sitecms.store.prepared import prepared

_HAS_HOLDER = """EXISTS (
 SELECT 1 FROM entry WHERE entry.kind = former.kind AND entry.id = former.entry_id AND entry.deleted_at IS NULL)"""
_FIND_ADDRESSES = f"""
SELECT kind, type, locale, path, slug, published_at, entry_id FROM former_address AS former
WHERE was_shown = 1 AND {_HAS_HOLDER} ORDER BY number DESC, kind, type, locale, path, slug, published_at"""


@prepared
def _origin(kind: str, entry_id: int) -> Any:
    own = EntryRow.select(EntryRow.origin, EntryRow.deleted_at)
    return own.where(EntryRow.kind == kind, EntryRow.id == entry_id)


def origin_of(session: Session, kind: str, entry_id: int, *, in_trash: bool = False) -> str:
    """Return the origin of the entry's last change (`content.change.Origin`).

    It is "" for an entry that does not exist, or is in the trash unless `in_trash`.
    """
    row = session.row(_origin(str(kind), entry_id))
    return str(row[0]) if row and (in_trash or row[1] is None) else ""


def is_there(session: Session, kind: str, entry_id: int) -> bool:
    """Return whether the entry exists outside the trash."""
    return bool(origin_of(session, kind, entry_id))


def versions_of(session: Session, kind: EntryKind, entry_id: int, *, in_trash: bool = False) -> tuple[Entry, ...]:
    """Return all versions of an entry, whole, by locale, the draft before the live one; () for one that is not there.

    The draft of a post is the working copy of a user.
    """
    versions = VERSIONS[kind].of(session, (entry_id,), with_body=True, in_trash=in_trash)
    if KINDS[kind].has_draft_version:
        return versions
    return tuple(each for entry in versions for each in with_copy(session, entry))


def written_versions(session: Session, kind: EntryKind, entry_id: int) -> tuple[Entry, ...]:
    """Return the versions of an entry that writes change: all but working copies."""
    return tuple(each for each in versions_of(session, kind, entry_id) if not each.saved_by)


def revisions_of(session: Session, kind: EntryKind, entry_id: int, locale: str) -> frozenset[str]:
    """Return the revisions that reads of the entry in that locale show: those of its live and draft version.

    The locale counts where an entry has several. It is empty for an entry that is not stored, in the trash, or not in
    that locale.
    """
    versions = VERSIONS[kind].of(session, (entry_id,))
    return frozenset(each.revision for each in versions if each.locale == locale or not KINDS[kind].has_locales)


def exists(session: Session, kind: EntryKind, entry_id: int) -> bool:
    """Return whether the entry exists, in the trash or not."""
    return bool(origin_of(session, kind, entry_id, in_trash=True))


def count_by_locale(session: Session, kind: EntryKind) -> list[tuple[str, int, int]]:
    """Return (locale, number of entries, number of those in the trash) of each locale."""
    number = fn.COUNT(VersionRow.entry_id.distinct())
    in_trash = Case(None, [(VersionRow.deleted_at.is_null(is_null=False), VersionRow.entry_id)])
    trashed = fn.COUNT(NodeList((SQL("DISTINCT"), in_trash)))
    query = VersionRow.select(VersionRow.locale, number, trashed).where(EntryTables(kind).is_of_kind(VersionRow))
    return [(row[0], row[1], row[2]) for row in session.rows(query.group_by(VersionRow.locale))]


def set_origin(transaction: Transaction, kind: EntryKind, entry_id: int, origin: Origin) -> None:
    """Store the origin of the entry's last change."""
    transaction.run(EntryRow.update(origin=origin.value).where(is_entry(kind, entry_id)))


@prepared
def _last_written(kind: str, entry_id: int) -> Any:
    of_entry = (VersionRow.kind == kind) & (VersionRow.entry_id == entry_id) & VersionRow.saved_by.is_null()
    moment = fn.COALESCE(VersionRow.select(fn.MAX(VersionRow.updated_at)).where(of_entry), EntryRow.created_at)
    moment = moment.python_value(EntryRow.created_at.python_value)
    return EntryRow.select(EntryRow.origin, moment).where(EntryRow.kind == kind, EntryRow.id == entry_id)


def last_written(session: Session, kind: EntryKind, entry_id: int) -> tuple[Origin, datetime] | None:
    """Return the origin and time of the entry's last change, in the trash or not; None without such an entry.

    Working copies are no changes of an entry.
    """
    row = session.row(_last_written(kind.value, entry_id))
    return (Origin(row[0]), row[1]) if row else None


def find_former_addresses(session: Session) -> tuple[FormerAddress, ...]:
    """Return the former addresses of all entries outside the trash that readers may have seen, the last one first."""
    return tuple(
        FormerAddress(EntryKind(kind), type_, locale, path, slug, from_microseconds(published_at), entry_id)
        for kind, type_, locale, path, slug, published_at, entry_id in session.sql(_FIND_ADDRESSES)
    )


def find_renamed_original(session: Session, slug: str, locale: str) -> int | None:
    """Return the id of the post that had this slug, in another locale than this one, before a request renamed it."""
    is_original = POSTS.is_of_kind(FormerAddressRow) & (FormerAddressRow.entry_id == EntryRow.id)
    query = FormerAddressRow.select(FormerAddressRow.entry_id).join(EntryRow, on=is_original)
    query = query.where(POSTS.is_of_kind(EntryRow), FormerAddressRow.slug == slug, FormerAddressRow.locale != locale)
    query = query.where(EntryRow.deleted_at.is_null(), EntryRow.origin == Origin.API.value)
    row = session.row(query.order_by(FormerAddressRow.was_shown.desc(), FormerAddressRow.number.desc()))
    return int(row[0]) if row else None
