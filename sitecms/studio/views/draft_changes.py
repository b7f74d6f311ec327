"""Changes of a saved draft against the version that readers see, by field and word."""

from flask import Response

from sitecms.content.change import EntryKind
from sitecms.content.user import Action
from sitecms.errors import NotFound
from sitecms.store.entries.authors import find_authors
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import stored_place
from sitecms.studio.field_form import typed_group
from sitecms.studio.value_texts import compare, texts_of_fields, texts_of_post
from sitecms.studio.views.posts import POSTS, edited_post
from sitecms.studio.visit import Route, Visit

NO_DRAFT = "There is no draft over a published version, so there is nothing to compare."


def show_post(visit: Visit, post_id: str) -> Response:
    """Show what the draft of a published post changes."""
    edited = edited_post(visit, post_id)
    if edited.copy is None:
        raise NotFound(NO_DRAFT)
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        authors = {author.slug: author.name for author in find_authors(session)}
    live, draft = (
        texts_of_post({**values, "author": authors.get(str(values["author"]), values["author"])}, schema)
        for values in (edited.live, edited.values)
    )
    fields = compare(live, draft)
    title = str(edited.values["title"]) or "(no title)"
    return visit.page("draft_changes.html", title=title, address=f"{POSTS}{post_id}/", fields=fields)


def show_page(visit: Visit, page_id: str) -> Response:
    """Show what the draft of a published page changes in a locale."""
    return _show_entry(visit, EntryKind.PAGE, page_id, f"/studio/pages/{page_id}/")


def show_item(visit: Visit, key: str, item_id: str) -> Response:
    """Show what the draft of a published item changes in a locale."""
    return _show_entry(visit, EntryKind.ITEM, item_id, f"/studio/collections/{key}/{item_id}/", key)


def _show_entry(visit: Visit, kind: EntryKind, entry_id: str, address: str, key: str = "") -> Response:
    place = stored_place(visit, kind, entry_id, key)
    edited = place.edited
    if edited is None or edited.live is None or edited.shown in (None, edited.live):
        raise NotFound(NO_DRAFT)
    before, after = (
        dict(texts_of_fields(typed_group(fields, place.specs, place.schema), place.specs, place.schema))
        for fields in (edited.live.fields, edited.fields)
    )
    fields = compare(before, after)
    return visit.page(
        "draft_changes.html", title=edited.title, address=f"{address}?locale={place.locale}", fields=fields
    )


ROUTES = (
    Route("GET", "/studio/posts/<post_id>/changes/", show_post, Action.READ_DRAFT),
    Route("GET", "/studio/pages/<page_id>/changes/", show_page, Action.EDIT_PAGES),
    Route("GET", "/studio/collections/<key>/<item_id>/changes/", show_item, Action.EDIT_PAGES),
)
