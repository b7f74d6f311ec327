"""Actions on entries that are selected in a list: published, unpublished, deleted, or moved in their order."""

from collections.abc import Sequence
from functools import partial

from flask import Response

from sitecms.actions.editing.bulk import BulkAction, BulkResult, change_entries
from sitecms.actions.item_order import MoveDirection, move_items
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Action
from sitecms.errors import InvalidRequest
from sitecms.studio.entry_place import COLLECTIONS, LISTS, route_action
from sitecms.studio.texts import N_, _
from sitecms.studio.visit import PAGE_SIZE, Route, Visit, redirect, settling

MAX_SELECTED = 200
_NONE = N_("Nothing is selected. Go back and select what the action is for.")
_TOO_MANY = N_("More than %(most)s entries are selected. Select fewer at once.")
_DONE = {
    BulkAction.PUBLISH: N_("%(changed)s of %(all)s published"),
    BulkAction.UNPUBLISH: N_("%(changed)s of %(all)s unpublished"),
    BulkAction.DELETE: N_("%(changed)s of %(all)s moved to the trash"),
}
_MAX_DIGITS = 18


def _selected(visit: Visit) -> tuple[BulkAction, tuple[int, ...]]:
    """Return the action and the ids of the entries. Raises InvalidRequest."""
    action = visit.field("do")
    if action not in list(BulkAction):
        raise InvalidRequest(_("Press one of the buttons above the list."))
    return BulkAction(action), _ids(visit.request.form.getlist("id"))


def _ids(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of entries, each once. Raises InvalidRequest."""
    ids = list(dict.fromkeys(texts))
    if not ids:
        raise InvalidRequest(_(_NONE))
    if len(ids) > MAX_SELECTED:
        raise InvalidRequest(_(_TOO_MANY, most=MAX_SELECTED))
    if not all(each.isascii() and each.isdecimal() and len(each) <= _MAX_DIGITS for each in ids):
        raise InvalidRequest(_("An entry has an id that is no number."))
    return tuple(map(int, ids))


def _results_page(visit: Visit, back: str, action: BulkAction, results: Sequence[BulkResult]) -> Response:
    """Say what became of each entry, with the way back to the part of the list that was shown."""
    query = visit.request.query_string.decode("ascii", "replace")
    address = f"{back}?{query}" if query else back
    changed = sum(result.is_changed for result in results)
    heading = _(_DONE[action], changed=changed, all=len(results))
    return visit.page("bulk.html", back=address, heading=heading, results=results)


def change_selected(kind: EntryKind, visit: Visit, key: str = "") -> Response:
    """Publish, unpublish or delete the selected entries of a list."""
    action, ids = _selected(visit)
    results = change_entries(visit.editing, kind, ids, action, settling(visit), key)
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
