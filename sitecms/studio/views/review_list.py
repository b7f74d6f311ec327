"""Lists of entries in review: those that the user is to act on, and all."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from flask import Response
from msgspec import Struct

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.review import ReviewState
from sitecms.content.user import Action
from sitecms.messages import N_
from sitecms.store.database import Session
from sitecms.store.entries.reviews import ListedReview, list_reviews
from sitecms.store.listings.entries import titles_of
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.texts import _
from sitecms.studio.visit import Route, Visit

REVIEWS = "/studio/reviews/"
MAX_LINKS = 10
"""Reviews that the first page lists."""
STATES: Mapping[ReviewState, str] = {ReviewState.WAITING: N_("in review"), ReviewState.SENT_BACK: N_("sent back")}


class LinkToReview(Struct, frozen=True):
    """A link to the form of an entry in review: who submitted it, and who is to decide ("": anybody) since when."""

    title: str
    address: str
    is_waiting: bool
    submitter: str
    reviewer: str
    since: datetime


def own_reviews(visit: Visit, session: Session) -> Sequence[LinkToReview]:
    """Return the entries that wait for a decision of the user, then those that were sent back to the user."""
    waiting: Sequence[ListedReview] = ()
    if visit.may(Action.PUBLISH):
        waiting = list_reviews(session, ReviewState.WAITING, visit.user.id)
    sent_back = list_reviews(session, ReviewState.SENT_BACK, visit.user.id)
    return _links(session, [*waiting, *sent_back][:MAX_LINKS])


def states_of(session: Session, kind: EntryKind) -> Mapping[int, ReviewState]:
    """Return the states of the reviews of a kind, by the ids of the entries; one that waits in a locale comes first."""
    reviews = [each.review for each in list_reviews(session) if each.review.kind is kind]
    return {each.entry_id: each.state for each in sorted(reviews, key=lambda review: review.is_waiting)}


def show_reviews(visit: Visit) -> Response:
    """Show all reviews to users who may publish; to others those that they asked for."""
    with visit.studio.runtime.database.reading() as session:
        own = [each.review for each in list_reviews(session, ReviewState.WAITING, visit.user.id)]
        listed = list_reviews(session)
        if not visit.may(Action.PUBLISH):
            own, listed = [], [each for each in listed if each.review.submitted_by == visit.user.id]
        parts = (
            (_("Waiting for you"), [each for each in listed if each.review in own]),
            (_("Waiting for others"), [each for each in listed if each.review.is_waiting and each.review not in own]),
            (_("Sent back"), [each for each in listed if not each.review.is_waiting]),
        )
        sections = [(heading, _links(session, reviews)) for heading, reviews in parts if reviews]
    return visit.page("reviews.html", sections=sections)


def _links(session: Session, reviews: Iterable[ListedReview]) -> Sequence[LinkToReview]:
    listed = [*reviews]
    keys = [(each.review.kind, each.review.entry_id) for each in listed]
    titles = titles_of(session, keys, load_content_schema(session)) if listed else {}
    return [
        LinkToReview(
            titles.get(key) or f"{key[0]} {key[1]}",
            KINDS[each.review.kind].form_address(each.review.entry_id, each.type, each.review.locale),
            each.review.is_waiting,
            each.submitter,
            each.assignee or "",
            each.review.decided_at or each.review.submitted_at,
        )
        for key, each in zip(keys, listed, strict=True)
    ]


ROUTES = (Route("GET", REVIEWS, show_reviews, Action.CREATE),)
