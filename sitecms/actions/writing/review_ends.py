"""The end of reviews: an entry was published, so nothing of it waits for a decision any more."""

from collections.abc import Sequence
from datetime import datetime

from sitecms.actions.mailing.queue import mail_user
from sitecms.actions.mailing.texts import entry_values
from sitecms.content.entry import Entry
from sitecms.content.mail import MailKind
from sitecms.content.status import Status, Version
from sitecms.store.accounts.users import find_user_by_id
from sitecms.store.database import Transaction
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.reviews import delete_review, find_review, list_reviews
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.listings.entries import titles_of
from sitecms.store.site_state.documents import load_content_schema


def end_review(transaction: Transaction, versions: Sequence[Entry], locale: str, by: str, at: datetime) -> None:
    """End the review of an entry in a locale if all of it is published; tell the user who submitted it.

    `versions` are those of the entry as it is now, `by` is the name of the user or token, "" for a schedule.
    """
    live = next((each for each in versions if each.locale == locale and each.status is Status.PUBLISHED), None)
    review = find_review(transaction, live.kind, live.id, locale) if live else None
    if live is None or review is None or _has_draft(transaction, live):
        return
    delete_review(transaction, live.kind, live.id, locale)
    submitter = find_user_by_id(transaction, review.submitted_by)
    if submitter is not None and submitter.name != by:
        titles = titles_of(transaction, [(live.kind, live.id)], load_content_schema(transaction))
        title = titles.get((live.kind, live.id)) or live.slug
        values = entry_values(live.kind, live.type, live.id, locale, title)
        mail_user(transaction, submitter, MailKind.PUBLISHED, {**values, "by": by}, at)


def end_published_reviews(transaction: Transaction, at: datetime) -> None:
    """End the reviews of all entries that are published, as a load may have published them."""
    for listed in list_reviews(transaction):
        review = listed.review
        versions = VERSIONS[review.kind].of(transaction, (review.entry_id,))
        end_review(transaction, versions, review.locale, "", at)


def _has_draft(transaction: Transaction, live: Entry) -> bool:
    """Return whether changes of a version wait to be published."""
    drafts = (each for each in versions_of(transaction, live.kind, live.id) if each.version is Version.DRAFT)
    return any(each.locale == live.locale for each in drafts)
