"""Rows of posts: as posts with their authors and terms, as names, and the columns that are derived from a body.

The statements are written by hand: reads of posts are most of what the API answers, and building a query each time took
longer than running it. Authors and terms are few and come with every post, so they are kept in memory until the
store changes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from sys import intern
from typing import Any, TypeVar

import orjson
from msgspec import Struct

from sitecms.clock import from_microseconds
from sitecms.content.field_value import Fields
from sitecms.content.post import Post
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.authors import first_authors, some_authors
from sitecms.store.entries.terms import first_terms, some_terms
from sitecms.store.models.entries import PostRow
from sitecms.store.sql import JSON_NUMBERS, Statement

KEPT_AT_MOST = 5_000
KEPT_BYTES_EACH = 600
NO_FIELDS: Fields = {}
PRESENT = "post.deleted_at IS NULL"
SHOWN = PRESENT + " AND post.status = 'published'"
T = TypeVar("T")
_COLUMNS = """
SELECT post.id, post.group_id, post.locale, post.slug, post.title, post.status, post.author_id, post.created_at,
 post.updated_at, post.published_at, post.scheduled_at, post.featured_image, post.featured_image_alt, {body},
 post.summary, post.seo_title, post.meta_description, post.aliases_json, post.reading_minutes, post.body_digest,
 post.body_media,
 (SELECT string_agg(CAST(term_id AS TEXT), ' ' ORDER BY position) FROM post_term WHERE post_id = post.id),
 (SELECT path || '\n' || guid FROM post_address WHERE post_id = post.id),
 (SELECT fields_json FROM post_fields WHERE post_id = post.id)"""
WHOLE_ROW = _COLUMNS.format(body="post.body")
_WITH_BODY = WHOLE_ROW + "\nFROM post "
_WITHOUT_BODY = _COLUMNS.format(body="''") + "\nFROM post "  # the bulk of a row: not even read
_CATEGORY, _TAG = TermKind.CATEGORY, TermKind.TAG
_STATUSES = {status.value: status for status in Status}
_STATES = "SELECT id, slug, locale, status, deleted_at FROM post WHERE id IN " + JSON_NUMBERS + " ORDER BY id"
DERIVED_COLUMNS = ("reading_minutes", "body_digest", "body_media")
_BODIES = f"SELECT id, slug, body, {', '.join(DERIVED_COLUMNS)} FROM post WHERE id > ? ORDER BY id LIMIT 200"


def read_posts(session: Session, matching: Statement, *values: object, with_body: bool = True) -> tuple[Post, ...]:
    """Return the posts of a constant `WHERE ... ORDER BY ...`, whatever their status."""
    return posts_of_rows(session, session.sql(_selection(matching, with_body), *values))


def posts_of_rows(session: Session, rows: Sequence[tuple[Any, ...]]) -> tuple[Post, ...]:
    """Return the posts of rows that begin with the columns of `WHOLE_ROW`."""
    if not rows:
        return ()
    term_ids = [[*map(int, row[21].split())] if row[21] else () for row in rows]
    terms = _known(session, {each for ids in term_ids for each in ids}, first_terms, some_terms)
    authors = _known(session, {row[6] for row in rows}, first_authors, some_authors)
    posts = []
    for row, ids in zip(rows, term_ids, strict=True):
        created_at = from_microseconds(row[7])
        updated_at = created_at if row[8] == row[7] else from_microseconds(row[8])  # often one and the same
        path, guid = row[22].split("\n") if row[22] else ("", "")
        own_terms = [terms[each] for each in ids]
        posts.append(
            Post(
                id=row[0],
                group_id=row[0] if row[0] == row[1] else row[1],  # one number, not two
                locale=intern(row[2]),
                slug=row[3],
                title=row[4],
                status=_STATUSES[row[5]],
                author=authors[row[6]],
                created_at=created_at,
                updated_at=updated_at,
                published_at=_published_at(row[9], row[7], created_at),
                scheduled_at=None if row[10] is None else from_microseconds(row[10]),
                categories=tuple([term for term in own_terms if term.kind is _CATEGORY]),
                tags=tuple([term for term in own_terms if term.kind is _TAG]),
                featured_image=row[11],
                featured_image_alt=row[12],
                body=row[13],
                summary=row[14],
                seo_title=row[15],
                meta_description=row[16],
                aliases=tuple(orjson.loads(row[17])) if row[17] != "[]" else (),
                reading_minutes=row[18],
                body_digest=row[19],
                body_media=tuple(row[20].split()) if row[20] else (),
                path=path,
                guid=guid,
                fields=orjson.loads(row[23]) if row[23] else NO_FIELDS,
            )
        )
    return tuple(posts)


def find_fields(session: Session, post_id: int) -> Fields:
    """Return the stored values of the fields of a post; none of a post that does not exist."""
    row = session.sql_row("SELECT fields_json FROM post_fields WHERE post_id = ?", post_id)
    return orjson.loads(row[0]) if row else NO_FIELDS


@lru_cache(256)
def _selection(matching: Statement, with_body: bool) -> Statement:
    """Return the statement, always the same object, by which the driver finds the prepared one."""
    return (_WITH_BODY if with_body else _WITHOUT_BODY) + matching


def _published_at(value: int | None, created: int, created_at: datetime) -> datetime | None:
    if value == created:
        return created_at
    return None if value is None else from_microseconds(value)


def _known(
    session: Session,
    ids: set[int],
    first: Callable[[Session, int], Mapping[int, T]],
    some: Callable[[Session, Collection[int]], Mapping[int, T]],
) -> Mapping[int, T]:
    """Return the values of these ids, and maybe more: the first thousands are cached, the others are read."""
    kept: Mapping[int, T] = {}
    if session.has_cache:
        kept = session.cached(first, lambda: first(session, KEPT_AT_MOST), lambda all_: len(all_) * KEPT_BYTES_EACH)
    if ids <= kept.keys():
        return kept
    return {**kept, **some(session, ids - kept.keys())}


class PostName(Struct, frozen=True):
    """Id, slug and locale of a post."""

    id: int
    slug: str
    locale: str


def get_post_name(session: Session, post_id: int) -> PostName:
    """Return the name of the post of that id, published or not. Raises NotFound."""
    row = session.sql_row("SELECT id, slug, locale FROM post WHERE id = ? AND deleted_at IS NULL", post_id)
    if row is None:
        raise NotFound("Not found.")
    return PostName(*row)


class PostStatus(Struct, frozen=True):
    """The name of a post, its status, and whether it is in the trash."""

    name: PostName
    status: Status
    is_in_trash: bool


def find_post_states(session: Session, ids: Sequence[int]) -> tuple[PostStatus, ...]:
    """Return the states of these posts, by id, of those in the trash too."""
    rows = session.sql(_STATES, orjson.dumps(list(ids)).decode()) if ids else []
    return tuple(PostStatus(PostName(*row[:3]), Status(row[3]), row[4] is not None) for row in rows)


def each_post(session: Session) -> Iterator[tuple[int, str, dict[str, object], str]]:
    """Yield (id, slug, derived columns by name, body) of all posts, in the trash or not, 200 in memory at a time."""
    last = 0
    while rows := session.sql(_BODIES, last):
        for post_id, slug, body, *held in rows:
            yield post_id, slug, dict(zip(DERIVED_COLUMNS, held, strict=True)), body
        last = rows[-1][0]


def set_columns(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Store derived columns; the post and the time of its update stay as they are."""
    transaction.run(PostRow.update(**values).where(PostRow.id == post_id))


def update_row(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Change columns of a post's own row."""
    fields = PostRow._meta.fields
    stored = [fields[name].db_value(value) for name, value in values.items()]
    transaction.sql(_update(tuple(values)), *stored, post_id)


@cache
def _update(names: tuple[str, ...]) -> str:
    columns = ", ".join(f"{PostRow._meta.fields[name].column_name} = ?" for name in names)
    return f"UPDATE post SET {columns} WHERE id = ?"
