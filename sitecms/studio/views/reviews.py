"""The buttons of reviews and notes in the form of an entry. Each saves the form as a draft first."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flask import Response
from msgspec.structs import replace

from sitecms.actions.editing import reviews
from sitecms.actions.editing.edited import EditContext, Edited, get_edited
from sitecms.actions.editing.entries import Form, create, save
from sitecms.errors import Conflict, Forbidden, InvalidFields, NotFound
from sitecms.messages import text_of
from sitecms.studio.entry_place import EntryPlace, number_of
from sitecms.studio.texts import _
from sitecms.studio.views.entry_page import ShownForm, entry_page
from sitecms.studio.visit import Visit, redirect, wait_until_applied

BUTTON = "review:"
_SAID = {
    "submit": "review-submitted", "withdraw": "review-withdrawn", "assign": "review-assigned",
    "send-back": "review-sent-back", "note": "note-written", "answer": "note-written", "done": "note-done",
    "open": "note-open", "delete": "note-deleted",
}  # fmt: skip


def act_on_review(visit: Visit, place: EntryPlace, form: ShownForm, values: Mapping[str, Any]) -> Response:
    """Save the form as a draft, and do what the button says; what is refused then comes back with what was typed.

    Raises InvalidFields, Forbidden, NotFound and Stale if the form cannot be saved.
    """
    verb, _dash, number = visit.field("do").removeprefix(BUTTON).rpartition(":")
    verb, note_id = (verb, number_of(number)) if verb else (number, 0)
    if verb not in _SAID or (place.edited is None and verb != "submit"):
        raise NotFound(_("Not found."))
    entry_id = _saved_entry(visit, place, values)
    if entry_id is None:
        return redirect(place.list_address, said="waiting")
    edited = visit.studio.runtime.database.read(get_edited, visit.user, place.kind, entry_id, place.locale)
    address, errors = f"{place.list_address}{entry_id}/", dict[str, Sequence[str]]()
    try:
        _act(visit, edited, verb, note_id)
        return redirect(address, **place.query, said=_SAID[verb])
    except InvalidFields as error:
        errors = dict(error.messages)
    except (Conflict, Forbidden, NotFound) as error:
        errors = {"review": [text_of(error)]}
    if place.edited is None:
        return redirect(address, **place.query, said="created")
    refused = replace(form, errors=errors, is_saved=True, status=400)
    return entry_page(visit, replace(place, edited=edited), refused)


def _saved_entry(visit: Visit, place: EntryPlace, values: Mapping[str, Any]) -> int | None:
    """Save the form as a draft and return the id of its entry; None for a new one that is still being saved."""
    if not isinstance(place.entry, Edited):
        saved = create(visit.editing, place.entry, Form(values))
        is_applied, entry_id = wait_until_applied(visit, saved.write_id)
        return entry_id if is_applied else None
    saved = save(visit.editing, place.entry, Form(values, visit.field("revision")))
    if saved.write_id:
        wait_until_applied(visit, saved.write_id)
    return place.entry.id


def _act(visit: Visit, edited: Edited, verb: str, note_id: int) -> None:
    context = visit.editing
    message, chosen = visit.field("review_message"), visit.field("reviewer")
    reviewer_id = number_of(chosen) if chosen else None
    acts: Mapping[str, Callable[[], None]] = {
        "submit": lambda: reviews.submit(context, edited, reviewer_id, message),
        "withdraw": lambda: reviews.withdraw(context, edited),
        "assign": lambda: reviews.assign(context, edited, reviewer_id),
        "send-back": lambda: reviews.send_back(context, edited, message),
        "note": lambda: reviews.write_note(context, edited, visit.field("note"), visit.field("quote")),
        "answer": lambda: _answer(context, edited, visit.field(f"answer-{note_id}"), note_id),
        "done": lambda: reviews.set_note_done(context, edited, note_id, is_done=True),
        "open": lambda: reviews.set_note_done(context, edited, note_id, is_done=False),
        "delete": lambda: reviews.delete_note(context, edited, note_id),
    }
    acts[verb]()


def _answer(context: EditContext, edited: Edited, text: str, note_id: int) -> None:
    reviews.write_note(context, edited, text, parent_id=note_id)
