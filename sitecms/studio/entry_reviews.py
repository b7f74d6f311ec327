"""The review of an entry and the notes on it, as its form shows them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import unescape
from typing import Any

from msgspec import Struct

from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.reviews import reviewers_of
from sitecms.content.review import Note, letters_of
from sitecms.content.user import Action, Role
from sitecms.store.accounts.users import find_user_name
from sitecms.store.database import Session
from sitecms.store.entries.notes import find_notes
from sitecms.store.entries.reviews import find_review
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.visit import Visit

_TAG = re.compile(r"<[^>]*>")


class ShownReview(Struct, frozen=True):
    """A review with the names of the users. `is_own`: the user submitted it, `is_mine`: the user is to decide."""

    is_waiting: bool
    submitter: str
    submitted_at: datetime
    assigned_to: int | None
    assignee: str
    decider: str
    decided_at: datetime | None
    is_own: bool
    is_mine: bool


class ShownNote(Struct, frozen=True):
    """A note with the name of who wrote it. `is_gone`: its quoted words are not in the entry any more."""

    id: int
    writer: str
    written_at: datetime
    text: str
    quote: str
    is_gone: bool
    may_delete: bool
    done_by: str
    done_at: datetime | None
    answers: Sequence["ShownNote"] = ()


def review_values(session: Session, visit: Visit, place: EntryPlace) -> dict[str, Any]:
    """Return what the form shows of the review and the notes: `review`, `notes`, and `reviewers` as options."""
    edited = place.edited
    if edited is None:
        may_submit = not visit.may(Action.PUBLISH)
        return {"review": None, "notes": (), "reviewers": (), "may_submit": may_submit}
    reviewers = reviewers_of(session, edited, visit.user.id)
    options = [(str(each.id), each.name) for each in reviewers]
    has_changes = edited.live is None or edited.has_draft
    review = _review(session, visit, edited)
    may_submit = has_changes and bool(options) and edited.allows(visit.user, Action.EDIT)
    return {
        "review": review, "notes": _notes(session, visit, edited), "reviewers": options,
        "may_submit": may_submit and not (review and review.is_waiting),
    }  # fmt: skip


def _review(session: Session, visit: Visit, edited: Edited) -> ShownReview | None:
    review = find_review(session, edited.kind, edited.id, edited.locale)
    if review is None:
        return None
    is_own = review.submitted_by == visit.user.id
    may_decide = edited.allows(visit.user, Action.PUBLISH)
    return ShownReview(
        review.is_waiting, _name(session, review.submitted_by), review.submitted_at, review.assigned_to,
        _name(session, review.assigned_to), _name(session, review.decided_by), review.decided_at, is_own,
        may_decide and review.is_waiting and not is_own and review.assigned_to in (None, visit.user.id),
    )  # fmt: skip


def _notes(session: Session, visit: Visit, edited: Edited) -> Sequence[ShownNote]:
    """Return the notes with their answers, those that are done last."""
    notes = find_notes(session, edited.kind, edited.id, edited.locale)
    letters = letters_of(" ".join(_texts(edited.values))) if any(each.quote for each in notes) else ""
    names = {user_id: _name(session, user_id) for user_id in {each.user_id for each in notes}}
    is_admin = visit.user.role is Role.ADMIN

    def shown(note: Note) -> ShownNote:
        answers = [shown(each) for each in notes if each.parent_id == note.id]
        is_gone = bool(note.quote) and letters_of(note.quote) not in letters
        return ShownNote(
            note.id, names[note.user_id], note.written_at, note.text, note.quote, is_gone,
            is_admin or note.user_id == visit.user.id, _name(session, note.done_by), note.done_at, answers,
        )  # fmt: skip

    first = [shown(each) for each in notes if each.parent_id is None]
    return sorted(first, key=lambda each: each.done_at is not None)


def _texts(value: object) -> Iterator[str]:
    """Yield all texts in values, without the tags of HTML."""
    if isinstance(value, str):
        yield unescape(_TAG.sub(" ", value))
    elif isinstance(value, Mapping):
        yield from _all_texts(value.values())
    elif isinstance(value, Sequence):
        yield from _all_texts(value)


def _all_texts(values: Iterable[object]) -> Iterator[str]:
    for each in values:
        yield from _texts(each)


def _name(session: Session, user_id: int | None) -> str:
    return (find_user_name(session, user_id) or "") if user_id is not None else ""
