"""The API of one site as a Flask app: /v2 from the tables of endpoints, health, metrics, media and documentation."""

import secrets
import threading
from collections.abc import Callable, Mapping
from functools import cache, partial

from flask import Flask, Response, request
from flask.typing import ResponseReturnValue
from msgspec import Struct
from werkzeug.routing import Map, UnicodeConverter

from sitecms.actions.writing.accept import WriteContext
from sitecms.actions.writing.request_media import Probe
from sitecms.api import errors, headers
from sitecms.api.addresses import Addresses
from sitecms.api.auth import Authenticator
from sitecms.api.endpoint import Call, Router
from sitecms.api.openapi import document
from sitecms.api.params import Params
from sitecms.api.read_handler import ReadHandler, ReadMiddleware
from sitecms.api.responses import ReadResponse, uncached_response
from sitecms.api.views import blog, content, media, monitoring
from sitecms.api.write_handler import WRITE_ENDPOINTS, Hint, WriteEndpoint, WriteHandler, write_json
from sitecms.cache import BoundedCache
from sitecms.content.text.slug import RESERVED_SLUGS
from sitecms.media.fetching import fetch
from sitecms.media.fetching.fetch import FetchRules
from sitecms.media.library import open_library
from sitecms.media.storage.time_limits import WEB
from sitecms.optional_packages import Extra
from sitecms.runtime import Runtime
from sitecms.settings.extras import check_extra
from sitecms.site.feed_texts import FeedTexts
from sitecms.store.database import Session
from sitecms.store.writes.writes import get_write
from sitecms.tasks.background import Background
from sitecms.tasks.queue import QueueWatch

DEFAULT_CACHE_BYTES = 32 * 1024 * 1024
POST_JSON_BYTES = 12 * 1024 * 1024
"""Size of the cache of single posts as JSON, which lists and searches that were not answered before are made of."""
ENDPOINTS = (*blog.ENDPOINTS, *content.ENDPOINTS)
PATHS = {
    "write": "/v2/writes/<write_id>/",
    "media": "/media/<name>",
    "live": "/health/live",
    "ready": "/health/ready",
    "metrics": "/metrics",
    "root": "/",
    "docs_folder": "/docs/",
    "docs": "/docs",
    "docs_file": "/docs/<name>",
    "openapi": "/v2/openapi.json",
}
"""Paths beside those of the endpoints, by the names of their views; `api.openapi.open_paths` describes them."""
Views = Mapping[str, Callable[..., ResponseReturnValue]]
GetBackground = Callable[[], Background]


class Api(Struct, frozen=True):
    """The Flask app of one site, which answers every request, and its parts that middleware and the studio use."""

    app: Flask
    authenticator: Authenticator
    router: Router
    reads: ReadMiddleware
    write_context: WriteContext
    hint: Hint


def create_api(
    runtime: Runtime,
    public_url: str = "",
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    probe: Probe | None = None,
    hint: Hint | None = None,
    background: GetBackground | None = None,
) -> Api:
    """Create the API of one site. `public_url` is the address it is served at, for a site whose settings name none.

    `probe` looks for remote media, `hint` sends the id of an accepted write to workers; by default they use the network
    and the site's queue, which `background` opens.
    """
    app = Flask("sitecms.api", static_folder=None, template_folder=None)
    app.url_map = _url_map()
    errors.install(app)
    headers.install(app)
    base_url = runtime.settings.serve_url or public_url.rstrip("/")
    authenticator = Authenticator(runtime.database, runtime.clock)
    router = Router(app.url_map, ENDPOINTS)
    read_handler = _read_handler(runtime, authenticator, router, base_url, BoundedCache(cache_bytes))
    rules = FetchRules(runtime.settings.media.allow_hosts)
    context = _write_context(runtime, probe or partial(fetch.probe, rules=rules))
    background = background or open_background(runtime)
    send_hint = hint or (lambda write_id: background().hint(write_id))
    app.view_functions = {
        **_write_views(runtime, WriteHandler(context, authenticator, send_hint)),
        "media": _media_view(runtime),
        **_documentation_views(runtime, base_url),
        **_operation_views(runtime, authenticator, QueueWatch(runtime.settings, lambda: background().queue)),
    }
    reads = ReadMiddleware(app.wsgi_app, read_handler)
    app.wsgi_app = reads  # type: ignore[method-assign]
    return Api(app, authenticator, router, reads, context, send_hint)


