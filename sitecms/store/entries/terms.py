"""Categories and tags: which there are, which posts carry them, and changes to both.

A write of any number of terms takes a fixed number of statements: the terms of a post are saved while all other
writers wait. A new term has a temporary slug until `store.entries.term_names.settle_terms` gives it one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import orjson
from msgspec.structs import replace

from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import slugify
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.former_archives import keep_former_archives
from sitecms.store.entries.working_copies import rename_in_copies
from sitecms.store.models.entries import TermRow
from sitecms.store.sql import JSON_NUMBERS, Sql

_COLUMNS = (TermRow.kind, TermRow.slug, TermRow.name)
_BY_IDS = "SELECT id, kind, slug, name FROM term WHERE id IN " + JSON_NUMBERS
_VISIBLE = """
SELECT kind, slug, name FROM term WHERE kind = ? AND (
  NOT EXISTS (SELECT 1 FROM post_term WHERE term_id = term.id)
  OR EXISTS (SELECT 1 FROM post_term JOIN post ON post.id = post_term.post_id
             WHERE term_id = term.id AND post.status = 'published' AND post.deleted_at IS NULL))
"""
_TEXTS = Sql(
    sqlite="(SELECT value FROM json_each(?))",
    postgres="(SELECT value FROM jsonb_array_elements_text(?::jsonb) AS listed (value))",
)
_BY_NAME = "SELECT id, slug, name, name_key, base, position FROM term WHERE kind = ? AND name_key IN " + _TEXTS
_INSERT = (
    "INSERT INTO term (kind, slug, name, name_key, base) SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3 "
) + Sql(
    sqlite="FROM json_each(?) ORDER BY key",
    postgres="FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS listed (value, place) ORDER BY place",
)
_CARRY = "INSERT INTO post_term (post_id, term_id, position, name) " + Sql(
    sqlite="SELECT ?, value ->> 0, key, value ->> 1 FROM json_each(?)",
    postgres="SELECT ?::bigint, (value ->> 0)::bigint, place - 1, value ->> 1 "
    "FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS listed (value, place)",
)
_FREE = "UPDATE term SET slug = '~' || CAST(id AS TEXT) WHERE id IN " + JSON_NUMBERS
_SET_SLUGS = "UPDATE term SET slug = listed.value ->> 1 " + Sql(
    sqlite="FROM json_each(?) AS listed WHERE term.id = listed.value ->> 0",
    postgres="FROM jsonb_array_elements(?::jsonb) AS listed (value) WHERE term.id = (listed.value ->> 0)::bigint",
)
NEW = "~"
"""Begins the temporary slug of a term; no other slug begins so."""
_KEYS = {TermKind.CATEGORY: "categories", TermKind.TAG: "tags"}
"""The keys of terms among the values of a post."""


def _term(kind: str, slug: str, name: str) -> Term:
    return Term(TermKind(kind), slug, name)


def find_terms(session: Session, kind: TermKind, *, as_listed: bool = False) -> tuple[Term, ...]:
    """Return all terms of a kind with their aliases, in order of creation.

    `as_listed`: in the order of the file that declares them, then the others by name.
    """
    order = (TermRow.position == 0, TermRow.position, TermRow.name_key) if as_listed else (TermRow.id,)
    query = TermRow.select(*_COLUMNS, TermRow.aliases).where(TermRow.kind == kind.value).order_by(*order)
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


def first_terms(session: Session, most: int) -> dict[int, Term]:
    """Return at most `most` terms of either kind by id, the oldest first."""
    query = TermRow.select(TermRow.id, *_COLUMNS).order_by(TermRow.id).limit(most)
    return {row[0]: _term(*row[1:]) for row in session.rows(query)}


def some_terms(session: Session, ids: Collection[int]) -> dict[int, Term]:
    """Return the terms of these ids, by id."""
    return {row[0]: _term(*row[1:]) for row in session.sql(_BY_IDS, orjson.dumps([*ids]).decode())}


def locales_of_term(session: Session, kind: TermKind, slug: str) -> frozenset[str]:
    """Return the locales that have published posts of the term."""
    rows = session.sql(
        "SELECT DISTINCT locale FROM post JOIN post_term ON post_id = post.id WHERE deleted_at IS NULL "
        "AND status = 'published' AND term_id = (SELECT id FROM term WHERE kind = ? AND slug = ?)",
        kind.value, slug,
    )  # fmt: skip
    return frozenset(row[0] for row in rows)


def terms_of_post(session: Session, post_id: int) -> dict[int, str]:
    """Return the ids of the post's terms with its spelling of their names, in their order."""
    return dict(session.sql("SELECT term_id, name FROM post_term WHERE post_id = ? ORDER BY position", post_id))


