"""Changes of entries of every kind: rows, terms, versions, history and search index, in the caller's transaction."""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from msgspec import Struct

from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.content.addresses import NO_ADDRESSES, OwnAddresses
from sitecms.content.change import Applied, EntryChange, Origin, Times
from sitecms.content.entry import Entry
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.media import MEDIA_NAME
from sitecms.content.revision import UNKNOWN_CAUSE, ChangeCause
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.html import plain_text, reading_minutes
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import authors, posts, terms, version_changes
from sitecms.store.entries.authors import find_author_slug, find_authors, find_only_author
from sitecms.store.entries.entry_state import exists, find_renamed_original
from sitecms.store.entries.post_history import keep_post, read_state
from sitecms.store.entries.term_names import settle_new_terms
from sitecms.store.entries.version_changes import replaced_fields

_MOST_LISTED = 20
_SHORTENED = 60
_SEARCHED = {"title", "body", "status", "fields"}
_COPIED = ("featured_image", "featured_image_alt", "body", "summary", "seo_title", "meta_description")
_NOT_COMPARED = frozenset({"author_id", "origin", "addresses"})


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
    return f"Authors there are: {listed or 'none'} (content/authors.yaml)."


def _named_owner(owner: str) -> str:
    return f'the owner "{owner}", who is not an author' if owner else "no owner"


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


def save_entry(context: SaveContext, change: EntryChange) -> Applied:
    """Create or change an entry, with all its versions, and what search finds of it; an equal entry stays as it is.

    What a change replaces is kept in the history. Raises InvalidFields when the author or the original of a translation
    of a post does not exist, or its slug or its place in the locale group is taken.
    """
    transaction, kind = context.transaction, change.kind
    former_rows = index_rows(transaction, kind, change.id)
    if not KINDS[kind].has_versions:
        applied = _save_post(context, change)
    else:
        replaced = version_changes.save_entry(transaction, change, context.origin, context.at, context.cause)
        applied = Applied(change.id, created=False, replaced=replaced)
    if applied.changed and (KINDS[kind].has_versions or _is_searched(applied)):
        unindex_rows(transaction, kind, former_rows)
        index_entry(transaction, kind, applied.id, context.schema, change)
    return applied


def _is_searched(applied: Applied) -> bool:
    """Return whether search may find a post otherwise now."""
    return applied.created or not _SEARCHED.isdisjoint(name.partition(".")[0] for name in applied.replaced)


def _save_post(context: SaveContext, change: EntryChange) -> Applied:
    """Store the row, the terms and the text of a post, and its former state."""
    transaction, version = context.transaction, change.only
    current = _stored_post(transaction, change.id)
    values = {
        **columns_of(change, current, context.at),
        "group_id": group_of(transaction, change, current, context.origin),
        "author_id": author_id_of(transaction, version.author, context.owner),
        "origin": context.origin.value,
    }
    spelt = terms.ensure_terms(transaction, TermKind.CATEGORY, version.categories)
    spelt |= terms.ensure_terms(transaction, TermKind.TAG, version.tags)
    replaced: dict[str, str] = {}
    if current is None:
        beside = {**derived_columns(version.body), "markdown": version.markdown, "deleted_at": None}
        post_id = posts.insert_post(transaction, {"id": change.id, **values, **beside})
    else:
        post_id, replaced = current.id, _change_post(context, change, current, values, spelt)
    if current is None or "terms" in replaced:
        terms.set_terms(transaction, post_id, spelt)
        if context.origin is Origin.API:
            settle_new_terms(transaction)
    return Applied(post_id, created=current is None, replaced=replaced)


def _stored_post(transaction: Transaction, post_id: int) -> Entry | None:
    """Return the post as it is stored, None for a new one. Raises NotFound for a post in the trash."""
    if not exists(transaction, EntryKind.POST, post_id):
        return None
    return posts.get_post_by_id(transaction, post_id)


def _change_post(
    context: SaveContext,
    change: EntryChange,
    current: Entry,
    values: Mapping[str, object],
    spelt: Mapping[int, str],
) -> dict[str, str]:
    """Change the row and the text of a post, and keep what it replaces; return the replaced values, shortened."""
    transaction, before, version = context.transaction, read_state(context.transaction, current), change.only
    replaced = _replaced(transaction, current, change, values, spelt)
    if context.origin is Origin.API and version.markdown != before.markdown:
        replaced.setdefault("markdown", "")  # also a text that renders to the same body
    if replaced:
        keep_post(transaction, before, context.cause, version.status, context.at)
    if version.markdown != before.markdown:
        posts.set_markdown(transaction, current.id, version.markdown)
    if replaced:
        derived = derived_columns(version.body) if "body" in replaced else {}
        updated_at = _updated_at(version.times, context.at)
        posts.update_post(transaction, current.id, {**values, "updated_at": updated_at, **derived})
    return replaced


