"""Revisions: former states of an entry in one locale, and the changes that made and ended them."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from sitecms.content.fingerprint import digest
from sitecms.content.status import Status

_TOKEN_LENGTH = 16


class ChangeKind(StrEnum):
    """The kind of a change, as histories name it."""

    SAVE = "save"
    PUBLISH = "publish"
    SCHEDULE = "schedule"
    UNPUBLISH = "unpublish"
    DISCARD = "discard"
    RESTORE = "restore"
    LOAD = "load"


class ChangeSource(StrEnum):
    """The source of a change: a user of the studio, a token of the API, a file, the time of a schedule, a command."""

    USER = "user"
    TOKEN = "token"  # noqa: S105 - the name of a source
    FILE = "file"
    SCHEDULE = "schedule"
    COMMAND = "command"
    UNKNOWN = ""


class ChangeCause(Struct, frozen=True):
    """The source of a change: `name` is that of the user, token or file. `kind` None: the operation determines it."""

    source: ChangeSource
    name: str = ""
    kind: ChangeKind | None = None

    def kind_of(self, before: Status | None, after: Status | None) -> ChangeKind:
        """Return the kind of a change of an entry's status."""
        if self.kind is not None:
            return self.kind
        if self.source is ChangeSource.FILE:
            return ChangeKind.LOAD
        if after is Status.PUBLISHED:
            return ChangeKind.PUBLISH
        if after is Status.SCHEDULED and before is not after:
            return ChangeKind.SCHEDULE
        is_unpublished = before in (Status.PUBLISHED, Status.SCHEDULED) and after in (Status.DRAFT, None)
        return ChangeKind.UNPUBLISH if is_unpublished else ChangeKind.SAVE


UNKNOWN_CAUSE = ChangeCause(ChangeSource.UNKNOWN)


class Change(Struct, frozen=True):
    """A change in the history of an entry."""

    at: datetime
    kind: ChangeKind
    source: ChangeSource
    name: str


class Revision(Struct, frozen=True):
    """A former state of an entry in one locale, kept when it was replaced.

    `token` names the state: forms carry it. `made` and `ended` are the changes before and after it. `was_public` if
    readers saw what the change replaced.
    """

    id: int
    token: str
    made: Change
    ended: Change
    was_public: bool


def state_token(state: bytes) -> str:
    """Return the name of a state."""
    return digest(state)[:_TOKEN_LENGTH]
