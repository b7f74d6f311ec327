"""Who asks: the token of a request, and whether it opens anything (decisions, Tokens and errors)."""

import time
from collections.abc import Callable, Mapping

from sitecms.clock import Clock
from sitecms.content.token import Scope, Token, secret_digest
from sitecms.errors import Forbidden, Unauthenticated
from sitecms.store.database import Database
from sitecms.store.tokens import find_token

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


class Gate:
    """Checks tokens against the store; a token that was found is not looked up again for one second.

    So a revoked token stops within a second, and one just made opens at once. Secrets are kept as digests only.
    """

    def __init__(self, database: Database, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._found: dict[str, tuple[Token, float]] = {}

    def admit_reader(self, secret: str) -> Token:
        """The token of a read request; every token may read. Raises Unauthenticated."""
        if not secret:
            raise Unauthenticated(NO_CREDENTIALS)
        token = self._token(secret_digest(secret))
        if token is None or not token.usable(self._clock()):
            raise Unauthenticated(INVALID_TOKEN)
        return token

    def admit_writer(self, authorization: str) -> Token:
        """The token of a write request, which stands in the header only.

        Raises Unauthenticated, in the same words for no token and one that opens nothing, and Forbidden.
        """
        secret = secret_of(authorization, {})
        token = self._token(secret_digest(secret)) if secret else None
        if token is None or not token.usable(self._clock()):
            raise Unauthenticated(NO_CREDENTIALS)
        if token.scope is not Scope.WRITE:
            raise Forbidden(NO_WRITES)
        return token

    def _token(self, digest: str) -> Token | None:
        at = self._monotonic()
        cached = self._found.get(digest)
        if cached and at - cached[1] < CACHED_SECONDS:
            return cached[0]
        with self._database.reading() as session:
            token = find_token(session, digest)
        if token is not None:
            if len(self._found) >= MAX_CACHED:
                self._found.clear()
            self._found[digest] = token, at
        return token
