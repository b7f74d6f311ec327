"""Reviews of entries before they are published, and notes on entries."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from sitecms.content.kinds import EntryKind

MAX_NOTE_LENGTH, MAX_QUOTE_LENGTH = 5_000, 1_000
MAX_NOTES = 500
"""Most notes on an entry in a locale, with the answers to them: the page of the entry shows all."""
MAX_ACTS_PER_HOUR = 120
"""Most notes and acts of reviews of one user within an hour, each of which may send e-mail."""


class ReviewState(StrEnum):
    """State of a review: it waits for a decision, or the entry was sent back to who submitted it."""

    WAITING = "waiting"
    SENT_BACK = "sent-back"


class Review(Struct, frozen=True):
    """The review of an entry in one locale; it ends when the entry is published.

    People are ids of users. Without `assigned_to` any user who may publish reviews it.
    """

    kind: EntryKind
    entry_id: int
    locale: str
    state: ReviewState
    submitted_by: int
    submitted_at: datetime
    assigned_to: int | None = None
    decided_by: int | None = None
    decided_at: datetime | None = None

    @property
    def is_waiting(self) -> bool:
        """True if somebody has to decide."""
        return self.state is ReviewState.WAITING


class Note(Struct, frozen=True):
    """A note of a user on an entry in one locale, or an answer to one (`parent_id`).

    `quote` are the words of the entry that it is about, "" for the whole entry. A note is done when somebody says so.
    """

    id: int
    kind: EntryKind
    entry_id: int
    locale: str
    parent_id: int | None
    user_id: int
    written_at: datetime
    text: str
    quote: str = ""
    done_at: datetime | None = None
    done_by: int | None = None


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, by which words are found again whatever their markup and spaces."""
    return "".join(filter(str.isalnum, text))
