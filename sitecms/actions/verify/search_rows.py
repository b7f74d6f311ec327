"""The search index against what is published."""

from collections.abc import Mapping
from pathlib import Path

from sitecms.actions.expand_references import specs_of
from sitecms.actions.verify.finding import Finding, FindingKind
from sitecms.content.html import plain_text
from sitecms.content.search_text import indexed_text, searched_text
from sitecms.store import documents, pages, posts
from sitecms.store.database import Session
from sitecms.store.soundness import indexed_words, words_sum


def search_findings(session: Session, path: Path) -> list[Finding]:
    """Rows missing, too many, and with other words than their entry has.

    The index is read on a connection of its own, after the session began: what was published meanwhile is looked at
    once more by the caller.
    """
    schema = documents.load_content_schema(session)
    wanted_posts = {
        post_id: words_sum(indexed_text(title), indexed_text(plain_text(body)))
        for post_id, title, body in posts.published_texts(session)
    }
    wanted_pages: dict[int, int] = {}
    for page_id in pages.all_page_ids(session):
        for version_id, page in pages.published_versions(session, page_id).items():
            text = searched_text(page.fields, specs_of(page, schema), schema)
            wanted_pages[version_id] = words_sum(indexed_text(page.title), indexed_text(text))
    return [
        *_compared("post_search", "post", wanted_posts, indexed_words(path, "post_search")),
        *_compared("page_search", "page version", wanted_pages, indexed_words(path, "page_search")),
    ]


def _compared(table: str, what: str, wanted: Mapping[int, int], held: Mapping[int, int]) -> list[Finding]:
    found = [
        Finding(FindingKind.SEARCH_EXTRA, f"{table} row {each}", f"no published {what} {each} is there", "", True)
        for each in sorted(held.keys() - wanted.keys())
    ]
    found += [
        Finding(
            FindingKind.SEARCH_MISSING, f"{table} row {each}", f"the published {what} {each} is not found", "", True
        )
        for each in sorted(wanted.keys() - held.keys())
    ]
    stale = sorted(each for each in wanted.keys() & held.keys() if wanted[each] != held[each])
    text = "is found by other words than it has"
    return found + [
        Finding(FindingKind.SEARCH_STALE, f"{table} row {each}", f"the {what} {each} {text}", "", True)
        for each in stale
    ]
