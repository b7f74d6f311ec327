"""Finding an entry by its title from everywhere in the studio."""

from flask import Response

from sitecms.content.query import Window
from sitecms.content.user import Action
from sitecms.store.database import Session
from sitecms.store.listings import entries as entry_listing
from sitecms.store.listings.entries import EntryFilter
from sitecms.store.listings.posts import PostListing, list_posts
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.views.lists import own_author
from sitecms.studio.visit import Route, Visit

MOST, LOOKED_THROUGH = 5, 200
Found = dict[str, str]


def find_entries(visit: Visit) -> Response:
    """Return the posts, pages and items that match a text, as far as the user may open them."""
    text = visit.query("text")
    with visit.studio.runtime.database.reading() as session:
        found = _posts(session, PostListing(text=text, own_author=own_author(visit)))
        if visit.may(Action.EDIT_PAGES):
            found += _pages(session, text) + _items(session, text, visit.studio.runtime.settings.default_locale)
    return visit.json({"found": found})


def _posts(session: Session, listing: PostListing) -> list[Found]:
    """Return the posts that match, those whose title has the words first."""
    words = listing.text.casefold().split()
    posts = [each.post for each in list_posts(session, listing, Window(LOOKED_THROUGH)).entries]
    posts.sort(key=lambda post: not all(word in post.title.casefold() for word in words))
    return [{"title": each.title, "kind": "Post", "address": f"/studio/posts/{each.id}/"} for each in posts[:MOST]]


def _pages(session: Session, text: str) -> list[Found]:
    pages = entry_listing.list_pages(session, None, EntryFilter(text), Window(MOST)).entries
    return [
        {"title": each.title or each.slug, "kind": "Page", "address": f"/studio/pages/{each.id}/"} for each in pages
    ]


def _items(session: Session, text: str, locale: str) -> list[Found]:
    found: list[Found] = []
    for collection in load_content_schema(session).collections.values() if text else ():
        items = entry_listing.list_items(session, collection, EntryFilter(text), locale, Window(MOST - len(found)))
        name, address = collection.name or collection.key, f"/studio/collections/{collection.key}/"
        found += [{"title": each.label, "kind": name, "address": f"{address}{each.id}/"} for each in items.entries]
        if len(found) >= MOST:
            break
    return found


ROUTES = (Route("GET", "/studio/find/", find_entries, Action.READ_PUBLISHED),)
