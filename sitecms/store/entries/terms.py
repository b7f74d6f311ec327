"""Categories and tags, and which posts carry them."""

from collections.abc import Collection

import orjson

from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.schema.tables import TermRow
from sitecms.store.sql import JSON_NUMBERS

_COLUMNS = (TermRow.kind, TermRow.slug, TermRow.name)
_SOME = "SELECT id, kind, slug, name FROM term WHERE id IN " + JSON_NUMBERS


def _term(kind: str, slug: str, name: str) -> Term:
    return Term(TermKind(kind), slug, name)


def find_terms(session: Session, kind: TermKind) -> tuple[Term, ...]:
    """All terms of a kind, in order of creation."""
    query = TermRow.select(*_COLUMNS).where(TermRow.kind == kind.value).order_by(TermRow.id)
    return tuple(_term(*row) for row in session.rows(query))


def shown_terms(session: Session, kind: TermKind) -> tuple[Term, ...]:
    """The terms of a kind that readers may know of, in order of creation.

    Those that no post carries were declared by someone; those that only drafts carry, or posts in the trash, would
    tell of these.
    """
    return tuple(_term(*row) for row in session.sql(f"{_SHOWN} ORDER BY id", kind.value))


def get_shown_term(session: Session, kind: TermKind, slug: str) -> Term:
    """The term of that slug, if readers may know of it. Raises NotFound."""
    row = session.sql_row(f"{_SHOWN} AND slug = ?", kind.value, slug)
    if row is None:
        raise NotFound("Not found.")
    return _term(*row)


_SHOWN = """
SELECT kind, slug, name FROM term WHERE kind = ? AND (
  NOT EXISTS (SELECT 1 FROM post_term WHERE term_id = term.id)
  OR EXISTS (SELECT 1 FROM post_term JOIN post ON post.id = post_term.post_id
             WHERE term_id = term.id AND post.status = 'published' AND post.deleted_at IS NULL))
"""


def first_terms(session: Session, most: int) -> dict[int, Term]:
    """The first terms of either kind, at most so many, by id."""
    query = TermRow.select(TermRow.id, *_COLUMNS).order_by(TermRow.id).limit(most)
    return {row[0]: _term(*row[1:]) for row in session.rows(query)}


def some_terms(session: Session, ids: Collection[int]) -> dict[int, Term]:
    """The terms of these ids, by id."""
    return {row[0]: _term(*row[1:]) for row in session.sql(_SOME, orjson.dumps([*ids]).decode())}


def term_ids_of(session: Session, post_id: int) -> list[int]:
    """Return the ids of the post's terms, in their order."""
    rows = session.sql("SELECT term_id FROM post_term WHERE post_id = ? ORDER BY position", post_id)
    return [int(row[0]) for row in rows]


def find_term_by_slug(session: Session, kind: TermKind, slug: str) -> Term | None:
    """Return the term of that slug, or None."""
    row = session.sql_row("SELECT kind, slug, name FROM term WHERE kind = ? AND slug = ?", kind.value, slug)
    return _term(*row) if row else None
