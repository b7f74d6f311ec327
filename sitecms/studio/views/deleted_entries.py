"""Forms of entries that were deleted while they were open: their text is restored with them or used anew."""

from collections.abc import Sequence
from contextlib import suppress
from functools import wraps

from flask import Response

from sitecms.actions.editing.history import Deleted, find_deleted, restore
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.user import Action
from sitecms.errors import Conflict, NotFound
from sitecms.messages import text_of
from sitecms.studio.entry_place import NEW_FORMS, SINGLE_PAGES, number_of, route_action
from sitecms.studio.value_texts import label_of
from sitecms.studio.views.picture_choice import BRING_BACK
from sitecms.studio.visit import WRITE_FIELD, View, Visit, redirect

RESTORE = "restore"
_ADDED = ("form_token", "do", RESTORE, WRITE_FIELD)
_NOT_TEXT = frozenset({
    "complete", "form_session", "revision", "schema", "beside", "format", "conflict", "asks", "author", "locale",
    "categories_shown", "featured_image",
})  # fmt: skip


def unless_deleted(view: View, kind: EntryKind) -> View:
    """Return the view of the form of a stored entry so that it answers for a deleted one, too.

    An entry that the user may not see is not found, deleted or not.
    """

    @wraps(view)
    def answer(visit: Visit, **names: str) -> Response:
        try:
            return view(visit, **names)
        except NotFound:
            deleted = _find(visit, kind, names["entry_id"])
            if deleted is None and not _texts(visit):
                raise
        problem = ""
        if deleted is not None and visit.field(RESTORE):
            try:
                restore(visit.editing, kind, deleted.entry.id)
            except Conflict as error:
                problem = text_of(error)
            else:  # the button has the form shown with the text in it
                return view(visit, **names) if _texts(visit) else redirect(visit.request.path, said="restored")
        return _page(visit, kind, names.get("key", ""), deleted, problem)

    return answer


def _find(visit: Visit, kind: EntryKind, entry_id: str) -> Deleted | None:
    with suppress(NotFound):
        return visit.studio.runtime.database.read(find_deleted, visit.user, kind, number_of(entry_id))
    return None


def _page(visit: Visit, kind: EntryKind, key: str, deleted: Deleted | None, problem: str) -> Response:
    return visit.page(
        "deleted_entry.html", status=409 if problem else 404, kind=KINDS[kind], found=deleted, problem=problem,
        new_address=_new_address(visit, kind, key, deleted), **_fields(visit),
    )  # fmt: skip


def _new_address(visit: Visit, kind: EntryKind, key: str, deleted: Deleted | None) -> str:
    """Return the address of the form of a new entry of the kind; "" if the user may not create one."""
    if not visit.may(route_action(kind, Action.CREATE)):
        return ""
    page_type = deleted.entry.name.partition("/")[0] if deleted else ""
    page_type = SINGLE_PAGES if page_type == "*" else page_type
    address = NEW_FORMS[kind].replace("<key>", key)
    return address.replace("<page_type>", page_type) if page_type or "<page_type>" not in address else ""


def _fields(visit: Visit) -> dict[str, object]:
    fields = [(name, value) for name, value in visit.request.form.items(multi=True) if name not in _ADDED]
    return {"fields": fields, "texts": _texts(visit), "bring_back": BRING_BACK}


def _texts(visit: Visit) -> Sequence[tuple[str, str]]:
    """Return what a person typed: name and text."""
    return [
        (label_of(name.removeprefix("fields.")), value)
        for name, value in visit.request.form.items(multi=True)
        if value.strip() and name not in (*_ADDED, *_NOT_TEXT) and not name.endswith(".shown")
        and not name.startswith("parts.")
    ]  # fmt: skip
