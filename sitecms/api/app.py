"""The Flask app, put together: /v2 from the endpoints' table, health and media beside it."""

from collections.abc import Callable

from flask import Flask, Response, request

from sitecms.api import cross_origin, errors
from sitecms.api.addresses import Addresses
from sitecms.api.auth import Gate
from sitecms.api.call import Call, Endpoint
from sitecms.api.front import FAILED, Front
from sitecms.api.params import Params
from sitecms.api.reader import Reader
from sitecms.api.routes import Routes
from sitecms.api.views import authors, content, documentation, feeds, health, media, pages, posts, search, terms
from sitecms.media.library import MediaLibrary
from sitecms.runtime import Runtime
from sitecms.site.feed_texts import FeedTexts
from sitecms.store.database import Session
from sitecms.store.memory import Memory

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


def create_app(runtime: Runtime, public_url: str = "", *, kept_bytes: int = KEPT_BYTES) -> Flask:
    """The app of one site. `public_url` is the address it is served at, for a site whose settings name none."""
    app = Flask("sitecms.api", static_folder=None, template_folder=None)
    errors.install(app)
    cross_origin.install(app)
    base_url = runtime.settings.serve_url or public_url.rstrip("/")
    reader = _reader(runtime, base_url, kept_bytes)
    for endpoint in ENDPOINTS:
        app.add_url_rule(endpoint.path, endpoint.path, _reading(endpoint, reader), methods=["GET"])
    _add_open_paths(app, runtime)
    _add_documentation(app, runtime, base_url)
    app.wsgi_app = Front(app.wsgi_app, Routes(ENDPOINTS), reader)  # type: ignore[method-assign]
    return app


def _reader(runtime: Runtime, base_url: str, kept_bytes: int) -> Reader:
    addresses = Addresses(runtime.settings, base_url)
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


def _add_open_paths(app: Flask, runtime: Runtime) -> None:
    """What needs no token."""
    library = MediaLibrary(runtime.settings.media_dir)
    app.add_url_rule("/health/live", view_func=health.live)
    app.add_url_rule("/health/ready", "ready", lambda: health.ready(runtime.database))
    app.add_url_rule("/media/<name>", "media", lambda name: media.media_file(library, name))


def _add_documentation(app: Flask, runtime: Runtime, base_url: str) -> None:
    """Both forms of it; `api.openapi.open_paths` tells of them, too."""
    app.add_url_rule("/docs", "docs", lambda: documentation.docs_file(documentation.PAGE))
    app.add_url_rule("/docs/<name>", "docs_file", documentation.docs_file)
    app.add_url_rule("/v2/openapi.json", "openapi", lambda: documentation.openapi_json(runtime, ENDPOINTS, base_url))
