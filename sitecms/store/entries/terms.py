"""Categories and tags: which there are, which posts carry them, and changes to both.

A write of any number of terms takes a fixed number of statements: the terms of a post are saved while all other
writers wait.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import orjson

from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.text.slug import numbered, slugify
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.working_copies import rename_in_copies
from sitecms.store.schema.tables import TermRow
from sitecms.store.sql import JSON_NUMBERS, Sql

_COLUMNS = (TermRow.kind, TermRow.slug, TermRow.name)
_BY_IDS = "SELECT id, kind, slug, name FROM term WHERE id IN " + JSON_NUMBERS


def _term(kind: str, slug: str, name: str) -> Term:
    return Term(TermKind(kind), slug, name)


def find_terms(session: Session, kind: TermKind) -> tuple[Term, ...]:
    """Return all terms of a kind with their aliases, in order of creation."""
    query = TermRow.select(*_COLUMNS, TermRow.aliases).where(TermRow.kind == kind.value).order_by(TermRow.id)
    return tuple(replace(_term(*row[:-1]), aliases=tuple(row[-1])) for row in session.rows(query))


def shown_terms(session: Session, kind: TermKind) -> tuple[Term, ...]:
    """Return the terms of a kind that are visible to readers, in order of creation.

    A term without posts was declared in a file and is visible. A term of drafts or deleted posts alone is not.
    """
    return tuple(_term(*row) for row in session.sql(f"{_VISIBLE} ORDER BY id", kind.value))


def get_shown_term(session: Session, kind: TermKind, slug: str) -> Term:
    """Return the visible term of that slug. Raises NotFound."""
    row = session.sql_row(f"{_VISIBLE} AND slug = ?", kind.value, slug)
    if row is None:
        raise NotFound("Not found.")
    return _term(*row)


_VISIBLE = """
SELECT kind, slug, name FROM term WHERE kind = ? AND (
  NOT EXISTS (SELECT 1 FROM post_term WHERE term_id = term.id)
  OR EXISTS (SELECT 1 FROM post_term JOIN post ON post.id = post_term.post_id
             WHERE term_id = term.id AND post.status = 'published' AND post.deleted_at IS NULL))
"""


def first_terms(session: Session, most: int) -> dict[int, Term]:
    """Return at most `most` terms of either kind by id, the oldest first."""
    query = TermRow.select(TermRow.id, *_COLUMNS).order_by(TermRow.id).limit(most)
    return {row[0]: _term(*row[1:]) for row in session.rows(query)}


def some_terms(session: Session, ids: Collection[int]) -> dict[int, Term]:
    """Return the terms of these ids, by id."""
    return {row[0]: _term(*row[1:]) for row in session.sql(_BY_IDS, orjson.dumps([*ids]).decode())}


def term_ids_of(session: Session, post_id: int) -> list[int]:
    """Return the ids of the post's terms, in their order."""
    rows = session.sql("SELECT term_id FROM post_term WHERE post_id = ? ORDER BY position", post_id)
    return [int(row[0]) for row in rows]


def find_term_by_slug(session: Session, kind: TermKind, slug: str) -> Term | None:
    """Return the term of that slug, or None."""
    row = session.sql_row("SELECT kind, slug, name FROM term WHERE kind = ? AND slug = ?", kind.value, slug)
    return _term(*row) if row else None


_TEXTS = Sql(
    sqlite="(SELECT value FROM json_each(?))",
    postgres="(SELECT value FROM jsonb_array_elements_text(?::jsonb) AS listed (value))",
)
_BY_NAME = "SELECT id, slug, name, name_key FROM term WHERE kind = ? AND name_key IN " + _TEXTS
_BY_SLUG = "SELECT id, slug, name, name_key FROM term WHERE kind = ? AND slug IN " + _TEXTS
_INSERT = "INSERT INTO term (kind, slug, name, name_key) SELECT ?, value ->> 0, value ->> 1, value ->> 2 " + Sql(
    sqlite="FROM json_each(?) ORDER BY key",
    postgres="FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS listed (value, place) ORDER BY place",
)
_CARRY = "INSERT INTO post_term (post_id, term_id, position) " + Sql(
    sqlite="SELECT ?, value, key FROM json_each(?)",
    postgres="SELECT ?::bigint, value::bigint, place - 1 "
    "FROM jsonb_array_elements_text(?::jsonb) WITH ORDINALITY AS listed (value, place)",
)
_FIRST_CANDIDATES = 4


