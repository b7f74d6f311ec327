"""Look-up of stored and accepted entries by the names that requests have for them, and of names that are free."""

from collections.abc import Iterable

from msgspec import Struct

from sitecms.actions.writing.accept.acceptance import Caller, key_of
from sitecms.actions.writing.names import find_holder, find_variant_id
from sitecms.content.change import EntryKind
from sitecms.content.kinds import KINDS
from sitecms.content.references import SINGLE_PAGES, parse_item_id
from sitecms.content.schema import ContentSchema
from sitecms.content.writes import Save, Write
from sitecms.errors import Forbidden, NotFound
from sitecms.store.database import Session
from sitecms.store.entries import items, posts
from sitecms.store.writes import writes

NOT_FOUND = "Not found."
NO_PAGE = "Page not found."
NOT_ALLOWED = {
    EntryKind.POST: "The token does not allow writes to this post.",
    EntryKind.PAGE: "The token does not allow writes to pages of this type.",
    EntryKind.ITEM: "The token does not allow writes to this collection.",
}


class EntryName(Struct, frozen=True):
    """The name that a request has for an entry: the slug of a post or page, the id of an item.

    `type` is the page type (`*` for any) or the collection.
    """

    kind: EntryKind
    name: str
    type: str = ""


class KnownEntry(Struct, frozen=True):
    """A stored or accepted entry. Only a post has its own locale, a locale group and an author (its slug).

    `type` is the page type, None for a Single Page, or the collection.
    """

    kind: EntryKind
    id: int
    slug: str = ""
    type: str | None = None
    locale: str = ""
    group_id: int = 0
    author: str = ""

    @property
    def key(self) -> str:
        """The key that orders the writes to the entry."""
        return key_of(self.kind, self.group_id or self.id)


def get_known(session: Session, schema: ContentSchema, name: EntryName) -> KnownEntry:
    """Return the stored or accepted entry of that name. Raises NotFound, and Forbidden if several pages have it."""
    if not KINDS[name.kind].has_slug:
        return _get_item(session, schema.collection(name.type).key, name.name)
    types = [each for each in _types(schema, name) if each is None or each in schema.page_types]
    ids = {each: find_holder(session, name.kind, each, name.name) for each in types}
    holders = [(entry_id, each) for each, entry_id in ids.items() if entry_id is not None]
    if not holders:
        raise NotFound(NO_PAGE if KINDS[name.kind].has_versions else NOT_FOUND)
    if len(holders) > 1:
        names = ", ".join(each or "a Single Page" for _id, each in holders)
        raise Forbidden(f"Several pages have this slug; name it with a page type. There are: {names}.")
    entry_id, page_type = holders[0]
    if KINDS[name.kind].has_versions:
        return KnownEntry(name.kind, entry_id, name.name, page_type)
    return _post(session, entry_id)


def _types(schema: ContentSchema, name: EntryName) -> Iterable[str | None]:
    """Return the page types in which an entry of that name may be, None for a Single Page or a post."""
    if not KINDS[name.kind].has_versions:
        return (None,)
    return (None, *schema.page_types) if name.type == SINGLE_PAGES else (name.type,)


def check_allowed(caller: Caller, kind: EntryKind, owner: str | None) -> None:
    """Raise Forbidden unless the token allows writes to posts of the author, pages of the type, or the collection."""
    if not caller.limits.allow(kind, owner or ""):
        raise Forbidden(NOT_ALLOWED[kind])


def check_entry_allowed(caller: Caller, entry: KnownEntry) -> None:
    """Raise Forbidden unless the token allows writes to the entry."""
    check_allowed(caller, entry.kind, entry.author or entry.type)


def order_key(session: Session, entry: KnownEntry) -> str:
    """Return the key that orders a new write to the entry: that of the creation of several items while one waits."""
    waiting = writes.find_open(session, entry.kind, entry.id) if KINDS[entry.kind].creates_several else ()
    return waiting[-1].entry_key if waiting else entry.key


def find_variant(session: Session, group_id: int, locale: str) -> KnownEntry | None:
    """Return the stored or accepted variant of a locale group of posts in the locale, or None."""
    post_id = find_variant_id(session, group_id, locale)
    return None if post_id is None else _post(session, post_id)


def _post(session: Session, post_id: int) -> KnownEntry:
    creation = writes.find_creation(session, EntryKind.POST, post_id)
    if creation is not None and isinstance(creation.payload, Save):
        return _accepted_post(creation, creation.payload)
    post = posts.get_post_by_id(session, post_id)
    return KnownEntry(EntryKind.POST, post.id, post.slug, None, post.locale, post.group_id, post.author.slug)


def _accepted_post(creation: Write, save: Save) -> KnownEntry:
    group_id = int(creation.entry_key.partition(":")[2])
    return KnownEntry(EntryKind.POST, creation.entry_id, save.slug, None, save.locale, group_id, save.author or "")


def _get_item(session: Session, collection: str, item_id: str) -> KnownEntry:
    number = parse_item_id(item_id)
    if not items.item_exists(session, number, (collection,)):
        creation = writes.find_creation(session, EntryKind.ITEM, number)
        if creation is None or creation.type != collection:
            raise NotFound(NOT_FOUND)
    return KnownEntry(EntryKind.ITEM, number, type=collection)
