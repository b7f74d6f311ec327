"""What tests read of a store by what they know: a post by its slug, the found posts of a search, rows by SQL."""

from typing import Any

from sitecms.content.entry import Entry
from sitecms.content.query import PostSearch, Ranked, Results, Window
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.store.database import Database, Session
from sitecms.store.entries.posts import find_post_id, get_post_by_id, posts_by_id
from sitecms.store.search.queries import search_post_ids
from sitecms.store.sql import Statement


def get_post(session: Session, slug: str, *, preview: bool = False) -> Entry:
    """The post of that slug, in any locale; only a published one without `preview`. Raises NotFound."""
    post_id = find_post_id(session, slug)
    post = None if post_id is None else get_post_by_id(session, post_id)
    if post is None or not (preview or post.status is Status.PUBLISHED):
        raise NotFound("Not found.")
    return post


def search_posts(session: Session, search: PostSearch, window: Window) -> Results[Ranked[Entry]]:
    """The posts that a search finds, best match first."""
    found = search_post_ids(session, search, window)
    posts = posts_by_id(session, [match.entry for match in found.entries])
    return Results(found.count, tuple(Ranked(posts[match.entry], match.rank) for match in found.entries))


def select(store: Database, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a statement that reads, in a transaction of its own."""
    with store.reading() as session:
        return session.sql(statement, *values)


def execute(store: Database, statement: Statement, *values: object) -> None:
    """Run a statement that writes, in a transaction of its own."""
    with store.writing() as transaction:
        transaction.sql(statement, *values)
