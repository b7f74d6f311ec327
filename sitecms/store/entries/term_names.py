"""Slugs and names of terms that no person chose: they follow from the names that posts and files have for the terms."""

from collections import defaultdict

import orjson

from sitecms.content.term import TermKind
from sitecms.content.term_slugs import term_slugs
from sitecms.store.database import Transaction
from sitecms.store.entries.terms import NEW, StoredTerm, move_terms, stored_terms
from sitecms.store.models.entries import TermRow
from sitecms.store.sql import JSON_NUMBERS

_CARRIED = (
    "SELECT DISTINCT term_id FROM post_term JOIN post ON post.id = post_id WHERE deleted_at IS NULL AND term_id IN "
    + JSON_NUMBERS
)
_NEW_KINDS = f"SELECT DISTINCT kind FROM term WHERE kind IN ('category', 'tag') AND slug >= '{NEW}'"
_UNUSED = """
DELETE FROM term WHERE position = 0 AND base <> '' AND NOT EXISTS (SELECT 1 FROM post_term WHERE term_id = term.id)"""
_SPELLINGS = """
SELECT term.id, term.name, post_term.name, count(*) FROM term JOIN post_term ON term_id = term.id
 JOIN post ON post.id = post_id
WHERE term.position = 0 AND term.base <> '' AND deleted_at IS NULL AND post_term.name <> '' AND EXISTS (
  SELECT 1 FROM post_term AS other WHERE other.term_id = term.id AND other.name NOT IN ('', term.name))
GROUP BY term.id, term.name, post_term.name"""


def settle_all_terms(transaction: Transaction) -> None:
    """Remove the terms that nothing names, and settle the names and slugs of the others."""
    transaction.sql(_UNUSED)
    _settle_names(transaction)
    for kind in TermKind:
        settle_terms(transaction, kind)


def settle_new_terms(transaction: Transaction) -> None:
    """Give new terms their slugs, after posts have them."""
    for (kind,) in transaction.sql(_NEW_KINDS):
        settle_terms(transaction, TermKind(kind))


def settle_terms(transaction: Transaction, kind: TermKind) -> None:
    """Give each term without a chosen slug the one that follows from the names.

    Terms of posts in the trash alone take no slug from others.
    """
    terms = stored_terms(transaction, kind)
    given = {term.slug for term in terms if not term.base}
    groups = defaultdict[str, list[StoredTerm]](list)
    for term in terms:
        if term.base:
            groups[term.base].append(term)
    shared = [term.id for group in groups.values() if len(group) > 1 for term in group]
    carried = {row[0] for row in transaction.sql(_CARRIED, orjson.dumps(shared).decode())} if shared else set()
    slugs: dict[str, str] = {}
    for is_turn in (True, False):
        counting = [
            term
            for group in groups.values()
            for term in group
            if is_turn is (len(group) == 1 or term.position > 0 or term.id in carried)
        ]
        slugs |= term_slugs({term.name: term.base for term in counting}, {*given, *slugs.values()})
    ruled = [term for group in groups.values() for term in group]
    move_terms(transaction, {term.id: slugs[term.name] for term in ruled if slugs[term.name] != term.slug})


def _settle_names(transaction: Transaction) -> None:
    """Give terms without a declared name the spelling that most posts have, of equally many "moon" before "Moon"."""
    spellings = defaultdict[int, list[tuple[int, str, str]]](list)
    for term_id, name, spelling, number in transaction.sql(_SPELLINGS):
        spellings[term_id].append((number, spelling, name))
    for term_id, found in spellings.items():
        _number, spelling, name = max(found)
        if spelling != name:
            transaction.run(TermRow.update(name=spelling).where(TermRow.id == term_id))
