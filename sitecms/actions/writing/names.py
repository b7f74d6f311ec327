"""Names of entries: which entry, stored or accepted, has a slug, or the place of a locale in a group of posts."""

from sitecms.content.change import EntryKind
from sitecms.content.text.slug import RESERVED_SLUGS, first_free
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.entries import pages, posts
from sitecms.store.writes import reservations

TAKEN = 'A {kind} with the slug "{slug}" already exists.'


def reserved_name(kind: EntryKind, page_type: str | None, slug: str) -> str:
    """Return the name that a write reserves for a slug: of posts the slug itself, of pages with their type."""
    return slug if kind is EntryKind.POST else reservations.page_name(page_type, slug)


def find_stored(session: Session, kind: EntryKind, page_type: str | None, slug: str) -> int | None:
    """Return the id of the stored post, or page of the type, that has the slug; None if there is none."""
    return posts.find_post_id(session, slug) if kind is EntryKind.POST else pages.find_page_id(session, page_type, slug)


def find_holder(session: Session, kind: EntryKind, page_type: str | None, slug: str) -> int | None:
    """Return the id of the stored or accepted post, or page of the type, that has the slug; None if it is free."""
    stored = find_stored(session, kind, page_type, slug)
    if stored is not None:
        return stored
    reserved = reservations.find_reserved(session, kind, reserved_name(kind, page_type, slug))
    return reserved.entry_id if reserved else None


def is_taken(session: Session, kind: EntryKind, page_type: str | None, slug: str, own_id: int | None = None) -> bool:
    """Return whether a stored or accepted entry of the kind other than `own_id` has the slug."""
    reserved = reservations.find_reserved(session, kind, reserved_name(kind, page_type, slug))
    stored = find_stored(session, kind, page_type, slug)
    return stored not in (None, own_id) or (reserved is not None and reserved.entry_id != own_id)


def free_slug(session: Session, kind: EntryKind, page_type: str | None, base: str) -> str:
    """Return the slug, or the first of `-2`, `-3` and so on that is free; reserved slugs count as taken."""
    return first_free(
        base, lambda slug: slug in RESERVED_SLUGS or find_holder(session, kind, page_type, slug) is not None
    )


def find_variant_id(session: Session, group_id: int, locale: str) -> int | None:
    """Return the id of the stored or accepted variant of a locale group of posts in the locale, or None."""
    try:
        return posts.get_sibling(session, group_id, locale).id
    except NotFound:
        reserved = reservations.find_reserved(session, EntryKind.POST, reservations.variant_name(group_id, locale))
    return reserved.entry_id if reserved else None
