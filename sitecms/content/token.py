"""Access tokens: what they may do, and how their secret is made and compared."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from sitecms.content.references import SINGLE_PAGES

_SECRET_BYTES = 20


class Scope(StrEnum):
    """A write token also reads (decisions, Tokens and errors)."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """What a write token may write, if not everything: posts of one author, items of these collections, pages of
    these types (`*`: Single Pages). Whatever is not named is closed as soon as one thing is.
    """

    author: str = ""
    collections: tuple[str, ...] = ()
    page_types: tuple[str, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether there is anything it may not write."""
        return bool(self.author or self.collections or self.page_types)

    def allow_posts_of(self, author: str) -> bool:
        """Whether posts of the author of that slug may be written."""
        return self.author == author if self.author else not self.is_limited

    def allow_items_of(self, collection: str) -> bool:
        """Whether items of the collection may be written."""
        return not self.is_limited or collection in self.collections

    def allow_pages_of(self, page_type: str | None) -> bool:
        """Whether pages of the type (None: Single Pages) may be written."""
        return not self.is_limited or (page_type or SINGLE_PAGES) in self.page_types


@dataclass(frozen=True, slots=True)
class Token:
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
        """Whether the token opens anything at that time."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


def new_secret() -> str:
    """A new random token, 40 hex digits (160 bits)."""
    return secrets.token_hex(_SECRET_BYTES)


def secret_digest(secret: str) -> str:
    """What is stored instead of the secret. The secret is random, so a plain SHA-256 cannot be searched back."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
