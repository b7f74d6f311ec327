"""Reviews: a user submits an entry, another one who may publish it does so, or sends it back; and notes on entries.

A review ends when the entry is published, whoever does it (`actions.writing.review_ends`).
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sitecms.actions.editing.edited import EditContext, Edited
from sitecms.actions.mailing.queue import mail_user
from sitecms.actions.mailing.texts import entry_values
from sitecms.clock import format_timestamp
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.mail import MailKind
from sitecms.content.review import (
    MAX_ACTS_PER_HOUR,
    MAX_NOTE_LENGTH,
    MAX_NOTES,
    MAX_QUOTE_LENGTH,
    Note,
    Review,
    ReviewState,
)
from sitecms.content.user import Action, Role, User
from sitecms.errors import Conflict, Forbidden, InvalidFields, NotFound
from sitecms.messages import N_, Text
from sitecms.store.accounts.audit import count_actions, record_action
from sitecms.store.accounts.users import find_user_by_id, find_users
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import notes as stored_notes
from sitecms.store.entries import reviews as stored

NO_REVIEWER = N_("Choose somebody who may publish it.")
_SUBMITTED = N_("%(name)s has submitted it for review already. Write a note to say more.")
_SUBMITTED_BY_GONE = N_("Somebody else has submitted it for review already. Write a note to say more.")
NOT_WAITING = N_("This does not wait for a review any more.")
EMPTY = N_("Write something.")
NO_NOTE = N_("There is no such note any more.")
MANY_NOTES = Text(
    "There are %(num)s notes already, as many as there can be. Delete some that are done first.", num=MAX_NOTES
)
MANY_ACTS = Text(
    "You have sent %(num)s notes and reviews within an hour, as many as one person may. Try again later.",
    num=MAX_ACTS_PER_HOUR,
)
SUBMIT, ASSIGN, SEND_BACK, WRITE_NOTE = "submit for review", "assign review", "send back", "write note"
_COUNTED = (SUBMIT, ASSIGN, SEND_BACK, WRITE_NOTE)
"""Names of acts in the log that send e-mail."""
_HOUR = timedelta(hours=1)


def reviewers_of(session: Session, edited: Edited, submitter_id: int) -> tuple[User, ...]:
    """Return the active users who may publish an entry, but for the one who submits it, by name."""
    users = find_users(session)
    return tuple(
        each for each in users if each.id != submitter_id and each.is_active and edited.allows(each, Action.PUBLISH)
    )


def submit(context: EditContext, edited: Edited, reviewer_id: int | None, message: str) -> None:
    """Submit an entry for review, by one user or by any who may publish it; tell them.

    Raises Forbidden, Conflict while another user waits for a review of it, and InvalidFields under `reviewer` and
    `review_message`.
    """
    edited.require(context.user, Action.EDIT)
    at, message = context.writes.clock(), _checked("review_message", message, MAX_NOTE_LENGTH)
    with context.writes.database.writing(counts_as_change=False) as transaction:
        reviewers = reviewers_of(transaction, edited, context.user.id)
        chosen = _chosen(reviewers, reviewer_id)
        waiting = stored.find_review(transaction, *_place(edited))
        if waiting and waiting.is_waiting and waiting.submitted_by != context.user.id:
            submitter = find_user_by_id(transaction, waiting.submitted_by)
            raise Conflict("review", Text(_SUBMITTED, name=submitter.name) if submitter else _SUBMITTED_BY_GONE)
        review = Review(*_place(edited), ReviewState.WAITING, context.user.id, at, reviewer_id)
        stored.save_review(transaction, review)
        if message:
            _insert(transaction, edited, Note(0, *_place(edited), None, context.user.id, at, message))
        _record(transaction, context.user, SUBMIT, edited, at)
        _mail(transaction, context, edited, MailKind.SUBMITTED, chosen or reviewers, {"note": message})


def assign(context: EditContext, edited: Edited, reviewer_id: int | None) -> None:
    """Give a review to another user, or to any who may publish the entry. Raises as `submit`, and Conflict."""
    edited.require(context.user, Action.PUBLISH)
    at = context.writes.clock()
    with context.writes.database.writing(counts_as_change=False) as transaction:
        review = _waiting(transaction, edited)
        chosen = _chosen(reviewers_of(transaction, edited, review.submitted_by), reviewer_id)
        changed = Review(*_place(edited), review.state, review.submitted_by, review.submitted_at, reviewer_id)
        stored.save_review(transaction, changed)
        _record(transaction, context.user, ASSIGN, edited, at)
        submitter = find_user_by_id(transaction, review.submitted_by)
        values = {"by": submitter.name} if submitter else {}
        _mail(transaction, context, edited, MailKind.SUBMITTED, chosen, values)


def send_back(context: EditContext, edited: Edited, message: str) -> None:
    """Send an entry back to who submitted it, with a message. Raises Forbidden, InvalidFields and Conflict."""
    edited.require(context.user, Action.PUBLISH)
    at, message = context.writes.clock(), _checked("review_message", message, MAX_NOTE_LENGTH)
    with context.writes.database.writing(counts_as_change=False) as transaction:
        review = _waiting(transaction, edited)
        stored.decide(transaction, review, ReviewState.SENT_BACK, context.user.id, at)
        if message:
            _insert(transaction, edited, Note(0, *_place(edited), None, context.user.id, at, message))
        _record(transaction, context.user, SEND_BACK, edited, at)
        submitter = find_user_by_id(transaction, review.submitted_by)
        _mail(transaction, context, edited, MailKind.SENT_BACK, [submitter] if submitter else [], {"note": message})


def withdraw(context: EditContext, edited: Edited) -> None:
    """End a review without a decision, by who submitted it or may publish the entry. Raises Forbidden and Conflict."""
    at = context.writes.clock()
    with context.writes.database.writing(counts_as_change=False) as transaction:
        review = stored.find_review(transaction, *_place(edited))
        if review is None:
            raise Conflict("review", NOT_WAITING)
        if review.submitted_by != context.user.id:
            edited.require(context.user, Action.PUBLISH)
        stored.delete_review(transaction, *_place(edited))
        record_action(transaction, context.user, "withdraw review", edited.subject, at)


def approve_for_later(context: EditContext, edited: Edited, scheduled_at: datetime) -> None:
    """End the review of an entry that is scheduled, if there is one: it is published without another look."""
    with context.writes.database.writing(counts_as_change=False) as transaction:
        review = stored.find_review(transaction, *_place(edited))
        if review is None:
            return
        stored.delete_review(transaction, *_place(edited))
        submitter = find_user_by_id(transaction, review.submitted_by)
        values = {"scheduled_at": format_timestamp(scheduled_at)}
        _mail(transaction, context, edited, MailKind.PUBLISHED, [submitter] if submitter else [], values)


def write_note(context: EditContext, edited: Edited, text: str, quote: str = "", parent_id: int | None = None) -> None:
    """Write a note on an entry, on words of it, or in answer to a note; tell who takes part.

    Raises Forbidden, NotFound for a note that is gone, and InvalidFields.
    """
    edited.require(context.user, Action.EDIT)
    name = "note" if parent_id is None else f"answer-{parent_id}"
    at, text = context.writes.clock(), _checked(name, text, MAX_NOTE_LENGTH)
    quote = _checked("quote", quote, MAX_QUOTE_LENGTH)
    if not text:
        raise InvalidFields({name: [EMPTY]})
    with context.writes.database.writing(counts_as_change=False) as transaction:
        thread = [] if parent_id is None else _thread(transaction, edited, parent_id)
        note = Note(0, *_place(edited), parent_id, context.user.id, at, text, quote)
        _insert(transaction, edited, note)
        if parent_id is not None:
            stored_notes.set_done(transaction, parent_id, None, None)  # an answer opens it again
        _record(transaction, context.user, WRITE_NOTE, edited, at)
        people = _people(transaction, edited, thread)
        values = {"note": text, "quote": quote or (thread[0].quote if thread else "")}
        _mail(transaction, context, edited, MailKind.NOTE, people, values)


def set_note_done(context: EditContext, edited: Edited, note_id: int, *, is_done: bool) -> None:
    """Say that a note is done, or open it again. Raises Forbidden and NotFound."""
    edited.require(context.user, Action.EDIT)
    with context.writes.database.writing(counts_as_change=False) as transaction:
        _thread(transaction, edited, note_id)
        at = context.writes.clock() if is_done else None
        stored_notes.set_done(transaction, note_id, at, context.user.id if is_done else None)


def delete_note(context: EditContext, edited: Edited, note_id: int) -> None:
    """Remove a note with its answers, by who wrote it or by an admin. Raises Forbidden and NotFound."""
    edited.require(context.user, Action.EDIT)
    with context.writes.database.writing(counts_as_change=False) as transaction:
        notes = stored_notes.find_notes(transaction, *_place(edited))
        note = next((each for each in notes if each.id == note_id), None)
        if note is None:
            raise NotFound(NO_NOTE)
        if note.user_id != context.user.id and context.user.role is not Role.ADMIN:
            raise Forbidden(N_("Only who wrote a note, or an admin, may delete it."))
        stored_notes.delete_note(transaction, note_id)
        record_action(transaction, context.user, "delete note", edited.subject, context.writes.clock())


def _record(transaction: Transaction, user: User, act: str, edited: Edited, at: datetime) -> None:
    """Record an act that sends e-mail. Raises Conflict if the user has done very many within an hour."""
    if count_actions(transaction, user.name, _COUNTED, at - _HOUR) >= MAX_ACTS_PER_HOUR:
        raise Conflict("review", MANY_ACTS)
    record_action(transaction, user, act, edited.subject, at)


def _place(edited: Edited) -> tuple[EntryKind, int, str]:
    return edited.kind, edited.id, edited.locale


def _waiting(session: Session, edited: Edited) -> Review:
    review = stored.find_review(session, *_place(edited))
    if review is None or not review.is_waiting:
        raise Conflict("review", NOT_WAITING)
    return review


def _chosen(reviewers: Iterable[User], reviewer_id: int | None) -> tuple[User, ...]:
    """Return the chosen reviewer, none if anybody may review it. Raises InvalidFields."""
    chosen = tuple(each for each in reviewers if each.id == reviewer_id)
    if reviewer_id is not None and not chosen:
        raise InvalidFields({"reviewer": [NO_REVIEWER]})
    return chosen


def _checked(name: str, text: str, longest: int) -> str:
    """Return a text with line feeds alone and without space around it. Raises InvalidFields under `name`."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(plain) > longest:
        raise InvalidFields({name: [Text("Use at most %(num)s characters.", num=f"{longest:,}")]})
    return plain