class _Stored(NamedTuple):
    """Row of a term."""

    id: int
    slug: str
    name: str
    key: str


class SavedTerms(NamedTuple):
    """Result of `save_terms`; `moved` are the terms that gave up their slug, each with its new slug."""

    is_changed: bool
    moved: tuple[tuple[Term, str], ...]


def ensure_terms(transaction: Transaction, kind: TermKind, names: Iterable[str | Term]) -> tuple[int, ...]:
    """Return the ids of the terms of these names, without repeats; create the missing ones.

    Names are compared by `name_key`; the first spelling stays. The slug of a Term is the one that it gets if it is
    new, or the next free one after it. Names without a letter or digit have no slug and are left out.
    """
    wanted: dict[str, Term] = {}
    for each in names:
        term = each if isinstance(each, Term) else Term(kind, "", each)
        if slugify(term.name):
            wanted.setdefault(name_key(term.name), term)
    if not wanted:
        return ()
    known = _by_name(transaction, kind, wanted)
    if missing := [term for key, term in wanted.items() if key not in known]:
        slugs = _free_slugs(transaction, kind, [slugify(term.slug) or slugify(term.name) for term in missing])
        _insert(transaction, kind, [replace(each, slug=slug) for each, slug in zip(missing, slugs, strict=True)])
        known = _by_name(transaction, kind, wanted)
    return tuple(known[key].id for key in wanted)


