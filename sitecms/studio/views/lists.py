"""Lists: posts, pages, collections and their items, authors and terms."""

from flask import Response

from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.user import Action
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.terms import find_terms
from sitecms.store.listings import entries as entry_listing
from sitecms.store.listings.entries import EntryFilter
from sitecms.store.listings.posts import PostListing, count_by_status, list_posts
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.visit import Route, Visit, paging

PAGE_SIZE = 50
SINGLE_PAGES = "single"


def own_author(visit: Visit) -> str | None:
    """Return the author (slug) whose drafts alone the user may read; None for a user who may read all."""
    return None if visit.may_read_all_drafts else visit.user.author


def show_posts(visit: Visit) -> Response:
    """Show posts with filters and search."""
    typed = {name: visit.query(name) for name in ("text", "status", "locale", "author", "category", "tag")}
    listing = PostListing(**typed, own_author=own_author(visit))
    with visit.studio.runtime.database.reading() as session:
        count = list_posts(session, listing, Window(0)).count
        page = paging(visit, count, PAGE_SIZE)
        found = list_posts(session, listing, _window(page.number, PAGE_SIZE))
        counts = count_by_status(session, own_author(visit))
        authors = find_authors(session)
        categories, tags = (find_terms(session, kind) for kind in (TermKind.CATEGORY, TermKind.TAG))
    return visit.page(
        "posts.html", publish=Action.PUBLISH,
        listed=found.entries, paging=page, typed=typed, counts=counts, statuses=Status, authors=authors,
        categories=sorted(categories, key=lambda term: term.name.casefold()),
        tags=sorted(tags, key=lambda term: term.name.casefold()),
    )  # fmt: skip


def _filter(visit: Visit) -> EntryFilter:
    return EntryFilter(visit.query("text"), visit.query("status"), visit.query("locale"), not visit.may_read_all_drafts)


def show_pages(visit: Visit) -> Response:
    """Show pages by page type, with filters and search."""
    wanted, asked = _filter(visit), visit.query("type")
    page_type = None if not asked else "" if asked == SINGLE_PAGES else asked
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        count = entry_listing.list_pages(session, page_type, wanted, Window(0)).count
        page = paging(visit, count, PAGE_SIZE)
        found = entry_listing.list_pages(session, page_type, wanted, _window(page.number, PAGE_SIZE))
        counts = entry_listing.count_pages(session, EntryFilter(published_only=wanted.published_only))
    names = {"": "Single Pages", **{each.slug: each.name or each.slug for each in schema.page_types.values()}}
    return visit.page(
        "pages.html", listed=found.entries, paging=page, typed=wanted, asked=asked, counts=counts, names=names,
        statuses=Status, single=SINGLE_PAGES,
    )  # fmt: skip


def show_collections(visit: Visit) -> Response:
    """Show all collections with the number of their items."""
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        counts = entry_listing.count_items_by_collection(session)
    return visit.page("collections.html", collections=schema.collections.values(), counts=counts)


def show_items(visit: Visit, key: str) -> Response:
    """Show the items of a collection, with filters and search."""
    wanted, runtime = _filter(visit), visit.studio.runtime
    locale = wanted.locale or runtime.settings.default_locale
    with runtime.database.reading() as session:
        collection = load_content_schema(session).collection(key)
        count = entry_listing.list_items(session, collection, wanted, locale, Window(0)).count
        page = paging(visit, count, PAGE_SIZE)
        window = _window(page.number, PAGE_SIZE)
        found = entry_listing.list_items(session, collection, wanted, locale, window)
    return visit.page(
        "items.html", collection=collection, listed=found.entries, paging=page, typed=wanted, statuses=Status
    )


def show_authors(visit: Visit) -> Response:
    """Show all authors with the number of their posts."""
    with visit.studio.runtime.database.reading() as session:
        authors, counts = find_authors(session), entry_listing.count_posts_by_author(session)
    words = visit.query("text").casefold().split()
    found = [
        author
        for author in authors
        if all(word in f"{author.first_name} {author.last_name} {author.slug}".casefold() for word in words)
    ]
    return visit.page(
        "authors.html", authors=found, counts=counts, text=visit.query("text"), may_edit=visit.may(Action.EDIT_TERMS)
    )


def show_terms(visit: Visit) -> Response:
    """Show categories and tags with the number of their posts."""
    words = visit.query("text").casefold().split()
    with visit.studio.runtime.database.reading() as session:
        kinds = {kind: entry_listing.count_posts_by_term(session, kind) for kind in TermKind}
    shown = {
        kind: [(term, count) for term, count in terms if all(word in term.name.casefold() for word in words)]
        for kind, terms in kinds.items()
    }
    return visit.page("terms.html", kinds=shown, text=visit.query("text"), may_edit=visit.may(Action.EDIT_TERMS))


def _window(number: int, size: int) -> Window:
    return Window(size, (number - 1) * size)


ROUTES = (
    Route("GET", "/studio/posts/", show_posts, Action.READ_PUBLISHED),
    Route("GET", "/studio/pages/", show_pages, Action.READ_PUBLISHED),
    Route("GET", "/studio/collections/", show_collections, Action.READ_PUBLISHED),
    Route("GET", "/studio/collections/<key>/", show_items, Action.READ_PUBLISHED),
    Route("GET", "/studio/authors/", show_authors, Action.READ_PUBLISHED),
    Route("GET", "/studio/terms/", show_terms, Action.READ_PUBLISHED),
)