def find_term_by_slug(session: Session, kind: TermKind, slug: str) -> Term | None:
    """Return the term of that slug, or None."""
    row = session.sql_row("SELECT kind, slug, name FROM term WHERE kind = ? AND slug = ?", kind.value, slug)
    return _term(*row) if row else None


class StoredTerm(NamedTuple):
    """Row of a term. `base` is "" where the slug was given; `position` is the place in its file, 0 without one."""

    id: int
    slug: str
    name: str
    key: str
    base: str
    position: int


def ensure_terms(transaction: Transaction, kind: TermKind, names: Iterable[str | Term]) -> dict[int, str]:
    """Return the spelling of each of these terms by id, without repeats; create the missing ones.

    Names are compared by `name_key`. The slug of a Term is the one that it gets if it is new and the slug is free.
    Others have a temporary one until `settle_terms`. Names from which no slug can be made are left out.
    """
    wanted: dict[str, Term] = {}
    for each in names:
        term = each if isinstance(each, Term) else Term(kind, "", each)
        if base_slug(term.name):
            wanted.setdefault(name_key(term.name), term)
    if not wanted:
        return {}
    known = _by_name(transaction, kind, wanted)
    if missing := [term for key, term in wanted.items() if key not in known]:
        given = {slugify(term.slug, max_bytes=None): term for term in reversed(missing) if term.slug}
        for stored in stored_terms(transaction, kind, slugs=given):
            del given[stored.slug]
        slugs = {name_key(term.name): slug for slug, term in given.items()}
        _insert(transaction, kind, [replace(term, slug=slugs.get(name_key(term.name), "")) for term in missing])
        known = _by_name(transaction, kind, wanted)
    return {known[key].id: term.name.strip() for key, term in wanted.items()}


