"""Posts that a write may name: those in the store, and those that are accepted and not there yet."""

from dataclasses import dataclass

from sitecms.content.change import EntryKind, Write
from sitecms.content.text.slug import RESERVED_SLUGS, numbered
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.entries import posts
from sitecms.store.writes import reservations, writes


@dataclass(frozen=True, slots=True)
class KnownPost:
    """As much of a post as accepting a write to it needs; `author` is a slug."""

    id: int
    group_id: int
    locale: str
    slug: str
    author: str


def get_known(session: Session, slug: str) -> KnownPost:
    """The post that has the slug, or will have it. Raises NotFound."""
    post_id = _holder(session, slug)
    if post_id is None:
        raise NotFound("Not found.")
    return _by_id(session, post_id)


def find_variant(session: Session, group_id: int, locale: str) -> KnownPost | None:
    """The variant of a locale group in the locale, accepted ones included."""
    try:
        return _by_id(session, posts.get_sibling(session, group_id, locale, preview=True).id)
    except NotFound:
        reserved = reservations.find_reserved(session, EntryKind.POST, reservations.variant_name(group_id, locale))
    return _by_id(session, reserved.entry_id) if reserved else None


def is_taken(session: Session, slug: str, mine: int | None = None) -> bool:
    """Whether another post than `mine` has the slug or will have it."""
    there, reserved = posts.find_post_id(session, slug), reservations.find_reserved(session, EntryKind.POST, slug)
    return there not in (None, mine) or (reserved is not None and reserved.entry_id != mine)


def free_slug(session: Session, base: str) -> str:
    """The slug, or the first of `-2`, `-3` and so on that nobody has; reserved ones count as taken."""
    slug, number = base, 1
    while slug in RESERVED_SLUGS or is_taken(session, slug):
        number += 1
        slug = numbered(base, number)
    return slug


def _holder(session: Session, slug: str) -> int | None:
    there = posts.find_post_id(session, slug)
    if there is not None:
        return there
    reserved = reservations.find_reserved(session, EntryKind.POST, slug)
    return reserved.entry_id if reserved else None


def _by_id(session: Session, post_id: int) -> KnownPost:
    creation = writes.find_creation(session, EntryKind.POST, post_id)
    if creation is not None:
        return _accepted(creation)
    post = posts.get_post_by_id(session, post_id)
    return KnownPost(post.id, post.group_id, post.locale, post.slug, post.author.slug)


def _accepted(creation: Write) -> KnownPost:
    payload = creation.payload
    group_id = int(creation.entry_key.partition(":")[2])
    return KnownPost(
        creation.entry_id, group_id, str(payload["locale"]), str(payload["slug"]), str(payload["author_slug"])
    )
