"""Posts: lists, single posts, the newest of each author and term, and changes of rows."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace
from peewee import fn

from sitecms.content.field_value import Fields
from sitecms.content.post import Post, PostLink
from sitecms.content.query import PostQuery, Results, Window
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.content.text.slug import MAX_SLUG_LENGTH
from sitecms.errors import NotFound
from sitecms.store.database import CHANGE_NUMBER, Session, Transaction
from sitecms.store.entries.post_rows import NO_FIELDS, PRESENT, SHOWN, WHOLE_ROW, posts_of_rows, read_posts, update_row
from sitecms.store.models.entries import AuthorRow, PostRow, PostTermRow, TermRow
from sitecms.store.site_state import last_ids
from sitecms.store.sql import JSON_NUMBERS, Sql, Statement

_IS_PRESENT = PostRow.deleted_at.is_null()
_NEWEST = "ORDER BY post.published_at DESC, post.slug"
_CHUNK = 500
_AT_ONCE = 2_000
_LISTED = "WHERE post.id IN " + JSON_NUMBERS
_LISTED_NEWEST = _LISTED + f" {_NEWEST}"
_BODIES = "SELECT id, body FROM post WHERE id IN " + JSON_NUMBERS
_NEIGHBOUR = Sql(
    sqlite="(SELECT json_array(near.slug, near.title, near.featured_image)",
    postgres="(SELECT json_build_array(near.slug, near.title, near.featured_image)::text",
) + (
    " FROM post AS near WHERE near.locale = post.locale AND near.deleted_at IS NULL AND near.status = 'published'"
    " AND near.published_at "
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
_BY_SLUG = "post.slug = ?"
_BY_GROUP = "post.group_id = ? AND post.locale = ?"
_TERM = "(SELECT id FROM term WHERE kind = ? AND slug = ?)"
_BY_TERM = Sql(sqlite="post INDEXED BY post_shown", postgres="post")
_TEXTS = f"""
SELECT id, title, body, fields_json FROM post LEFT JOIN post_fields ON post_id = id
WHERE {SHOWN} AND id > ? ORDER BY id LIMIT ?"""
_PUT_MARKDOWN = """
INSERT INTO post_source (post_id, markdown) VALUES (?, ?)
ON CONFLICT (post_id) DO UPDATE SET markdown = excluded.markdown WHERE post_source.markdown <> excluded.markdown"""
_FIELDS = "fields"
_PUT_FIELDS = """
INSERT INTO post_fields (post_id, fields_json) VALUES (?, ?)
ON CONFLICT (post_id) DO UPDATE SET fields_json = excluded.fields_json
WHERE post_fields.fields_json <> excluded.fields_json"""
_ADDRESS = ("path", "guid")
_FIND_ADDRESS = "SELECT path, guid FROM post_address WHERE post_id = ?"
_PUT_ADDRESS = """
INSERT INTO post_address (post_id, path, guid) VALUES (?, ?, ?)
ON CONFLICT (post_id) DO UPDATE SET path = excluded.path, guid = excluded.guid"""
_KEEP_ADDRESS = """
INSERT INTO former_address SELECT 'post', '', locale, CAST(? AS TEXT), slug, published_at, id FROM post
WHERE id = ? AND published_at IS NOT NULL AND slug NOT LIKE '~%'
ON CONFLICT (kind, place, locale, path, slug, published_at) DO UPDATE SET entry_id = excluded.entry_id"""
MAX_RECENT = 10


def find_posts(session: Session, query: PostQuery, window: Window) -> Results[Post]:
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
    conditions = ["post.locale = ?", PRESENT if query.preview else SHOWN]
    values = [query.locale]
    if query.author_slug:
        conditions.append("post.author_id = (SELECT id FROM author WHERE slug = ?)")
        values.append(query.author_slug)
    for kind, slug in ((TermKind.CATEGORY, query.category_slug), (TermKind.TAG, query.tag_slug)):
        if slug:
            conditions.append(f"post.id IN (SELECT post_id FROM post_term WHERE term_id = {_TERM})")
            values += [kind.value, slug]
    shown_at = "coalesce(post.published_at, post.created_at)" if query.preview else "post.published_at"
    # Posts of a term are spread over the table; this index has all the columns of the query, in a few pages.
    source = _BY_TERM if query.category_slug or query.tag_slug else "post"
    ordered = f" WHERE {' AND '.join(conditions)} ORDER BY {shown_at} DESC, post.slug"
    statement = "SELECT post.id FROM " + source + ordered
    return array("q", [row[0] for row in session.sql(statement, *values)])


def posts_by_id(session: Session, ids: Sequence[int], *, with_body: bool = True) -> dict[int, Post]:
    """Return the posts of these ids, by id. Faster than `posts_of_ids`, since SQLite sorts rows with their bodies."""
    return {post.id: post for post in _of_ids(session, ids, _LISTED, with_body=with_body)}


def _of_ids(session: Session, ids: Sequence[int], listed: Statement, *, with_body: bool) -> tuple[Post, ...]:
    return read_posts(session, listed, orjson.dumps(ids).decode(), with_body=with_body) if ids else ()


def published_posts(session: Session) -> tuple[Post, ...]:
    """Return all published posts of all locales, newest first, without their bodies.

    They are read in parts: rows take more memory than posts, and the engine would sort all of them in memory.
    """
    ids = array("q", [row[0] for row in session.sql(f"SELECT post.id FROM post WHERE {SHOWN} {_NEWEST}")])
    parts = (ids[start : start + _AT_ONCE].tolist() for start in range(0, len(ids), _AT_ONCE))
    return tuple([post for part in parts for post in posts_of_ids(session, part, with_body=False)])


def id_is_taken(session: Session, post_id: int) -> bool:
    """Return whether a post has the id, in the trash or not."""
    return session.sql_row("SELECT 1 FROM post WHERE id = ?", post_id) is not None


def reserve_ids(transaction: Transaction, ids: Sequence[int]) -> None:
    """Reserve these ids: a post that is inserted without an id gets none of them."""
    last_ids.reserve_ids(transaction, "post", ids)


def bodies_of(session: Session, ids: Sequence[int]) -> dict[int, str]:
    """Return the bodies of these posts, by id."""
    listed = orjson.dumps(ids).decode()
    return dict(session.sql(_BODIES, listed))


def posts_of_ids(session: Session, ids: Sequence[int], *, with_body: bool = True) -> tuple[Post, ...]:
    """Return the posts of these ids, newest published first."""
    return _of_ids(session, ids, _LISTED_NEWEST, with_body=with_body)


def count_published(session: Session) -> int:
    """Return the number of published posts of all locales."""
    return int(session.sql(f"SELECT count(*) FROM post WHERE {SHOWN}")[0][0])


def published_texts(session: Session) -> Iterator[tuple[int, str, str, Fields]]:
    """Yield (id, title, body, fields) of all published posts by id, a few hundred in memory at a time."""
    last = 0
    while rows := session.sql(_TEXTS, last, _CHUNK):
        yield from ((row[0], row[1], row[2], orjson.loads(row[3]) if row[3] else NO_FIELDS) for row in rows)
        last = rows[-1][0]


def get_sibling(session: Session, group_id: int, locale: str) -> Post:
    """Return the variant of a locale group in a locale, published or not. Raises NotFound."""
    return _one(session, f"WHERE post.group_id = ? AND post.locale = ? AND {PRESENT}", group_id, locale)


def get_post_by_id(session: Session, post_id: int) -> Post:
    """Return the post of that id, published or not. Raises NotFound."""
    return _one(session, f"WHERE post.id = ? AND {PRESENT}", post_id)


def get_trashed_post(session: Session, post_id: int) -> Post:
    """Return the post of that id in the trash. Raises NotFound."""
    return _one(session, "WHERE post.id = ? AND post.deleted_at IS NOT NULL", post_id)


def _one(session: Session, matching: str, *values: object) -> Post:
    posts = read_posts(session, matching, *values)
    if not posts:
        raise NotFound("Not found.")
    return posts[0]


def find_post_id(session: Session, slug: str) -> int | None:
    """Return the id of the post of that slug, or None."""
    rows = session.sql("SELECT id FROM post WHERE slug = ? AND deleted_at IS NULL", slug)
    return int(rows[0][0]) if rows else None


def find_slug(session: Session, post_id: int) -> str | None:
    """Return the slug of a post; None if it is in the trash."""
    row = session.row(PostRow.select(PostRow.slug).where(PostRow.id == post_id, _IS_PRESENT))
    return str(row[0]) if row else None


def find_group(session: Session, post_id: int) -> tuple[int, str] | None:
    """Return locale group and locale of a post; None if it is in the trash."""
    row = session.row(PostRow.select(PostRow.group_id, PostRow.locale).where(PostRow.id == post_id, _IS_PRESENT))
    return (int(row[0]), str(row[1])) if row else None


def insert_post(transaction: Transaction, values: Mapping[str, object]) -> int:
    """Insert a post and return its id; a `group_id` of 0 makes it the first of its own group."""
    post_id = transaction.insert(PostRow, _columns(values))
    if not values["group_id"]:
        transaction.sql("UPDATE post SET group_id = id WHERE id = ?", post_id)
    if any(values.get(name) for name in _ADDRESS):
        transaction.sql(_PUT_ADDRESS, post_id, *(values.get(name, "") for name in _ADDRESS))
    if values.get(_FIELDS):
        _put_fields(transaction, post_id, values[_FIELDS])
    return post_id


def set_markdown(transaction: Transaction, post_id: int, markdown: str | None) -> None:
    """Set the text that the body was rendered from; None for a body that came as HTML."""
    if markdown is None:
        transaction.sql("DELETE FROM post_source WHERE post_id = ?", post_id)
    else:
        transaction.sql(_PUT_MARKDOWN, post_id, markdown)


def set_markdown_of(transaction: Transaction, texts: Sequence[tuple[int, str]]) -> None:
    """Set the texts that the bodies of new posts were rendered from."""
    transaction.sql_many(_PUT_MARKDOWN, texts)


def find_markdown(session: Session, post_id: int) -> str | None:
    """Return the text that the body was rendered from, or None for a body that came as HTML."""
    row = session.sql_row("SELECT markdown FROM post_source WHERE post_id = ?", post_id)
    return str(row[0]) if row else None


def insert_posts(transaction: Transaction, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert posts with ids and groups of their own, all of them with the same columns."""
    transaction.insert_many(PostRow, tuple(map(_columns, rows)))
    for row in rows:
        if row.get("path") or row.get("guid"):
            transaction.sql(_PUT_ADDRESS, row["id"], row["path"], row["guid"])
        if row.get(_FIELDS):
            _put_fields(transaction, row["id"], row[_FIELDS])


