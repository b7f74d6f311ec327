"""Actions on entries that are selected in a list: published, unpublished, deleted, or moved in their order."""

from collections.abc import Callable, Sequence
from functools import partial

from flask import Response

from sitecms.actions.editing.bulk import BulkAction, BulkResult, change_entries
from sitecms.actions.item_order import MoveDirection, move_items
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Action
from sitecms.errors import InvalidFields, InvalidRequest
from sitecms.studio.entry_place import COLLECTIONS, LISTS, route_action
from sitecms.studio.visit import PAGE_SIZE, Route, Visit, redirect, wait_until_applied

MAX_SELECTED = 200
_NONE = "Nothing is selected. Go back and select what the action is for."
_TOO_MANY = f"More than {MAX_SELECTED} entries are selected. Select fewer at once."
_WAITING = "It is accepted, and still being saved."
_DONE = {
    BulkAction.PUBLISH: "published", BulkAction.UNPUBLISH: "unpublished", BulkAction.DELETE: "moved to the trash",
}  # fmt: skip
_MAX_DIGITS = 18


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


def change_selected(kind: EntryKind, visit: Visit, key: str = "") -> Response:
    """Publish, unpublish or delete the selected entries of a list."""
    action, ids = _selected(visit)
    results = change_entries(visit.editing, kind, ids, action, _settle(visit), key)
    return _results_page(visit, LISTS[kind].replace("<key>", key), action, results)


def move_selected_items(visit: Visit, key: str) -> Response:
    """Move an item up or down in its collection, or the selected ones to the top."""
    move = next((each for each in (MoveDirection.UP, MoveDirection.DOWN) if visit.field(each)), MoveDirection.TOP)
    ids = _ids(visit.request.form.getlist("id") if move is MoveDirection.TOP else [visit.field(move)])
    place = move_items(visit.studio.writes, visit.user, key, ids, move)
    query = {"page": str(place // PAGE_SIZE + 1), "moved": f"{move}-{ids[0]}", "said": "moved"}
    return redirect(f"{COLLECTIONS}{key}/", **query)


ROUTES = (
    *(
        Route("POST", f"{path}bulk/", partial(change_selected, kind), route_action(kind, Action.DELETE))
        for kind, path in LISTS.items()
    ),
    Route("POST", f"{COLLECTIONS}<key>/order/", move_selected_items, Action.EDIT_PAGES),
)
