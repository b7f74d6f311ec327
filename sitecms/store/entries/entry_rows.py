"""Rows of entries of every kind and of their versions: how they are named, inserted, changed and removed."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import SimpleNamespace
from typing import Any

from msgspec import Struct
from peewee import Expression, fn

from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.store.database import Session, Transaction
from sitecms.store.models.entries import EntryRow, VersionBodyRow, VersionRow, VersionTermRow
from sitecms.store.prepared import BoundQuery, prepared
from sitecms.store.site_state.last_ids import last_id

_TEXTS = ("title", "featured_image", "featured_image_alt", "summary", "seo_title", "meta_description")
DERIVED_COLUMNS = ("reading_minutes", "body_digest", "body_media")
_UNSET = {**dict.fromkeys(_TEXTS, ""), **dict.fromkeys(("author_id", *DERIVED_COLUMNS))}


class EntryIdentity(Struct, frozen=True):
    """The row of an entry: what its versions share. Slug, group and locale are None where the kind has none."""

    type: str
    slug: str | None
    title: str
    titles: Mapping[str, str]
    addresses: Mapping[str, Any]
    group_id: int | None
    locale: str | None
    origin: str
    deleted_at: datetime | None


class VersionPlace(Struct, frozen=True):
    """The place of a version: its entry, locale and name."""

    kind: EntryKind
    entry_id: int
    locale: str
    version: Version


class NewVersion(Struct, frozen=True):
    """A version that is not stored yet: columns of its row, its body with the Markdown, if it has one, and its terms.

    Terms are named by their ids, with the spelling of the version.
    """

    columns: Mapping[str, object]
    body: tuple[str, str | None] | None = None
    terms: Mapping[int, str] = {}


def is_entry(kind: str, entry_id: int) -> Any:
    """Return the condition of the row of an entry."""
    return (EntryRow.kind == str(kind)) & (EntryRow.id == entry_id)


@prepared
def _identity(kind: str, entry_id: int) -> Any:
    columns = (getattr(EntryRow, name) for name in EntryIdentity.__struct_fields__)
    return EntryRow.select(*columns).where(EntryRow.kind == kind, EntryRow.id == entry_id)


def find_identity(session: Session, kind: EntryKind, entry_id: int) -> EntryIdentity | None:
    """Return the row of an entry, in the trash or not; None if there is none."""
    row = session.row(_identity(kind.value, entry_id))
    return EntryIdentity(*row) if row else None


def find_present(session: Session, kind: EntryKind, entry_id: int) -> EntryIdentity | None:
    """Return the row of an entry outside the trash, or None."""
    identity = find_identity(session, kind, entry_id)
    return identity if identity and identity.deleted_at is None else None


@prepared
def _id_of_name(kind: str, type_name: str, slug: str) -> Any:
    is_named = (EntryRow.kind == kind) & (EntryRow.type == type_name) & (EntryRow.slug == slug)
    return EntryRow.select(EntryRow.id).where(is_named, EntryRow.deleted_at.is_null())


def find_named(session: Session, kind: EntryKind, type_name: str, slug: str) -> int | None:
    """Return the id of the entry of that type and slug outside the trash, or None."""
    row = session.row(_id_of_name(kind.value, type_name, slug))
    return int(row[0]) if row else None


@prepared
def _variants(group_id: int) -> Any:
    variants = EntryRow.select(EntryRow.locale, EntryRow.id).where(EntryRow.group_id == group_id)
    return variants.where(EntryRow.deleted_at.is_null()).order_by(EntryRow.locale)


def find_variants(session: Session, group_id: int) -> dict[str, int]:
    """Return the ids of the entries of a locale group outside the trash, by locale."""
    return dict(session.rows(_variants(group_id)))


@prepared
def _version_ids(kind: str, entry_id: int) -> Any:
    is_of_entry = (VersionRow.kind == kind) & (VersionRow.entry_id == entry_id)
    return VersionRow.select(VersionRow.id).where(is_of_entry, VersionRow.saved_by.is_null())


def version_ids(session: Session, kind: EntryKind, entry_id: int) -> tuple[int, ...]:
    """Return the ids of all versions of an entry but a working copy; that of a removed version may be used again."""
    return tuple(row[0] for row in session.rows(_version_ids(kind.value, entry_id)))


@prepared
def _last_version() -> Any:
    return VersionRow.select(fn.COALESCE(fn.MAX(VersionRow.id), 0))


def next_version_id(session: Session) -> int:
    """Return the id of a version that is inserted next."""
    row = session.row(_last_version())
    return int(row[0]) + 1 if row else 1


def insert_entry(
    transaction: Transaction,
    kind: EntryKind,
    own: Mapping[str, object],
    made: tuple[Origin, datetime],
    entry_id: int | None = None,
) -> int:
    """Insert an entry without versions, which references can already name; return its id, the next one by default."""
    number = last_id(transaction, kind.value) + 1 if entry_id is None else entry_id
    origin, at = made
    values = {"kind": kind.value, "id": number, **own, "origin": origin.value, "created_at": at}
    transaction.insert(EntryRow, values)
    return number


def insert_entries(transaction: Transaction, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows of entries, all of them with the same columns."""
    transaction.insert_many(EntryRow, rows)