def save_terms(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> bool:
    """Save the terms that a file declares, in its order, and return whether one changed; `settle_terms` comes after.

    The terms differ by name and by slug. Terms that the file declared before and does not declare now stay as long as
    posts have them, with a slug that follows from their names.
    """
    before = {stored.key: stored for stored in stored_terms(transaction, kind)}
    declared = {name_key(term.name): term for term in terms}
    _insert(transaction, kind, [replace(term, slug="") for key, term in declared.items() if key not in before])
    given = {term.slug for term in terms if term.slug}
    changes = dict[int, tuple[str, str, str, int]]()
    for stored in stored_terms(transaction, kind):
        term = declared.get(stored.key)
        place = [*declared].index(stored.key) + 1 if term else 0
        base = "" if term and term.slug else base_slug(stored.name)
        slug = term.slug if term and term.slug else stored.slug
        if term is None and not stored.position:
            base = stored.base  # was never in the file
        if stored.slug in given and slug == stored.slug and not (term and term.slug):
            slug, base = f"{NEW}{stored.id}", base or base_slug(stored.name)
        after = (slug, term.name.strip() if term else stored.name, base, place)
        if after != (stored.slug, stored.name, stored.base, stored.position):
            changes[stored.id] = after
    move_terms(transaction, {term_id: change[0] for term_id, change in changes.items()})
    for term_id, (_slug, name, base, place) in changes.items():
        values = {"name": name, "name_key": name_key(name), "base": base, "position": place}
        transaction.run(TermRow.update(**values).where(TermRow.id == term_id))
    return bool(_set_aliases(transaction, kind, terms) or changes)


def move_terms(transaction: Transaction, slugs: Mapping[int, str]) -> None:
    """Give terms other slugs, which may be those of each other; the former ones lead to the new ones from now on."""
    if not slugs:
        return
    rows = transaction.sql("SELECT kind, slug, id FROM term WHERE id IN " + JSON_NUMBERS, _json(slugs))
    former = [row for row in rows if row[1] != slugs[row[2]]]
    transaction.sql(_FREE, _json(term_id for _kind, _slug, term_id in former))
    transaction.sql(_SET_SLUGS, _json(slugs.items()))
    keep_former_archives(transaction, [row for row in former if not row[1].startswith(NEW)])


def _set_aliases(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> bool:
    """Set the former addresses of terms that a file declares; return whether one had others."""
    aliases = {name_key(term.name): list(term.aliases) for term in terms}
    query = TermRow.select(TermRow.id, TermRow.name_key, TermRow.aliases).where(TermRow.kind == kind.value)
    found = [(row[0], aliases[row[1]], row[2]) for row in transaction.rows(query) if row[1] in aliases]
    differing = [(term_id, given) for term_id, given, stored in found if given != stored]
    for term_id, given in differing:
        transaction.run(TermRow.update(aliases=given).where(TermRow.id == term_id))
    return bool(differing)


def set_terms(transaction: Transaction, post_id: int, terms: Mapping[int, str]) -> None:
    """Set the terms of a post, in this order: ids with the spelling of the post."""
    transaction.sql("DELETE FROM post_term WHERE post_id = ?", post_id)
    if terms:
        transaction.sql(_CARRY, post_id, _json(terms.items()))


def set_terms_of_new_posts(transaction: Transaction, terms: Mapping[int, Mapping[int, str]]) -> None:
    """Set the terms of posts that have none, by the id of the post, as `set_terms`."""
    rows = [
        (post_id, term_id, place, name)
        for post_id, spelt in terms.items()
        for place, (term_id, name) in enumerate(spelt.items())
    ]
    transaction.sql_many("INSERT INTO post_term (post_id, term_id, position, name) VALUES (?, ?, ?, ?)", rows)


def stored_terms(
    session: Session, kind: TermKind, *, slugs: Iterable[str] | None = None, bases: Iterable[str] | None = None
) -> tuple[StoredTerm, ...]:
    """Return the terms of a kind as stored: all, or those that have one of the slugs or of the bases."""
    columns = "SELECT id, slug, name, name_key, base, position FROM term WHERE kind = ?"
    if slugs is None:
        rows = session.sql(f"{columns} ORDER BY id", kind.value)
    else:
        wanted = columns + " AND (slug IN " + _TEXTS + " OR base IN " + _TEXTS + ") ORDER BY id"
        rows = session.sql(wanted, kind.value, _json(slugs), _json(bases or ()))
    return tuple(StoredTerm(*row) for row in rows)


def _by_name(session: Session, kind: TermKind, keys: Iterable[str]) -> dict[str, StoredTerm]:
    rows = (StoredTerm(*row) for row in session.sql(_BY_NAME, kind.value, _json(keys)))
    return {row.key: row for row in rows}


def _insert(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> None:
    """Insert terms; those without a slug get a temporary one."""
    rows = []
    for term in terms:
        key = name_key(term.name)
        slug, base = (term.slug, "") if term.slug else (f"{NEW}{key}", base_slug(term.name))
        rows.append((slug, term.name.strip(), key, base))
    if rows:
        transaction.sql(_INSERT, kind.value, _json(rows))


def _json(values: Iterable[object]) -> str:
    return orjson.dumps([*values]).decode()


def change_term(transaction: Transaction, before: Term | None, after: Term) -> None:
    """Insert a term, or change the stored one, with a slug that was chosen; name and slug are free."""
    if before is None:
        _insert(transaction, after.kind, [after])
        return
    (stored,) = stored_terms(transaction, before.kind, slugs=[before.slug])
    values = {"slug": after.slug, "name": after.name.strip(), "name_key": name_key(after.name), "base": ""}
    transaction.run(TermRow.update(**values, aliases=list(after.aliases)).where(TermRow.id == stored.id))
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
