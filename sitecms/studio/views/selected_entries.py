"""Actions on entries that are selected in a list: published, unpublished, deleted, changed, or moved in their order."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from flask import Response

from sitecms.actions.editing.bulk import (
    BulkAction,
    BulkResult,
    Revise,
    TermChange,
    change_author,
    change_entries,
    change_terms,
    revise_entries,
)
from sitecms.actions.item_order import MoveDirection, move_items
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.term import TermKind
from sitecms.content.user import Action
from sitecms.errors import InvalidRequest, NotFound
from sitecms.messages import N_
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.terms import find_terms
from sitecms.studio.build_state import build_state
from sitecms.studio.entry_place import COLLECTIONS, LISTS, number_of, route_action, undo_value
from sitecms.studio.texts import _
from sitecms.studio.visit import PAGE_SIZE, Route, Visit, redirect, settling

MAX_SELECTED = 200
_NONE = N_("Nothing is selected. Go back and select what the action is for.")
_TOO_MANY = N_("More than %(most)s entries are selected. Select fewer at once.")
_NO_TERM = N_("Choose a category or tag, and what to do with it. Nothing was changed.")
_NO_AUTHOR = N_("Choose an author. Nothing was changed.")
_DONE = {
    BulkAction.PUBLISH: N_("%(changed)s of %(all)s published"),
    BulkAction.UNPUBLISH: N_("%(changed)s of %(all)s unpublished"),
    BulkAction.DELETE: N_("%(changed)s of %(all)s moved to the trash"),
}
_CHANGED = N_("%(changed)s of %(all)s changed")


def _ids(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of entries, each once. Raises InvalidRequest."""
    ids = list(dict.fromkeys(texts))
    if not ids:
        raise InvalidRequest(_(_NONE))
    if len(ids) > MAX_SELECTED:
        raise InvalidRequest(_(_TOO_MANY, most=MAX_SELECTED))
    try:
        return tuple(map(number_of, ids))
    except NotFound:
        raise InvalidRequest(_("An entry has an id that is no number.")) from None


def results_page(
    visit: Visit, back: str, heading: str, results: Sequence[BulkResult], deleted: Sequence[str] = ()
) -> Response:
    """Say what became of each entry, with the way back; `heading` takes the numbers of those `changed` and of `all`.

    `deleted` are the entries that were moved to the trash, as the form that restores them names them.
    """
    changed = sum(result.is_changed for result in results)
    heading = _(heading, changed=changed, all=len(results))
    runtime = visit.studio.runtime
    with runtime.database.reading() as session:
        site = build_state(session, runtime.settings, visit.at)
    return visit.page("bulk.html", back=back, heading=heading, results=results, deleted=deleted, site=site)


def change_selected(kind: EntryKind, visit: Visit, key: str = "") -> Response:
    """Publish, unpublish, delete or change the selected entries of a list."""
    do, back = visit.field("do"), KINDS[kind].list_address(key)
    if query := visit.request.query_string.decode("ascii", "replace"):
        back = f"{back}?{query}"
    ids = _ids(visit.request.form.getlist("id"))
    if KINDS[kind].has_author and do in _REVISIONS:
        results = revise_entries(visit.editing, kind, ids, _REVISIONS[do](visit), settling(visit))
        return results_page(visit, back, _CHANGED, results)
    if do not in list(BulkAction):
        raise InvalidRequest(_("Press one of the buttons above the list."))
    action = BulkAction(do)
    results = change_entries(visit.editing, kind, ids, action, settling(visit), key)
    pairs = zip(ids, results, strict=True) if action is BulkAction.DELETE else ()
    deleted = [undo_value(kind, entry_id) for entry_id, result in pairs if result.is_changed]
    return results_page(visit, back, _DONE[action], results, deleted)


def _revised_terms(visit: Visit) -> Revise:
    """Return what the form changes of the terms of posts. Raises InvalidRequest."""
    kind, _separator, slug = visit.field("term").partition(":")
    change = visit.field("change")
    if kind not in list(TermKind) or change not in list(TermChange):
        raise InvalidRequest(_(_NO_TERM))
    with visit.studio.runtime.database.reading() as session:
        term = next((each for each in find_terms(session, TermKind(kind)) if each.slug == slug), None)
    if term is None:
        raise InvalidRequest(_(_NO_TERM))
    return change_terms(term, TermChange(change))


def _revised_author(visit: Visit) -> Revise:
    """Return what the form changes of the author of posts. Raises InvalidRequest."""
    slug = visit.field("author")
    with visit.studio.runtime.database.reading() as session:
        if slug not in [each.slug for each in find_authors(session)]:
            raise InvalidRequest(_(_NO_AUTHOR))
    return change_author(slug)


def move_selected_items(visit: Visit, key: str) -> Response:
    """Move an item up or down in its collection, or the selected ones to the top."""
    move = next((each for each in (MoveDirection.UP, MoveDirection.DOWN) if visit.field(each)), MoveDirection.TOP)
    ids = _ids(visit.request.form.getlist("id") if move is MoveDirection.TOP else [visit.field(move)])
    place = move_items(visit.studio.writes, visit.user, key, ids, move)
    query = {"page": str(place // PAGE_SIZE + 1), "moved": f"{move}-{ids[0]}", "said": "moved"}
    return redirect(f"{COLLECTIONS}{key}/", **query)


_REVISIONS: Mapping[str, Callable[[Visit], Revise]] = {"terms": _revised_terms, "author": _revised_author}
ROUTES = (
    *(
        Route("POST", f"{path}bulk/", partial(change_selected, kind), route_action(kind, Action.DELETE))
        for kind, path in LISTS.items()
    ),
    Route("POST", f"{COLLECTIONS}<key>/order/", move_selected_items, Action.EDIT_PAGES),
)
