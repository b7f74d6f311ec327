"""/metrics: what all processes of the site on this machine counted, and how things stand, for Prometheus.

Off unless [metrics] turns it on; where that names a token, the header `Authorization: Token <secret>` must carry it.
"""

from collections.abc import Mapping

from flask import Response

from sitecms import __version__
from sitecms.api.auth import INVALID_TOKEN, Gate, secret_of
from sitecms.api.envelope import NEVER_KEPT
from sitecms.clock import Clock
from sitecms.errors import NotFound, Unauthenticated
from sitecms.runtime import Runtime
from sitecms.settings.operations import MetricsSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.counters import living, read_counts
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.maintenance.tallies import Tally, count_media, open_writes, remembered_entries, waiting_deliveries
from sitecms.store.site_state.last_build import LastBuild, find_last_build
from sitecms.tasks.queue_watch import QueueState, QueueWatch
from sitecms.web.middleware.exposition import CONTENT_TYPE, Duration, Gauge, exposition
from sitecms.web.middleware.request_metrics import REQUESTS

DURATIONS = (
    Duration(REQUESTS, "Requests answered by web processes.", ("route", "method", "status", "cache")),
    Duration("write", "Writes that workers ended: seconds from acceptance to end.", ("outcome",)),
    Duration("delivery_attempt", "Attempts to deliver a webhook message.", ("outcome",)),
)


def metrics(runtime: Runtime, gate: Gate, queue: QueueWatch, authorization: str) -> Response:
    """The text. Raises NotFound where it is turned off, Unauthenticated without the token that it takes."""
    _admit(runtime.settings.metrics, gate, authorization)
    folder = runtime.settings.counters_dir
    problems = look_at_store(runtime.database.address).problems
    gauges = [
        Gauge("info", "The version of sitecms.", [({"version": __version__}, 1)]),
        Gauge("processes", "Living processes of the site on this machine.", _one_label("kind", living(folder))),
        Gauge("store_up", "Whether the store can be read (1) or not (0).", [({}, 0 if problems else 1)]),
    ]
    gauges += _of_queue(queue.look())
    if not problems:
        with runtime.database.reading() as session:
            gauges += _of_store(session, runtime.clock)
    build = find_last_build(runtime.settings.state_dir)
    if build is not None:
        gauges += _of_build(build)
    text = exposition(gauges, DURATIONS, read_counts(folder))
    return Response(text, content_type=CONTENT_TYPE, headers={"Cache-Control": NEVER_KEPT})


def _admit(settings: MetricsSettings, gate: Gate, authorization: str) -> None:
    if not settings.enabled:
        raise NotFound("Not found.")
    if settings.token and gate.admit_reader(secret_of(authorization, {})).token.name != settings.token:
        raise Unauthenticated(INVALID_TOKEN)


def _of_queue(state: QueueState) -> list[Gauge]:
    """Its length is not known while it is out of reach."""
    up = Gauge("queue_up", "Whether the queue can be reached (1) or not (0).", [({}, 0 if state.length is None else 1)])
    if state.length is None:
        return [up]
    return [up, Gauge("queue_length", "Hints that wait in the queue.", [({}, state.length)])]


def _of_store(session: Session, clock: Clock) -> list[Gauge]:
    entries = remembered_entries(session)
    media, media_bytes = count_media(session)
    kept = [
        ({"kind": kind, "status": status}, float(count))
        for kind, by_status in entries.items()
        for status, count in by_status.items()
    ]
    return [
        Gauge("entries", "Entries by kind and status.", kept),
        Gauge("media_files", "Files in the media library.", [({}, media)]),
        Gauge("media_bytes", "Bytes of these files.", [({}, media_bytes)]),
        Gauge("change_number", "Committed changes of the store.", [({}, session.change_number())]),
        *_of_tally("open_writes", "Writes accepted and not ended", open_writes(session), clock),
        *_of_tally("waiting_deliveries", "Webhook messages still to be taken", waiting_deliveries(session), clock),
    ]


def _of_tally(name: str, what: str, tally: Tally | None, clock: Clock) -> list[Gauge]:
    """How many are still to be done, and how long the oldest of them has waited."""
    age = max(0.0, (clock() - tally.oldest_at).total_seconds()) if tally else 0.0
    return [
        Gauge(name, f"{what}.", [({}, tally.count if tally else 0)]),
        Gauge(f"{name}_oldest_age_seconds", f"How long the oldest has waited: {what.lower()}.", [({}, age)]),
    ]


def _of_build(build: LastBuild) -> list[Gauge]:
    return [
        Gauge("last_build_timestamp_seconds", "When the site was built last.", [({}, build.finished_at.timestamp())]),
        Gauge("last_build_seconds", "How long that took, by phase.", _one_label("phase", build.phases)),
        Gauge("last_build_outputs", "Files of the site as built last.", [({}, build.files)]),
        Gauge("last_build_failed", "Pages that could not be rendered.", [({}, build.failed)]),
    ]


def _one_label(label: str, values: Mapping[str, float]) -> list[tuple[Mapping[str, str], float]]:
    return [({label: name}, float(value)) for name, value in values.items()]