def save_terms(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> SavedTerms:
    """Save the terms that a file declares, which differ by name and by slug; other terms stay.

    An entry means the term of its name, else the term of its slug, which is renamed; else it is a new term. Without a
    slug the term keeps the one it has. A slug that an entry gives is taken from the term that holds it, unless that
    term's own entry gives it: that term gets the next free one, and is among the returned.
    """
    by_name = _by_name(transaction, kind, {name_key(term.name) for term in terms})
    by_slug = _by_slug(transaction, kind, {term.slug for term in terms if term.slug})
    meant = {stored.id for stored in by_name.values()}
    declared = {term.slug for term in terms if term.slug}
    displaced: set[int] = set()
    changed: dict[int, Term] = {}
    new: list[Term] = []
    for term in terms:
        stored = by_name.get(name_key(term.name))
        if stored is None and (holder := by_slug.get(term.slug)) and holder.id not in meant:
            stored = holder
        if stored is None:
            new.append(term)
            continue
        if not term.slug and stored.slug in declared:
            displaced.add(stored.id)
            continue
        meant.add(stored.id)
        given = replace(term, slug=term.slug or stored.slug)
        if (given.slug, given.name.strip()) != (stored.slug, stored.name):
            changed[stored.id] = given
    in_the_way = [stored for stored in by_slug.values() if stored.id not in meant or stored.id in displaced]
    for term_id in (*changed, *(stored.id for stored in in_the_way)):
        transaction.run(TermRow.update(slug=f"~{term_id}").where(TermRow.id == term_id))
    for term_id, term in changed.items():
        _update(transaction, term_id, term)
    _insert(transaction, kind, [term for term in new if term.slug])
    ensure_terms(transaction, kind, [term for term in new if not term.slug])
    moved = tuple(_move_away(transaction, kind, stored) for stored in in_the_way)
    is_aliased = _set_aliases(transaction, kind, terms)
    return SavedTerms(bool(changed or new or moved or is_aliased), moved)


def _set_aliases(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> bool:
    """Set the former addresses of terms that a file declares; return whether one had others."""
    aliases = {name_key(term.name): list(term.aliases) for term in terms}
    query = TermRow.select(TermRow.id, TermRow.name_key, TermRow.aliases).where(TermRow.kind == kind.value)
    found = [(row[0], aliases[row[1]], row[2]) for row in transaction.rows(query) if row[1] in aliases]
    differing = [(term_id, given) for term_id, given, stored in found if given != stored]
    for term_id, given in differing:
        transaction.run(TermRow.update(aliases=given).where(TermRow.id == term_id))
    return bool(differing)


def set_terms(transaction: Transaction, post_id: int, term_ids: Sequence[int]) -> None:
    """Set the terms of a post, in this order."""
    transaction.sql("DELETE FROM post_term WHERE post_id = ?", post_id)
    if term_ids:
        transaction.sql(_CARRY, post_id, _json(dict.fromkeys(term_ids)))


def set_terms_of_new_posts(transaction: Transaction, term_ids: Mapping[int, Iterable[int]]) -> None:
    """Set the terms of posts that have none, by the id of the post."""
    rows = [(post_id, term_id, place) for post_id, ids in term_ids.items() for place, term_id in enumerate(ids)]
    transaction.sql_many("INSERT INTO post_term (post_id, term_id, position) VALUES (?, ?, ?)", rows)


def _by_name(session: Session, kind: TermKind, keys: Iterable[str]) -> dict[str, _Stored]:
    rows = (_Stored(*row) for row in session.sql(_BY_NAME, kind.value, _json(keys)))
    return {row.key: row for row in rows}


def _by_slug(session: Session, kind: TermKind, slugs: Iterable[str]) -> dict[str, _Stored]:
    rows = (_Stored(*row) for row in session.sql(_BY_SLUG, kind.value, _json(slugs)))
    return {row.slug: row for row in rows}


def _free_slugs(session: Session, kind: TermKind, bases: Sequence[str]) -> list[str]:
    """Return for each base the base itself or the first free one of `-2`, `-3` and so on.

    Candidates are looked up at once, and eight times as many if these are too few.
    """
    count = _FIRST_CANDIDATES
    while True:
        candidates = {base: [base, *(numbered(base, number) for number in range(2, count + 1))] for base in bases}
        taken = set(_by_slug(session, kind, {slug for listed in candidates.values() for slug in listed}))
        chosen: list[str] = []
        for base in bases:
            slug = next((each for each in candidates[base] if each not in taken), None)
            if slug is None:
                break
            taken.add(slug)
            chosen.append(slug)
        else:
            return chosen
        count *= 8


def _insert(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> None:
    if terms:
        rows = [(term.slug, term.name.strip(), name_key(term.name)) for term in terms]
        transaction.sql(_INSERT, kind.value, _json(rows))


def _update(transaction: Transaction, term_id: int, term: Term) -> None:
    values = {"slug": term.slug, "name": term.name.strip(), "name_key": name_key(term.name)}
    transaction.run(TermRow.update(**values).where(TermRow.id == term_id))


def _move_away(transaction: Transaction, kind: TermKind, stored: _Stored) -> tuple[Term, str]:
    slug = _free_slugs(transaction, kind, [slugify(stored.name) or stored.slug])[0]
    transaction.run(TermRow.update(slug=slug).where(TermRow.id == stored.id))
    return Term(kind, stored.slug, stored.name), slug


def _json(values: Iterable[object]) -> str:
    return orjson.dumps([*values]).decode()


def change_term(transaction: Transaction, before: Term | None, after: Term) -> None:
    """Insert a term, or change the stored one; name and slug are free."""
    if before is None:
        _insert(transaction, after.kind, [after])
        return
    stored = _by_slug(transaction, before.kind, [before.slug])[before.slug]
    _update(transaction, stored.id, after)
    transaction.run(TermRow.update(aliases=list(after.aliases)).where(TermRow.id == stored.id))
    if after.name != before.name:
        rename_in_copies(transaction, _KEYS[before.kind], before.name, after.name)


def delete_term(transaction: Transaction, term: Term) -> None:
    """Delete a term, which no post has."""
    transaction.run(TermRow.delete().where(TermRow.kind == term.kind.value, TermRow.slug == term.slug))


def count_uses_of_term(session: Session, term: Term) -> tuple[int, int]:
    """Return the number of posts that have the term, and of those among them that are in the trash."""
    rows = session.sql(
        "SELECT count(*), count(deleted_at) FROM post_term JOIN post ON post.id = post_id "
        "WHERE term_id = (SELECT id FROM term WHERE kind = ? AND slug = ?)",
        term.kind.value, term.slug,
    )  # fmt: skip
    return int(rows[0][0]), int(rows[0][1])


_KEYS = {TermKind.CATEGORY: "categories", TermKind.TAG: "tags"}
"""The keys of terms among the values of a post."""
