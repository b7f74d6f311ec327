"""Access tokens: what they may do, and how their secret is made and compared."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

_SECRET_BYTES = 20


class Scope(StrEnum):
    """A write token also reads (decisions, Tokens and errors)."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as listed: its secret is shown once, when it is made, and kept as a digest only."""

    id: int
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def usable(self, at: datetime) -> bool:
        """Whether the token opens anything at that time."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


def new_secret() -> str:
    """A new random token, 40 hex digits (160 bits)."""
    return secrets.token_hex(_SECRET_BYTES)


def secret_digest(secret: str) -> str:
    """What is stored instead of the secret. The secret is random, so a plain SHA-256 cannot be searched back."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
