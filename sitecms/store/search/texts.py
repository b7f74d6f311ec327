"""Titles, bodies and fields of published versions, of one entry or of all of a kind, for the search index."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from peewee import JOIN

from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session
from sitecms.store.entries.entry_tables import EntryTables
from sitecms.store.models.entries import EntryRow, VersionBodyRow, VersionRow
from sitecms.store.prepared import BoundQuery, prepared

_CHUNK = 500
_COLUMNS = (
    VersionRow.id, EntryRow.id, EntryRow.type, EntryRow.slug, VersionBodyRow.html, VersionRow.fields,
    VersionRow.locale, VersionRow.title, EntryRow.title, EntryRow.titles,
)  # fmt: skip


class SearchedVersion(NamedTuple):
    """A published version of an entry. It has the body and the fields by which search finds it."""

    id: int
    entry_id: int
    type: str
    slug: str
    body: str
    fields: Fields
    title: str


def searched_of(session: Session, kind: EntryKind, entry_id: int) -> list[SearchedVersion]:
    """Return the published versions of an entry."""
    return _versions(session, _of_entry(kind)(entry_id))


def all_searched(session: Session, kind: EntryKind) -> Iterator[SearchedVersion]:
    """Yield all published versions of a kind by id, a few hundred in memory at a time."""
    last, query = 0, _query(kind).order_by(VersionRow.id).limit(_CHUNK)
    while versions := _versions(session, query.where(VersionRow.id > last)):
        yield from versions
        last = versions[-1].id


def count_searched(session: Session, kind: EntryKind) -> int:
    """Return the number of published versions of a kind."""
    return session.count(VersionRow.select().where(EntryTables(kind).is_shown))


@cache
def _of_entry(kind: EntryKind) -> Callable[[int], BoundQuery]:
    @prepared
    def of_entry(entry_id: int) -> Any:
        return _query(kind).where(VersionRow.entry_id == entry_id)

    return of_entry


def _query(kind: EntryKind) -> Any:
    tables, is_body = EntryTables(kind), VersionBodyRow.version_id == VersionRow.id
    versions = VersionRow.select(*_COLUMNS).join(EntryRow, on=tables.joined).where(tables.is_shown)
    return versions.join_from(VersionRow, VersionBodyRow, JOIN.LEFT_OUTER, on=is_body)


def _versions(session: Session, query: Any) -> list[SearchedVersion]:
    return [
        SearchedVersion(row_id, of, owner, slug or "", html or "", fields, own_title or titles.get(locale) or title)
        for row_id, of, owner, slug, html, fields, locale, own_title, title, titles in session.rows(query)
    ]
