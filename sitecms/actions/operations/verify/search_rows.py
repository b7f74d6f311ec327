"""The search index against what is published."""

from collections.abc import Iterator

from sitecms.actions.operations.verify.finding import Finding, FindingKind
from sitecms.actions.references.expand import specs_of
from sitecms.content.search_text import searched_text
from sitecms.content.text.html import plain_text
from sitecms.store.database import Database, Session
from sitecms.store.entries import pages, posts
from sitecms.store.search.integrity import Differences, Text, differences
from sitecms.store.site_state import documents


def search_findings(database: Database, session: Session) -> list[Finding]:
    """Rows missing, too many, and with other words than their entry has. The store of the session is the database."""
    posts_differ = differences(database, session, "post_search", _post_texts(session))
    pages_differ = differences(database, session, "page_search", _page_texts(session))
    return [*_told("post_search", "post", posts_differ), *_told("page_search", "page version", pages_differ)]


def _post_texts(session: Session) -> Iterator[Text]:
    return ((post_id, title, plain_text(body)) for post_id, title, body in posts.published_texts(session))


def _page_texts(session: Session) -> Iterator[Text]:
    schema = documents.load_content_schema(session)
    for page_id in pages.all_page_ids(session):
        for version_id, page in pages.published_versions(session, page_id).items():
            yield version_id, page.title, searched_text(page.fields, specs_of(page, schema), schema)


def _told(table: str, what: str, found: Differences) -> Iterator[Finding]:
    for each in found.extra:
        text = f"no published {what} {each} is there"
        yield Finding(FindingKind.SEARCH_EXTRA, f"{table} row {each}", text, "", True)
    for each in found.missing:
        text = f"the published {what} {each} is not found"
        yield Finding(FindingKind.SEARCH_MISSING, f"{table} row {each}", text, "", True)
    for each in found.stale:
        text = f"the {what} {each} is found by other words than it has"
        yield Finding(FindingKind.SEARCH_STALE, f"{table} row {each}", text, "", True)
