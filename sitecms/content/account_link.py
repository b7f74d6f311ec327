"""Links that open once: to make the first user, to invite users, and to reset a password."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from sitecms.content.token import secret_digest
from sitecms.content.user import ID_LENGTH, Role, new_session_secret

MAX_LABEL_LENGTH = 100


class LinkKind(StrEnum):
    """The purposes of a link."""

    INVITATION = "invitation"
    RESET = "reset"
    FIRST = "first"


LIFETIMES = {
    LinkKind.INVITATION: timedelta(hours=72),
    LinkKind.RESET: timedelta(hours=1),
    LinkKind.FIRST: timedelta(hours=1),
}


class AccountLink(Struct, frozen=True):
    """A link: `label` says whom it is for, `role` and `author` are those of the user that it makes.

    `user_id` is the user whose password is reset, `made_by` the user who made the link (None: the command line). The
    secret in the link is stored as a digest only. `email` is the address that an invitation is sent to, "" for none.
    """

    digest: str
    kind: LinkKind
    label: str
    role: Role
    author: str
    user_id: int | None
    made_by: int | None
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
    email: str = ""

    @property
    def id(self) -> str:
        """Name of the link in forms."""
        return self.digest[:ID_LENGTH]

    def is_open(self, at: datetime) -> bool:
        """Return whether the link can be used."""
        return self.used_at is None and at < self.expires_at


def new_link(
    kind: LinkKind, at: datetime, label: str, role: Role, author: str, user_id: int | None = None
) -> tuple[str, AccountLink]:
    """Return a new secret, and the link that it opens, which nobody is said to have made."""
    secret = new_session_secret()
    return secret, AccountLink(
        secret_digest(secret), kind, label, role, author, user_id, None, at, at + LIFETIMES[kind]
    )


def link_path(kind: LinkKind, secret: str) -> str:
    """Return the path of a link. Logs of sitecms and of its proxies keep no query."""
    return f"/studio/{kind}/?code={secret}"
