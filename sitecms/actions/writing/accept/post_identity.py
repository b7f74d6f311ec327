"""Look-up of stored and accepted posts by slug, locale group and locale."""

from msgspec import Struct

from sitecms.content.change import EntryKind
from sitecms.content.text.slug import RESERVED_SLUGS, first_free
from sitecms.content.writes import Save, Write
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.entries import posts
from sitecms.store.writes import reservations, writes


class PostIdentity(Struct, frozen=True):
    """The names of a stored or accepted post; `author` is a slug."""

    id: int
    group_id: int
    locale: str
    slug: str
    author: str


def get_known_post(session: Session, slug: str) -> PostIdentity:
    """Return the stored or accepted post of that slug. Raises NotFound."""
    post_id = _find_id(session, slug)
    if post_id is None:
        raise NotFound("Not found.")
    return _by_id(session, post_id)


def find_variant(session: Session, group_id: int, locale: str) -> PostIdentity | None:
    """Return the stored or accepted variant of a locale group in the locale, or None."""
    try:
        return _by_id(session, posts.get_sibling(session, group_id, locale).id)
    except NotFound:
        reserved = reservations.find_reserved(session, EntryKind.POST, reservations.variant_name(group_id, locale))
    return _by_id(session, reserved.entry_id) if reserved else None


def is_taken(session: Session, slug: str, own_id: int | None = None) -> bool:
    """Return whether a stored or accepted post other than `own_id` has the slug."""
    stored, reserved = posts.find_post_id(session, slug), reservations.find_reserved(session, EntryKind.POST, slug)
    return stored not in (None, own_id) or (reserved is not None and reserved.entry_id != own_id)


def free_slug(session: Session, base: str) -> str:
    """Return the slug, or the first of `-2`, `-3` and so on that is free; reserved slugs count as taken."""
    return first_free(base, lambda slug: slug in RESERVED_SLUGS or is_taken(session, slug))


def _find_id(session: Session, slug: str) -> int | None:
    stored = posts.find_post_id(session, slug)
    if stored is not None:
        return stored
    reserved = reservations.find_reserved(session, EntryKind.POST, slug)
    return reserved.entry_id if reserved else None


def _by_id(session: Session, post_id: int) -> PostIdentity:
    creation = writes.find_creation(session, EntryKind.POST, post_id)
    if creation is not None and isinstance(creation.payload, Save):
        return _accepted(creation, creation.payload)
    post = posts.get_post_by_id(session, post_id)
    return PostIdentity(post.id, post.group_id, post.locale, post.slug, post.author.slug)


def _accepted(creation: Write, save: Save) -> PostIdentity:
    group_id = int(creation.entry_key.partition(":")[2])
    return PostIdentity(creation.entry_id, group_id, save.locale, save.slug, save.author or "")
