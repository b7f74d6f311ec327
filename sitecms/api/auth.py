"""Authentication of requests by their token (API reference, Tokens and errors)."""

import time
from collections.abc import Callable, Mapping

from sitecms.cache import BoundedCache
from sitecms.clock import Clock
from sitecms.content.token import Scope, Token, secret_digest
from sitecms.errors import Forbidden, Unauthenticated
from sitecms.store.database import Database
from sitecms.store.writes.tokens import find_token

CACHED_SECONDS = 1.0
MAX_CACHED = 1000
NO_CREDENTIALS = "Authentication credentials were not provided."
INVALID_TOKEN = "Invalid token."  # noqa: S105 - a message
NO_WRITES = "The token does not allow writes."


def secret_of(authorization: str, query: Mapping[str, str]) -> str:
    """Return the secret in the header `Authorization: Token <secret>`, else in the parameter `auth_token`, else ""."""
    scheme, _, secret = authorization.strip().partition(" ")
    if scheme.lower() == "token" and secret.strip():
        return secret.strip()
    return query.get("auth_token", "").strip()


class CachedToken:
    """A valid token, which is read from the store again after `until`, a time of the monotonic clock."""

    __slots__ = ("token", "until")

    def __init__(self, token: Token) -> None:
        self.token = token
        self.until = 0.0


class Authenticator:
    """Checks tokens against the store, and caches valid ones for one second.

    So a revoked token is refused after a second at most, and a new one works at once. The cache holds digests of the
    secrets only.
    """

    def __init__(self, database: Database, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._cache: BoundedCache[CachedToken] = BoundedCache(MAX_CACHED)

    def authenticate_read(self, secret: str) -> CachedToken:
        """Return the token of a read, which any token allows. Raises Unauthenticated.

        The same secret gets the same object, whose time is extended by another call.
        """
        if not secret:
            raise Unauthenticated(NO_CREDENTIALS)
        cached = self._valid_token(secret_digest(secret))
        if cached is None:
            raise Unauthenticated(INVALID_TOKEN)
        return cached

    def is_current(self, cached: CachedToken) -> bool:
        """Return whether the token is valid without another look at the store."""
        expires_at = cached.token.expires_at
        return self._monotonic() < cached.until and (expires_at is None or self._clock() < expires_at)

    def authenticate_write(self, authorization: str) -> Token:
        """Return the token of a write, which only the header may carry.

        Raises Unauthenticated, with the same message for a missing and an invalid token, and Forbidden.
        """
        secret = secret_of(authorization, {})
        cached = self._valid_token(secret_digest(secret)) if secret else None
        if cached is None:
            raise Unauthenticated(NO_CREDENTIALS)
        if cached.token.scope is not Scope.WRITE:
            raise Forbidden(NO_WRITES)
        return cached.token

    def _valid_token(self, digest: str) -> CachedToken | None:
        cached = self._cache.get(digest)
        if cached and self.is_current(cached):
            return cached
        read_at = self._monotonic()
        token = self._database.read(find_token, digest)
        if token is None or not token.usable(self._clock()):
            return None
        if cached is None:
            cached = CachedToken(token)
            self._cache.put(digest, cached)
        cached.token, cached.until = token, read_at + CACHED_SECONDS
        return cached
