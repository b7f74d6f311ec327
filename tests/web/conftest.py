"""Fixtures of the web server's tests: those of the API."""

from tests.api.conftest import client, get, writer, writing

__all__ = ["client", "get", "writer", "writing"]
