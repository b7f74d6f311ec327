"""Whether the service is alive, and whether it can answer: for process managers, without a token."""

from flask import Response

from sitecms.api.envelope import momentary
from sitecms.store.database import Database


def live() -> Response:
    """200 {"status": "live"} as long as the process answers at all."""
    return momentary(200, {"status": "live"})


def ready(database: Database) -> Response:
    """200 {"status": "ready"} if the store answers, else 503 {"status": "unavailable"}."""
    if database.answers():
        return momentary(200, {"status": "ready"})
    return momentary(503, {"status": "unavailable"})
