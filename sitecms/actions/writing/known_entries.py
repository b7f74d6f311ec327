"""Entries that are stored or accepted, by the names that requests have for them, and names that are free."""

from collections.abc import Iterable

from msgspec import Struct

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.references import SINGLE_PAGES, parse_item_id
from sitecms.content.schema import ContentSchema
from sitecms.content.writes import Save
from sitecms.errors import Forbidden, NotFound
from sitecms.store.database import Session
from sitecms.store.entries import items
from sitecms.store.entries.entry_rows import find_named, find_variants
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes import reservations, writes

TAKEN = 'A {kind} with the slug "{slug}" already exists.'


class EntryName(Struct, frozen=True):
    """The name that a request has for an entry: the slug of a post or page, the id of an item.

    `type` is the page type (`*` for any) or the collection.
    """

    kind: EntryKind
    name: str
    type: str = ""


class KnownEntry(Struct, frozen=True):
    """A stored or accepted entry. Only a post has its own locale, a locale group and an author (its slug).

    `type` is the page type, "" for a Single Page, or the collection.
    """

    kind: EntryKind
    id: int
    slug: str = ""
    type: str = ""
    locale: str = ""
    group_id: int = 0
    author: str = ""

    @property
    def key(self) -> str:
        """The key that orders the writes to the entry."""
        return key_of(self.kind, self.group_id or self.id)


def key_of(kind: EntryKind, number: int) -> str:
    """Return the key that orders the writes to one entry: `page:<id>`, `item:<id>`, `post:<id of its locale group>`."""
    return f"{kind}:{number}"


def get_known(session: Session, schema: ContentSchema, name: EntryName) -> KnownEntry:
    """Return the stored or accepted entry of that name. Raises NotFound, and Forbidden if several pages have it."""
    if not KINDS[name.kind].has_slug:
        return _get_item(session, schema.collection(name.type).key, name)
    ids = {each: find_holder(session, name.kind, each, name.name) for each in _types(schema, name)}
    holders = [(entry_id, each) for each, entry_id in ids.items() if entry_id is not None]
    if not holders:
        raise not_found(name.kind)
    if len(holders) > 1:
        names = ", ".join(each or "a Single Page" for _id, each in holders)
        raise Forbidden(f"Several pages have this slug; name it with a page type. There are: {names}.")
    entry_id, page_type = holders[0]
    is_page = KINDS[name.kind].has_locales
    return KnownEntry(name.kind, entry_id, name.name, page_type) if is_page else _get_post(session, name.kind, entry_id)


def not_found(kind: EntryKind) -> NotFound:
    """Return the error of a request that names an entry which is not there."""
    return NotFound(KINDS[kind].not_found)


def _types(schema: ContentSchema, name: EntryName) -> Iterable[str]:
    """Return the declared page types in which an entry may have the name; "" for a Single Page, and for posts."""
    if not KINDS[name.kind].type_key:
        return ("",)
    types = ("", *schema.page_types) if name.type == SINGLE_PAGES else (name.type,)
    return (each for each in types if not each or each in schema.page_types)


def _get_post(session: Session, kind: EntryKind, post_id: int) -> KnownEntry:
    creation = writes.find_creation(session, kind, post_id)
    if creation is not None and isinstance(save := creation.payload, Save):
        group_id = int(creation.entry_key.partition(":")[2])
        return KnownEntry(kind, creation.entry_id, save.slug, "", save.locale, group_id, save.author or "")
    post = VERSIONS[EntryKind.POST].get(session, post_id)
    return KnownEntry(kind, post.id, post.slug, "", post.locale, post.group_id, post.author.slug)


def _get_item(session: Session, collection: str, name: EntryName) -> KnownEntry:
    number = parse_item_id(name.name)
    if not items.item_exists(session, number, (collection,)):
        creation = writes.find_creation(session, name.kind, number)
        if creation is None or creation.type != collection:
            raise not_found(name.kind)
    return KnownEntry(name.kind, number, type=collection)


def count_known_items(session: Session) -> int:
    """Return the number of stored and accepted items, of all collections (API reference, Limits)."""
    return items.count_items(session) + reservations.count_reserved(session, EntryKind.ITEM)


def order_key(session: Session, entry: KnownEntry) -> str:
    """Return the key that orders a new write to the entry: that of the creation of several items while one waits."""
    waiting = writes.find_open(session, entry.kind, entry.id) if KINDS[entry.kind].creates_several else ()
    return waiting[-1].entry_key if waiting else entry.key


def reserved_name(kind: EntryKind, page_type: str, slug: str) -> str:
    """Return the name that a write reserves for a slug: of posts the slug itself, of pages with their type."""
    return reservations.page_name(page_type, slug) if KINDS[kind].type_key else slug


def entry_name(kind: EntryKind, page_type: str, slug: str) -> str:
    """Return a post or page as messages name it: `the page guide/knots`, `the page */about`."""
    name = reserved_name(kind, page_type, slug)
    return f"the {kind} {SINGLE_PAGES if name.startswith('/') else ''}{name}"


def find_holder(session: Session, kind: EntryKind, page_type: str, slug: str) -> int | None:
    """Return the id of the stored or accepted post, or page of the type, that has the slug; None if it is free."""
    stored = find_named(session, kind, page_type, slug)
    if stored is not None:
        return stored
    reserved = reservations.find_reserved(session, kind, reserved_name(kind, page_type, slug))
    return reserved.entry_id if reserved else None


def is_taken(session: Session, kind: EntryKind, page_type: str, slug: str, own_id: int | None = None) -> bool:
    """Return whether a stored or accepted entry of the kind other than `own_id` has the slug."""
    reserved = reservations.find_reserved(session, kind, reserved_name(kind, page_type, slug))
    stored = find_named(session, kind, page_type, slug)
    return stored not in (None, own_id) or (reserved is not None and reserved.entry_id != own_id)


def find_variant(session: Session, kind: EntryKind, group_id: int, locale: str) -> KnownEntry | None:
    """Return the stored or accepted variant of a locale group of posts in the locale, or None."""
    variant_id = find_variant_id(session, kind, group_id, locale)
    return None if variant_id is None else _get_post(session, kind, variant_id)


def find_variant_id(session: Session, kind: EntryKind, group_id: int, locale: str) -> int | None:
    """Return the id of the stored or accepted variant of a locale group of posts in the locale, or None."""
    stored = find_variants(session, group_id).get(locale)
    if stored is not None:
        return stored
    reserved = reservations.find_reserved(session, kind, reservations.variant_name(group_id, locale))
    return reserved.entry_id if reserved else None
