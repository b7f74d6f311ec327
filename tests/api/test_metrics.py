"""/metrics, parsed by Prometheus' own parser."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.test import TestResponse

from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.settings.operations import MetricsSettings
from sitecms.store.engines.locks import LockFiles
from sitecms.store.maintenance.metrics import Metrics
from sitecms.store.site_state.site_builds import LastBuild, save_last_build
from sitecms.web.service import create_app
from tests.support.engines import stores

pytestmark = pytest.mark.both_engines

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
Scrape = Callable[..., TestResponse]


def samples(answered: TestResponse) -> Samples:
    """Each by its name and labels."""
    assert answered.status_code == 200, answered.text
    families = text_string_to_metric_families(answered.text)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float | None:
    """One of them; None where it is not there."""
    return found.get((f"sitecms_{name}", frozenset(labels.items())))


@pytest.fixture
def open_metrics(runtime: Runtime) -> Callable[..., Scrape]:
    """The client of an app with these settings of metrics, as a function that reads a path."""

    def make(token: str = "") -> Scrape:
        settings = replace(runtime.settings, metrics=MetricsSettings(enabled=True, token=token))
        client = create_app(replace(runtime, settings=settings, metrics=Metrics())).test_client()

        def read(path: str = "/metrics", secret: str = "") -> TestResponse:
            return client.get(path, headers={"Authorization": f"Token {secret}"} if secret else {})

        return read

    return make


def test_metrics_are_off_by_default(get: Scrape) -> None:
    """The path is 404, also with a token."""
    answered = get("/metrics")
    assert (answered.status_code, answered.get_json()) == (404, {"detail": "Not found."})


def test_only_the_named_token_is_accepted(open_metrics: Callable[..., Scrape], make_token: Callable[..., str]) -> None:
    """The header must carry it, as addresses are logged."""
    scrape = open_metrics("prometheus")
    assert scrape().status_code == 401
    assert scrape(secret=make_token("other")).status_code == 401
    secret = make_token("prometheus")
    assert scrape(f"/metrics?auth_token={secret}").status_code == 401
    answered = scrape(secret=secret)
    assert answered.status_code == 200
    assert answered.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert answered.headers["Cache-Control"] == "no-store"


def test_requests_are_counted_by_route_and_status(
    open_metrics: Callable[..., Scrape], make_post: Callable[..., int], make_token: Callable[..., str]
) -> None:
    """Cached responses count, buckets are cumulative, and all unknown paths share one series."""
    scrape, secret = open_metrics(), make_token()
    make_post("one")
    for path in ("/v2/posts/", "/v2/posts/", "/v2/posts/", "/v2/posts/one/", "/v2/posts/two/", "/x", "/y"):
        scrape(path, secret)
    scrape("/v2/posts/")
    found = samples(scrape())
    name = "http_request_duration_seconds"
    posts = {"route": "/v2/posts/", "method": "GET"}
    assert value(found, f"{name}_count", **posts, status="200", cache="miss") == 1
    assert value(found, f"{name}_count", **posts, status="200", cache="hit") == 2
    assert value(found, f"{name}_bucket", **posts, status="200", cache="hit", le="+Inf") == 2
    assert value(found, f"{name}_count", **posts, status="401", cache="") == 1
    one = {"route": "/v2/posts/<slug>/", "method": "GET", "cache": "miss"}
    assert value(found, f"{name}_count", **one, status="200") == 1
    assert value(found, f"{name}_count", **one, status="404") == 1
    assert value(found, f"{name}_count", route="other", method="GET", status="404", cache="") == 2
    assert (value(found, f"{name}_sum", **posts, status="200", cache="miss") or 0) > 0
    rising = [
        value(found, f"{name}_bucket", **posts, status="200", cache="hit", le=le) or 0
        for le in ("0.0001", "0.001", "0.01", "0.1", "1.0", "60.0", "+Inf")
    ]
    assert rising == sorted(rising)


def test_gauges_of_store_queue_processes_and_build(
    open_metrics: Callable[..., Scrape], runtime: Runtime, make_post: Callable[..., int]
) -> None:
    """Entries, open writes and messages with their age, processes, the last build by phase."""
    make_post("one")
    make_post("two", status=Status.DRAFT)
    at = now() - timedelta(seconds=100)
    with runtime.database.writing() as transaction:
        transaction.sql(
            "INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt, errors_json,"
            " accepted_at) VALUES ('w', 'post', 'create', 'k', 1, '{}', 'accepted', 0, '{}', ?)",
            round(at.timestamp() * 1e6),
        )
    build = LastBuild(at, "public", 1.5, 3, 0, 40, 1000, {"plan": 0.5, "render": 1.0})
    save_last_build(runtime.settings.store_path.parent, build)
    lock = LockFiles(runtime.settings.metrics_dir / "web").acquire_unique()
    found = samples(open_metrics()())
    lock.release()
    assert value(found, "entries", kind="post", status="published") == 1
    assert value(found, "entries", kind="post", status="draft") == 1
    assert value(found, "open_writes") == 1
    assert 100 <= (value(found, "open_writes_oldest_age_seconds") or 0) < 160
    assert (value(found, "waiting_deliveries"), value(found, "waiting_deliveries_oldest_age_seconds")) == (0, 0)
    assert value(found, "processes", kind="web") == 1
    assert (value(found, "store_up"), value(found, "queue_up"), value(found, "queue_length")) == (1, 1, 0)
    assert value(found, "last_build_seconds", phase="render") == 1.0
    assert value(found, "last_build_outputs") == 40
    assert value(found, "last_build_timestamp_seconds") == pytest.approx(at.timestamp())


def test_metrics_without_a_store(open_metrics: Callable[..., Scrape], runtime: Runtime) -> None:
    """store_up is 0, and the counters are answered all the same."""
    scrape = open_metrics()
    scrape("/health/live")
    stores().ruin(runtime.database)
    found = samples(scrape())
    assert value(found, "store_up") == 0
    assert value(found, "entries", kind="post", status="published") is None
    live = {"route": "/health/live", "method": "GET", "status": "200", "cache": ""}
    assert value(found, "http_request_duration_seconds_count", **live) == 1
