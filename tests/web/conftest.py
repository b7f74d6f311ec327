"""Fixtures of the API, for the tests of the web server."""

from tests.api.conftest import client, get, writer, writing

__all__ = ["client", "get", "writer", "writing"]
