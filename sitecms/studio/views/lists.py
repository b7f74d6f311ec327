"""Lists of entries, authors and terms; actions on entries selected in a list; finding an entry by its title."""

from collections.abc import Callable, Sequence

from flask import Response

from sitecms.actions.editing.bulk import BulkAction, BulkResult, change_entries
from sitecms.actions.item_order import MoveDirection, move_items
from sitecms.content.change import EntryKind
from sitecms.content.query import Window
from sitecms.content.search_text import text_filter
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.user import Action
from sitecms.errors import InvalidFields, InvalidRequest
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.terms import find_terms
from sitecms.store.listings import entries as entry_listing
from sitecms.store.listings.entries import EntryFilter
from sitecms.store.listings.posts import PostListing, count_by_status, list_posts
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import COLLECTIONS, PAGES, SINGLE_PAGES
from sitecms.studio.field_controls import find_choices, reference_targets
from sitecms.studio.visit import PAGE_SIZE, Route, Visit, paging, redirect, wait_until_applied

MAX_SELECTED = 200
_NONE = "Nothing is selected. Go back and select what the action is for."
_TOO_MANY = f"More than {MAX_SELECTED} entries are selected. Select fewer at once."
_WAITING = "It is accepted, and still being saved."
_DONE = {
    BulkAction.PUBLISH: "published", BulkAction.UNPUBLISH: "unpublished", BulkAction.DELETE: "moved to the trash",
}  # fmt: skip
_MAX_DIGITS = 18
MAX_FOUND, LOOKED_THROUGH = 5, 200
Found = dict[str, str]


def own_author(visit: Visit) -> str | None:
    """Return the author (slug) whose drafts alone the user may read; None for a user who may read all."""
    return None if visit.may_read_all_drafts else visit.user.author


def show_posts(visit: Visit) -> Response:
    """Show posts with filters and search."""
    typed = {name: visit.query(name) for name in ("text", "status", "locale", "author", "category", "tag")}
    listing = PostListing(**typed, own_author=own_author(visit))
    with visit.studio.runtime.database.reading() as session:
        count = list_posts(session, listing, Window(0)).count
        page = paging(visit, count)
        results = list_posts(session, listing, page.window)
        counts = count_by_status(session, own_author(visit))
        authors = find_authors(session)
        categories, tags = (find_terms(session, kind) for kind in (TermKind.CATEGORY, TermKind.TAG))
    return visit.page(
        "posts.html", publish=Action.PUBLISH,
        listed=results.entries, paging=page, typed=typed, counts=counts, statuses=Status, authors=authors,
        categories=sorted(categories, key=lambda term: term.name.casefold()),
        tags=sorted(tags, key=lambda term: term.name.casefold()),
    )  # fmt: skip


def _filter(visit: Visit) -> EntryFilter:
    return EntryFilter(visit.query("text"), visit.query("status"), visit.query("locale"), not visit.may_read_all_drafts)


def show_pages(visit: Visit) -> Response:
    """Show pages by page type, with filters and search."""
    entry_filter, type_name = _filter(visit), visit.query("type")
    page_type = None if not type_name else "" if type_name == SINGLE_PAGES else type_name
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        count = entry_listing.list_pages(session, page_type, entry_filter, Window(0)).count
        page = paging(visit, count)
        results = entry_listing.list_pages(session, page_type, entry_filter, page.window)
        counts = entry_listing.count_by_type(session, EntryKind.PAGE, published_only=entry_filter.published_only)
    names = {"": "Single Pages", **{each.slug: each.name or each.slug for each in schema.page_types.values()}}
    return visit.page(
        "pages.html", listed=results.entries, paging=page, typed=entry_filter, asked=type_name, counts=counts,
        names=names, statuses=Status, single=SINGLE_PAGES,
    )  # fmt: skip


def show_collections(visit: Visit) -> Response:
    """Show all collections with the number of their items."""
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        counts = entry_listing.count_by_type(session, EntryKind.ITEM, published_only=not visit.may_read_all_drafts)
    return visit.page("collections.html", collections=schema.collections.values(), counts=counts)


