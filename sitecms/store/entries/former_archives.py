"""Former slugs of categories, tags and authors, which lead to their present archives on the built site."""

from collections.abc import Sequence

from sitecms.content.former_addresses import FormerArchive
from sitecms.store.database import Session, Transaction

AUTHOR = "author"
"""The kind of an author; those of terms are the values of `TermKind`."""
_KEEP = (
    "INSERT INTO former_archive (kind, slug, owner_id) VALUES (?, ?, ?) "
    "ON CONFLICT (kind, slug) DO UPDATE SET owner_id = excluded.owner_id"
)
_FIND = """
SELECT former_archive.kind, former_archive.slug, coalesce(term.slug, author.slug) FROM former_archive
 LEFT JOIN term ON former_archive.kind = term.kind AND owner_id = term.id
 LEFT JOIN author ON former_archive.kind = 'author' AND owner_id = author.id
WHERE coalesce(term.slug, author.slug) <> former_archive.slug ORDER BY 1, 2"""


def keep_former_archives(transaction: Transaction, former: Sequence[tuple[str, str, int]]) -> None:
    """Keep slugs that terms or authors had, as (kind, slug, id of the owner); a slug belongs to its last holder."""
    transaction.sql_many(_KEEP, former)


def find_former_archives(session: Session) -> tuple[FormerArchive, ...]:
    """Return the former slugs of the terms and authors that there are."""
    return tuple(FormerArchive(*row) for row in session.sql(_FIND))
