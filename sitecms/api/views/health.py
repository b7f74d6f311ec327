"""Health checks for process managers and load balancers, without a token."""

from flask import Response

from sitecms.api.responses import uncached_response
from sitecms.content.field_value import JsonObject
from sitecms.settings.site import SiteSettings
from sitecms.store.maintenance.counters import living
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.tasks.queue_watch import QueueWatch

WORKER = "worker"


def live() -> Response:
    """Return 200 {"status": "live"}, as long as the process answers at all."""
    return uncached_response(200, {"status": "live"})


def ready(settings: SiteSettings, queue: QueueWatch) -> Response:
    """Return 200 if the store can be read, else 503 with "reasons".

    The body is {"status": "ready", "worker": "alive", "queue": "reachable", "store": "SQLite 3.54.0"}. A worker that is
    "not seen" may run on another machine, and reads need none. Writes are accepted while the queue is "unreachable":
    workers find them in the store within seconds.
    """
    store = look_at_store(settings.store)
    reasons = store.problems
    worker = "alive" if living(settings.counters_dir).get(WORKER) else "not seen"
    reach = "unreachable" if queue.look().length is None else "reachable"
    body: JsonObject = {
        "status": "unavailable" if reasons else "ready",
        "worker": worker,
        "queue": reach,
        "store": store.engine,
    }
    return uncached_response(503, {**body, "reasons": list(reasons)}) if reasons else uncached_response(200, body)