def show_items(visit: Visit, key: str) -> Response:
    """Show the items of a collection, with filters and search."""
    entry_filter, runtime = _filter(visit), visit.studio.runtime
    locale = entry_filter.locale or runtime.settings.default_locale
    with runtime.database.reading() as session:
        collection = load_content_schema(session).collection(key)
        count = entry_listing.list_items(session, collection, entry_filter, locale, Window(0)).count
        page = paging(visit, count)
        results = entry_listing.list_items(session, collection, entry_filter, locale, page.window)
    is_whole = not (entry_filter.text or entry_filter.status or entry_filter.locale or entry_filter.published_only)
    return visit.page(
        "items.html", collection=collection, listed=results.entries, paging=page, typed=entry_filter, statuses=Status,
        may_order=is_whole and count > 1, start=page.window.offset, moved=visit.query("moved"),
    )  # fmt: skip


def show_authors(visit: Visit) -> Response:
    """Show all authors with the number of their posts."""
    with visit.studio.runtime.database.reading() as session:
        authors, counts = find_authors(session), entry_listing.count_posts_by_author(session, own_author(visit))
    has_words = text_filter(visit.query("text"))
    matches = [author for author in authors if has_words(f"{author.first_name} {author.last_name} {author.slug}")]
    return visit.page(
        "authors.html", authors=matches, counts=counts, text=visit.query("text"), may_edit=visit.may(Action.EDIT_TERMS)
    )


def show_terms(visit: Visit) -> Response:
    """Show categories and tags with the number of their posts."""
    has_words = text_filter(visit.query("text"))
    with visit.studio.runtime.database.reading() as session:
        kinds = {kind: entry_listing.count_posts_by_term(session, kind, own_author(visit)) for kind in TermKind}
    matches = {kind: [(term, count) for term, count in terms if has_words(term.name)] for kind, terms in kinds.items()}
    return visit.page("terms.html", kinds=matches, text=visit.query("text"), may_edit=visit.may(Action.EDIT_TERMS))


def _selected(visit: Visit) -> tuple[BulkAction, tuple[int, ...]]:
    """Return the action and the ids of the entries. Raises InvalidRequest."""
    action = visit.field("do")
    if action not in list(BulkAction):
        raise InvalidRequest("Press one of the buttons above the list.")
    return BulkAction(action), _ids(visit.request.form.getlist("id"))


