"""Apply one change of a post: row, terms and search index, in the caller's transaction."""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from sitecms.actions.default_author import default_author, known_authors
from sitecms.actions.writing.index_entry import index_post
from sitecms.content.change import Applied, EntryKind, Origin, PostChange
from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_NAME
from sitecms.content.post import Post
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.html import plain_text, reading_minutes
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import authors, posts, term_writes, terms
from sitecms.store.entries.former_names import find_renamed_original

_SHORTENED = 60
_SEARCHED = {"title", "body", "status"}
_COPIED = (
    "locale", "slug", "title", "featured_image", "featured_image_alt", "body", "summary", "seo_title",
    "meta_description",
)  # fmt: skip


def save_post(
    transaction: Transaction,
    change: PostChange,
    *,
    owner: str,
    origin: Origin,
    at: datetime,
    new_id: int | None = None,
) -> Applied:
    """Create or change the post; saving what is already there does nothing.

    `owner` is what site.toml names (`default_author`), `new_id` an id given out before for a post that is created.
    Raises InvalidFields when the author or the original of a translation does not exist, or the slug or the place in
    the locale group is taken.
    """
    current = posts.get_post_by_id(transaction, change.id) if change.id is not None else None
    values = _values(transaction, change, current, owner=owner, origin=origin, at=at)
    term_ids = [
        *term_writes.ensure_terms(transaction, TermKind.CATEGORY, change.categories),
        *term_writes.ensure_terms(transaction, TermKind.TAG, change.tags),
    ]
    if current is None:
        given = {**worked_out(change.body), **({} if new_id is None else {"id": new_id})}
        post_id = posts.insert_post(transaction, {**values, **given, "origin": origin.value, "deleted_at": None})
        replaced: dict[str, str] = {}
    else:
        post_id = current.id
        replaced = _replaced(transaction, current, values, term_ids)
        if not replaced:
            return Applied(EntryKind.POST, post_id, created=False)
        values["updated_at"] = _updated_at(change, at)
        if "body" in replaced:
            values |= worked_out(change.body)
        posts.update_post(transaction, post_id, {**values, "origin": origin.value})
    if current is None or "terms" in replaced:
        term_writes.set_terms(transaction, post_id, term_ids)
    if current is None or replaced.keys() & _SEARCHED:
        index_post(transaction, post_id, change.title, change.body, change.status)
    return Applied(EntryKind.POST, post_id, created=current is None, replaced=replaced)


def _values(
    transaction: Transaction, change: PostChange, current: Post | None, *, owner: str, origin: Origin, at: datetime
) -> dict[str, object]:
    times = change.times
    published_at = times.published_at or (current.published_at if current else None)
    if change.status is Status.PUBLISHED and (published_at is None or _is_early(current, published_at, at)):
        published_at = at
    return {
        **{name: getattr(change, name) for name in _COPIED},
        "group_id": _group(transaction, change, current, origin),
        "author_id": _author_id(transaction, change.author, owner),
        "status": change.status.value,
        "aliases": list(change.aliases),
        "created_at": times.created_at or (current.created_at if current else times.published_at or at),
        "updated_at": times.updated_at or (current.updated_at if current else times.published_at or at),
        "published_at": published_at,
        "scheduled_at": times.scheduled_at if change.status is Status.SCHEDULED else None,
    }


def _is_early(current: Post | None, published_at: datetime, at: datetime) -> bool:
    """Return whether a draft is published before the time that was meant for it."""
    return current is not None and current.status is not Status.PUBLISHED and published_at > at


@lru_cache(4)  # asked for before the transaction that saves a post, and again within it
def worked_out(body: str) -> Mapping[str, object]:
    """What lists and builds need of a body without reading it."""
    return {
        "reading_minutes": reading_minutes(plain_text(body)),
        "body_digest": digest(body.encode()),
        "body_media": " ".join(dict.fromkeys(MEDIA_NAME.findall(body))),
    }


def _updated_at(change: PostChange, at: datetime) -> datetime:
    """Times set by hand stand: a file that says when it was published was not updated by being loaded."""
    return change.times.updated_at or change.times.published_at or at


def _author_id(transaction: Transaction, named: str, owner: str) -> int:
    """Return the id of the author of that slug or email, or of the default author. Raises InvalidFields."""
    slug = named or default_author(transaction, owner)
    author_id = authors.find_author_id(transaction, slug=slug) or authors.find_author_id(transaction, email=slug)
    if author_id is None:
        raise InvalidFields({"author": [f"There is no author {named!r}. {known_authors(transaction)}"]})
    return author_id


def _group(transaction: Transaction, change: PostChange, current: Post | None, origin: Origin) -> int:
    """The locale group. A file says all there is: without `translation_of` its post stands in its own group."""
    holder = posts.find_post_id(transaction, change.slug)
    if holder is not None and holder != change.id:
        raise InvalidFields({"slug": [f"The slug {change.slug!r} belongs to another post; choose another one."]})
    group_id = current.group_id if current else 0
    if change.translation_of:
        original = find_original(transaction, change.translation_of, change.locale)
        if original is None:
            raise InvalidFields({"translation_of": [f"There is no post with the slug {change.translation_of!r}."]})
        group_id = posts.get_post_by_id(transaction, original).group_id
    elif current and origin is Origin.FILE:
        group_id = current.id
    _check_variant(transaction, change, group_id)
    return group_id


def find_original(session: Session, slug: str, locale: str) -> int | None:
    """Return the id of the post of that slug; else of the one that had it and was renamed, in another locale."""
    return posts.find_post_id(session, slug) or find_renamed_original(session, slug, locale)


def _check_variant(transaction: Transaction, change: PostChange, group_id: int) -> None:
    try:
        sibling = posts.get_sibling(transaction, group_id, change.locale, preview=True) if group_id else None
    except NotFound:
        return
    if sibling is not None and sibling.id != change.id:
        message = f"The post {sibling.slug!r} is its variant in {change.locale!r} already."
        raise InvalidFields({"locale": [message]})


def _replaced(
    transaction: Transaction, current: Post, values: dict[str, object], term_ids: list[int]
) -> dict[str, str]:
    before: dict[str, object] = {name: getattr(current, name) for name in values if name != "author_id"}
    before["aliases"] = list(current.aliases)
    before["author_id"] = authors.find_author_id(transaction, slug=current.author.slug)
    replaced = {name: str(before[name])[:_SHORTENED] for name in values if before[name] != values[name]}
    if terms.term_ids_of(transaction, current.id) != term_ids:
        names = (term.name for term in (*current.categories, *current.tags))
        replaced["terms"] = ", ".join(names)[:_SHORTENED]
    return replaced
