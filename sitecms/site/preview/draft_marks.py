"""Marks of pages in a preview that are not published."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from sitecms.clock import format_timestamp
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.status import Status, Version
from sitecms.settings.site import SiteSettings
from sitecms.site.item_paths import item_paths
from sitecms.site.routes import Routes
from sitecms.store.database import Session
from sitecms.store.entries.draft_queries import all_items, all_pages, items_with_drafts, unpublished_posts
from sitecms.store.site_state.documents import load_content_schema

T = TypeVar("T", Page, Item)


def marks_of(session: Session, settings: SiteSettings) -> dict[str, str]:
    """Return a mark for each page that is not published as it is shown, by its readable path."""
    routes = Routes(settings)
    marks = {routes.post(post): _words(post) for post in unpublished_posts(session)}
    marks |= {routes.page(page): words for page, words in _unpublished(all_pages(session))}
    paths = item_paths(items_with_drafts(session), load_content_schema(session), settings)
    for item, words in _unpublished(all_items(session)):
        if (item.id, item.locale) in paths:
            marks[paths[item.id, item.locale]] = words
    return {settings.base_path + path: words for path, words in marks.items()}


def _unpublished(versions: Sequence[T]) -> Iterator[tuple[T, str]]:
    """Yield the versions that are shown although they are not published, each with its mark."""
    published = {(entry.id, entry.locale) for entry in versions if _is_published(entry)}
    drafted = {(entry.id, entry.locale) for entry in versions if entry.version is Version.DRAFT}
    for entry in versions:
        key = entry.id, entry.locale
        if entry.version is Version.DRAFT:
            yield entry, "Draft of what is published" if key in published else _words(entry)
        elif key not in drafted and key not in published:
            yield entry, _words(entry)


def _is_published(entry: Page | Item) -> bool:
    return entry.version is Version.LIVE and entry.status is Status.PUBLISHED


def _words(entry: Post | Page | Item) -> str:
    if entry.status is Status.SCHEDULED and entry.scheduled_at:
        return f"Scheduled for {format_timestamp(entry.scheduled_at)}"
    return "Draft"
