"""Names by which files know the entries that are stored: the slug of a post, the type and slug of a page."""

from typing import TypeAlias

from sitecms.actions.writing.known_entries import entry_name
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import change_entry, find_identity, find_named

Pair: TypeAlias = tuple[str, int]
"""Kind and id of an entry."""
Name: TypeAlias = tuple[str, str, str]
"""Kind, page type and slug of an entry."""


def name_of(session: Session, pair: Pair) -> Name:
    """Return the name of an entry; type and slug are "" for one that has none or is in the trash."""
    identity = find_identity(session, EntryKind(pair[0]), pair[1])
    if identity is None or identity.slug is None or identity.deleted_at is not None:
        return pair[0], "", ""
    return pair[0], identity.type, identity.slug


def rename_entry(transaction: Transaction, pair: Pair, slug: str) -> bool:
    """Give an entry this slug, ahead of the rest of a change; return whether it changed.

    The origin of an entry that fields name is the file from then on: the rest may be as it was.
    """
    kind, entry_id = EntryKind(pair[0]), pair[1]
    if name_of(transaction, pair)[2] == slug:
        return False
    origin = {"origin": Origin.FILE.value} if KINDS[kind].is_target else {}
    change_entry(transaction, kind, entry_id, {"slug": slug, **origin})
    return True


def entry_with(transaction: Transaction, pair: Pair, slug: str) -> Pair:
    """Return the entry that has the slug that another one gave up; that one if none has it."""
    kind, page_type, own = name_of(transaction, pair)
    return kind, (find_named(transaction, EntryKind(kind), page_type, slug) if own else None) or pair[1]


def described(session: Session, pair: Pair) -> str:
    """Return an entry as messages name it: `the page guide/knots`."""
    kind, group, slug = name_of(session, pair)
    return entry_name(EntryKind(kind), group, slug) if slug else f"the {kind} {pair[1]}"
