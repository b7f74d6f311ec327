"""Tokens of reads: where they are sent, when they are refused, and how long they are cached."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from sitecms.api.auth import Authenticator
from sitecms.clock import now
from sitecms.content.token import Scope
from sitecms.errors import Unauthenticated
from sitecms.store.database import Database
from sitecms.store.writes.tokens import revoke_token

pytestmark = pytest.mark.both_engines

MakeToken = Callable[..., str]
PATHS = ("/v2/posts/", "/v2/posts/x/", "/v2/authors/", "/v2/authors/x/", "/v2/categories/")
NO_CREDENTIALS = {"detail": "Authentication credentials were not provided."}
INVALID = {"detail": "Invalid token."}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("authorization", ["", "Token", "Token ", "Bearer abc", "abc"])
def test_missing_token_is_401(client: FlaskClient, path: str, authorization: str) -> None:
    """Every read endpoint checks the token before anything else."""
    answered = client.get(f"{path}?locale=xx", headers={"Authorization": authorization})
    assert (answered.status_code, answered.get_json()) == (401, NO_CREDENTIALS)
    assert answered.headers["WWW-Authenticate"] == "Token"
    assert answered.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
def test_unknown_token_is_401(client: FlaskClient, path: str) -> None:
    """Header and query make no difference."""
    for answered in (
        client.get(path, headers={"Authorization": "Token nope"}),
        client.get(f"{path}?auth_token=nope"),
        client.get(f"{path}?auth_token=%ED%A0%80%00"),
    ):
        assert (answered.status_code, answered.get_json()) == (401, INVALID)
        assert answered.headers["WWW-Authenticate"] == "Token"


def test_token_is_in_header_or_query(client: FlaskClient, make_token: MakeToken) -> None:
    """The header takes precedence, the last parameter counts, and a write token may read."""
    secret = make_token("site")
    writer = make_token("newsroom", Scope.WRITE)

    def status(path: str, authorization: str = "") -> int:
        headers = {"Authorization": authorization} if authorization else {}
        return client.get(path, headers=headers).status_code

    assert status("/v2/posts/", f"Token {secret}") == 200
    assert status("/v2/posts/", f"token  {secret} ") == 200
    assert status("/v2/posts/", f"Token {writer}") == 200
    assert status(f"/v2/posts/?auth_token={secret}") == 200
    assert status(f"/v2/posts/?auth_token=nope&auth_token={secret}") == 200
    assert status(f"/v2/posts/?auth_token={secret}&auth_token=nope") == 401
    assert status(f"/v2/posts/?auth_token={secret}", "Token nope") == 401
    assert status(f"/v2/posts/?auth_token={secret}", "Bearer other") == 200


def test_expired_and_revoked_tokens_are_401(client: FlaskClient, make_token: MakeToken, store: Database) -> None:
    """The response is that of an unknown token."""
    expired = make_token("old", expires_at=now() - timedelta(seconds=1))
    revoked = make_token("gone")
    store.write(revoke_token, "gone", now())
    for secret in (expired, revoked):
        answered = client.get("/v2/posts/", headers={"Authorization": f"Token {secret}"})
        assert (answered.status_code, answered.get_json()) == (401, INVALID)


def test_valid_tokens_are_cached_for_one_second(store: Database, make_token: MakeToken) -> None:
    """A revoked token is refused within a second, a new one works at once, and expiry is always checked."""
    ticks = [100.0]
    clock = [now()]
    authenticator = Authenticator(store, lambda: clock[0], lambda: ticks[0])

    def admitted(secret: str) -> bool:
        try:
            authenticator.authenticate_read(secret)
        except Unauthenticated:
            return False
        return True

    secret = make_token("site", expires_at=clock[0] + timedelta(hours=1))
    assert admitted(secret)
    store.write(revoke_token, "site", now())
    ticks[0] += 0.99
    assert admitted(secret)
    ticks[0] += 0.02
    assert not admitted(secret)
    short = make_token("short", expires_at=clock[0] + timedelta(seconds=1))
    assert admitted(short)
    clock[0] += timedelta(seconds=1)
    assert not admitted(short)
