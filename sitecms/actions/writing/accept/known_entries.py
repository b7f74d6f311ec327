"""Look-up of stored and accepted entries by the names that requests have for them, and of names that are free."""

from msgspec import Struct

from sitecms.actions.writing.accept.acceptance import Caller, key_of
from sitecms.content.change import EntryKind
from sitecms.content.kinds import KINDS
from sitecms.content.references import SINGLE_PAGES, parse_item_id
from sitecms.content.schema import ContentSchema
from sitecms.content.text.slug import RESERVED_SLUGS, first_free
from sitecms.content.writes import Save, Write
from sitecms.errors import Forbidden, NotFound
from sitecms.store.database import Session
from sitecms.store.entries import items, pages, posts
from sitecms.store.writes import reservations, writes

NOT_FOUND = "Not found."
NO_PAGE = "Page not found."
POST_NOT_ALLOWED = "The token does not allow writes to this post."
PAGE_NOT_ALLOWED = "The token does not allow writes to pages of this type."
ITEM_NOT_ALLOWED = "The token does not allow writes to this collection."
POST_TAKEN = 'A post with the slug "{slug}" already exists.'
PAGE_TAKEN = 'A page with the slug "{slug}" already exists.'


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
    match name.kind:
        case EntryKind.POST:
            return _get_post(session, name.name)
        case EntryKind.PAGE:
            return _get_page(session, schema, name)
        case EntryKind.ITEM:
            return _get_item(session, schema.collection(name.type).key, name.name)


def check_allowed(caller: Caller, kind: EntryKind, owner: str | None) -> None:
    """Raise Forbidden unless the token allows writes to posts of the author, pages of the type, or the collection."""
    limits = caller.limits
    if kind is EntryKind.POST and not limits.allow_posts_of(owner or ""):
        raise Forbidden(POST_NOT_ALLOWED)
    if kind is EntryKind.PAGE and not limits.allow_pages_of(owner):
        raise Forbidden(PAGE_NOT_ALLOWED)
    if kind is EntryKind.ITEM and not limits.allow_items_of(owner or ""):
        raise Forbidden(ITEM_NOT_ALLOWED)


def check_entry_allowed(caller: Caller, entry: KnownEntry) -> None:
    """Raise Forbidden unless the token allows writes to the entry."""
    check_allowed(caller, entry.kind, entry.author or entry.type)


def order_key(session: Session, entry: KnownEntry) -> str:
    """Return the key that orders a new write to the entry: that of the creation of several items while one waits."""
    waiting = writes.find_open(session, entry.kind, entry.id) if KINDS[entry.kind].creates_several else ()
    return waiting[-1].entry_key if waiting else entry.key


def find_variant(session: Session, group_id: int, locale: str) -> KnownEntry | None:
    """Return the stored or accepted variant of a locale group of posts in the locale, or None."""
    try:
        return _post(session, posts.get_sibling(session, group_id, locale).id)
    except NotFound:
        reserved = reservations.find_reserved(session, EntryKind.POST, reservations.variant_name(group_id, locale))
    return _post(session, reserved.entry_id) if reserved else None


def find_holder(session: Session, kind: EntryKind, page_type: str | None, slug: str) -> int | None:
    """Return the id of the stored or accepted post, or page of the type, that has the slug; None if it is free."""
    if kind is EntryKind.POST:
        stored, name = posts.find_post_id(session, slug), slug
    else:
        stored, name = pages.find_page_id(session, page_type, slug), reservations.page_name(page_type, slug)
    if stored is not None:
        return stored
    reserved = reservations.find_reserved(session, kind, name)
    return reserved.entry_id if reserved else None


def is_taken(session: Session, slug: str, own_id: int | None = None) -> bool:
    """Return whether a stored or accepted post other than `own_id` has the slug."""
    stored, reserved = posts.find_post_id(session, slug), reservations.find_reserved(session, EntryKind.POST, slug)
    return stored not in (None, own_id) or (reserved is not None and reserved.entry_id != own_id)


def free_slug(session: Session, kind: EntryKind, page_type: str | None, base: str) -> str:
    """Return the slug, or the first of `-2`, `-3` and so on that is free; reserved slugs count as taken."""
    return first_free(
        base, lambda slug: slug in RESERVED_SLUGS or find_holder(session, kind, page_type, slug) is not None
    )


def _get_post(session: Session, slug: str) -> KnownEntry:
    post_id = find_holder(session, EntryKind.POST, None, slug)
    if post_id is None:
        raise NotFound(NOT_FOUND)
    return _post(session, post_id)


def _post(session: Session, post_id: int) -> KnownEntry:
    creation = writes.find_creation(session, EntryKind.POST, post_id)
    if creation is not None and isinstance(creation.payload, Save):
        return _accepted_post(creation, creation.payload)
    post = posts.get_post_by_id(session, post_id)
    return KnownEntry(EntryKind.POST, post.id, post.slug, None, post.locale, post.group_id, post.author.slug)


def _accepted_post(creation: Write, save: Save) -> KnownEntry:
    group_id = int(creation.entry_key.partition(":")[2])
    return KnownEntry(EntryKind.POST, creation.entry_id, save.slug, None, save.locale, group_id, save.author or "")


def _get_page(session: Session, schema: ContentSchema, name: EntryName) -> KnownEntry:
    types = (None, *schema.page_types) if name.type == SINGLE_PAGES else (name.type,)
    known = (each for each in types if each is None or each in schema.page_types)
    ids = {each: find_holder(session, EntryKind.PAGE, each, name.name) for each in known}
    found = [(page_id, each) for each, page_id in ids.items() if page_id is not None]
    if not found:
        raise NotFound(NO_PAGE)
    if len(found) > 1:
        names = ", ".join(each or "a Single Page" for _id, each in found)
        raise Forbidden(f"Several pages have this slug; name it with a page type. There are: {names}.")
    page_id, page_type = found[0]
    return KnownEntry(EntryKind.PAGE, page_id, name.name, page_type)


def _get_item(session: Session, collection: str, item_id: str) -> KnownEntry:
    number = parse_item_id(item_id)
    if not items.item_exists(session, number, (collection,)):
        creation = writes.find_creation(session, EntryKind.ITEM, number)
        if creation is None or creation.type != collection:
            raise NotFound(NOT_FOUND)
    return KnownEntry(EntryKind.ITEM, number, type=collection)
