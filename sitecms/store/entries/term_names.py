"""Slugs and names of terms that no person chose: they follow from the names that posts and files have for the terms."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from peewee import SQL, fn

from sitecms.content.term import TermKind
from sitecms.content.term_slugs import term_slugs
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.terms import NEW, StoredTerm, move_terms, stored_terms
from sitecms.store.models.entries import TermRow, VersionRow, VersionTermRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import number_list

_POSTS = VersionTermRow.select(SQL("1")).where(VersionTermRow.term_id == TermRow.id)
_IS_UNDECLARED = (TermRow.position == 0) & (TermRow.base != "")


@prepared
def _new_kinds() -> Any:
    is_new = TermRow.kind.in_((TermKind.CATEGORY, TermKind.TAG)) & (TermRow.slug >= NEW)
    return TermRow.select(TermRow.kind).distinct().where(is_new)


def settle_all_terms(transaction: Transaction) -> None:
    """Remove the terms that nothing names, and settle the names and slugs of the others."""
    transaction.run(TermRow.delete().where(_IS_UNDECLARED, ~fn.EXISTS(_POSTS)))
    _settle_names(transaction)
    for kind in TermKind:
        settle_terms(transaction, kind)


def settle_new_terms(transaction: Transaction) -> None:
    """Give new terms their slugs, after posts have them."""
    for (kind,) in transaction.rows(_new_kinds()):
        settle_terms(transaction, kind)


def settle_terms(transaction: Transaction, kind: TermKind) -> None:
    """Give each term without a chosen slug the one that follows from the names.

    Terms of posts in the trash alone take no slug from others.
    """
    terms = stored_terms(transaction, kind)
    chosen = {term.slug for term in terms if not term.base}
    groups = defaultdict[str, list[StoredTerm]](list)
    for term in terms:
        if term.base:
            groups[term.base].append(term)
    shared = [term.id for group in groups.values() if len(group) > 1 for term in group]
    with_posts = _terms_with_posts(transaction, shared) if shared else set()
    slugs: dict[str, str] = {}
    for is_turn in (True, False):
        counting = [
            term
            for group in groups.values()
            for term in group
            if is_turn is (len(group) == 1 or term.position > 0 or term.id in with_posts)
        ]
        slugs |= term_slugs({term.name: term.base for term in counting}, {*chosen, *slugs.values()})
    ruled = [term for group in groups.values() for term in group]
    move_terms(transaction, {term.id: slugs[term.name] for term in ruled if slugs[term.name] != term.slug})


def _terms_with_posts(session: Session, ids: Sequence[int]) -> set[int]:
    """Return those of these terms that posts outside the trash have."""
    terms = VersionTermRow.select(VersionTermRow.term_id).distinct().join(VersionRow)
    is_match = VersionRow.deleted_at.is_null() & VersionTermRow.term_id.in_(number_list(ids))
    return {row[0] for row in session.rows(terms.where(is_match))}


def _settle_names(transaction: Transaction) -> None:
    """Give terms without a declared name the spelling that most posts have, of equally many "moon" before "Moon"."""
    other = VersionTermRow.alias()
    is_spelt_otherwise = (other.term_id == TermRow.id) & (other.name != "") & (other.name != TermRow.name)
    spelling = (TermRow.id, TermRow.name, VersionTermRow.name)
    query = (
        TermRow.select(*spelling, fn.COUNT(SQL("*")))
        .join(VersionTermRow)
        .join(VersionRow)
        .where(_IS_UNDECLARED, VersionRow.deleted_at.is_null(), VersionTermRow.name != "")
        .where(fn.EXISTS(other.select(SQL("1")).where(is_spelt_otherwise)))
        .group_by(*spelling)
    )
    spellings = defaultdict[int, list[tuple[int, str, str]]](list)
    for term_id, name, spelt, number in transaction.rows(query):
        spellings[term_id].append((number, spelt, name))
    for term_id, counts in spellings.items():
        _number, spelt, name = max(counts)
        if spelt != name:
            transaction.run(TermRow.update(name=spelt).where(TermRow.id == term_id))
