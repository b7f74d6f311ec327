"""Fixtures of the API's tests."""

from collections.abc import Callable
from typing import Any, Protocol

import orjson
import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from werkzeug.test import TestResponse

from sitecms.content.token import Scope, TokenLimits
from sitecms.runtime import Runtime
from sitecms.settings.operations import StudioSettings
from sitecms.web.service import create_app

PUBLIC_URL = "http://127.0.0.1:8000"


class Remote(Protocol):
    """The outside world (tests/conftest.py)."""

    def probe(self, url: str) -> str:
        """The probe."""


def api_alone(runtime: Runtime) -> Runtime:
    """Return the site without the studio, whose many routes take Werkzeug longer than most tests here."""
    return replace(runtime, settings=replace(runtime.settings, studio=StudioSettings(enabled=False)))


@pytest.fixture
def client(runtime: Runtime) -> FlaskClient:
    """A client of the app, without a token."""
    return create_app(api_alone(runtime), PUBLIC_URL).test_client()


@pytest.fixture
def get(client: FlaskClient, make_token: Callable[..., str]) -> Callable[..., TestResponse]:
    """Read a path with a token; further headers by keyword."""
    secret = make_token("test")

    def read(path: str, **headers: str) -> TestResponse:
        return client.get(path, headers={"Authorization": f"Token {secret}", **headers})

    return read


class Writing:
    """A client with a write token: sends writes, and applies them when told."""

    def __init__(self, client: FlaskClient, secret: str, apply: Callable[[], int]) -> None:
        self.client = client
        self.secret = secret
        self.apply = apply

    def send(self, method: str, path: str, body: object = None, **headers: str) -> TestResponse:
        """A request as it is; header names with _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Authorization": f"Token {self.secret}", **named}
        data = body if isinstance(body, bytes) else None if body is None else orjson.dumps(body)
        return self.client.open(path, method=method, data=data, headers=given, content_type="application/json")

    def post(self, path: str, body: object, **headers: str) -> TestResponse:
        """Create."""
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: object, **headers: str) -> TestResponse:
        """Update."""
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> TestResponse:
        """Delete."""
        return self.send("DELETE", path, **headers)

    def get(self, path: str, **headers: str) -> TestResponse:
        """Read; a draft is read with preview=1."""
        return self.send("GET", path, **headers)

    def data(self, path: str) -> Any:
        """What a read answers under `data`, after everything was applied."""
        self.apply()
        answered = self.get(path)
        assert answered.status_code == 200, answered.get_json()
        return answered.get_json()["data"]

    def refused(self, method: str, path: str, body: object, status: int = 400) -> Any:
        """What a refusal says."""
        answered = self.send(method, path, body)
        assert answered.status_code == status, answered.get_json()
        return answered.get_json()

    def outcome(self, accepted: TestResponse) -> Any:
        """What became of an accepted write."""
        assert accepted.status_code == 202, accepted.get_json()
        self.apply()
        return self.get(accepted.headers["Location"]).get_json()


@pytest.fixture
def writing(
    runtime: Runtime, make_token: Callable[..., str], remote: Remote, apply_all: Callable[[], int]
) -> Callable[..., Writing]:
    """Make a client with a write token that has these limits."""

    def make(name: str = "newsroom", **limits: Any) -> Writing:
        app = create_app(api_alone(runtime), PUBLIC_URL, probe=remote.probe, hint=lambda _id: None)
        secret = make_token(name, Scope.WRITE, limits=TokenLimits(**limits))
        return Writing(app.test_client(), secret, apply_all)

    return make


@pytest.fixture
def writer(writing: Callable[..., Writing], make_author: Callable[..., str]) -> Writing:
    """A client that may write everything; the site has two authors."""
    make_author("ann-ray", first_name="Ann", email="ann@tide.example")
    make_author("bo-lind", first_name="Bo", email="Bo@tide.example")
    return writing()
