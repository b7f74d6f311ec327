"""Entries of a store, with their files and their outputs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sitecms.content.author import Author
from sitecms.content.change import EntryKind
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.schema.types import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, TermKind
from sitecms.settings.site import SiteSettings
from sitecms.site.check.sources import Sources
from sitecms.site.item_paths import item_paths
from sitecms.site.routes import Routes, output_path
from sitecms.store.database import Session
from sitecms.store.entries import authors, draft_queries, terms
from sitecms.store.site_state import documents, loaded_files

Showable = Post | Page | Item


@dataclass(frozen=True)
class Entries:
    """All posts, all versions of pages and items, terms and authors."""

    settings: SiteSettings
    schema: ContentSchema
    posts: tuple[Post, ...]
    pages: tuple[Page, ...]
    items: tuple[Item, ...]
    terms: tuple[Term, ...]
    authors: tuple[Author, ...]
    sources: Sources

    @cached_property
    def versions(self) -> tuple[Page | Item, ...]:
        """All versions of pages and items."""
        return (*self.pages, *self.items)

    @cached_property
    def live(self) -> tuple[Page | Item, ...]:
        """Live versions of pages and items."""
        return tuple(filter(is_live, self.versions))

    @cached_property
    def shown(self) -> Mapping[str, Showable]:
        """Published entries with a page, by the path of its file in the output."""
        return self._by_path([post for post in self.posts if post.status is Status.PUBLISHED], self.live)

    @cached_property
    def hidden(self) -> Mapping[str, Showable]:
        """Unpublished entries that would have a page, by the path of its file."""
        hidden = [post for post in self.posts if post.status is not Status.PUBLISHED]
        found = self._by_path(hidden, self.versions)
        return {path: entry for path, entry in found.items() if path not in self.shown}

    def _by_path(self, posts: Iterable[Post], versions: Iterable[Page | Item]) -> dict[str, Showable]:
        routes = Routes(self.settings)
        pages = [entry for entry in versions if isinstance(entry, Page)]
        items = [entry for entry in versions if isinstance(entry, Item)]
        paths = item_paths(items, self.schema, self.settings)
        found: dict[str, Showable] = {output_path(routes.post(post)): post for post in posts}
        found |= {output_path(routes.page(page)): page for page in pages}
        routed = [item for item in items if (item.id, item.locale) in paths]
        return found | {output_path(paths[item.id, item.locale]): item for item in routed}

    def words(self, entry: Showable) -> str:
        """Return the name of an entry in messages."""
        if isinstance(entry, Item):
            return f"item {entry.id} of {entry.collection}"
        if isinstance(entry, Page):
            return f"page {entry.page_type or '*'}/{entry.slug}"
        return f"post {entry.slug}"

    def file_of(self, entry: Showable) -> str:
        """Return the file from which the entry was loaded; "" if it has none."""
        return self.sources.file_of(kind_of(entry), entry.id)


def read_entries(session: Session, settings: SiteSettings, sources_folder: SiteSettings) -> Entries:
    """Read all entries of the store; files are those of the real site's folder."""
    return Entries(
        settings=settings,
        schema=documents.load_content_schema(session),
        posts=draft_queries.all_posts(session),
        pages=draft_queries.all_pages(session),
        items=draft_queries.all_items(session),
        terms=(*terms.find_terms(session, TermKind.CATEGORY), *terms.find_terms(session, TermKind.TAG)),
        authors=authors.find_authors(session),
        sources=Sources(sources_folder.folder, loaded_files.all_loaded_files(session)),
    )


def is_live(entry: Page | Item) -> bool:
    """Return True if readers see this version."""
    return entry.version is Version.LIVE and entry.status is Status.PUBLISHED


def kind_of(entry: Showable) -> EntryKind:
    """Return "post", "page" or "item"."""
    if isinstance(entry, Post):
        return EntryKind.POST
    return EntryKind.PAGE if isinstance(entry, Page) else EntryKind.ITEM
