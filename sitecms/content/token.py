"""Access tokens: their permissions, and their secrets."""

import secrets
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from msgspec import Struct, field

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.references import SINGLE_PAGES

_SECRET_BYTES = 20


class Scope(StrEnum):
    """Scope of a token; a write token also reads (API reference, Tokens and errors)."""

    READ = "read"
    WRITE = "write"


class TokenLimits(Struct, frozen=True):
    """Limits of a write token: posts of one author, items of these collections, pages of these types.

    `*` stands for Single Pages. Without any limit the token may write everything; with one, only what is named.
    """

    author: str = ""
    collections: tuple[str, ...] = ()
    page_types: tuple[str, ...] = ()

    @property
    def is_limited(self) -> bool:
        """True if the token may not write everything."""
        return bool(self.author or self.collections or self.page_types)

    def allow(self, kind: EntryKind, owner: str) -> bool:
        """Return whether it may write posts of an author, pages of a type ("": Single Pages), items of a collection."""
        if not self.is_limited:
            return True
        properties = KINDS[kind]
        if properties.has_author:
            return bool(self.author) and owner == self.author
        return (owner or SINGLE_PAGES) in (self.page_types if properties.has_slug else self.collections)


class Token(Struct, frozen=True):
    """A token as listed: its secret is shown once, when it is made, and kept as a digest only.

    The secret that it had before it was rotated opens too, until `former_until`.
    """

    id: int
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    limits: TokenLimits = field(default_factory=TokenLimits)
    rotated_at: datetime | None = None
    former_until: datetime | None = None

    def usable(self, at: datetime) -> bool:
        """Return whether the token is valid at that time."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


def new_secret() -> str:
    """Return a new random token, 40 hex digits (160 bits)."""
    return secrets.token_hex(_SECRET_BYTES)


def secret_digest(secret: str) -> str:
    """Return the digest that is stored instead of the secret: SHA-256 suffices, since the secret is random."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
