"""Everything published, read from the store in one read transaction: what a build is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

from sitecms.content.author import Author
from sitecms.content.item import Item
from sitecms.content.media import MediaFile
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term, TermKind
from sitecms.store import authors, documents, items, media_files, pages, posts, taxonomy
from sitecms.store.database import Database


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Posts and pages newest first, items, authors and terms in order of creation."""

    schema: ContentSchema
    posts: tuple[Post, ...]
    pages: tuple[Page, ...]
    items: tuple[Item, ...]
    authors: tuple[Author, ...]
    categories: tuple[Term, ...]
    tags: tuple[Term, ...]
    media: Mapping[str, MediaFile]


def take_snapshot(database: Database) -> Snapshot:
    """Read it all; what is committed meanwhile is for the next build."""
    with database.reading() as session:
        return Snapshot(
            schema=documents.load_content_schema(session),
            posts=posts.published_posts(session),
            pages=pages.published_pages(session),
            items=items.published_items(session),
            authors=authors.find_authors(session),
            categories=taxonomy.find_terms(session, TermKind.CATEGORY),
            tags=taxonomy.find_terms(session, TermKind.TAG),
            media=media_files.all_media(session),
        )
