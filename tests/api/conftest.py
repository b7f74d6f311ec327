"""Fixtures of the API's tests."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from sitecms.api.app import create_app
from sitecms.runtime import Runtime

PUBLIC_URL = "http://127.0.0.1:8000"


@pytest.fixture
def client(runtime: Runtime) -> FlaskClient:
    """A client of the app, without a token."""
    return create_app(runtime, PUBLIC_URL).test_client()


@pytest.fixture
def get(client: FlaskClient, make_token: Callable[..., str]) -> Callable[..., TestResponse]:
    """Read a path with a token; further headers by keyword."""
    secret = make_token("test")

    def read(path: str, **headers: str) -> TestResponse:
        return client.get(path, headers={"Authorization": f"Token {secret}", **headers})

    return read
