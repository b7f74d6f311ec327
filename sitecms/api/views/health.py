"""Whether the service is alive, and whether it can answer: for process managers, without a token."""

from flask import Response

from sitecms.api.envelope import JsonObject, momentary
from sitecms.settings import SiteSettings
from sitecms.store.counters import living
from sitecms.store.readiness import store_problems

WORKER = "worker"


def live() -> Response:
    """200 {"status": "live"} as long as the process answers at all."""
    return momentary(200, {"status": "live"})


def ready(settings: SiteSettings) -> Response:
    """200 {"status": "ready", "worker": "alive"} if the store can be read, else 503 with "reasons".

    A worker that is not "alive" is "not seen": it may run on another machine, and reads need none.
    """
    reasons = store_problems(settings.store_path)
    worker = "alive" if living(settings.counters_dir).get(WORKER) else "not seen"
    body: JsonObject = {"status": "unavailable" if reasons else "ready", "worker": worker}
    return momentary(503, {**body, "reasons": list(reasons)}) if reasons else momentary(200, body)
