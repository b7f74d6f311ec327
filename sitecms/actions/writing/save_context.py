"""The context in which changes are stored, and the columns of a version that its change determines."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec import Struct

from sitecms.content.change import EntryChange, Origin, VersionChange, publication
from sitecms.content.entry import Entry
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MEDIA_NAME
from sitecms.content.revision import UNKNOWN_CAUSE, ChangeCause
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.text.html import plain_text, reading_minutes
from sitecms.errors import InvalidFields
from sitecms.messages import N_, Text
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import authors
from sitecms.store.entries.authors import find_author_slug, find_authors, find_only_author
from sitecms.store.entries.entry_rows import find_named, find_variants
from sitecms.store.entries.entry_state import find_renamed_original
from sitecms.store.entries.versions import VERSIONS

SLUG_TAKEN = {
    EntryKind.POST: N_("The slug %(slug)s belongs to another post; choose another one."),
    EntryKind.PAGE: N_("The slug %(slug)s belongs to another page; choose another one."),
}
UNKNOWN_AUTHOR = N_("There is no author %(name)s. %(known)s")
_MOST_LISTED = 20
_COPIED = ("featured_image", "featured_image_alt", "body", "summary", "seo_title", "meta_description")


class SaveContext(Struct, frozen=True):
    """The context in which changes are stored: the transaction, and the origin, time and cause of the changes.

    `owner` is what site.toml names (`default_author`). `schema` None: that of the store.
    """

    transaction: Transaction
    origin: Origin
    at: datetime
    cause: ChangeCause = UNKNOWN_CAUSE
    owner: str = ""
    schema: ContentSchema | None = None


def default_author(session: Session, owner: str) -> str:
    """Return the slug of the author of posts that name none: the site's owner, else the only author.

    `owner` is what site.toml names, by slug or email. Raises InvalidFields under `author` where there is none.
    """
    if owner and (slug := find_author_slug(session, owner)):
        return slug
    if not owner and (slug := find_only_author(session)):
        return slug
    problem = f"No author is named, and site.toml names {_named_owner(owner)}."
    raise InvalidFields({"author": [f"{problem} {known_authors(session)}"]})


def known_authors(session: Session) -> str:
    """Return a sentence that lists the authors."""
    slugs = [author.slug for author in find_authors(session)]
    listed = ", ".join(slugs[:_MOST_LISTED]) + (f" and {len(slugs) - _MOST_LISTED} more" * (len(slugs) > _MOST_LISTED))
    return Text("Authors there are: %(names)s (content/authors.yaml).", names=listed or "none")


def _named_owner(owner: str) -> str:
    return f'the owner "{owner}", who is not an author' if owner else "no owner"


def own_columns(change: EntryChange, group_id: int) -> dict[str, Any]:
    """Return the columns of the row of an entry that its change determines; `group_id` is that of the locale group.

    One in several locales has its title there, one in a single locale that and the group.
    """
    columns: dict[str, Any] = {"type": change.type, "slug": change.slug or None}
    if change.addresses is not None:
        columns["addresses"] = change.addresses.as_json()
    if not KINDS[change.kind].has_locales:
        return {**columns, "group_id": group_id, "locale": change.only.locale}
    return {**columns, "title": change.title, "titles": dict(change.titles)} if change.title is not None else columns


def columns_of(
    change: EntryChange,
    version: VersionChange,
    at: datetime,
    old: Entry | None = None,
    begun: datetime | None = None,
    ended: Entry | None = None,
) -> dict[str, Any]:
    """Return the columns of a version, its body too, that need no look at the store; `old` is the version as stored.

    `begun` is the creation of the entry in this locale, if it has a version; one that `ended` leaves its publication.
    """
    times, kind = version.times, KINDS[change.kind]
    before = next((each for each in (old, ended) if each and each.published_at), old)
    stored = (before.status, before.published_at) if before else None
    texts = {name: getattr(version, name) for name in _COPIED} if kind.has_body else {}
    return {
        "locale": version.locale,
        **({"title": change.title, **texts} if texts else {}),
        "status": version.status.value,
        "fields": dict(version.fields),
        "created_at": times.created_at or (old.created_at if old else begun or times.published_at or at),
        "updated_at": times.updated_at or (old.updated_at if old else times.published_at or at),
        "published_at": publication(version.status, times, stored, at),
        "scheduled_at": times.scheduled_at if version.status is Status.SCHEDULED else None,
    }


@lru_cache(4)  # asked for before the transaction that saves a post, and again within it
def derived_columns(body: str) -> Mapping[str, object]:
    """Return the columns that are derived from a body, for lists and builds that do not read it."""
    return {
        "reading_minutes": reading_minutes(plain_text(body)),
        "body_digest": digest(body.encode()),
        "body_media": " ".join(dict.fromkeys(MEDIA_NAME.findall(body))),
    }


def author_id_of(transaction: Transaction, named: str, owner: str) -> int:
    """Return the id of the author of that slug or email, or of the default author. Raises InvalidFields.

    A former slug will do, too: a file may name it that was changed while the author was renamed elsewhere.
    """
    slug = named or default_author(transaction, owner)
    author_id = authors.find_author_id(transaction, slug=slug) or authors.find_author_id(transaction, email=slug)
    author_id = author_id or authors.find_renamed_author_id(transaction, slug)
    if author_id is None:
        raise InvalidFields({"author": [Text(UNKNOWN_AUTHOR, name=repr(named), known=known_authors(transaction))]})
    return author_id


def check_slug(session: Session, change: EntryChange) -> None:
    """Raise InvalidFields if another entry has the slug."""
    kind = change.kind
    holder = find_named(session, kind, change.type, change.slug) if KINDS[kind].has_slug else None
    if holder is not None and holder != change.id:
        raise InvalidFields({"slug": [Text(SLUG_TAKEN[kind], slug=repr(change.slug))]})


def group_of(transaction: Transaction, change: EntryChange, stored: Sequence[Entry], origin: Origin) -> int:
    """Return the id of the locale group of an entry, 0 for a new one, or for an entry in several locales.

    `stored` are its versions. A file without `translation_of` puts its entry into a group of its own. Raises
    InvalidFields.
    """
    if KINDS[change.kind].has_locales:
        return 0
    check_slug(transaction, change)
    current = stored[0] if stored else None
    group_id = current.group_id if current else 0
    if change.translation_of:
        original = find_original(transaction, change.translation_of, change.only.locale)
        if original is None:
            raise InvalidFields({"translation_of": [f"There is no post with the slug {change.translation_of!r}."]})
        group_id = VERSIONS[EntryKind.POST].get(transaction, original).group_id
    elif current and origin is Origin.FILE:
        group_id = current.id
    if group_id:
        _check_variant(transaction, change, group_id)
    return group_id


def find_original(session: Session, slug: str, locale: str) -> int | None:
    """Return the id of the post of that slug, else of a post in another locale that had it before a rename."""
    return find_named(session, EntryKind.POST, "", slug) or find_renamed_original(session, slug, locale)


def _check_variant(transaction: Transaction, change: EntryChange, group_id: int) -> None:
    locale = change.only.locale
    sibling_id = find_variants(transaction, group_id).get(locale, change.id)
    if sibling_id != change.id:
        sibling = VERSIONS[change.kind].get(transaction, sibling_id)
        message = f"The post {sibling.slug!r} is its variant in {locale!r} already."
        raise InvalidFields({"locale": [message]})
