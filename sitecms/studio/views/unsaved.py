"""Text of forms that is not saved yet: kept on the server for its user, offered again; and who has a form open."""

from collections.abc import Callable
from urllib.parse import parse_qs

import orjson
from flask import Response

from sitecms.actions.editing import unsaved
from sitecms.actions.editing.edited import NewEntry
from sitecms.content.kinds import KINDS
from sitecms.content.user import Action
from sitecms.errors import InvalidRequest, NotFound, SitecmsError
from sitecms.messages import N_
from sitecms.store.accounts.open_forms import FormPairs, UnsavedForm
from sitecms.studio.access import own_path
from sitecms.studio.entry_place import find_form
from sitecms.studio.sent_form import Form
from sitecms.studio.texts import _
from sitecms.studio.visit import PRESENCE, Route, Visit, redirect
from sitecms.web_address import split_address

UNSAVED = "/studio/unsaved/"
MAX_BYTES = 4 * 1024 * 1024
NOT_FIELDS = N_("The fields did not arrive as a list of names and values.")
TOO_LONG = N_("The text is too long to be kept.")
_NOT_KEPT = frozenset({"form_token", "complete", "do"})


def keep(visit: Visit) -> Response:
    """Keep the fields of a form, or discard what was kept of it."""
    place = _place(visit, visit.field("address"))
    if visit.field("do") == "discard":
        unsaved.drop_form(visit.studio.runtime.database, visit.user, place, visit.field("form_session"))
        back = own_path(visit.field("address"))
        return redirect(back) if back and visit.field("back") else Response(status=204)
    fields = _fields(visit.field("fields"))
    unsaved.keep_form(visit.studio.runtime.database, visit.user, place, visit.field("form_session"), fields, visit.at)
    return _json({"at": visit.at.isoformat()})


def note_presence(visit: Visit) -> Response:
    """Record that the form is open, or was closed; return who else has it open."""
    place, database = _place(visit, visit.field("address")), visit.studio.runtime.database
    if visit.field("leaves"):
        unsaved.end_presence(database, visit.user, visit.field("form_session"))
        return Response(status=204)
    changed = visit.field("changed") == "1"
    users = unsaved.note_presence(
        database, visit.user, place, visit.field("form_session"), visit.at, has_changes=changed
    )
    others = [{"name": each.name, "changed": each.has_changes, "own": each.name == visit.user.name} for each in users]
    return _json({"others": others})


def offers(visit: Visit, is_shown: Callable[[Form], bool]) -> tuple[UnsavedForm, ...]:
    """Return what the user has not saved of the form that the visit shows.

    What the form shows already, by `is_shown`, was saved: it is removed.
    """
    if visit.request.method != "GET":
        return ()
    database = visit.studio.runtime.database
    try:
        place = _place(visit, visit.request.full_path)
    except SitecmsError:
        return ()
    forms = database.read(unsaved.find_forms, visit.user, place)
    offered = []
    for each in forms:
        if _is_saved(each, is_shown):
            unsaved.drop_form(database, visit.user, place, each.form_session)
        else:
            offered.append(each)
    return tuple(offered)


def _is_saved(unsaved_form: UnsavedForm, is_shown: Callable[[Form], bool]) -> bool:
    try:
        return is_shown(Form(unsaved_form.fields))
    except SitecmsError:
        return False  # the schema does not have all of its fields any more


def ended(visit: Visit, response: Response) -> Response:
    """Return the response; remove what was kept of the form if the response says that it was saved."""
    form_session = visit.field("form_session")
    if response.status_code == 303 and form_session:
        place = _place_or_none(visit)
        if place:
            unsaved.end_form(visit.studio.runtime.database, visit.user, place, form_session, visit.at)
    return response


def saved_sessions(visit: Visit) -> tuple[str, ...]:
    """Return the sessions of the form that the visit shows which were saved, though their windows may not know it."""
    place = _place_or_none(visit)
    return visit.studio.runtime.database.read(unsaved.saved_sessions, visit.user, place) if place else ()


def _place_or_none(visit: Visit) -> str:
    try:
        return _place(visit, visit.request.full_path)
    except SitecmsError:  # the entry was deleted: its rows go when they are old
        return ""


def _place(visit: Visit, address: str) -> str:
    """Return the place of the form at an address. Raises NotFound."""
    parts, settings = split_address(address), visit.studio.runtime.settings
    locale = (parse_qs(parts.query).get("locale") or [settings.default_locale])[0]
    if locale not in settings.locales:
        raise NotFound(unsaved.NOT_FOUND)
    form = find_form(parts.path)
    if form is None:
        raise NotFound(unsaved.NOT_FOUND)
    kind, names = form
    entry_id = int(names["entry_id"]) if "entry_id" in names else None
    place = NewEntry(kind, names.get("key", ""), locale)
    visit.studio.runtime.database.read(unsaved.check_form, visit.user, place, entry_id)
    return f"{parts.path}?locale={locale}" if KINDS[kind].has_locales else parts.path


def _fields(text: str) -> FormPairs:
    """Return the fields that a script has sent. Raises InvalidRequest."""
    if len(text) > MAX_BYTES:
        raise InvalidRequest(_(TOO_LONG))
    try:
        pairs = orjson.loads(text)
    except ValueError:
        raise InvalidRequest(_(NOT_FIELDS)) from None
    is_list = isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    if not is_list or not all(isinstance(part, str) and "\0" not in part for pair in pairs for part in pair):
        raise InvalidRequest(_(NOT_FIELDS))
    return tuple((name, value) for name, value in pairs if name not in _NOT_KEPT)


def _json(data: object) -> Response:
    return Response(orjson.dumps(data), content_type="application/json")


ROUTES = (Route("POST", UNSAVED, keep, Action.CREATE), Route("POST", PRESENCE, note_presence, Action.CREATE))