def insert_versions(transaction: Transaction, versions: Sequence[NewVersion]) -> Sequence[int]:
    """Insert versions of stored entries, with their bodies and terms; return their ids."""
    first = next_version_id(transaction)
    ids = range(first, first + len(versions))
    numbered = list(zip(ids, versions, strict=True))
    transaction.insert_many(VersionRow, [{"id": each, **_UNSET, **version.columns} for each, version in numbered])
    bodies = ((each, version.body) for each, version in numbered if version.body is not None)
    transaction.insert_many(
        VersionBodyRow, [{"version_id": each, "html": html, "markdown": markdown} for each, (html, markdown) in bodies]
    )
    terms = [
        {"version_id": each, "term_id": term_id, "position": position, "name": name}
        for each, version in numbered
        for position, (term_id, name) in enumerate(version.terms.items())
    ]
    transaction.insert_many(VersionTermRow, terms)
    return ids


def change_entry(transaction: Transaction, kind: EntryKind, entry_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of the row of an entry."""
    if values:
        transaction.run(EntryRow.update(**values).where(is_entry(kind, entry_id)))


def move_versions(transaction: Transaction, kind: EntryKind, entry_id: int, locale: str) -> None:
    """Give all versions of an entry another locale."""
    transaction.run(VersionRow.update(locale=locale).where(VersionRow.kind == kind, VersionRow.entry_id == entry_id))


@cache
def _change(names: tuple[str, ...]) -> Callable[[VersionPlace, SimpleNamespace], BoundQuery]:
    """Return the update of these columns of a version."""

    @prepared
    def change(place: VersionPlace, values: SimpleNamespace) -> Any:
        return VersionRow.update(**{name: getattr(values, name) for name in names}).where(_is_at(place))

    return change


def _is_at(place: Any) -> Any:
    is_of_entry = (VersionRow.entry_id == place.entry_id) & (VersionRow.kind == place.kind)
    return is_of_entry & (VersionRow.locale == place.locale) & (VersionRow.version == place.version)


def change_version(transaction: Transaction, place: VersionPlace, values: Mapping[str, object]) -> None:
    """Change columns of the row of a version."""
    transaction.run(_change(tuple(values))(place, SimpleNamespace(**values)))


@prepared
def _change_body(place: VersionPlace, html: str, markdown: str | None) -> Any:
    is_other = (VersionBodyRow.html != html) | Expression(VersionBodyRow.markdown, "IS DISTINCT FROM", markdown)
    of_version = VersionRow.select(VersionRow.id).where(_is_at(place))
    changed = VersionBodyRow.update(html=html, markdown=markdown)
    return changed.where(VersionBodyRow.version_id == of_version, is_other)


def change_body(transaction: Transaction, place: VersionPlace, html: str, markdown: str | None) -> None:
    """Change the body of a version, and the Markdown that it was rendered from; None for one that came as HTML."""
    transaction.run(_change_body(place, html, markdown))


def remove_version(transaction: Transaction, place: VersionPlace) -> None:
    """Remove a version of an entry that stays."""
    transaction.run(VersionRow.delete().where(_is_at(place)))
