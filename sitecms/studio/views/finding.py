"""Entries found by their title, and those that a reference may name: answers for scripts of the studio."""

from flask import Response

from sitecms.content.query import Window
from sitecms.content.search_text import text_filter
from sitecms.content.user import Action
from sitecms.store.database import Session
from sitecms.store.listings import entries as entry_listing
from sitecms.store.listings.entries import EntryFilter
from sitecms.store.listings.posts import PostListing, list_posts
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import COLLECTIONS, PAGES, POSTS
from sitecms.studio.field_controls import find_choices, reference_targets
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Visit

MAX_FOUND, LOOKED_THROUGH = 5, 200
Match = dict[str, str]


def find_entries(visit: Visit) -> Response:
    """Return the posts, pages and items that match a text, as far as the user may open them."""
    text = visit.query("text")
    with visit.studio.runtime.database.reading() as session:
        matches = _matching_posts(session, PostListing(text=text, own_author=visit.own_author))
        if visit.may(Action.EDIT_PAGES):
            matches += _matching_pages(session, text) + _matching_items(
                session, text, visit.studio.runtime.settings.default_locale
            )
    return visit.json({"found": matches})


def _matching_posts(session: Session, listing: PostListing) -> list[Match]:
    """Return the posts that match, those whose title has the words first."""
    has_words = text_filter(listing.text)
    posts = [each.post for each in list_posts(session, listing, Window(LOOKED_THROUGH)).entries]
    posts.sort(key=lambda post: not has_words(post.title))
    return [{"title": each.title, "kind": _("Post"), "address": f"{POSTS}{each.id}/"} for each in posts[:MAX_FOUND]]


def _matching_pages(session: Session, text: str) -> list[Match]:
    pages = entry_listing.list_pages(session, None, EntryFilter(text), Window(MAX_FOUND)).entries
    return [{"title": each.title or each.slug, "kind": _("Page"), "address": f"{PAGES}{each.id}/"} for each in pages]


def _matching_items(session: Session, text: str, locale: str) -> list[Match]:
    matches: list[Match] = []
    for collection in load_content_schema(session).collections.values() if text else ():
        items = entry_listing.list_items(
            session, collection, EntryFilter(text), locale, Window(MAX_FOUND - len(matches))
        )
        name, address = collection.name or collection.key, f"{COLLECTIONS}{collection.key}/"
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
    Route("GET", "/studio/find/", find_entries, Action.READ_PUBLISHED),
    Route("GET", "/studio/find/references/", find_references, Action.CREATE),
)
