"""Categories and tags, and which posts carry them."""

from collections.abc import Iterable, Sequence

from sitecms.content.slug import slugify
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.tables import PostTermRow, TermRow

_COLUMNS = (TermRow.kind, TermRow.slug, TermRow.name)


def _term(kind: str, slug: str, name: str) -> Term:
    return Term(TermKind(kind), slug, name)


def find_terms(session: Session, kind: TermKind) -> tuple[Term, ...]:
    """All terms of a kind, in order of creation."""
    query = TermRow.select(*_COLUMNS).where(TermRow.kind == kind.value).order_by(TermRow.id)
    return tuple(_term(*row) for row in session.rows(query))


def get_term(session: Session, kind: TermKind, slug: str) -> Term:
    """The term of that slug. Raises NotFound."""
    query = TermRow.select(*_COLUMNS).where(TermRow.kind == kind.value, TermRow.slug == slug)
    row = session.row(query)
    if row is None:
        raise NotFound("Not found.")
    return _term(*row)


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

    A name means the term of that slug: "Night sky" and "night-sky" are one term, and the first spelling stays.
    """
    ids: dict[int, None] = {}
    for name in names:
        slug = slugify(name)
        if not slug:
            continue
        row = transaction.row(TermRow.select(TermRow.id).where(TermRow.kind == kind.value, TermRow.slug == slug))
        ids[int(row[0]) if row else _insert(transaction, kind, slug, name)] = None
    return tuple(ids)


def _insert(transaction: Transaction, kind: TermKind, slug: str, name: str) -> int:
    return transaction.run(TermRow.insert(kind=kind.value, slug=slug, name=name.strip()))


def terms_of_posts(session: Session, post_ids: Sequence[int] | None) -> dict[int, list[Term]]:
    """The terms of each of these posts (None: of all), in the order given, in one query."""
    query = (
        PostTermRow.select(PostTermRow.post_id, *_COLUMNS)
        .join(TermRow, on=(TermRow.id == PostTermRow.term_id))
        .order_by(PostTermRow.post_id, PostTermRow.position)
    )
    if post_ids is not None:
        query = query.where(PostTermRow.post_id.in_(post_ids))
    found: dict[int, list[Term]] = {}
    known: dict[tuple[str, str], Term] = {}
    for post_id, kind, slug, name in session.rows(query):
        term = known.get((kind, slug)) or known.setdefault((kind, slug), _term(kind, slug, name))
        found.setdefault(post_id, []).append(term)
    return found


def set_terms(transaction: Transaction, post_id: int, term_ids: Sequence[int]) -> None:
    """Make these the post's terms, in this order."""
    transaction.run(PostTermRow.delete().where(PostTermRow.post_id == post_id))
    rows = [(post_id, term_id, position) for position, term_id in enumerate(term_ids)]
    if rows:
        fields = [PostTermRow.post_id, PostTermRow.term_id, PostTermRow.position]
        transaction.run(PostTermRow.insert_many(rows, fields=fields).on_conflict_ignore())


def term_ids(session: Session, terms: Sequence[Term]) -> list[int]:
    """The ids of these terms, in their order."""
    query = TermRow.select(TermRow.kind, TermRow.slug, TermRow.id).where(TermRow.slug.in_([t.slug for t in terms]))
    ids = {(kind, slug): int(term_id) for kind, slug, term_id in session.rows(query)}
    return [ids[term.kind.value, term.slug] for term in terms]
