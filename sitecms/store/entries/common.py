"""What posts, pages and items have in common: who wrote them last, whether they are still there, what they name."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sitecms.clock import from_microseconds
from sitecms.content.change import EntryKind, Origin
from sitecms.content.fingerprint import revision_of
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.references import ItemTarget, PageTarget, Target, parse_target
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.items import item_versions
from sitecms.store.entries.pages import page_versions
from sitecms.store.entries.posts import get_post_by_id
from sitecms.store.schema.tables import ItemRow, ItemVersionRow, PageRow, PageVersionRow, PostRow

_TABLES: dict[str, Any] = {
    EntryKind.POST.value: PostRow,
    EntryKind.PAGE.value: PageRow,
    EntryKind.ITEM.value: ItemRow,
}


def origin_of(session: Session, kind: str, entry_id: int, *, in_trash: bool = False) -> str:
    """Return the origin of the entry's last change (content.change.Origin).

    It is "" for an entry that is not there, or in the trash unless `in_trash`.
    """
    table = _TABLES[kind]
    place = (table.id == entry_id) if in_trash else (table.id == entry_id) & table.deleted_at.is_null()
    row = session.row(table.select(table.origin).where(place))
    return str(row[0]) if row else ""


def is_there(session: Session, kind: str, entry_id: int) -> bool:
    """Whether the entry exists outside the trash."""
    return bool(origin_of(session, kind, entry_id))


def versions_of(session: Session, kind: EntryKind, entry_id: int) -> tuple[Page | Item, ...]:
    """Return all versions of a page or item, by locale, the draft before the live one; () for a post."""
    if kind is EntryKind.PAGE:
        return page_versions(session, entry_id)
    return item_versions(session, (entry_id,)) if kind is EntryKind.ITEM else ()


def revisions_of(session: Session, kind: EntryKind, entry_id: int, locale: str) -> frozenset[str]:
    """Return the revisions that reads of the entry in that locale show: of a post, or of its live and draft version.

    It is empty for an entry that is not stored, in the trash, or not in that locale.
    """
    if kind is not EntryKind.POST:
        return frozenset(revision_of(each) for each in versions_of(session, kind, entry_id) if each.locale == locale)
    try:
        return frozenset({revision_of(get_post_by_id(session, entry_id))})
    except NotFound:
        return frozenset()


def exists(session: Session, kind: EntryKind, entry_id: int) -> bool:
    """Return whether the entry exists, in the trash or not."""
    return session.sql_row(f"SELECT 1 FROM {kind.value} WHERE id = ?", entry_id) is not None


def set_origin(transaction: Transaction, kind: EntryKind, entry_id: int, origin: Origin) -> None:
    """Note who wrote the entry last."""
    transaction.sql(f"UPDATE {kind.value} SET origin = ? WHERE id = ?", origin.value, entry_id)


def last_written(session: Session, kind: EntryKind, entry_id: int) -> tuple[Origin, datetime] | None:
    """Return the origin and time of the entry's last change, in the trash or not; None without such an entry."""
    moment = "post.updated_at" if kind is EntryKind.POST else _UPDATED.format(kind.value)
    row = session.sql_row(f"SELECT origin, coalesce({moment}, created_at) FROM {kind.value} WHERE id = ?", entry_id)
    return (Origin(row[0]), from_microseconds(row[1])) if row else None


_UPDATED = "(SELECT max(updated_at) FROM {0}_version WHERE {0}_id = {0}.id)"

PostId = int
"""A post, as its translations name it."""


def all_targets(session: Session) -> frozenset[Target | PostId]:
    """Everything outside the trash that another entry can name."""
    pages = session.rows(PageRow.select(PageRow.page_type, PageRow.slug).where(PageRow.deleted_at.is_null()))
    items = session.rows(ItemRow.select(ItemRow.collection, ItemRow.id).where(ItemRow.deleted_at.is_null()))
    posts = session.sql("SELECT id FROM post WHERE deleted_at IS NULL")
    named = (*(PageTarget(row[0] or None, row[1]) for row in pages), *(ItemTarget(*row) for row in items))
    return frozenset((*named, *(row[0] for row in posts)))


def all_named(session: Session) -> Iterator[tuple[str, int, frozenset[Target | PostId]]]:
    """(kind, id, what it names) of every version of a page or item that names any, and of every translated post."""
    for kind, rows in ((EntryKind.PAGE, PageVersionRow), (EntryKind.ITEM, ItemVersionRow)):
        query = rows.select(rows.owner_id, rows.fields).where(rows.fields.cast("TEXT").contains("/v2/"))
        for owner_id, fields in session.rows(query):
            if targets := frozenset(_targets(fields)):
                yield kind.value, owner_id, targets
    for post_id, group_id in session.rows(PostRow.select(PostRow.id, PostRow.group_id)):
        if post_id != group_id:
            yield EntryKind.POST.value, post_id, frozenset((group_id,))


def _targets(value: object) -> Iterator[Target]:
    if isinstance(value, dict):
        for held in value.values():
            yield from _targets(held)
    elif isinstance(value, list):
        for held in value:
            yield from _targets(held)
    elif isinstance(value, str) and (target := parse_target(value)):
        yield target