def _read_handler(
    runtime: Runtime, authenticator: Authenticator, router: Router, base_url: str, responses: BoundedCache[ReadResponse]
) -> ReadHandler:
    addresses = Addresses(runtime.settings, runtime.settings.media.public_url or base_url)
    feed_texts = FeedTexts(runtime.settings)
    post_json: BoundedCache[bytes] = BoundedCache(POST_JSON_BYTES)

    def call(session: Session, params: Params) -> Call:
        return Call(session, params, runtime.locales, runtime.settings.zone, addresses, feed_texts, post_json)

    return ReadHandler(runtime.database, authenticator, router, runtime.locales, call, responses)


def _write_context(runtime: Runtime, probe: Probe) -> WriteContext:
    return WriteContext(
        database=runtime.database,
        settings=runtime.settings,
        locales=runtime.locales,
        probe=probe,
        clock=runtime.clock,
        new_id=partial(secrets.token_hex, 16),
    )


def open_background(runtime: Runtime) -> GetBackground:
    """Return a function that opens the queue at its first call: a server that only answers reads needs none."""
    check_extra(runtime.settings, Extra.REDIS)
    opened = cache(lambda: Background(runtime.settings, runtime.database, runtime.clock))
    lock = threading.Lock()

    def background() -> Background:
        with lock:
            return opened()

    return background


def _write_views(runtime: Runtime, writer: WriteHandler) -> Views:
    """Return the views of the write endpoints, and the one that reports the state of a write."""

    def writing(endpoint: WriteEndpoint) -> Callable[..., Response]:
        return lambda **path: writer.answer(endpoint, path, request)

    def write(write_id: str) -> Response:
        token = writer.authenticate(request)
        return uncached_response(200, write_json(runtime.database.read(get_write, write_id), token))

    return {**{_name_of(endpoint): writing(endpoint) for endpoint in WRITE_ENDPOINTS}, "write": write}


def _media_view(runtime: Runtime) -> Callable[..., Response]:
    library = open_library(runtime.settings, WEB)
    remote = media.RemoteMedia(library, runtime.database, runtime.settings.media)
    return remote.media_file if library.is_remote else partial(media.local_media_file, library)


def _operation_views(runtime: Runtime, authenticator: Authenticator, queue: QueueWatch) -> Views:
    """Return the views of health and metrics."""

    def scrape() -> Response:
        return monitoring.metrics(runtime, authenticator, queue, request.headers.get("Authorization", ""))

    return {"live": monitoring.live, "ready": lambda: monitoring.ready(runtime.settings, queue), "metrics": scrape}


def _documentation_views(runtime: Runtime, base_url: str) -> Views:
    """Return the views of the OpenAPI document and its page, and of redirects from addresses that people guess."""
    return {
        "root": document.to_docs,
        "docs_folder": document.to_docs,
        "docs": lambda: document.docs_file(document.PAGE),
        "docs_file": document.docs_file,
        "openapi": lambda: document.openapi_json(runtime, ENDPOINTS, WRITE_ENDPOINTS, base_url),
    }


@cache
def _url_map() -> Map:
    """Return the addresses of all endpoints, which all apps of a process share: they are the same for every site."""
    app = Flask("sitecms.api", static_folder=None, template_folder=None)
    app.url_map.merge_slashes = False
    app.url_map.converters["unreserved"] = _Unreserved
    for endpoint in ENDPOINTS:
        app.add_url_rule(endpoint.path, endpoint.path, methods=["GET"])  # ReadMiddleware answers them
    for written in WRITE_ENDPOINTS:
        path = written.path.replace("/posts/<slug>", "/posts/<unreserved:slug>")
        app.add_url_rule(path, _name_of(written), methods=[written.method])
    for name, path in PATHS.items():
        app.add_url_rule(path, name)
    return app.url_map


def _name_of(endpoint: WriteEndpoint) -> str:
    """Return the name of the view of a write endpoint."""
    return f"{endpoint.method} {endpoint.path}".replace(".", "-")


class _Unreserved(UnicodeConverter):
    """A slug that an entry can have, so that `Allow` of `/v2/posts/search/` names reads alone."""

    def __init__(self, url_map: Map) -> None:
        super().__init__(url_map)
        self.regex = rf"(?!(?:{'|'.join(RESERVED_SLUGS)})/?\Z){self.regex}"