def update_post(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Change columns of a post, and with them its `path`, `guid` and `fields`."""
    if not values.keys().isdisjoint(_ADDRESS):
        _set_address(transaction, post_id, *(str(values.get(name, "")) for name in _ADDRESS))
    if values.get(_FIELDS):
        _put_fields(transaction, post_id, values[_FIELDS])
    elif _FIELDS in values:
        transaction.sql("DELETE FROM post_fields WHERE post_id = ?", post_id)
    update_row(transaction, post_id, _columns(values))


def _columns(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values that are columns of the post's own row."""
    return {name: value for name, value in values.items() if name not in _ADDRESS and name != _FIELDS}


def _put_fields(transaction: Transaction, post_id: object, fields: object) -> None:
    transaction.sql(_PUT_FIELDS, post_id, orjson.dumps(fields).decode())


def _set_address(transaction: Transaction, post_id: int, path: str, guid: str) -> None:
    """Set own path and feed id; keep the former address of a post that was published, as its columns still have it."""
    before = transaction.sql_row(_FIND_ADDRESS, post_id) or ("", "")
    if before == (path, guid):
        return
    if before[0] != path:
        transaction.sql(_KEEP_ADDRESS, before[0], post_id)
    if path or guid:
        transaction.sql(_PUT_ADDRESS, post_id, path, guid)
    else:
        transaction.sql("DELETE FROM post_address WHERE post_id = ?", post_id)


def recent_by_author(session: Session, locale: str, slugs: Sequence[str]) -> dict[str, tuple[Post, ...]]:
    """Return the ten newest published posts of each of these authors in a locale, by slug, newest first."""
    ranked = (
        _ranked(PostRow.author_id, locale)
        .join(AuthorRow, on=(AuthorRow.id == PostRow.author_id))
        .where(AuthorRow.slug.in_(slugs))
    )
    found: dict[str, tuple[Post, ...]] = {}
    for post in posts_of_ids(session, _newest_ids(session, ranked)):
        found[post.author.slug] = (*found.get(post.author.slug, ()), post)
    return found


def recent_by_term(session: Session, locale: str, terms: Sequence[Term]) -> dict[Term, tuple[Post, ...]]:
    """Return the ten newest published posts of each of these terms of one kind in a locale, newest first."""
    found: dict[Term, tuple[Post, ...]] = dict.fromkeys(terms, ())
    if not terms:
        return found
    ranked = (
        _ranked(PostTermRow.term_id, locale)
        .join(PostTermRow, on=(PostTermRow.post_id == PostRow.id))
        .join(TermRow, on=(TermRow.id == PostTermRow.term_id))
        .where(TermRow.kind == terms[0].kind.value, TermRow.slug.in_([term.slug for term in terms]))
    )
    for post in posts_of_ids(session, _newest_ids(session, ranked)):
        for term in post.categories + post.tags:
            if term in found and len(found[term]) < MAX_RECENT:  # the post may be listed for another term
                found[term] = (*found[term], post)
    return found


def _ranked(owner: Any, locale: str) -> Any:
    """Return the query of published post ids with their rank among the posts of one owner, 1 for the newest."""
    order = [PostRow.published_at.desc(), PostRow.slug]
    place = fn.ROW_NUMBER().over(partition_by=[owner], order_by=order)
    return PostRow.select(PostRow.id.alias("post_id"), place.alias("place")).where(
        PostRow.locale == locale, PostRow.status == Status.PUBLISHED.value, PostRow.deleted_at.is_null()
    )


def _newest_ids(session: Session, ranked: Any) -> list[int]:
    inner = ranked.alias("ranked")
    query = PostRow.select(inner.c.post_id).from_(inner).where(inner.c.place <= MAX_RECENT)
    return [row[0] for row in session.rows(query)]


class PostInOrder(Struct, frozen=True):
    """A post, and the next newer and the next older published post of its locale.

    The statement reads the store's change number too, so that a database server is asked once for a response.
    """

    post: Post
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
    return _COLUMNS + f"\nFROM post WHERE {matching} AND {PRESENT if preview else SHOWN}"


def _link(text: str | None) -> PostLink | None:
    return PostLink(*orjson.loads(text)) if text else None
