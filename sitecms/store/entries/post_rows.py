"""Rows of posts: as posts with their authors and terms, as names, and the columns that are derived from a body.

The statement of a whole row is written by hand: reads of posts are most of what the API answers, and Peewee would
convert each value on its own. Authors and terms are few and come with every post, so they are kept in memory until the
store changes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from sys import intern
from typing import Any, TypeVar

import orjson
from msgspec import Struct

from sitecms.clock import from_microseconds
from sitecms.content.addresses import NO_ADDRESSES, read_addresses
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import TermKind
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.authors import first_authors, some_authors
from sitecms.store.entries.entry_rows import DERIVED_COLUMNS
from sitecms.store.entries.live_posts import IS_POST, IS_PRESENT
from sitecms.store.entries.terms import first_terms, some_terms
from sitecms.store.models.entries import VersionBodyRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.sql import Statement, json_numbers

KEPT_AT_MOST = 5_000
KEPT_BYTES_EACH = 600
NO_FIELDS: Fields = {}
_EMPTY = "{}"
_CHUNK = 200
_NAME = (VersionRow.entry_id, VersionRow.slug, VersionRow.locale)
T = TypeVar("T")
_COLUMNS = """
SELECT post.entry_id, entry.group_id, post.locale, post.slug, post.title, post.status, post.author_id, post.created_at,
 post.updated_at, post.published_at, post.scheduled_at, post.featured_image, post.featured_image_alt, {body},
 post.summary, post.seo_title, post.meta_description, entry.addresses_json, post.fields_json, post.reading_minutes,
 post.body_digest, post.body_media,
 (SELECT string_agg(CAST(term_id AS TEXT), ' ' ORDER BY position) FROM version_term WHERE version_id = post.id)"""
WHOLE_ROW = _COLUMNS.format(body="(SELECT html FROM version_body WHERE version_id = post.id)")
FROM_POSTS = "\nFROM version AS post JOIN entry ON entry.kind = 'post' AND entry.id = post.entry_id "
_WITH_BODY = WHOLE_ROW + FROM_POSTS
_WITHOUT_BODY = _COLUMNS.format(body="''") + FROM_POSTS  # the bulk of a post: not even read
_CATEGORY, _TAG = TermKind.CATEGORY, TermKind.TAG
_POST, _LIVE = EntryKind.POST, Version.LIVE
_STATUSES = {status.value: status for status in Status}
_DERIVED = tuple(getattr(VersionRow, name) for name in DERIVED_COLUMNS)


def read_posts(session: Session, matching: Statement, *values: object, with_body: bool = True) -> tuple[Entry, ...]:
    """Return the posts of a constant `WHERE ... ORDER BY ...`, whatever their status."""
    return posts_of_rows(session, session.sql(_selection(matching, with_body), *values))


def posts_of_rows(session: Session, rows: Sequence[tuple[Any, ...]]) -> tuple[Entry, ...]:
    """Return the posts of rows that begin with the columns of `WHOLE_ROW`."""
    if not rows:
        return ()
    term_ids = [[*map(int, row[22].split())] if row[22] else () for row in rows]
    terms = _known(session, {each for ids in term_ids for each in ids}, first_terms, some_terms)
    authors = _known(session, {row[6] for row in rows}, first_authors, some_authors)
    posts = []
    for row, ids in zip(rows, term_ids, strict=True):
        created_at = from_microseconds(row[7])
        updated_at = created_at if row[8] == row[7] else from_microseconds(row[8])  # often one and the same
        addresses = read_addresses(orjson.loads(row[17])) if row[17] != _EMPTY else NO_ADDRESSES
        own_terms = [terms[each] for each in ids]
        posts.append(
            Entry(
                kind=_POST,
                id=row[0],
                type="",
                version=_LIVE,
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
                addresses=addresses,
                reading_minutes=row[19],
                body_digest=row[20],
                body_media=tuple(row[21].split()) if row[21] else (),
                fields=orjson.loads(row[18]) if row[18] != _EMPTY else NO_FIELDS,
            )
        )
    return tuple(posts)


@prepared
def _fields(post_id: int) -> Any:
    return VersionRow.select(VersionRow.fields).where(VersionRow.entry_id == post_id, IS_POST)


def find_fields(session: Session, post_id: int) -> Fields:
    """Return the stored values of the fields of a post; none of a post that does not exist."""
    row = session.row(_fields(post_id))
    return row[0] if row else NO_FIELDS


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


@prepared
def _name(post_id: int) -> Any:
    return VersionRow.select(*_NAME).where(VersionRow.entry_id == post_id, IS_PRESENT)


class PostStatus(Struct, frozen=True):
    """The name of a post, its status, and whether it is in the trash."""

    name: PostName
    status: Status
    is_in_trash: bool


@prepared
def _states(ids: str) -> Any:
    states = VersionRow.select(*_NAME, VersionRow.status, VersionRow.deleted_at)
    return states.where(VersionRow.entry_id.in_(json_numbers(ids)), IS_POST).order_by(VersionRow.entry_id)


def find_post_states(session: Session, ids: Sequence[int]) -> tuple[PostStatus, ...]:
    """Return the states of these posts, by id, of those in the trash too."""
    rows = session.rows(_states(orjson.dumps(list(ids)).decode())) if ids else []
    return tuple(PostStatus(PostName(*row[:3]), Status(row[3]), row[4] is not None) for row in rows)


@prepared
def _bodies_after(post_id: int) -> Any:
    bodies = VersionRow.select(VersionRow.entry_id, VersionRow.slug, VersionBodyRow.html, *_DERIVED)
    bodies = bodies.join(VersionBodyRow, on=VersionBodyRow.version_id == VersionRow.id)
    return bodies.where(IS_POST, VersionRow.entry_id > post_id).order_by(VersionRow.entry_id).limit(_CHUNK)


def each_post(session: Session) -> Iterator[tuple[int, str, dict[str, object], str]]:
    """Yield (id, slug, derived columns by name, body) of all posts, in the trash or not, 200 in memory at a time."""
    last = 0
    while rows := session.rows(_bodies_after(last)):
        for post_id, slug, body, *held in rows:
            yield post_id, slug, dict(zip(DERIVED_COLUMNS, held, strict=True)), body
        last = rows[-1][0]


def set_columns(transaction: Transaction, post_id: int, values: Mapping[str, object]) -> None:
    """Store columns of the version of a post; its entry stays as it is."""
    transaction.run(VersionRow.update(**values).where(VersionRow.entry_id == post_id, IS_POST))
