"""Categories and tags: which there are, which posts carry them, and changes to both.

A write of any number of terms takes a fixed number of statements: the terms of a post are saved while all other
writers wait. A new term has a temporary slug until `store.entries.term_names.settle_terms` gives it one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from msgspec.structs import replace
from peewee import SQL, Value, fn

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import TERM_FIELDS, Term, TermKind, name_key
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import slugify
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.former_archives import keep_former_archives
from sitecms.store.entries.working_copies import rename_in_copies
from sitecms.store.models.entries import TermRow, VersionRow, VersionTermRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import is_among, json_numbers, json_texts

_COLUMNS = (TermRow.kind, TermRow.slug, TermRow.name)
_STORED = (TermRow.id, TermRow.slug, TermRow.name, TermRow.name_key, TermRow.base, TermRow.position)
_POSTS = VersionTermRow.select(SQL("1")).where(VersionTermRow.term_id == TermRow.id)
_IS_SHOWN = (
    (VersionRow.version == Version.LIVE.value)
    & (VersionRow.status == Status.PUBLISHED.value)
    & VersionRow.deleted_at.is_null()
)
_VISIBLE = fn.EXISTS(_POSTS.join(VersionRow).where(_IS_SHOWN)) | ~fn.EXISTS(_POSTS)
NEW = "~"
"""Begins the temporary slug of a term; no other slug begins so."""
_KEYS = {kind: name for name, kind in TERM_FIELDS.items()}
"""The names of terms among the values of an entry."""


@prepared
def _visible(kind: TermKind) -> Any:
    return TermRow.select(*_COLUMNS).where(TermRow.kind == kind, _VISIBLE).order_by(TermRow.id)


@prepared
def _visible_of_slug(kind: TermKind, slug: str) -> Any:
    return TermRow.select(*_COLUMNS).where(TermRow.kind == kind, TermRow.slug == slug, _VISIBLE)


@prepared
def _of_slug(kind: TermKind, slug: str) -> Any:
    return TermRow.select(*_COLUMNS).where(TermRow.kind == kind, TermRow.slug == slug)


@prepared
def _of_ids(ids: str) -> Any:
    return TermRow.select(TermRow.id, *_COLUMNS).where(TermRow.id.in_(json_numbers(ids)))


@prepared
def _of_names(kind: TermKind, keys: str) -> Any:
    return TermRow.select(*_STORED).where(TermRow.kind == kind, TermRow.name_key.in_(json_texts(keys)))


@prepared
def _of_slugs(kind: TermKind, slugs: str, bases: str) -> Any:
    is_match = TermRow.slug.in_(json_texts(slugs)) | TermRow.base.in_(json_texts(bases))
    return TermRow.select(*_STORED).where(TermRow.kind == kind, is_match).order_by(TermRow.id)


@prepared
def _of_versions(version_ids: str) -> Any:
    terms = VersionTermRow.select(VersionTermRow.version_id, VersionTermRow.term_id, VersionTermRow.name)
    return terms.where(VersionTermRow.version_id.in_(json_numbers(version_ids))).order_by(VersionTermRow.position)


@prepared
def _set_slug(term_id: int, slug: str) -> Any:
    return TermRow.update(slug=slug).where(TermRow.id == term_id)


@prepared
def _first(most: int) -> Any:
    return TermRow.select(TermRow.id, *_COLUMNS).order_by(TermRow.id).limit(most)


def has_term(kind: TermKind, slug: str) -> Any:
    """Return the condition of versions that have the term of a slug."""
    term = TermRow.select(TermRow.id).where(TermRow.kind == kind, TermRow.slug == slug)
    return is_among(
        VersionRow.id, VersionTermRow.select(VersionTermRow.version_id).where(VersionTermRow.term_id == term)
    )


def find_terms(session: Session, kind: TermKind, *, as_listed: bool = False) -> tuple[Term, ...]:
    """Return all terms of a kind with their aliases, in order of creation.

    `as_listed`: in the order of the file that declares them, then the others by name.
    """
    order = (TermRow.position == 0, TermRow.position, TermRow.name_key) if as_listed else (TermRow.id,)
    query = TermRow.select(*_COLUMNS, TermRow.aliases).where(TermRow.kind == kind).order_by(*order)
    return tuple(replace(Term(*row[:-1]), aliases=tuple(row[-1])) for row in session.rows(query))


def visible_terms(session: Session, kind: TermKind) -> tuple[Term, ...]:
    """Return the terms of a kind that are visible to readers, in order of creation.

    A term without entries was declared in a file and is visible. A term of drafts or deleted entries alone is not.
    """
    return tuple(Term(*row) for row in session.rows(_visible(kind)))


def get_visible_term(session: Session, kind: TermKind, slug: str) -> Term:
    """Return the visible term of that slug. Raises NotFound."""
    row = session.row(_visible_of_slug(kind, slug))
    if row is None:
        raise NotFound("Not found.")
    return Term(*row)


def first_terms(session: Session, most: int) -> dict[int, Term]:
    """Return at most `most` terms of either kind by id, the oldest first."""
    return {row[0]: Term(*row[1:]) for row in session.rows(_first(most))}


def some_terms(session: Session, ids: Collection[int]) -> dict[int, Term]:
    """Return the terms of these ids, by id."""
    return {row[0]: Term(*row[1:]) for row in session.rows(_of_ids(_json(ids)))}


def locales_of_term(session: Session, kind: TermKind, slug: str) -> frozenset[str]:
    """Return the locales that have published entries of the term."""
    rows = session.rows(VersionRow.select(VersionRow.locale).distinct().where(_IS_SHOWN, has_term(kind, slug)))
    return frozenset(row[0] for row in rows)


def find_term_by_slug(session: Session, kind: TermKind, slug: str) -> Term | None:
    """Return the term of that slug, or None."""
    row = session.row(_of_slug(kind, slug))
    return Term(*row) if row else None


class StoredTerm(NamedTuple):
    """Row of a term. `base` is "" where the slug was given; `position` is the place in its file, 0 without one."""

    id: int
    slug: str
    name: str
    key: str
    base: str
    position: int


def ensure_terms(transaction: Transaction, kind: TermKind, names: Iterable[str | Term]) -> dict[int, str]:
    """Return the spelling of each of these terms by id, without repeats; create the missing ones as `ensure_each`."""
    spelt: dict[int, str] = {}
    for term_id, spelling in ensure_each(transaction, kind, names).values():
        spelt.setdefault(term_id, spelling)
    return spelt


def ensure_each(
    transaction: Transaction, kind: TermKind, names: Iterable[str | Term]
) -> dict[str | Term, tuple[int, str]]:
    """Return id and spelling of each of these terms; create the missing ones.

    Names are compared by `name_key`. The slug of a Term is the one that it gets if it is new and the slug is free.
    Others have a temporary one until `settle_terms`. Names from which no slug can be made are left out.
    """
    terms: dict[str, Term] = {}
    keys: dict[str | Term, str] = {}
    for each in names:
        term = each if isinstance(each, Term) else Term(kind, "", each)
        if base_slug(term.name):
            keys[each] = name_key(term.name)
            terms.setdefault(keys[each], term)
    if not terms:
        return {}
    stored = _by_name(transaction, kind, terms)
    if missing := [term for key, term in terms.items() if key not in stored]:
        chosen = {slugify(term.slug, max_bytes=None): term for term in reversed(missing) if term.slug}
        for other in stored_terms(transaction, kind, slugs=chosen):
            del chosen[other.slug]
        slugs = {name_key(term.name): slug for slug, term in chosen.items()}
        _insert(transaction, kind, [replace(term, slug=slugs.get(name_key(term.name), "")) for term in missing])
        stored = _by_name(transaction, kind, terms)
    return {
        each: (stored[key].id, (each if isinstance(each, str) else each.name).strip()) for each, key in keys.items()
    }


def save_terms(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> bool:
    """Save the terms that a file declares, in its order, and return whether one changed; `settle_terms` comes after.

    The terms differ by name and by slug. Terms that the file declared before and does not declare now stay as long as
    posts have them, with a slug that follows from their names.
    """
    before = {stored.key: stored for stored in stored_terms(transaction, kind)}
    declared = {name_key(term.name): term for term in terms}
    _insert(transaction, kind, [replace(term, slug="") for key, term in declared.items() if key not in before])
    chosen = {term.slug for term in terms if term.slug}
    changes = dict[int, tuple[str, str, str, int]]()
    for stored in stored_terms(transaction, kind):
        term = declared.get(stored.key)
        place = [*declared].index(stored.key) + 1 if term else 0
        base = "" if term and term.slug else base_slug(stored.name)
        slug = term.slug if term and term.slug else stored.slug
        if term is None and not stored.position:
            base = stored.base  # was never in the file
        if stored.slug in chosen and slug == stored.slug and not (term and term.slug):
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
    terms = TermRow.select(TermRow.kind, TermRow.slug, TermRow.id).where(TermRow.id.in_(json_numbers(_json(slugs))))
    former = [row for row in transaction.rows(terms) if row[1] != slugs[row[2]]]
    ids = json_numbers(_json(term_id for _kind, _slug, term_id in former))
    transaction.run(TermRow.update(slug=Value(NEW).concat(TermRow.id.cast("TEXT"))).where(TermRow.id.in_(ids)))
    transaction.run_many([_set_slug(term_id, slug) for term_id, slug in slugs.items()])
    keep_former_archives(transaction, [row for row in former if not row[1].startswith(NEW)])


def _set_aliases(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> bool:
    """Set the former addresses of terms that a file declares; return whether one had others."""
    aliases = {name_key(term.name): list(term.aliases) for term in terms}
    query = TermRow.select(TermRow.id, TermRow.name_key, TermRow.aliases).where(TermRow.kind == kind)
    pairs = [(row[0], aliases[row[1]], row[2]) for row in transaction.rows(query) if row[1] in aliases]
    changes = [(term_id, declared) for term_id, declared, stored in pairs if declared != stored]
    for term_id, declared in changes:
        transaction.run(TermRow.update(aliases=declared).where(TermRow.id == term_id))
    return bool(changes)


def terms_of_versions(session: Session, version_ids: Collection[int]) -> dict[int, dict[int, str]]:
    """Return the ids of the terms of each of these versions, with its spelling of their names, in their order."""
    found: dict[int, dict[int, str]] = {}
    for version_id, term_id, name in session.rows(_of_versions(_json(version_ids))):
        found.setdefault(version_id, {})[term_id] = name
    return found


def set_terms(transaction: Transaction, version_id: int, terms: Mapping[int, str]) -> None:
    """Set the terms of a version, in this order: ids with the spelling of the version."""
    transaction.run(VersionTermRow.delete().where(VersionTermRow.version_id == version_id))
    rows = [
        {"version_id": version_id, "term_id": term_id, "position": place, "name": name}
        for place, (term_id, name) in enumerate(terms.items())
    ]
    transaction.insert_many(VersionTermRow, rows)


def stored_terms(
    session: Session, kind: TermKind, *, slugs: Iterable[str] | None = None, bases: Iterable[str] | None = None
) -> tuple[StoredTerm, ...]:
    """Return the terms of a kind as stored: all, or those that have one of the slugs or of the bases."""
    every = TermRow.select(*_STORED).where(TermRow.kind == kind).order_by(TermRow.id)
    rows = session.rows(every if slugs is None else _of_slugs(kind, _json(slugs), _json(bases or ())))
    return tuple(StoredTerm(*row) for row in rows)


def _by_name(session: Session, kind: TermKind, keys: Iterable[str]) -> dict[str, StoredTerm]:
    rows = (StoredTerm(*row) for row in session.rows(_of_names(kind, _json(keys))))
    return {row.key: row for row in rows}


def _insert(transaction: Transaction, kind: TermKind, terms: Sequence[Term]) -> None:
    """Insert terms; those without a slug get a temporary one."""
    rows = []
    for term in terms:
        key = name_key(term.name)
        slug, base = (term.slug, "") if term.slug else (f"{NEW}{key}", base_slug(term.name))
        rows.append({"kind": kind, "slug": slug, "name": term.name.strip(), "name_key": key, "base": base})
    transaction.insert_many(TermRow, rows)


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
        _rename_in_fields(transaction, stored.id, before, after)


def _rename_in_fields(transaction: Transaction, term_id: int, before: Term, after: Term) -> None:
    """Give a term its new name in the fields of the pages and items that have it, those in the trash included."""
    key, old = _KEYS[before.kind], name_key(before.name)
    versions = VersionRow.select(VersionRow.id, VersionRow.fields).join(VersionTermRow)
    versions = versions.where(VersionTermRow.term_id == term_id, VersionRow.kind != EntryKind.POST.value)
    for version_id, fields in transaction.rows(versions):
        names = [after.name if name_key(name) == old else name for name in fields.get(key, ())]
        update = VersionRow.update(fields={**fields, key: names})
        transaction.run(update.where(VersionRow.id == version_id))


def delete_term(transaction: Transaction, term: Term) -> None:
    """Delete a term, which no post has."""
    transaction.run(TermRow.delete().where(TermRow.kind == term.kind, TermRow.slug == term.slug))


def count_uses_of_term(session: Session, term: Term) -> tuple[int, int]:
    """Return the number of entries that have the term, and of those among them that are in the trash."""
    entries = VersionRow.select(VersionRow.kind, VersionRow.entry_id, VersionRow.deleted_at).distinct()
    of_term = entries.join(VersionTermRow).join(TermRow).where(TermRow.kind == term.kind, TermRow.slug == term.slug)
    rows = session.rows(of_term)
    return len(rows), sum(deleted_at is not None for _kind, _id, deleted_at in rows)
