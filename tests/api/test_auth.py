"""Tokens on reads: where they stand, what refuses them, and for how long a check is remembered."""

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

MakeToken = Callable[..., str]
PATHS = ("/v2/posts/", "/v2/posts/x/", "/v2/authors/", "/v2/authors/x/", "/v2/categories/")
NO_CREDENTIALS = {"detail": "Authentication credentials were not provided."}
INVALID = {"detail": "Invalid token."}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("authorization", ["", "Token", "Token ", "Bearer abc", "abc"])
def test_no_token_is_401(client: FlaskClient, path: str, authorization: str) -> None:
    """Every read endpoint asks for a token, before it looks at anything else."""
    answered = client.get(f"{path}?locale=xx", headers={"Authorization": authorization})
    assert (answered.status_code, answered.get_json()) == (401, NO_CREDENTIALS)
    assert answered.headers["WWW-Authenticate"] == "Token"
    assert answered.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
def test_an_unknown_token_is_401(client: FlaskClient, path: str) -> None:
    """In the header or in the query."""
    for answered in (
        client.get(path, headers={"Authorization": "Token nope"}),
        client.get(f"{path}?auth_token=nope"),
        client.get(f"{path}?auth_token=%ED%A0%80%00"),
    ):
        assert (answered.status_code, answered.get_json()) == (401, INVALID)
        assert answered.headers["WWW-Authenticate"] == "Token"


def test_where_a_token_may_stand(client: FlaskClient, make_token: MakeToken) -> None:
    """Header or query; the header counts first, of repeated parameters the last; a write token also reads."""
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


def test_expired_and_revoked_tokens_are_invalid(client: FlaskClient, make_token: MakeToken, store: Database) -> None:
    """They open nothing, as if they had never been."""
    expired = make_token("old", expires_at=now() - timedelta(seconds=1))
    revoked = make_token("gone")
    with store.writing() as transaction:
        revoke_token(transaction, "gone", now())
    for secret in (expired, revoked):
        answered = client.get("/v2/posts/", headers={"Authorization": f"Token {secret}"})
        assert (answered.status_code, answered.get_json()) == (401, INVALID)


def test_a_check_is_remembered_for_one_second(store: Database, make_token: MakeToken) -> None:
    """A revoked token stops within a second; a new one opens at once; expiry is never remembered away."""
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
    with store.writing() as transaction:
        revoke_token(transaction, "site", now())
    ticks[0] += 0.99
    assert admitted(secret)
    ticks[0] += 0.02
    assert not admitted(secret)
    short = make_token("short", expires_at=clock[0] + timedelta(seconds=1))
    assert admitted(short)
    clock[0] += timedelta(seconds=1)
    assert not admitted(short)
