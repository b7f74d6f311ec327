"""Entries found by their title, and those that a reference may name: answers for scripts of the studio."""

from itertools import islice

from flask import Response

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.user import Action
from sitecms.store.listings.entries import EntryFilter
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import route_action
from sitecms.studio.entry_search import matching_entries
from sitecms.studio.field_controls import find_choices, reference_targets
from sitecms.studio.visit import Route, Visit

MAX_FOUND = 5


def find_entries(visit: Visit) -> Response:
    """Return the entries of each kind that match a text, as far as the user may open them."""
    wanted, locale = EntryFilter(visit.query("text")), visit.studio.runtime.settings.default_locale
    with visit.studio.runtime.database.reading() as session:
        matches = [
            {"title": each.title, "kind": each.label, "address": KINDS[kind].form_address(each.id, each.type)}
            for kind in EntryKind
            if visit.may(route_action(kind, Action.READ_PUBLISHED))
            for each in islice(matching_entries(session, visit, kind, wanted, locale, MAX_FOUND), MAX_FOUND)
        ]
    return visit.json({"found": matches})


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
