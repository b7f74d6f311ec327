"""The Flask app, put together: /v2 from the endpoints' table, health and media beside it."""

from collections.abc import Callable

from flask import Flask, Response, request

from sitecms.api import cross_origin, errors
from sitecms.api.addresses import Addresses
from sitecms.api.auth import Gate
from sitecms.api.call import Call, Endpoint
from sitecms.api.envelope import answer
from sitecms.api.params import read_params
from sitecms.api.views import authors, categories, health, media, posts
from sitecms.media.library import MediaLibrary
from sitecms.runtime import Runtime

ENDPOINTS = (*posts.ENDPOINTS, *authors.ENDPOINTS, *categories.ENDPOINTS)


def create_app(runtime: Runtime, public_url: str = "") -> Flask:
    """The app of one site. `public_url` is the address it is served at, for a site whose settings name none."""
    app = Flask("sitecms.api", static_folder=None, template_folder=None)
    errors.install(app)
    cross_origin.install(app)
    gate = Gate(runtime.database, runtime.clock)
    addresses = Addresses(runtime.settings, runtime.settings.serve_url or public_url.rstrip("/"))
    for endpoint in ENDPOINTS:
        app.add_url_rule(endpoint.path, endpoint.path, _reading(endpoint, runtime, gate, addresses), methods=["GET"])
    _add_open_paths(app, runtime)
    return app


def _reading(endpoint: Endpoint, runtime: Runtime, gate: Gate, addresses: Addresses) -> Callable[..., Response]:
    """The Flask view of a read endpoint: token, parameters, one snapshot of the store, envelope."""

    def view(**path: str) -> Response:
        gate.admit_reader(request)
        query = {name: values[-1] for name, values in request.args.lists()}
        params = read_params(query, endpoint.parameters, runtime.locales)
        with runtime.database.reading() as session:
            payload = endpoint.view(Call(session, params, runtime.locales, addresses), **path)
        return answer(payload, request, preview=params.preview)

    return view


def _add_open_paths(app: Flask, runtime: Runtime) -> None:
    """What needs no token."""
    library = MediaLibrary(runtime.settings.media_dir)
    app.add_url_rule("/health/live", view_func=health.live)
    app.add_url_rule("/health/ready", "ready", lambda: health.ready(runtime.database))
    app.add_url_rule("/media/<name>", "media", lambda name: media.media_file(library, name))
