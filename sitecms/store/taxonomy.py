"""Categories and tags, and which posts carry them."""

from collections.abc import Collection, Iterable, Sequence

import orjson

from sitecms.content.slug import slugify
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.statement import LISTED
from sitecms.store.tables import TermRow

_COLUMNS = (TermRow.kind, TermRow.slug, TermRow.name)
_SOME = "SELECT id, kind, slug, name FROM term WHERE id IN " + LISTED


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


def save_term(transaction: Transaction, term: Term) -> bool:
    """Keep the term under its kind and slug; whether anything changed."""
    same = (TermRow.kind == term.kind.value) & (TermRow.slug == term.slug)
    found = transaction.row(TermRow.select(TermRow.name).where(same))
    if found is None:
        transaction.run(TermRow.insert(kind=term.kind.value, slug=term.slug, name=term.name))
        return True
    if found[0] == term.name:
        return False
    transaction.run(TermRow.update(name=term.name).where(same))
    return True


def ensure_terms(transaction: Transaction, kind: TermKind, names: Iterable[str]) -> tuple[int, ...]:
    """The ids of the terms of these names, without repeats; missing ones are made.

    A name means the term of that name or, if there is none, of its slug: "Night sky" and "night-sky" are one term,
    and the first spelling stays.
    """
    ids: dict[int, None] = {}
    for name in names:
        if slug := slugify(name):
            ids[_find_id(transaction, kind, slug, name) or _insert(transaction, kind, slug, name)] = None
    return tuple(ids)


def _find_id(session: Session, kind: TermKind, slug: str, name: str) -> int | None:
    rows = session.sql(_TERM_ID, kind.value, name.strip(), slug)
    return int(rows[0][0]) if rows else None


_TERM_ID = """
SELECT id FROM term WHERE kind = ?1 AND (lower(name) = lower(?2) OR slug = ?3)
ORDER BY lower(name) = lower(?2) DESC, id LIMIT 1
"""


def _insert(transaction: Transaction, kind: TermKind, slug: str, name: str) -> int:
    return transaction.run(TermRow.insert(kind=kind.value, slug=slug, name=name.strip()))


def first_terms(session: Session, most: int) -> dict[int, Term]:
    """The first terms of either kind, at most so many, by id."""
    query = TermRow.select(TermRow.id, *_COLUMNS).order_by(TermRow.id).limit(most)
    return {row[0]: _term(*row[1:]) for row in session.rows(query)}


def some_terms(session: Session, ids: Collection[int]) -> dict[int, Term]:
    """The terms of these ids, by id."""
    return {row[0]: _term(*row[1:]) for row in session.sql(_SOME, orjson.dumps([*ids]).decode())}


def set_terms(transaction: Transaction, post_id: int, term_ids: Sequence[int]) -> None:
    """Make these the post's terms, in this order."""
    transaction.sql("DELETE FROM post_term WHERE post_id = ?", post_id)
    for position, term_id in enumerate(dict.fromkeys(term_ids)):
        transaction.sql("INSERT INTO post_term VALUES (?, ?, ?)", post_id, term_id, position)


def term_ids(session: Session, terms: Sequence[Term]) -> list[int]:
    """The ids of these terms, in their order."""
    query = TermRow.select(TermRow.kind, TermRow.slug, TermRow.id).where(TermRow.slug.in_([t.slug for t in terms]))
    ids = {(kind, slug): int(term_id) for kind, slug, term_id in session.rows(query)}
    return [ids[term.kind.value, term.slug] for term in terms]
