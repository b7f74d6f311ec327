"""Lists of posts for editors: of any status, the last changed first, with filters, search and numbers by status.

Titles and slugs are searched in drafts too, bodies in published posts alone: only these are in the search index.
"""

from array import array
from collections import Counter
from collections.abc import Mapping

import orjson
from msgspec import Struct

from sitecms.content.post import Post
from sitecms.content.query import Results, Window
from sitecms.content.search_text import query_words, text_filter
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.store.database import Session
from sitecms.store.entries.posts import posts_by_id
from sitecms.store.search.queries import match_expression
from sitecms.store.sql import JSON_NUMBERS, Sql

MAX_TEXT_LENGTH = 200
_LAST_CHANGED = " ORDER BY post.updated_at DESC, post.id DESC"
_FOUND = Sql(
    sqlite="SELECT rowid FROM post_search WHERE post_search MATCH ?",
    postgres="SELECT rowid FROM post_search WHERE words @@ (SELECT matching(?))",
)
_HAS_TERM = """post.id IN (SELECT post_id FROM post_term JOIN term ON term.id = term_id
 WHERE term.kind = ? AND term.slug = ?)"""
_CHANGED = "SELECT post_id FROM working_copy WHERE post_id IN " + JSON_NUMBERS


class PostListing(Struct, frozen=True):
    """The posts of a list; "" means any. With `own_author`, drafts are those of this author (slug) alone."""

    text: str = ""
    status: str = ""
    locale: str = ""
    author: str = ""
    category: str = ""
    tag: str = ""
    own_author: str | None = None


class ListedPost(Struct, frozen=True):
    """A post of a list, without its body; `has_changes` if there is a draft over the published version."""

    post: Post
    has_changes: bool


def list_posts(session: Session, listing: PostListing, window: Window) -> Results[ListedPost]:
    """Return the posts of a list, the last changed first, and their number."""
    ids = session.cached(("post listing", listing), lambda: _ids(session, listing), lambda found: 8 * len(found))
    shown = list(ids[window.offset : window.offset + window.limit])
    posts = posts_by_id(session, shown, with_body=False)
    changed = {row[0] for row in session.sql(_CHANGED, orjson.dumps(shown).decode())}
    return Results(len(ids), tuple(ListedPost(posts[each], each in changed) for each in shown))


class PostVariant(Struct, frozen=True):
    """A post of a locale group."""

    id: int
    locale: str


def find_variants(session: Session, group_id: int) -> tuple[PostVariant, ...]:
    """Return the posts of a locale group, by locale."""
    rows = session.sql(
        "SELECT id, locale FROM post WHERE group_id = ? AND deleted_at IS NULL ORDER BY locale", group_id
    )
    return tuple(PostVariant(row[0], row[1]) for row in rows)


def count_by_status(session: Session, own_author: str | None = None) -> Mapping[Status, int]:
    """Return the number of posts of each status; with `own_author`, drafts of this author alone."""
    condition, values = readable_posts(own_author)
    rows = session.sql(
        f"SELECT status, count(*) FROM post WHERE deleted_at IS NULL{condition} GROUP BY status", *values
    )
    return Counter({Status(status): int(count) for status, count in rows})


def _ids(session: Session, listing: PostListing) -> "array[int]":
    condition, values = readable_posts(listing.own_author)
    conditions = ["post.deleted_at IS NULL" + condition]
    for column, value in (("status", listing.status), ("locale", listing.locale)):
        if value:
            conditions.append(f"post.{column} = ?")
            values.append(value)
    if listing.author:
        conditions.append("post.author_id = (SELECT id FROM author WHERE slug = ?)")
        values.append(listing.author)
    for kind, slug in ((TermKind.CATEGORY, listing.category), (TermKind.TAG, listing.tag)):
        if slug:
            conditions.append(_HAS_TERM)
            values += [kind.value, slug]
    where = f" FROM post WHERE {' AND '.join(conditions)}{_LAST_CHANGED}"
    text = listing.text[:MAX_TEXT_LENGTH]
    if not text.strip():
        return array("q", [row[0] for row in session.sql(f"SELECT post.id{where}", *values)])
    searched, has_words = query_words(text), text_filter(text)
    found = {row[0] for row in session.sql(_FOUND, match_expression(searched))} if searched else set()
    rows = session.sql(f"SELECT post.id, post.title || ' ' || post.slug{where}", *values)
    return array("q", [row[0] for row in rows if row[0] in found or has_words(row[1])])


def readable_posts(own_author: str | None) -> tuple[str, list[str]]:
    """Return the condition of posts that a user may read, and its values; with `own_author`, drafts of it alone."""
    if own_author is None:
        return "", []
    return " AND (post.status = 'published' OR post.author_id = (SELECT id FROM author WHERE slug = ?))", [own_author]
