"""The Flask app, put together: /v2 from the endpoints' table, health and media beside it."""

import secrets
import threading
from collections.abc import Callable
from functools import cache, partial

from flask import Flask, Response, request

from sitecms.actions.writing.accept import Desk
from sitecms.actions.writing.request_media import Probe
from sitecms.api import cross_origin, errors
from sitecms.api.addresses import Addresses
from sitecms.api.auth import Gate
from sitecms.api.call import Call, Endpoint
from sitecms.api.envelope import momentary
from sitecms.api.params import Params
from sitecms.api.reader import Reader
from sitecms.api.routes import Routes
from sitecms.api.views import (
    authors,
    content,
    documentation,
    feeds,
    health,
    media,
    metrics,
    pages,
    posts,
    search,
    terms,
)
from sitecms.api.views.remote_media import RemoteMedia
from sitecms.api.views.writes import WRITE_ENDPOINTS, write_json
from sitecms.api.writer import Hint, WriteEndpoint, Writer
from sitecms.errors import RemoteMissing
from sitecms.media.fetching import fetch
from sitecms.media.fetching.fetch import FetchRules
from sitecms.media.library import open_library
from sitecms.media.storage.time_limits import WEB
from sitecms.runtime import Runtime
from sitecms.site.feed_texts import FeedTexts
from sitecms.store.cache import Memory
from sitecms.store.database import Session
from sitecms.store.writes.writes import get_write
from sitecms.tasks import Background
from sitecms.tasks.queue import check_queue
from sitecms.tasks.queue_watch import QueueWatch
from sitecms.web.middleware.read_handler import FAILED
from sitecms.web.middleware.request_metrics import ELSEWHERE, REQUEST_ID, ROUTE, STATUS
from sitecms.web.middleware.stack import Service, put_around

KEPT_BYTES = 32 * 1024 * 1024
ENDPOINTS = (
    *posts.ENDPOINTS,
    *authors.ENDPOINTS,
    *terms.ENDPOINTS,
    *search.ENDPOINTS,
    *feeds.ENDPOINTS,
    *pages.ENDPOINTS,
    *content.ENDPOINTS,
)


def create_app(
    runtime: Runtime,
    public_url: str = "",
    *,
    kept_bytes: int = KEPT_BYTES,
    probe: Probe | None = None,
    hint: Hint | None = None,
) -> Flask:
    """The app of one site: `create_service` without what only a web server asks for."""
    return create_service(runtime, public_url, kept_bytes=kept_bytes, probe=probe, hint=hint).app


def create_service(
    runtime: Runtime,
    public_url: str = "",
    *,
    kept_bytes: int = KEPT_BYTES,
    probe: Probe | None = None,
    hint: Hint | None = None,
) -> Service:
    """The API of one site. `public_url` is the address it is served at, for a site whose settings name none.

    `probe` looks for remote media, `hint` tells workers of an accepted write; left out, the network and the queue.
    """
    app = Flask("sitecms.api", static_folder=None, template_folder=None)
    errors.install(app)
    cross_origin.install(app)
    base_url = runtime.settings.serve_url or public_url.rstrip("/")
    reader = _reader(runtime, base_url, kept_bytes)
    for endpoint in ENDPOINTS:
        app.add_url_rule(endpoint.path, endpoint.path, _reading(endpoint, reader), methods=["GET"])
    routes = Routes(ENDPOINTS)
    gate = Gate(runtime.database, runtime.clock)
    desk = _desk(runtime, probe or partial(_is_there, FetchRules(runtime.settings.media.allow_hosts)))
    background = _background(runtime)
    _add_writes(app, runtime, Writer(desk, gate, hint or (lambda write: background().hint(write))))
    _add_open_paths(app, runtime)
    _add_documentation(app, runtime, base_url)
    _add_seeing(app, runtime, gate, QueueWatch(runtime.settings, lambda: background().queue))
    return put_around(app, runtime, gate, routes, reader)


def _reader(runtime: Runtime, base_url: str, kept_bytes: int) -> Reader:
    addresses = Addresses(runtime.settings, runtime.settings.media.public_url or base_url)
    feed_texts = FeedTexts(runtime.settings)

    def call(session: Session, params: Params) -> Call:
        return Call(session, params, runtime.locales, addresses, feed_texts)

    gate = Gate(runtime.database, runtime.clock)
    return Reader(runtime.database, gate, runtime.locales, call, Memory(kept_bytes))


