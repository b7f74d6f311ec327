"""Lists of posts for editors: of any status, sorted by a column, with filters, search and numbers by status.

Titles and slugs are searched in drafts too, bodies in published posts alone: only these are in the search index.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson
from msgspec import Struct
from peewee import SQL, Tuple, fn

from sitecms.clock import from_microseconds
from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Results, Window
from sitecms.content.review import ReviewState
from sitecms.content.search_text import query_words, text_filter
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.store.database import Session
from sitecms.store.entries.authors import is_of_author
from sitecms.store.entries.entry_tables import IS_VERSION, POSTS
from sitecms.store.entries.reviews import posts_in_review
from sitecms.store.entries.terms import has_term
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.entries.working_copies import IS_COPY
from sitecms.store.listings.sorting import NEWEST_CHANGES, SortColumn, Sorting, sort_entries
from sitecms.store.models.entries import AuthorRow, EntryRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.search.queries import matching_ids
from sitecms.store.sql import json_numbers

MAX_TEXT_LENGTH = 200
_SORTED: Mapping[SortColumn, Any] = {
    SortColumn.TITLE: VersionRow.title, SortColumn.STATUS: VersionRow.status, SortColumn.AUTHOR: VersionRow.author_id,
    SortColumn.PUBLISHED: VersionRow.published_at, SortColumn.CHANGED: VersionRow.updated_at,
}  # fmt: skip


class PostListing(Struct, frozen=True):
    """The posts of a list; "" means any. With `own_author`, drafts are those of this author (slug) alone.

    `review` is the state of a review.
    """

    text: str = ""
    status: str = ""
    locale: str = ""
    author: str = ""
    category: str = ""
    tag: str = ""
    own_author: str | None = None
    review: str = ""
    sorting: Sorting = NEWEST_CHANGES


class ListedPost(Struct, frozen=True):
    """A post of a list, without its body; `has_changes` if there is a draft over the published version."""

    post: Entry
    has_changes: bool


@prepared
def _changed(ids: str) -> Any:
    return VersionRow.select(VersionRow.entry_id).where(VersionRow.entry_id.in_(json_numbers(ids)), IS_COPY)


@prepared
def _group_changes(group_ids: str) -> Any:
    changes = EntryRow.select(EntryRow.group_id, EntryRow.locale, fn.MAX(VersionRow.updated_at).coerce(False))
    is_in_group = EntryRow.group_id.in_(json_numbers(group_ids)) & EntryRow.deleted_at.is_null()
    return changes.join(VersionRow, on=IS_VERSION).where(is_in_group).group_by(EntryRow.group_id, EntryRow.locale)


def find_group_changes(session: Session, group_ids: Iterable[int]) -> Mapping[int, Mapping[str, datetime]]:
    """Return the time of the last change of each post of locale groups, by group and locale."""
    changes: dict[int, dict[str, datetime]] = {}
    for group_id, locale, updated_us in session.rows(_group_changes(orjson.dumps([*group_ids]).decode())):
        changes.setdefault(group_id, {})[locale] = from_microseconds(updated_us)
    return changes


def list_posts(session: Session, listing: PostListing, window: Window) -> Results[ListedPost]:
    """Return the posts of a list, sorted as it says, and their number."""
    if listing.review:  # reviews change without the number of changes
        ids = _ids(session, listing)
    else:
        ids = session.cached(("post listing", listing), lambda: _ids(session, listing), lambda found: 8 * len(found))
    shown = list(ids[window.offset : window.offset + window.limit])
    posts = VERSIONS[EntryKind.POST].of_versions(session, shown).values()
    changed = {row[0] for row in session.rows(_changed(orjson.dumps([post.id for post in posts]).decode()))}
    return Results(len(ids), tuple(ListedPost(post, post.id in changed) for post in posts))


def count_by_status(session: Session, own_author: str | None = None) -> Mapping[Status, int]:
    """Return the number of posts of each status; with `own_author`, drafts of this author alone."""
    counts = VersionRow.select(VersionRow.status, fn.COUNT(SQL("*"))).group_by(VersionRow.status)
    rows = session.rows(counts.where(is_readable(own_author)))
    return Counter({Status(status): int(count) for status, count in rows})


def _ids(session: Session, listing: PostListing) -> "array[int]":
    posts = VersionRow.select(VersionRow.id).where(is_readable(listing.own_author))
    for column, value in ((VersionRow.status, listing.status), (VersionRow.locale, listing.locale)):
        if value:
            posts = posts.where(column == value)
    if listing.author:
        posts = posts.where(is_of_author(listing.author))
    for kind, slug in ((TermKind.CATEGORY, listing.category), (TermKind.TAG, listing.tag)):
        if slug:
            posts = posts.where(has_term(kind, slug))
    if listing.review:
        posts = posts.where(VersionRow.entry_id.in_(posts_in_review(ReviewState(listing.review))))
    posts = posts.order_by(VersionRow.updated_at.desc(), VersionRow.entry_id.desc())
    text, sorting = listing.text[:MAX_TEXT_LENGTH], listing.sorting
    if not text.strip() and sorting == NEWEST_CHANGES:
        return array("q", [row[0] for row in session.rows(posts)])
    rows = session.rows(posts.select_extend(VersionRow.title, VersionRow.slug, _SORTED[sorting.column]))
    if text.strip():
        searched, has_words = query_words(text), text_filter(text)
        found = matching_ids(session, EntryKind.POST, searched) if searched else frozenset()
        rows = [row for row in rows if row[0] in found or has_words(f"{row[1]} {row[2]}")]
    if sorting != NEWEST_CHANGES:
        names = _author_names(session) if sorting.column is SortColumn.AUTHOR else {}
        rows = sort_entries(rows, lambda row: names.get(row[3], row[3]), sorting)
    return array("q", [row[0] for row in rows])


def _author_names(session: Session) -> Mapping[int, str]:
    """Return the name of each author as lists show it, by the id of its row."""
    names = AuthorRow.select(AuthorRow.id, AuthorRow.first_name, AuthorRow.last_name, AuthorRow.slug)
    return {row[0]: Author(row[3], first_name=row[1], last_name=row[2]).name for row in session.rows(names)}


def is_readable(own_author: str | None) -> Any:
    """Return the condition of posts that a user may read; with `own_author`, drafts of this author (slug) alone."""
    if own_author is None:
        return POSTS.is_live
    return POSTS.is_live & ((VersionRow.status == Status.PUBLISHED.value) | is_of_author(own_author))


def is_version_of(*conditions: Any) -> Any:
    """Return the condition of all versions of the posts outside the trash that fulfil conditions."""
    posts = VersionRow.select(VersionRow.kind, VersionRow.entry_id).where(POSTS.is_live, *conditions)
    return Tuple(VersionRow.kind, VersionRow.entry_id).in_(posts)
