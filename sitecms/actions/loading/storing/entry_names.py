"""Names by which files know the entries that are stored: the slug of a post, the type and slug of a page."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sitecms.actions.writing.known_entries import entry_name
from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import pages, posts
from sitecms.store.entries.entry_rows import change_entry
from sitecms.store.writes.reservations import page_name

Pair: TypeAlias = tuple[str, int]
"""Kind and id of an entry."""
Name: TypeAlias = tuple[str, str, str]
"""Kind, page type and slug of an entry."""


class NamesOfKind(NamedTuple):
    """Functions for the names of a kind: page type and slug to id, id to both, to another slug, to a reserved name."""

    find: Callable[[Session, str, str], int | None]
    name_of: Callable[[Session, int], tuple[str, str] | None]
    rename: Callable[[Transaction, int, str], bool]
    reserved: Callable[[str, str], str]


def _name_of_post(session: Session, post_id: int) -> tuple[str, str] | None:
    slug = posts.find_slug(session, post_id)
    return None if slug is None else ("", slug)


def _rename_post(transaction: Transaction, post_id: int, slug: str) -> bool:
    change_entry(transaction, EntryKind.POST, post_id, {"slug": slug})
    return True


NAMES: Mapping[str, NamesOfKind] = {
    EntryKind.POST: NamesOfKind(
        lambda session, _type, slug: posts.find_post_id(session, slug),
        _name_of_post,
        _rename_post,
        lambda _type, slug: slug,
    ),
    EntryKind.PAGE: NamesOfKind(
        pages.find_page_id,
        pages.find_page_name,
        lambda transaction, page_id, slug: pages.rename_page(transaction, page_id, slug, Origin.FILE),
        page_name,
    ),
}
"""Kinds whose entries have slugs."""


def name_of(session: Session, pair: Pair) -> Name:
    """Return the name of an entry; type and slug are "" for one that has none or is in the trash."""
    kind, entry_id = pair
    found = NAMES[kind].name_of(session, entry_id) if kind in NAMES else None
    return (kind, *(found or ("", "")))


def rename_entry(transaction: Transaction, pair: Pair, slug: str) -> bool:
    """Give an entry this slug, ahead of the rest of a change; return whether it changed."""
    return NAMES[pair[0]].rename(transaction, pair[1], slug)


def entry_with(transaction: Transaction, pair: Pair, slug: str) -> Pair:
    """Return the entry that has the slug that another one gave up; that one if none has it."""
    kind, page_type, own = name_of(transaction, pair)
    return kind, (NAMES[kind].find(transaction, page_type, slug) if own else None) or pair[1]


def described(session: Session, pair: Pair) -> str:
    """Return an entry as messages name it: `the page guide/knots`."""
    kind, group, slug = name_of(session, pair)
    return entry_name(EntryKind(kind), group, slug) if slug else f"the {kind} {pair[1]}"
