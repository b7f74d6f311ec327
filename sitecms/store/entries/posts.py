"""Lists of posts, single posts with their neighbours, and the newest posts of each author and term."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace
from peewee import fn

from sitecms.content.entry import Entry, PostLink
from sitecms.content.query import PostQuery, Results, Window
from sitecms.content.term import Term, TermKind
from sitecms.content.text.slug import MAX_SLUG_LENGTH
from sitecms.errors import NotFound
from sitecms.store.database import CHANGE_NUMBER, Session
from sitecms.store.entries.authors import is_of_author
from sitecms.store.entries.entry_tables import POSTS
from sitecms.store.entries.terms import has_term
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.models.entries import AuthorRow, TermRow, VersionRow, VersionTermRow
from sitecms.store.prepared import BoundQuery, prepared
from sitecms.store.sql import Sql

_STORED = VERSIONS[POSTS.kind]
_NEIGHBOUR = Sql(
    sqlite="(SELECT json_array(near.slug, near.title, near.featured_image)",
    postgres="(SELECT json_build_array(near.slug, near.title, near.featured_image)::text",
) + (
    " FROM version AS near WHERE near.kind = 'post' AND near.version = 'live' AND near.locale = shown.locale"
    " AND near.deleted_at IS NULL AND near.status = 'published' AND near.published_at "
)
_NEWER = _NEIGHBOUR + (
    ">= shown.published_at AND (near.published_at > shown.published_at OR near.slug < shown.slug)"
    " ORDER BY near.published_at, near.slug DESC LIMIT 1)"
)
_OLDER = _NEIGHBOUR + (
    "<= shown.published_at AND (near.published_at < shown.published_at OR near.slug > shown.slug)"
    " ORDER BY near.published_at DESC, near.slug LIMIT 1)"
)
_BESIDE = f", ({CHANGE_NUMBER}), " + _NEWER + ", " + _OLDER
_BY_SLUG = "entry.type = '' AND entry.slug = ?"
_BY_GROUP = "entry.group_id = ? AND entry.locale = ?"
MAX_RECENT = 10


def find_posts(session: Session, query: PostQuery, window: Window) -> Results[Entry]:
    """Return the posts that match a query, newest published first (drafts by their creation), then by slug."""
    found = find_post_versions(session, query, window)
    posts = _STORED.of_versions(session, found.entries, with_body=query.with_body)
    return Results(found.count, tuple(posts.values()))


def find_post_versions(session: Session, query: PostQuery, window: Window) -> Results[int]:
    """Return the ids of the versions of the posts that `find_posts` returns."""
    if max(map(len, (query.author_slug, query.category_slug, query.tag_slug))) > MAX_SLUG_LENGTH:
        return Results(0, ())  # no slug is so long, and as a key it would fill the cache
    ids = session.cached(
        ("posts", replace(query, with_body=True)),
        lambda: _ids(session, query),
        lambda found: found.itemsize * len(found),
    )
    return Results(len(ids), tuple(ids[window.offset : window.offset + window.limit]))


def _ids(session: Session, query: PostQuery) -> "array[int]":
    """Return the ids of all versions that match a query, in order. They are cached for all pages of the list."""
    slugs = (query.author_slug, query.category_slug, query.tag_slug)
    matching = _matching(*map(bool, slugs), preview=query.preview)
    return array("q", [row[0] for row in session.rows(matching(query.locale, *slugs))])


@cache
def _matching(has_author: bool, has_category: bool, has_tag: bool, *, preview: bool) -> Callable[..., BoundQuery]:
    """Return the query of a list that is filtered by these."""

    @prepared
    def matching(locale: str, author: str, category: str, tag: str) -> Any:
        shown_at: Any = VersionRow.published_at
        if preview:
            shown_at = fn.COALESCE(VersionRow.published_at, VersionRow.created_at)
        posts = VersionRow.select(VersionRow.id).order_by(shown_at.desc(), VersionRow.slug)
        posts = posts.where(POSTS.is_live if preview else POSTS.is_shown, VersionRow.locale == locale)
        if has_author:
            posts = posts.where(is_of_author(author))
        if has_category:
            posts = posts.where(has_term(TermKind.CATEGORY, category))
        return posts.where(has_term(TermKind.TAG, tag)) if has_tag else posts

    return matching


def recent_by_author(session: Session, locale: str, slugs: Sequence[str]) -> dict[str, tuple[Entry, ...]]:
    """Return the ten newest published posts of each of these authors in a locale, by slug, newest first."""
    ranked = (
        _ranked(VersionRow.author_id, locale)
        .join(AuthorRow, on=(AuthorRow.id == VersionRow.author_id))
        .where(AuthorRow.slug.in_(slugs))
    )
    found: dict[str, tuple[Entry, ...]] = {}
    for post in _newest(session, ranked):
        found[post.author.slug] = (*found.get(post.author.slug, ()), post)
    return found


def recent_by_term(session: Session, locale: str, terms: Sequence[Term]) -> dict[Term, tuple[Entry, ...]]:
    """Return the ten newest published posts of each of these terms of one kind in a locale, newest first."""
    found: dict[Term, tuple[Entry, ...]] = dict.fromkeys(terms, ())
    if not terms:
        return found
    ranked = (
        _ranked(VersionTermRow.term_id, locale)
        .join(VersionTermRow, on=(VersionTermRow.version_id == VersionRow.id))
        .join(TermRow, on=(TermRow.id == VersionTermRow.term_id))
        .where(TermRow.kind == terms[0].kind.value, TermRow.slug.in_([term.slug for term in terms]))
    )
    for post in _newest(session, ranked):
        for term in post.categories + post.tags:
            if term in found and len(found[term]) < MAX_RECENT:  # the post may be listed for another term
                found[term] = (*found[term], post)
    return found


def _ranked(owner: Any, locale: str) -> Any:
    """Return the query of published posts with their rank among the posts of one owner, 1 for the newest."""
    order = [VersionRow.published_at.desc(), VersionRow.slug]
    place = fn.ROW_NUMBER().over(partition_by=[owner], order_by=order)
    ranked = VersionRow.select(VersionRow.id, VersionRow.published_at, VersionRow.slug, place.alias("place"))
    return ranked.where(POSTS.is_shown, VersionRow.locale == locale)


def _newest(session: Session, ranked: Any) -> Iterable[Entry]:
    """Return the newest posts of all owners, newest first."""
    inner = ranked.alias("ranked")
    query = VersionRow.select(inner.c.id).distinct().from_(inner).where(inner.c.place <= MAX_RECENT)
    query = query.select_extend(inner.c.published_at, inner.c.slug).order_by(inner.c.published_at.desc(), inner.c.slug)
    return _STORED.of_versions(session, [row[0] for row in session.rows(query)], with_body=True).values()


class PostInOrder(Struct, frozen=True):
    """A post, and the next newer and the next older published post of its locale.

    The statement reads the store's change number too, so that a database server is asked once for a response.
    """

    post: Entry
    newer: PostLink | None
    older: PostLink | None


def get_post_in_order(session: Session, slug: str, *, preview: bool = False) -> PostInOrder:
    """Return the post of that slug, in any locale, with its neighbours. Raises NotFound."""
    return _get_in_order(session, _BY_SLUG, slug, preview=preview)


def get_sibling_in_order(session: Session, group_id: int, locale: str, *, preview: bool = False) -> PostInOrder:
    """Return the variant of a locale group in a locale, with its neighbours. Raises NotFound."""
    return _get_in_order(session, _BY_GROUP, group_id, locale, preview=preview)


def _get_in_order(session: Session, named: str, *values: object, preview: bool) -> PostInOrder:
    rows = session.sql(_STORED.select(_in_order(named, preview), with_body=True, beside=_BESIDE), *values)
    if not rows:
        raise NotFound("Not found.")
    number, newer, older = rows[0][-3:]
    session.learn_change_number(number)
    (post,) = _STORED.entries(session, rows).values()
    return PostInOrder(post, _link(newer), _link(older))


@cache
def _in_order(named: str, preview: bool) -> str:
    return f"{named} AND {POSTS.visible_by_hand(preview=preview)}"


def _link(text: str | None) -> PostLink | None:
    return PostLink(*orjson.loads(text)) if text else None
