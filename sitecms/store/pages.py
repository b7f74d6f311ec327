"""Pages and their versions."""

from datetime import datetime
from typing import Any

from sitecms.content.page import Page
from sitecms.content.write import Origin, PageChange
from sitecms.store.database import Session, Transaction
from sitecms.store.tables import PageRow, PageVersionRow
from sitecms.store.versions import VersionTable, read_version, save_versions, visible

PAGES = VersionTable(PageVersionRow, PageRow)
_HERE = PageRow.deleted_at.is_null()


def _select() -> Any:
    query = PageVersionRow.select(PageRow.id, PageRow.page_type, PageRow.slug, PageRow.title, *PAGES.columns)
    return query.join(PageRow, on=(PageRow.id == PageVersionRow.owner_id))


def _page(row: tuple[Any, ...]) -> Page:
    return Page(id=row[0], page_type=row[1] or None, slug=row[2], title=row[3], **read_version(row[4:]))


def published_pages(session: Session) -> tuple[Page, ...]:
    """Every published live page of every locale, newest published first, then by slug."""
    order = (PageVersionRow.published_at.desc(), PageRow.slug, PageRow.id, PageVersionRow.locale)
    rows = session.rows(_select().where(visible(PAGES, preview=False)).order_by(*order))
    return tuple(_page(row) for row in rows)


def page_versions(session: Session, page_id: int) -> tuple[Page, ...]:
    """All versions of a page, by locale, the draft before the live one."""
    order = (PageVersionRow.locale, PageVersionRow.version)
    rows = session.rows(_select().where(PageRow.id == page_id, _HERE).order_by(*order))
    return tuple(_page(row) for row in rows)


def find_page_id(session: Session, page_type: str | None, slug: str) -> int | None:
    """The id of the page of that type (None: a Single Page) and slug."""
    same = (PageRow.page_type == (page_type or "")) & (PageRow.slug == slug) & _HERE
    row = session.row(PageRow.select(PageRow.id).where(same))
    return int(row[0]) if row else None


def find_page_by_slug(session: Session, slug: str, page_types: tuple[str, ...]) -> tuple[str, str] | None:
    """(page type, slug) of the first page with that slug among these types."""
    same = (PageRow.page_type.in_(page_types)) & (PageRow.slug == slug) & _HERE
    row = session.row(PageRow.select(PageRow.page_type, PageRow.slug).where(same).order_by(PageRow.id))
    return (row[0], row[1]) if row else None


def insert_page(
    transaction: Transaction, page_type: str | None, slug: str, title: str, origin: Origin, at: datetime
) -> int:
    """A page without any version yet: references can already name it."""
    return transaction.run(
        PageRow.insert(page_type=page_type or "", slug=slug, title=title, origin=origin.value, created_at=at)
    )


def save_page(transaction: Transaction, change: PageChange, origin: Origin, at: datetime) -> dict[str, str]:
    """Keep the page as it stands in the change; what was replaced, shortened."""
    mine = PageRow.id == change.id
    row = transaction.row(PageRow.select(PageRow.page_type, PageRow.slug, PageRow.title).where(mine))
    before = dict(zip(("page_type", "slug", "title"), row or ("", "", ""), strict=True))
    values = {"page_type": change.page_type or "", "slug": change.slug, "title": change.title}
    replaced = {name: str(before[name]) for name, value in values.items() if before[name] != value}
    replaced |= save_versions(transaction, PAGES, change.id, change.versions, at)
    if replaced:
        transaction.run(PageRow.update(**values, origin=origin.value).where(mine))
    return replaced


def delete_page(transaction: Transaction, page_id: int, at: datetime) -> None:
    """To the trash: no read shows it any more, its slug is free."""
    transaction.run(PageRow.update(deleted_at=at).where(PageRow.id == page_id))


def forget_page(transaction: Transaction, page_id: int) -> None:
    """Undo `insert_page`: for a page whose versions turned out faulty."""
    transaction.run(PageRow.delete().where(PageRow.id == page_id))
