"""Former slugs of categories, tags and authors, which lead to their present archives on the built site."""

from collections.abc import Sequence
from typing import Any

from peewee import JOIN, fn

from sitecms.content.former_addresses import FormerArchive
from sitecms.store.database import Session, Transaction
from sitecms.store.models.entries import AuthorRow, FormerArchiveRow, TermRow
from sitecms.store.prepared import prepared

AUTHOR = "author"
"""The kind of an author; those of terms are the values of `TermKind`."""


@prepared
def _keep(kind: str, slug: str, owner_id: int) -> Any:
    archive = FormerArchiveRow.insert(kind=kind, slug=slug, owner_id=owner_id)
    key = [FormerArchiveRow.kind, FormerArchiveRow.slug]
    return archive.on_conflict(conflict_target=key, preserve=[FormerArchiveRow.owner_id])


def keep_former_archives(transaction: Transaction, former: Sequence[tuple[str, str, int]]) -> None:
    """Keep slugs that terms or authors had, as (kind, slug, id of the owner); a slug belongs to its last holder."""
    transaction.run_many([_keep(*row) for row in former])


def find_former_archives(session: Session) -> tuple[FormerArchive, ...]:
    """Return the former slugs of the terms and authors that there are."""
    slug = fn.COALESCE(TermRow.slug, AuthorRow.slug)
    is_term = (FormerArchiveRow.kind == TermRow.kind) & (FormerArchiveRow.owner_id == TermRow.id)
    is_author = (FormerArchiveRow.kind == AUTHOR) & (FormerArchiveRow.owner_id == AuthorRow.id)
    query = (
        FormerArchiveRow.select(FormerArchiveRow.kind, FormerArchiveRow.slug, slug)
        .join(TermRow, JOIN.LEFT_OUTER, on=is_term)
        .join_from(FormerArchiveRow, AuthorRow, JOIN.LEFT_OUTER, on=is_author)
        .where(slug != FormerArchiveRow.slug)
        .order_by(FormerArchiveRow.kind, FormerArchiveRow.slug)
    )
    return tuple(FormerArchive(*row) for row in session.rows(query))
