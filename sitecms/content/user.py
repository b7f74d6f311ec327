"""Users of the studio: roles, permissions and sessions."""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum, StrEnum

from msgspec import Struct

from sitecms.content.mail import MailKind

SESSION_IDLE = timedelta(hours=12)
SESSION_LONGEST = timedelta(days=14)
DEVICE_LONGEST = timedelta(days=400)
"""Time for which a browser stays known after a user has signed in; browsers keep no cookie longer."""
RECENT = timedelta(minutes=15)
"""Time after signing in, or confirming the password, in which users may manage people and their second factor."""
MAX_USER_NAME_LENGTH = 100
ID_LENGTH = 16
"""Digits of a digest that stand for a session or a link in forms."""
_SECRET_BYTES = 32


class Role(StrEnum):
    """Role of a user."""

    WRITER = "writer"
    EDITOR = "editor"
    ADMIN = "admin"


class Action(StrEnum):
    """Actions that a role may allow a user."""

    READ_PUBLISHED = "read what is published"
    READ_DRAFT = "read drafts"
    CREATE = "create entries"
    EDIT = "change drafts"
    EDIT_PAGES = "change pages and items"
    EDIT_TERMS = "change authors, categories and tags"
    PUBLISH = "publish, schedule and unpublish"
    DELETE = "delete drafts"
    DELETE_PUBLISHED = "delete what is published"
    RESTORE = "restore from the trash"
    READ_WRITES = "see failed writes"
    RETRY_WRITES = "try failed writes again"
    UPLOAD = "upload media"
    CHANGE_MEDIA = "describe, replace and delete media that others use"
    MANAGE_PEOPLE = "manage users"
    MANAGE_SITE = "change the settings of the site"
    MANAGE_ACCESS = "manage tokens and webhooks"
    READ_AUDIT = "read the log of actions"
    OWN_ACCOUNT = "change your own password"


class Scope(Enum):
    """Entries that an action may concern: none, those of the user, or all."""

    NONE = 0
    OWN_POSTS = 1
    ALL = 2


_NONE, _OWN, _ALL = Scope.NONE, Scope.OWN_POSTS, Scope.ALL
PERMISSIONS: Mapping[Action, Mapping[Role, Scope]] = {
    action: dict(zip(Role, scopes, strict=True))
    for action, scopes in {
        Action.READ_PUBLISHED: (_ALL, _ALL, _ALL),
        Action.READ_DRAFT: (_OWN, _ALL, _ALL),
        Action.CREATE: (_OWN, _ALL, _ALL),
        Action.EDIT: (_OWN, _ALL, _ALL),
        Action.EDIT_PAGES: (_NONE, _ALL, _ALL),
        Action.EDIT_TERMS: (_NONE, _ALL, _ALL),
        Action.PUBLISH: (_NONE, _ALL, _ALL),
        Action.DELETE: (_OWN, _ALL, _ALL),
        Action.DELETE_PUBLISHED: (_NONE, _ALL, _ALL),
        Action.RESTORE: (_OWN, _ALL, _ALL),
        Action.READ_WRITES: (_OWN, _ALL, _ALL),
        Action.RETRY_WRITES: (_NONE, _ALL, _ALL),
        Action.UPLOAD: (_ALL, _ALL, _ALL),
        Action.CHANGE_MEDIA: (_NONE, _ALL, _ALL),
        Action.MANAGE_PEOPLE: (_NONE, _NONE, _ALL),
        Action.MANAGE_SITE: (_NONE, _NONE, _ALL),
        Action.MANAGE_ACCESS: (_NONE, _NONE, _ALL),
        Action.READ_AUDIT: (_NONE, _NONE, _ALL),
        Action.OWN_ACCOUNT: (_OWN, _OWN, _OWN),
    }.items()
}
"""The scope of each action for each role."""


class User(Struct, frozen=True):
    """A user of the studio. `author` is the slug of the author whose posts are the user's own, "" for none.

    `language` is the one that the user has chosen for the studio, "" for that of the browser.
    `email` is the user's own e-mail address, "" for none; `unwanted_mail` are the kinds of e-mail that the user does
    without, with spaces between them.
    """

    id: int
    name: str
    role: Role
    author: str
    created_at: datetime
    signed_in_at: datetime | None = None
    deactivated_at: datetime | None = None
    has_second_factor: bool = False
    language: str = ""
    email: str = ""
    unwanted_mail: str = ""

    @property
    def is_active(self) -> bool:
        """True if the user may sign in."""
        return self.deactivated_at is None

    def wants(self, kind: MailKind) -> bool:
        """Return whether e-mail of that kind can be sent to the user, and is wanted."""
        return self.is_active and bool(self.email) and kind not in self.unwanted_mail.split()

    def scope(self, action: Action) -> Scope:
        """Return the entries that the action may concern."""
        return PERMISSIONS[action][self.role]

    def may(self, action: Action, author: str | None = None) -> bool:
        """Return whether the action is allowed for an entry of that author (slug); None: for some entry."""
        scope = self.scope(action)
        if scope is Scope.OWN_POSTS and author is not None:
            return bool(self.author) and author == self.author
        return scope is not Scope.NONE


class UserSession(Struct, frozen=True):
    """A session of a signed-in user. `client` is the name that the browser gave itself.

    `confirmed_at` is the time at which the user last typed the password in it.
    """

    digest: str
    user: User
    created_at: datetime
    seen_at: datetime
    address: str
    client: str
    confirmed_at: datetime

    @property
    def id(self) -> str:
        """Name of the session in forms."""
        return self.digest[:ID_LENGTH]

    def is_recent(self, at: datetime) -> bool:
        """Return whether the user typed the password not long ago."""
        return at < self.confirmed_at + RECENT

    def is_current(self, at: datetime) -> bool:
        """Return whether the session has not ended by age or idleness."""
        return at < self.seen_at + SESSION_IDLE and at < self.created_at + SESSION_LONGEST


class AuditEntry(Struct, frozen=True):
    """A recorded action of a user: `subject` is what it concerned, as `post counting-meteors`."""

    at: datetime
    user_name: str
    action: str
    subject: str
    detail: str


def new_session_secret() -> str:
    """Return a new random secret of a session, a link or a device (256 bits)."""
    return secrets.token_urlsafe(_SECRET_BYTES)
