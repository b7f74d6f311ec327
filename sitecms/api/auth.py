"""Who asks: the token of a request, and whether it opens anything (decisions, Tokens and errors)."""

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
    """The secret in the header `Authorization: Token <secret>`, else in the parameter `auth_token`, else ""."""
    scheme, _, secret = authorization.strip().partition(" ")
    if scheme.lower() == "token" and secret.strip():
        return secret.strip()
    return query.get("auth_token", "").strip()


class Admission:
    """A token that was found; until that moment of the monotonic clock it is not looked up again."""

    __slots__ = ("token", "until")

    def __init__(self, token: Token) -> None:
        self.token = token
        self.until = 0.0


class Gate:
    """Checks tokens against the store; a token that was found is not looked up again for one second.

    So a revoked token stops within a second, and one just made opens at once. Secrets are kept as digests only.
    """

    def __init__(self, database: Database, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._admissions: BoundedCache[Admission] = BoundedCache(MAX_CACHED)

    def admit_reader(self, secret: str) -> Admission:
        """The token of a read request; every token may read. Raises Unauthenticated.

        The same token gets the same admission, which is prolonged by asking again.
        """
        if not secret:
            raise Unauthenticated(NO_CREDENTIALS)
        found = self._admission(secret_digest(secret))
        if found is None:
            raise Unauthenticated(INVALID_TOKEN)
        return found

    def holds(self, admission: Admission) -> bool:
        """Whether it still counts; if not, ask again."""
        expires_at = admission.token.expires_at
        return self._monotonic() < admission.until and (expires_at is None or self._clock() < expires_at)

    def admit_writer(self, authorization: str) -> Token:
        """The token of a write request, which stands in the header only.

        Raises Unauthenticated, in the same words for no token and one that opens nothing, and Forbidden.
        """
        secret = secret_of(authorization, {})
        found = self._admission(secret_digest(secret)) if secret else None
        if found is None:
            raise Unauthenticated(NO_CREDENTIALS)
        if found.token.scope is not Scope.WRITE:
            raise Forbidden(NO_WRITES)
        return found.token

    def _admission(self, digest: str) -> Admission | None:
        """None for a token that opens nothing now."""
        cached = self._admissions.get(digest)
        if cached and self.holds(cached):
            return cached
        at = self._monotonic()
        with self._database.reading() as session:
            token = find_token(session, digest)
        if token is None or not token.usable(self._clock()):
            return None
        if cached is None:
            cached = Admission(token)
            self._admissions.put(digest, cached)
        cached.token, cached.until = token, at + CACHED_SECONDS
        return cached
