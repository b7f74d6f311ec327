"""What tests read of a store by what they know: a post by its slug, the found posts of a search, rows by SQL."""

from typing import Any

from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntrySearch, Ranked, Results, Window
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.store.database import Database, Session
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.search.queries import search
from sitecms.store.sql import Statement


def get_post(session: Session, slug: str, *, preview: bool = False) -> Entry:
    """The post of that slug, in any locale; only a published one without `preview`. Raises NotFound."""
    post_id = find_named(session, EntryKind.POST, "", slug)
    post = None if post_id is None else VERSIONS[EntryKind.POST].get(session, post_id)
    if post is None or not (preview or post.status is Status.PUBLISHED):
        raise NotFound("Not found.")
    return post


def found_entries(
    session: Session, text: str, window: Window, kind: EntryKind = EntryKind.POST, *, locale: str = "en"
) -> Results[Ranked[Entry]]:
    """The entries that a search finds, best match first."""
    found = search(session, EntrySearch(kind, locale, text), window)
    entries = VERSIONS[kind].of_versions(session, [match.entry for match in found.entries], with_body=True)
    return Results(found.count, tuple(Ranked(entries[match.entry], match.rank) for match in found.entries))


def select(store: Database, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a statement that reads, in a transaction of its own."""
    with store.reading() as session:
        return session.sql(statement, *values)


def execute(store: Database, statement: Statement, *values: object) -> None:
    """Run a statement that writes, in a transaction of its own."""
    with store.writing() as transaction:
        transaction.sql(statement, *values)