def _ids(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of entries, each once. Raises InvalidRequest."""
    ids = list(dict.fromkeys(texts))
    if not ids:
        raise InvalidRequest(_NONE)
    if len(ids) > MAX_SELECTED:
        raise InvalidRequest(_TOO_MANY)
    if not all(each.isascii() and each.isdecimal() and len(each) <= _MAX_DIGITS for each in ids):
        raise InvalidRequest("An entry has an id that is no number.")
    return tuple(map(int, ids))


def _settle(visit: Visit) -> Callable[[str], None]:
    def settle(write_id: str) -> None:
        if not wait_until_applied(visit, write_id)[0]:
            raise InvalidFields({"write": [_WAITING]})

    return settle


def _results_page(visit: Visit, back: str, action: BulkAction, results: Sequence[BulkResult]) -> Response:
    """Say what became of each entry, with the way back to the part of the list that was shown."""
    query = visit.request.query_string.decode("ascii", "replace")
    address = f"{back}?{query}" if query else back
    return visit.page("bulk.html", back=address, done=_DONE[action], results=results)


def change_selected_posts(visit: Visit) -> Response:
    """Publish, unpublish or delete the selected posts."""
    action, ids = _selected(visit)
    results = change_entries(visit.editing, EntryKind.POST, ids, action, _settle(visit))
    return _results_page(visit, "/studio/posts/", action, results)


def change_selected_pages(visit: Visit) -> Response:
    """Publish, unpublish or delete the selected pages."""
    action, ids = _selected(visit)
    results = change_entries(visit.editing, EntryKind.PAGE, ids, action, _settle(visit))
    return _results_page(visit, PAGES, action, results)


def change_selected_items(visit: Visit, key: str) -> Response:
    """Publish, unpublish or delete the selected items of a collection."""
    action, ids = _selected(visit)
    results = change_entries(visit.editing, EntryKind.ITEM, ids, action, _settle(visit), key)
    return _results_page(visit, f"{COLLECTIONS}{key}/", action, results)


def move_selected_items(visit: Visit, key: str) -> Response:
    """Move an item up or down in its collection, or the selected ones to the top."""
    move = next((each for each in (MoveDirection.UP, MoveDirection.DOWN) if visit.field(each)), MoveDirection.TOP)
    ids = _ids(visit.request.form.getlist("id") if move is MoveDirection.TOP else [visit.field(move)])
    place = move_items(visit.studio.writes, visit.user, key, ids, move)
    query = {"page": str(place // PAGE_SIZE + 1), "moved": f"{move}-{ids[0]}", "said": "moved"}
    return redirect(f"{COLLECTIONS}{key}/", **query)


def find_entries(visit: Visit) -> Response:
    """Return the posts, pages and items that match a text, as far as the user may open them."""
    text = visit.query("text")
    with visit.studio.runtime.database.reading() as session:
        matches = _matching_posts(session, PostListing(text=text, own_author=own_author(visit)))
        if visit.may(Action.EDIT_PAGES):
            matches += _matching_pages(session, text) + _matching_items(
                session, text, visit.studio.runtime.settings.default_locale
            )
    return visit.json({"found": matches})


def _matching_posts(session: Session, listing: PostListing) -> list[Found]:
    """Return the posts that match, those whose title has the words first."""
    has_words = text_filter(listing.text)
    posts = [each.post for each in list_posts(session, listing, Window(LOOKED_THROUGH)).entries]
    posts.sort(key=lambda post: not has_words(post.title))
    return [{"title": each.title, "kind": "Post", "address": f"/studio/posts/{each.id}/"} for each in posts[:MAX_FOUND]]


def _matching_pages(session: Session, text: str) -> list[Found]:
    pages = entry_listing.list_pages(session, None, EntryFilter(text), Window(MAX_FOUND)).entries
    return [
        {"title": each.title or each.slug, "kind": "Page", "address": f"/studio/pages/{each.id}/"} for each in pages
    ]


def _matching_items(session: Session, text: str, locale: str) -> list[Found]:
    matches: list[Found] = []
    for collection in load_content_schema(session).collections.values() if text else ():
        items = entry_listing.list_items(
            session, collection, EntryFilter(text), locale, Window(MAX_FOUND - len(matches))
        )
        name, address = collection.name or collection.key, f"/studio/collections/{collection.key}/"
        matches += [{"title": each.label, "kind": name, "address": f"{address}{each.id}/"} for each in items.entries]
        if len(matches) >= MAX_FOUND:
            break
    return matches


def find_references(visit: Visit) -> Response:
    """Return the entries that a reference with these targets may name and that match a text.

    Who may not change pages and items finds what is published, of targets that a field of posts names.
    """
    locale = visit.query("locale") or visit.studio.runtime.settings.default_locale
    entry_filter = EntryFilter(visit.query("text"), published_only=not visit.may_read_all_drafts)
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        targets = dict.fromkeys(visit.query("targets").split())
        if not visit.may(Action.EDIT_PAGES):
            of_posts = reference_targets(schema.post_fields, schema)
            targets = {target: None for target in targets if target in of_posts}
        matches = [
            {"value": uri, "label": label}
            for target in targets
            for uri, label in find_choices(session, schema, locale, target, entry_filter)
        ]
    return visit.json({"found": matches})


ROUTES = (
    Route("GET", "/studio/posts/", show_posts, Action.READ_PUBLISHED),
    Route("GET", "/studio/pages/", show_pages, Action.READ_PUBLISHED),
    Route("GET", "/studio/collections/", show_collections, Action.READ_PUBLISHED),
    Route("GET", "/studio/collections/<key>/", show_items, Action.READ_PUBLISHED),
    Route("GET", "/studio/authors/", show_authors, Action.READ_PUBLISHED),
    Route("GET", "/studio/terms/", show_terms, Action.READ_PUBLISHED),
    Route("POST", f"{COLLECTIONS}<key>/order/", move_selected_items, Action.EDIT_PAGES),
    Route("POST", "/studio/posts/bulk/", change_selected_posts, Action.DELETE),
    Route("POST", f"{PAGES}bulk/", change_selected_pages, Action.EDIT_PAGES),
    Route("POST", f"{COLLECTIONS}<key>/bulk/", change_selected_items, Action.EDIT_PAGES),
    Route("GET", "/studio/find/", find_entries, Action.READ_PUBLISHED),
    Route("GET", "/studio/find/references/", find_references, Action.CREATE),
)
