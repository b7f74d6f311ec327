"""Posts: lists, single posts, the newest of each author and term, and changes of rows."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace
from peewee import fn

from sitecms.content.entry import Entry, PostLink
from sitecms.content.field_value import Fields
from sitecms.content.query import PostQuery, Results, Window
from sitecms.content.term import Term, TermKind
from sitecms.content.text.slug import MAX_SLUG_LENGTH
from sitecms.errors import NotFound
from sitecms.store.database import CHANGE_NUMBER, Session
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.live_posts import (
    IS_POST,
    IS_PRESENT,
    IS_SHOWN,
    LIVE,
    POSTS,
    PRESENT,
    SHOWN,
)
from sitecms.store.entries.post_rows import FROM_POSTS, WHOLE_ROW, posts_of_rows, read_posts
from sitecms.store.models.entries import (
    AuthorRow,
    TermRow,
    VersionBodyRow,
    VersionRow,
    VersionTermRow,
)
from sitecms.store.prepared import BoundQuery, prepared
from sitecms.store.sql import JSON_NUMBERS, Sql, Statement, is_among, json_numbers

_IS_BODY = VersionBodyRow.version_id == VersionRow.id
_NEWEST = "ORDER BY post.published_at DESC, post.slug"
_CHUNK = 500
_AT_ONCE = 2_000
_LISTED = f"WHERE {LIVE} AND post.entry_id IN " + JSON_NUMBERS
_LISTED_NEWEST = _LISTED + f" {_NEWEST}"
_NEIGHBOUR = Sql(
    sqlite="(SELECT json_array(near.slug, near.title, near.featured_image)",
    postgres="(SELECT json_build_array(near.slug, near.title, near.featured_image)::text",
) + (
    " FROM version AS near WHERE near.kind = 'post' AND near.version = 'live' AND near.locale = post.locale"
    " AND near.deleted_at IS NULL AND near.status = 'published' AND near.published_at "
)
_NEWER = _NEIGHBOUR + (
    ">= post.published_at AND (near.published_at > post.published_at OR near.slug < post.slug)"
    " ORDER BY near.published_at, near.slug DESC LIMIT 1)"
)
_OLDER = _NEIGHBOUR + (
    "<= post.published_at AND (near.published_at < post.published_at OR near.slug > post.slug)"
    " ORDER BY near.published_at DESC, near.slug LIMIT 1)"
)
_COLUMNS = f"{WHOLE_ROW}, ({CHANGE_NUMBER}), " + _NEWER + ", " + _OLDER
_BY_SLUG = "entry.type = '' AND entry.slug = ? AND entry.deleted_at IS NULL"
_BY_GROUP = "entry.group_id = ? AND entry.locale = ? AND entry.deleted_at IS NULL"
MAX_RECENT = 10


def find_posts(session: Session, query: PostQuery, window: Window) -> Results[Entry]:
    """Return the posts that match a query, newest published first (drafts by their creation), then by slug."""
    found = find_post_ids(session, query, window)
    posts = posts_by_id(session, found.entries, with_body=query.with_body)
    return Results(found.count, tuple([posts[post_id] for post_id in found.entries]))


def find_post_ids(session: Session, query: PostQuery, window: Window) -> Results[int]:
    """Return the ids of the posts that `find_posts` returns."""
    if max(map(len, (query.author_slug, query.category_slug, query.tag_slug))) > MAX_SLUG_LENGTH:
        return Results(0, ())  # no slug is so long, and as a key it would fill the cache
    ids = session.cached(
        ("posts", replace(query, with_body=True)),
        lambda: _ids(session, query),
        lambda found: found.itemsize * len(found),
    )
    return Results(len(ids), tuple(ids[window.offset : window.offset + window.limit]))


def _ids(session: Session, query: PostQuery) -> "array[int]":
    """Return the ids of all posts that match a query, in order. They are cached for all pages of the list."""
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
        posts = VersionRow.select(VersionRow.entry_id).order_by(shown_at.desc(), VersionRow.slug)
        posts = posts.where(IS_PRESENT if preview else IS_SHOWN, VersionRow.locale == locale)
        if has_author:
            posts = posts.where(VersionRow.author_id == AuthorRow.select(AuthorRow.id).where(AuthorRow.slug == author))
        for kind, slug, is_asked in ((TermKind.CATEGORY, category, has_category), (TermKind.TAG, tag, has_tag)):
            if is_asked:
                term = TermRow.select(TermRow.id).where(TermRow.kind == kind, TermRow.slug == slug)
                of_term = VersionTermRow.select(VersionTermRow.version_id).where(VersionTermRow.term_id == term)
                posts = posts.where(is_among(VersionRow.id, of_term))
        return posts

    return matching


def posts_by_id(session: Session, ids: Sequence[int], *, with_body: bool = True) -> dict[int, Entry]:
    """Return the posts of these ids, by id. Faster than `posts_of_ids`, since SQLite sorts rows with their bodies."""
    return {post.id: post for post in _of_ids(session, ids, _LISTED, with_body=with_body)}


def _of_ids(session: Session, ids: Sequence[int], listed: Statement, *, with_body: bool) -> tuple[Entry, ...]:
    return read_posts(session, listed, orjson.dumps(ids).decode(), with_body=with_body) if ids else ()


def published_posts(session: Session) -> tuple[Entry, ...]:
    """Return all published posts of all locales, newest first, without their bodies.

    They are read in parts: rows take more memory than posts, and the engine would sort all of them in memory.
    """
    newest = VersionRow.select(VersionRow.entry_id).order_by(VersionRow.published_at.desc(), VersionRow.slug)
    ids = array("q", [row[0] for row in session.rows(newest.where(IS_SHOWN))])
    parts = (ids[start : start + _AT_ONCE].tolist() for start in range(0, len(ids), _AT_ONCE))
    return tuple([post for part in parts for post in posts_of_ids(session, part, with_body=False)])


@prepared
def _bodies(ids: str) -> Any:
    bodies = VersionRow.select(VersionRow.entry_id, VersionBodyRow.html).join(VersionBodyRow, on=_IS_BODY)
    return bodies.where(IS_POST, VersionRow.entry_id.in_(json_numbers(ids)))


def bodies_of(session: Session, ids: Sequence[int]) -> dict[int, str]:
    """Return the bodies of these posts, by id."""
    return dict(session.rows(_bodies(orjson.dumps(ids).decode())))


def posts_of_ids(session: Session, ids: Sequence[int], *, with_body: bool = True) -> tuple[Entry, ...]:
    """Return the posts of these ids, newest published first."""
    return _of_ids(session, ids, _LISTED_NEWEST, with_body=with_body)


def count_published(session: Session) -> int:
    """Return the number of published posts of all locales."""
    return session.count(VersionRow.select().where(IS_SHOWN))


@prepared
def _texts(last: int) -> Any:
    texts = VersionRow.select(VersionRow.entry_id, VersionRow.title, VersionBodyRow.html, VersionRow.fields)
    texts = texts.join(VersionBodyRow, on=_IS_BODY).where(IS_SHOWN, VersionRow.entry_id > last)
    return texts.order_by(VersionRow.entry_id).limit(_CHUNK)


def published_texts(session: Session) -> Iterator[tuple[int, str, str, Fields]]:
    """Yield (id, title, body, fields) of all published posts by id, a few hundred in memory at a time."""
    last = 0
    while rows := session.rows(_texts(last)):
        yield from rows
        last = rows[-1][0]


def get_sibling(session: Session, group_id: int, locale: str) -> Entry:
    """Return the variant of a locale group in a locale, published or not. Raises NotFound."""
    return _one(session, f"WHERE {_BY_GROUP} AND {PRESENT}", group_id, locale)


def get_post_by_id(session: Session, post_id: int) -> Entry:
    """Return the post of that id, published or not. Raises NotFound."""
    return _one(session, f"WHERE post.entry_id = ? AND {PRESENT}", post_id)


def get_trashed_post(session: Session, post_id: int) -> Entry:
    """Return the post of that id in the trash. Raises NotFound."""
    return _one(session, f"WHERE post.entry_id = ? AND {LIVE} AND post.deleted_at IS NOT NULL", post_id)


def _one(session: Session, matching: str, *values: object) -> Entry:
    posts = read_posts(session, matching, *values)
    if not posts:
        raise NotFound("Not found.")
    return posts[0]


def find_post_id(session: Session, slug: str) -> int | None:
    """Return the id of the post of that slug, or None."""
    return find_named(session, POSTS.kind, "", slug)


@prepared
def _markdown(post_id: int) -> Any:
    of_post = (VersionRow.entry_id == post_id) & IS_POST
    return VersionBodyRow.select(VersionBodyRow.markdown).join(VersionRow, on=_IS_BODY).where(of_post)


def find_markdown(session: Session, post_id: int) -> str | None:
    """Return the text that the body was rendered from, or None for a body that came as HTML."""
    row = session.row(_markdown(post_id))
    return row[0] if row else None


def recent_by_author(session: Session, locale: str, slugs: Sequence[str]) -> dict[str, tuple[Entry, ...]]:
    """Return the ten newest published posts of each of these authors in a locale, by slug, newest first."""
    ranked = (
        _ranked(VersionRow.author_id, locale)
        .join(AuthorRow, on=(AuthorRow.id == VersionRow.author_id))
        .where(AuthorRow.slug.in_(slugs))
    )
    found: dict[str, tuple[Entry, ...]] = {}
    for post in posts_of_ids(session, _newest_ids(session, ranked)):
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
    for post in posts_of_ids(session, _newest_ids(session, ranked)):
        for term in post.categories + post.tags:
            if term in found and len(found[term]) < MAX_RECENT:  # the post may be listed for another term
                found[term] = (*found[term], post)
    return found


def _ranked(owner: Any, locale: str) -> Any:
    """Return the query of published post ids with their rank among the posts of one owner, 1 for the newest."""
    order = [VersionRow.published_at.desc(), VersionRow.slug]
    place = fn.ROW_NUMBER().over(partition_by=[owner], order_by=order)
    ranked = VersionRow.select(VersionRow.entry_id.alias("post_id"), place.alias("place"))
    return ranked.where(IS_SHOWN, VersionRow.locale == locale)


def _newest_ids(session: Session, ranked: Any) -> list[int]:
    inner = ranked.alias("ranked")
    query = VersionRow.select(inner.c.post_id).from_(inner).where(inner.c.place <= MAX_RECENT)
    return [row[0] for row in session.rows(query)]


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


def _get_in_order(session: Session, matching: str, *values: object, preview: bool) -> PostInOrder:
    rows = session.sql(_selection(matching, preview), *values)
    if not rows:
        raise NotFound("Not found.")
    number, newer, older = rows[0][-3:]
    session.learn_change_number(number)
    return PostInOrder(posts_of_rows(session, rows)[0], _link(newer), _link(older))


@cache
def _selection(matching: str, preview: bool) -> Sql:
    return _COLUMNS + FROM_POSTS + f"WHERE {matching} AND {PRESENT if preview else SHOWN}"


def _link(text: str | None) -> PostLink | None:
    return PostLink(*orjson.loads(text)) if text else None
