"""Rows of posts made into posts, with their authors and terms.

The statements are written by hand: reads of posts are most of what the API answers, and building a query anew took
longer than carrying it out. Authors and terms are few and come with every post, so they are kept in memory until the
store changes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from sys import intern
from typing import TypeVar

import orjson

from sitecms.clock import from_microseconds
from sitecms.content.post import Post
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.store.database import Session
from sitecms.store.entries.authors import first_authors, some_authors
from sitecms.store.entries.terms import first_terms, some_terms
from sitecms.store.sql import Statement

KEPT_AT_MOST = 5_000
KEPT_BYTES_EACH = 600
T = TypeVar("T")
_COLUMNS = """
SELECT post.id, post.group_id, post.locale, post.slug, post.title, post.status, post.author_id, post.created_at,
 post.updated_at, post.published_at, post.scheduled_at, post.featured_image, post.featured_image_alt, {body},
 post.summary, post.seo_title, post.meta_description, post.aliases_json, post.reading_minutes, post.body_digest,
 post.body_media,
 (SELECT string_agg(CAST(term_id AS TEXT), ' ' ORDER BY position) FROM post_term WHERE post_id = post.id)
FROM post """
_WITH_BODY = _COLUMNS.format(body="post.body")
_WITHOUT_BODY = _COLUMNS.format(body="''")  # the bulk of a row: not even read


def read_posts(session: Session, matching: Statement, *values: object, with_body: bool = True) -> tuple[Post, ...]:
    """The posts of a constant `WHERE ... ORDER BY ...`, whatever their status."""
    rows = session.sql(_selection(matching, with_body), *values)
    if not rows:
        return ()
    terms = _known(session, _term_ids(row[21] for row in rows), first_terms, some_terms)
    authors = _known(session, {row[6] for row in rows}, first_authors, some_authors)
    made = []
    for row in rows:
        times = {each: from_microseconds(each) for each in row[7:10] if each is not None}  # often one and the same
        mine = [terms[int(term_id)] for term_id in row[21].split()] if row[21] else ()
        made.append(
            Post(
                id=row[0],
                group_id=row[0] if row[0] == row[1] else row[1],  # one number, not two
                locale=intern(row[2]),
                slug=row[3],
                title=row[4],
                status=_STATUSES[row[5]],
                author=authors[row[6]],
                created_at=times[row[7]],
                updated_at=times[row[8]],
                published_at=times.get(row[9]),
                scheduled_at=None if row[10] is None else from_microseconds(row[10]),
                categories=tuple([term for term in mine if term.kind is _CATEGORY]),
                tags=tuple([term for term in mine if term.kind is _TAG]),
                featured_image=row[11],
                featured_image_alt=row[12],
                body=row[13],
                summary=row[14],
                seo_title=row[15],
                meta_description=row[16],
                aliases=tuple(orjson.loads(row[17])) if row[17] != "[]" else (),
                reading_minutes=row[18],
                body_digest=row[19],
                body_media=tuple(row[20].split()),
            )
        )
    return tuple(made)


@lru_cache(256)
def _selection(matching: Statement, with_body: bool) -> Statement:
    """Put together once: the same text, whose hash the driver has worked out, is found sooner."""
    return (_WITH_BODY if with_body else _WITHOUT_BODY) + matching


_CATEGORY, _TAG = TermKind.CATEGORY, TermKind.TAG  # looking a member up in its class takes longer than comparing
_STATUSES = {status.value: status for status in Status}


def _term_ids(lists: Iterable[str | None]) -> set[int]:
    return {int(term_id) for each in lists if each for term_id in each.split()}


def _known(
    session: Session,
    ids: set[int],
    first: Callable[[Session, int], Mapping[int, T]],
    some: Callable[[Session, Collection[int]], Mapping[int, T]],
) -> Mapping[int, T]:
    """The things of these ids, and maybe more: the first thousands are kept, the others read."""
    kept: Mapping[int, T] = {}
    if session.has_cache:
        kept = session.cached(first, lambda: first(session, KEPT_AT_MOST), lambda all_: len(all_) * KEPT_BYTES_EACH)
    missing = [each for each in ids if each not in kept]
    return {**kept, **some(session, missing)} if missing else kept