def columns_of(change: EntryChange, current: Entry | None, at: datetime) -> dict[str, object]:
    """Return the columns of a post's row that need no look at the store; `current` is the post as it is stored."""
    version, times = change.only, change.only.times
    published_at = times.published_at or (current.published_at if current else None)
    if version.status is Status.PUBLISHED and (published_at is None or _is_early(current, published_at, at)):
        published_at = at
    return {
        "locale": version.locale,
        "slug": change.slug,
        "title": change.title,
        **{name: getattr(version, name) for name in _COPIED},
        "addresses": (change.addresses or NO_ADDRESSES).as_json(),
        "status": version.status.value,
        "fields": dict(version.fields),
        "created_at": times.created_at or (current.created_at if current else times.published_at or at),
        "updated_at": times.updated_at or (current.updated_at if current else times.published_at or at),
        "published_at": published_at,
        "scheduled_at": times.scheduled_at if version.status is Status.SCHEDULED else None,
    }


def _is_early(current: Entry | None, published_at: datetime, at: datetime) -> bool:
    """Return whether a draft is published before the time that was meant for it."""
    return current is not None and current.status is not Status.PUBLISHED and published_at > at


@lru_cache(4)  # asked for before the transaction that saves a post, and again within it
def derived_columns(body: str) -> Mapping[str, object]:
    """Return the columns that are derived from a body, for lists and builds that do not read it."""
    return {
        "reading_minutes": reading_minutes(plain_text(body)),
        "body_digest": digest(body.encode()),
        "body_media": " ".join(dict.fromkeys(MEDIA_NAME.findall(body))),
    }


def _updated_at(times: Times, at: datetime) -> datetime:
    """Return the time of the update. A file with a date of publication was not updated by the load."""
    return times.updated_at or times.published_at or at


def author_id_of(transaction: Transaction, named: str, owner: str) -> int:
    """Return the id of the author of that slug or email, or of the default author. Raises InvalidFields.

    A former slug will do, too: a file may name it that was changed while the author was renamed elsewhere.
    """
    slug = named or default_author(transaction, owner)
    author_id = authors.find_author_id(transaction, slug=slug) or authors.find_author_id(transaction, email=slug)
    author_id = author_id or authors.find_renamed_author_id(transaction, slug)
    if author_id is None:
        raise InvalidFields({"author": [f"There is no author {named!r}. {known_authors(transaction)}"]})
    return author_id


def group_of(transaction: Transaction, change: EntryChange, current: Entry | None, origin: Origin) -> int:
    """Return the id of the locale group, 0 for that of a new post of its own. Raises InvalidFields.

    A file without `translation_of` puts its post into a group of its own.
    """
    holder = posts.find_post_id(transaction, change.slug)
    if holder is not None and holder != change.id:
        raise InvalidFields({"slug": [f"The slug {change.slug!r} belongs to another post; choose another one."]})
    group_id = current.group_id if current else 0
    if change.translation_of:
        original = find_original(transaction, change.translation_of, change.only.locale)
        if original is None:
            raise InvalidFields({"translation_of": [f"There is no post with the slug {change.translation_of!r}."]})
        group_id = posts.get_post_by_id(transaction, original).group_id
    elif current and origin is Origin.FILE:
        group_id = current.id
    _check_variant(transaction, change, group_id)
    return group_id


def find_original(session: Session, slug: str, locale: str) -> int | None:
    """Return the id of the post of that slug, else of a post in another locale that had it before a rename."""
    return posts.find_post_id(session, slug) or find_renamed_original(session, slug, locale)


def _check_variant(transaction: Transaction, change: EntryChange, group_id: int) -> None:
    locale = change.only.locale
    try:
        sibling = posts.get_sibling(transaction, group_id, locale) if group_id else None
    except NotFound:
        return
    if sibling is not None and sibling.id != change.id:
        message = f"The post {sibling.slug!r} is its variant in {locale!r} already."
        raise InvalidFields({"locale": [message]})


def _replaced(
    transaction: Transaction,
    current: Entry,
    change: EntryChange,
    values: Mapping[str, object],
    spelt: Mapping[int, str],
) -> dict[str, str]:
    """Return the stored values that differ, shortened, by name."""
    values = {**values, **_own_addresses(change.addresses or NO_ADDRESSES, change.only.locale)}
    before: dict[str, object] = {name: getattr(current, name) for name in values if name not in _NOT_COMPARED}
    before |= _own_addresses(current.addresses, current.locale)
    before["author_id"] = authors.find_author_id(transaction, slug=current.author.slug)
    differing = [name for name in values if name in before and before[name] != values[name]]
    replaced = {name: str(before[name])[:_SHORTENED] for name in differing if name != "fields"}
    if "fields" in differing:
        replaced |= replaced_fields(current.fields, values["fields"])  # type: ignore[arg-type]
    if [*terms.terms_of_post(transaction, current.id).items()] != [*spelt.items()]:
        names = (term.name for term in (*current.categories, *current.tags))
        replaced["terms"] = ", ".join(names)[:_SHORTENED]
    return replaced


def _own_addresses(addresses: OwnAddresses, locale: str) -> dict[str, object]:
    return {
        "path": addresses.path(locale),
        "guid": addresses.guid,
        "aliases": list(addresses.aliases.get(locale, ())),
    }