def _insert(transaction: Transaction, edited: Edited, note: Note) -> None:
    """Insert a note. Raises Conflict if the entry has as many as it may have."""
    if stored_notes.count_notes(transaction, *_place(edited)) >= MAX_NOTES:
        raise Conflict("review", MANY_NOTES)
    stored_notes.insert_note(transaction, note)


def _thread(session: Session, edited: Edited, note_id: int) -> list[Note]:
    """Return a note that answers none, and the answers to it. Raises NotFound."""
    notes = stored_notes.find_notes(session, *_place(edited))
    first = [each for each in notes if each.id == note_id and each.parent_id is None]
    if not first:
        raise NotFound(NO_NOTE)
    return first + [each for each in notes if each.parent_id == note_id]


def _people(session: Session, edited: Edited, thread: Iterable[Note]) -> list[User]:
    """Return the users who wrote in a thread, who take part in the review, and whose post it is."""
    review = stored.find_review(session, *_place(edited))
    ids = {each.user_id for each in thread} | ({review.submitted_by, review.assigned_to} if review else set())
    own = edited.author if KINDS[edited.kind].has_author else None
    return [each for each in find_users(session) if each.id in ids or (own and each.author == own)]


def _mail(
    transaction: Transaction,
    context: EditContext,
    edited: Edited,
    kind: MailKind,
    users: Iterable[User],
    values: Mapping[str, str],
) -> None:
    """Store an e-mail about the entry to each of these users, but for the one who acts."""
    named = entry_values(edited.kind, edited.type, edited.id, edited.locale, edited.title)
    for user in users:
        if user.id != context.user.id:
            mail_user(transaction, user, kind, {**named, "by": context.user.name, **values}, context.writes.clock())
