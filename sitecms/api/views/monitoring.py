"""Health checks for process managers and load balancers, and /metrics for Prometheus.

Health needs no token. /metrics has what all processes of the site on this machine have counted, and gauges of the
present. It is off unless [metrics] turns it on; where that names a token, the header `Authorization: Token <secret>`
must carry it.
"""

from collections.abc import Iterable, Iterator, Sequence

from flask import Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from sitecms import __version__
from sitecms.api.auth import INVALID_TOKEN, Authenticator, secret_of
from sitecms.api.responses import NO_STORE, uncached_response
from sitecms.clock import Clock
from sitecms.content.field_value import JsonObject
from sitecms.errors import NotFound, Unauthenticated
from sitecms.runtime import Runtime
from sitecms.settings.operations import MetricsSettings
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.metrics import count_processes
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.maintenance.statistics import (
    Tally,
    cached_entry_counts,
    count_media,
    open_writes,
    waiting_deliveries,
)
from sitecms.store.site_state.site_builds import LastBuild, find_last_build
from sitecms.tasks.queue import QueueState, QueueWatch

WORKER = "worker"


def live() -> Response:
    """Return 200 {"status": "live"}, as long as the process answers at all."""
    return uncached_response(200, {"status": "live"})


def ready(settings: SiteSettings, queue: QueueWatch) -> Response:
    """Return 200 if the store can be read and written, else 503 with "reasons".

    The body is {"status": "ready", "worker": "alive", "queue": "reachable", "store": "SQLite 3.54.0"}. A worker that is
    "not seen" may run on another machine, and reads need none. Writes are accepted while the queue is "unreachable":
    workers find them in the store within seconds.
    """
    store = look_at_store(settings.store)
    reasons = (*store.problems, *filter(None, [store.write_problem]))
    worker = "alive" if count_processes(settings.metrics_dir).get(WORKER) else "not seen"
    reach = "unreachable" if queue.look().length is None else "reachable"
    body: JsonObject = {
        "status": "unavailable" if reasons else "ready",
        "worker": worker,
        "queue": reach,
        "store": store.engine,
    }
    return uncached_response(503, {**body, "reasons": list(reasons)}) if reasons else uncached_response(200, body)


def metrics(runtime: Runtime, authenticator: Authenticator, queue: QueueWatch, authorization: str) -> Response:
    """Return the metrics as text.

    Raises NotFound where they are turned off, and Unauthenticated without the token that the settings name.
    """
    _authenticate(runtime.settings.metrics, authenticator, authorization)
    text = generate_latest(_Families([*_gauges(runtime, queue), *runtime.metrics.collector().collect()]))
    return Response(text, content_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": NO_STORE})


class _Families(Collector):
    """The metrics of one response."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _authenticate(settings: MetricsSettings, authenticator: Authenticator, authorization: str) -> None:
    if not settings.enabled:
        raise NotFound("Not found.")
    if settings.token and authenticator.authenticate_read(secret_of(authorization, {})).token.name != settings.token:
        raise Unauthenticated(INVALID_TOKEN)


def _gauges(runtime: Runtime, queue: QueueWatch) -> Iterator[Metric]:
    settings = runtime.settings
    problems = look_at_store(runtime.database.address).problems
    yield _labelled_gauge("info", "The version of sitecms.", ("version",), [((__version__,), 1)])
    processes = [((kind,), count) for kind, count in count_processes(settings.metrics_dir).items()]
    yield _labelled_gauge("processes", "Living processes of the site on this machine.", ("kind",), processes)
    yield _gauge("store_up", "Whether the store can be read (1) or not (0).", 0 if problems else 1)
    yield from _queue_gauges(queue.look())
    if not problems:
        with runtime.database.reading() as session:
            yield from _store_gauges(session, runtime.clock)
    build = find_last_build(settings.state_dir)
    if build is not None:
        yield from _build_gauges(build)


def _queue_gauges(state: QueueState) -> Iterator[Metric]:
    """Yield the state of the queue; its length is unknown while it cannot be reached."""
    yield _gauge("queue_up", "Whether the queue can be reached (1) or not (0).", 0 if state.length is None else 1)
    if state.length is not None:
        yield _gauge("queue_length", "Hints that wait in the queue.", state.length)


def _store_gauges(session: Session, clock: Clock) -> Iterator[Metric]:
    entries = [
        ((kind, status), count)
        for kind, by_status in cached_entry_counts(session).items()
        for status, count in by_status.items()
    ]
    media, media_bytes = count_media(session)
    yield _labelled_gauge("entries", "Entries by kind and status.", ("kind", "status"), entries)
    yield _gauge("media_files", "Files in the media library.", media)
    yield _gauge("media_bytes", "Bytes of these files.", media_bytes)
    yield _gauge("change_number", "Committed changes of the store.", session.change_number())
    yield from _tally_gauges("open_writes", "Writes accepted and not ended", open_writes(session), clock)
    deliveries = waiting_deliveries(session)
    yield from _tally_gauges("waiting_deliveries", "Webhook messages still to be taken", deliveries, clock)


def _tally_gauges(name: str, subject: str, tally: Tally | None, clock: Clock) -> Iterator[Metric]:
    """Yield the count of open tasks and the age of the oldest."""
    age = max(0.0, (clock() - tally.oldest_at).total_seconds()) if tally else 0.0
    yield _gauge(name, f"{subject}.", tally.count if tally else 0)
    yield _gauge(f"{name}_oldest_age_seconds", f"How long the oldest has waited: {subject.lower()}.", age)


def _build_gauges(build: LastBuild) -> Iterator[Metric]:
    phases = [((phase,), seconds) for phase, seconds in build.phases.items()]
    yield _gauge("last_build_timestamp_seconds", "When the site was built last.", build.finished_at.timestamp())
    yield _labelled_gauge("last_build_seconds", "How long that took, by phase.", ("phase",), phases)
    yield _gauge("last_build_outputs", "Files of the site as built last.", build.files)
    yield _gauge("last_build_failed", "Pages that could not be rendered.", build.failed)


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"sitecms_{name}", help_text, value=value)


def _labelled_gauge(
    name: str, help_text: str, labels: Sequence[str], values: Iterable[tuple[Sequence[str], float]]
) -> Metric:
    family = GaugeMetricFamily(f"sitecms_{name}", help_text, labels=labels)
    for label_values, value in values:
        family.add_metric(label_values, value)
    return family