def _reading(endpoint: Endpoint, reader: Reader) -> Callable[..., Response]:
    """The Flask view of a read endpoint: it tells what failed in front, and answers what was not found there."""

    def view(**path: str) -> Response:
        if FAILED in request.environ:
            raise request.environ[FAILED]
        status, headers, body = reader.answer(endpoint, path, request.environ).for_request(request.environ)
        return Response(body, status, headers)

    return view


def _desk(runtime: Runtime, probe: Probe) -> Desk:
    return Desk(
        database=runtime.database,
        settings=runtime.settings,
        locales=runtime.locales,
        probe=probe,
        clock=runtime.clock,
        new_id=partial(secrets.token_hex, 16),
    )


def _is_there(rules: FetchRules, url: str) -> bool:
    """Only what the remote itself says counts (specification, Errors)."""
    try:
        fetch.probe(url, rules)
    except RemoteMissing:
        return False
    return True


def _background(runtime: Runtime) -> Callable[[], Background]:
    """The queue is opened with the first write, once: a server that is only read from needs none."""
    check_queue(runtime.settings)
    opened = cache(lambda: Background(runtime.settings, runtime.database, runtime.clock))
    lock = threading.Lock()

    def background() -> Background:
        with lock:
            return opened()

    return background


def _add_writes(app: Flask, runtime: Runtime, writer: Writer) -> None:
    """The write endpoints, and what became of a write."""

    def writing(endpoint: WriteEndpoint) -> Callable[..., Response]:
        return lambda **path: writer.answer(endpoint, path, request)

    for endpoint in WRITE_ENDPOINTS:
        name = f"{endpoint.method} {endpoint.path}".replace(".", "-")
        app.add_url_rule(endpoint.path, name, writing(endpoint), methods=[endpoint.method])

    def write(write_id: str) -> Response:
        token = writer.admit(request)
        with runtime.database.reading() as session:
            return momentary(200, write_json(get_write(session, write_id), token))

    app.add_url_rule("/v2/writes/<write_id>/", "write", write, methods=["GET"])


def _add_open_paths(app: Flask, runtime: Runtime) -> None:
    """What needs no token."""
    library = open_library(runtime.settings, WEB)
    remote = RemoteMedia(library, runtime.database, runtime.settings.media)
    answer = remote.answer if library.is_remote else partial(media.media_file, library)
    app.add_url_rule("/media/<name>", "media", answer)


def _add_seeing(app: Flask, runtime: Runtime, gate: Gate, queue: QueueWatch) -> None:
    """What operators look at; and what Flask notes of each answer (web.middleware.request_metrics)."""

    def scrape() -> Response:
        return metrics.metrics(runtime, gate, queue, request.headers.get("Authorization", ""))

    def note(response: Response) -> Response:
        request.environ[ROUTE] = request.url_rule.rule if request.url_rule else ELSEWHERE
        request.environ[STATUS] = str(response.status_code)
        if REQUEST_ID in request.environ:
            response.headers["X-Request-ID"] = request.environ[REQUEST_ID]
        return response

    app.add_url_rule("/health/live", view_func=health.live)
    app.add_url_rule("/health/ready", "ready", lambda: health.ready(runtime.settings, queue))
    app.add_url_rule("/metrics", "metrics", scrape)
    app.after_request(note)


def _add_documentation(app: Flask, runtime: Runtime, base_url: str) -> None:
    """Both forms of it; `api.openapi.open_paths` tells of them, too. Addresses that people guess lead there."""
    openapi = documentation.openapi_json
    app.add_url_rule("/", "root", documentation.to_docs)
    app.add_url_rule("/docs/", "docs_folder", documentation.to_docs)
    app.add_url_rule("/docs", "docs", lambda: documentation.docs_file(documentation.PAGE))
    app.add_url_rule("/docs/<name>", "docs_file", documentation.docs_file)
    app.add_url_rule("/v2/openapi.json", "openapi", lambda: openapi(runtime, ENDPOINTS, WRITE_ENDPOINTS, base_url))
