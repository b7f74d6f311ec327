"""E-mails to users of the studio, as they wait to be sent."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

MAX_PROBLEM_LENGTH = 300


class MailKind(StrEnum):
    """The subject matter of an e-mail."""

    INVITATION = "invitation"
    RESET = "reset"
    SUBMITTED = "submitted"
    SENT_BACK = "sent-back"
    PUBLISHED = "published"
    NOTE = "note"
    FAILED_WRITES = "failed-writes"


OPTIONAL_MAIL = (MailKind.SUBMITTED, MailKind.SENT_BACK, MailKind.PUBLISHED, MailKind.NOTE, MailKind.FAILED_WRITES)
"""The kinds that a user may do without; the others answer something that somebody asked for."""


class MailStatus(StrEnum):
    """Status of an e-mail: `dropped` if there was no more reason to send it."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


class Mail(Struct, frozen=True):
    """One e-mail to one person. Its text, and a code in it, are made when it is sent.

    `user_id` is the recipient, whose address counts when the e-mail is sent; an invitation has none, and is sent to the
    `address` of the link whose digest is `link_digest`. `attempt` counts the attempts begun, `failures` those that
    failed since somebody last asked for one. While an attempt is under way, `due_at` is the time at which it counts as
    lost.
    """

    id: int
    kind: MailKind
    user_id: int | None
    link_digest: str | None
    address: str
    values: Mapping[str, str]
    due_at: datetime
    created_at: datetime
    status: MailStatus = MailStatus.WAITING
    attempt: int = 0
    failures: int = 0
    finished_at: datetime | None = None
    problem: str = ""
