"""Actions on the entries that are selected in a list."""

from collections.abc import Callable, Sequence

from flask import Response

from sitecms.actions.editing.bulk import BulkAction, BulkResult, change_entries, change_posts
from sitecms.content.change import EntryKind
from sitecms.content.user import Action
from sitecms.errors import InvalidFields, InvalidRequest
from sitecms.studio.entry_place import COLLECTIONS, PAGES
from sitecms.studio.visit import Route, Visit
from sitecms.studio.written import wait_until_applied

MAX_ENTRIES = 200
_NONE = "Nothing is selected. Go back and select what the action is for."
_TOO_MANY = f"More than {MAX_ENTRIES} entries are selected. Select fewer at once."
_WAITING = "It is accepted, and still being saved."
_DONE = {
    BulkAction.PUBLISH: "published", BulkAction.UNPUBLISH: "unpublished", BulkAction.DELETE: "moved to the trash",
}  # fmt: skip
_MAX_DIGITS = 18


def _asked(visit: Visit) -> tuple[BulkAction, tuple[int, ...]]:
    """Return the action and the ids of the entries. Raises InvalidRequest."""
    action, ids = visit.field("do"), list(dict.fromkeys(visit.request.form.getlist("id")))
    if action not in list(BulkAction):
        raise InvalidRequest("Press one of the buttons above the list.")
    if not ids:
        raise InvalidRequest(_NONE)
    if len(ids) > MAX_ENTRIES:
        raise InvalidRequest(_TOO_MANY)
    if not all(each.isascii() and each.isdecimal() and len(each) <= _MAX_DIGITS for each in ids):
        raise InvalidRequest("An entry has an id that is no number.")
    return BulkAction(action), tuple(map(int, ids))


def _settle(visit: Visit) -> Callable[[str], None]:
    def settle(write_id: str) -> None:
        if not wait_until_applied(visit, write_id)[0]:
            raise InvalidFields({"write": [_WAITING]})

    return settle


def _page(visit: Visit, back: str, action: BulkAction, results: Sequence[BulkResult]) -> Response:
    """Say what became of each entry, with the way back to the part of the list that was shown."""
    asked = visit.request.query_string.decode("ascii", "replace")
    address = f"{back}?{asked}" if asked else back
    return visit.page("bulk.html", back=address, done=_DONE[action], results=results)


def send_posts(visit: Visit) -> Response:
    """Publish, unpublish or delete the selected posts."""
    action, ids = _asked(visit)
    results = change_posts(visit.studio.writes, visit.user, ids, action, _settle(visit))
    return _page(visit, "/studio/posts/", action, results)


def send_pages(visit: Visit) -> Response:
    """Publish, unpublish or delete the selected pages."""
    action, ids = _asked(visit)
    results = change_entries(visit.studio.writes, visit.user, EntryKind.PAGE, ids, action, _settle(visit))
    return _page(visit, PAGES, action, results)


def send_items(visit: Visit, key: str) -> Response:
    """Publish, unpublish or delete the selected items of a collection."""
    action, ids = _asked(visit)
    results = change_entries(visit.studio.writes, visit.user, EntryKind.ITEM, ids, action, _settle(visit), key)
    return _page(visit, f"{COLLECTIONS}{key}/", action, results)


ROUTES = (
    Route("POST", "/studio/posts/bulk/", send_posts, Action.DELETE),
    Route("POST", f"{PAGES}bulk/", send_pages, Action.EDIT_PAGES),
    Route("POST", f"{COLLECTIONS}<key>/bulk/", send_items, Action.EDIT_PAGES),
)
