"""The API and the studio of one site with their middleware, as the web server runs them.

From the outside in: proxies, previews, metrics and request log, rate limits, then the API, which answers cached reads
before Flask, and behind its reads the studio. What the settings do not ask for is left out. Once site.toml was changed,
all of it is made anew, so that each request is answered by one state of the settings. While the store cannot be opened,
as when its database server starts, a small app takes its place.
"""

import os
import threading
from collections.abc import Callable
from typing import TypedDict, Unpack

import structlog
from flask import Flask, Request, Response, request
from msgspec import Struct

from sitecms.actions.writing.request_media import Probe
from sitecms.api import errors, headers
from sitecms.api.app import GetBackground, create_api, open_background
from sitecms.api.auth import Authenticator
from sitecms.api.read_handler import ReadHandler
from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.api.responses import uncached_response
from sitecms.api.views import monitoring
from sitecms.api.write_handler import Hint
from sitecms.api.wsgi import Environ, Wsgi
from sitecms.errors import StoreUnusable
from sitecms.media.intake import MAX_UPLOAD_BYTES
from sitecms.runtime import Runtime
from sitecms.settings.current import CurrentSettings
from sitecms.settings.site import SiteSettings
from sitecms.site.unsaved.content import PublishedContent
from sitecms.studio.access import session_of
from sitecms.studio.app import create_studio
from sitecms.tasks.queue import QueueWatch, open_queue
from sitecms.tasks.store_outage import open_when_usable
from sitecms.web.git_hook import HOOK_PATH, MAX_HOOK_BYTES, create_hook, hook_route, is_hook_on, may_be_signed
from sitecms.web.middleware import (
    STUDIO_PREFIX,
    Mount,
    NoStorePreviews,
    RequestMetrics,
    TrustedProxies,
    apply_forwarded_headers,
    is_upload,
    studio_route,
)
from sitecms.web.rate_limits import RateLimitMiddleware, RateLimits, RateTable, SignInLimits

_MAX_ANONYMOUS_FORM_BYTES = 256 * 1024
FROM_STRANGER = "sitecms.from_stranger"
"""Key of the environment of a request that sends a large form without a session, or a hook of Git."""
_MAX_DIGITS = 100  # Python refuses to read numbers with thousands of them
_LIVE, _READY = "/health/live", "/health/ready"


class Service(Struct, frozen=True):
    """The app of one site by one state of its settings, with its middleware.

    `may_write` returns whether to wait for the body of a request; `reads` is the handler of reads, None while the store
    cannot be opened.
    """

    app: Flask
    wsgi: Wsgi
    may_write: Callable[[Environ], bool]
    reads: ReadHandler | None


MakeService = Callable[[SiteSettings], Service]


class ProcessParts(Struct, frozen=True):
    """The parts that all services of one site in a process share, whatever its settings."""

    background: GetBackground
    published: PublishedContent


def process_parts(runtime: Runtime) -> ProcessParts:
    """Return the parts of a site that its services share."""
    return ProcessParts(open_background(runtime), PublishedContent(runtime.database))


class ApiOptions(TypedDict, total=False):
    """Further arguments of `create_api`."""

    cache_bytes: int
    probe: Probe | None
    hint: Hint | None


def create_service(
    runtime: Runtime, public_url: str = "", parts: ProcessParts | None = None, **options: Unpack[ApiOptions]
) -> Service:
    """Create the API of one site with the middleware that its settings ask for; arguments as of `create_api`."""
    settings, parts = runtime.settings, parts or process_parts(runtime)
    api = create_api(runtime, public_url, background=parts.background, **options)
    if settings.studio.enabled:
        studio = create_studio(runtime, api.write_context, api.hint, SignInLimits(settings), parts.published)
        api.reads.app = Mount(api.reads.app, studio.wsgi_app, studio_route)
    if is_hook_on(settings):
        api.reads.app = Mount(api.reads.app, create_hook(settings), hook_route)
    stack: Wsgi = api.app.wsgi_app
    limits = None
    if settings.rate_limits.limits_anything:
        limits = RateLimits(settings.rate_limits, RateTable(settings.rate_limits_path))
        stack = RateLimitMiddleware(stack, limits)
    stack = RequestMetrics(stack, runtime.metrics, api.router, log_requests=settings.logs.access)
    stack = NoStorePreviews(stack)
    hops = settings.proxies.trusted
    if hops:
        stack = TrustedProxies(stack, hops, settings.proxies.hsts_seconds)
    api.app.wsgi_app = stack  # type: ignore[method-assign]
    return Service(
        api.app, stack, lambda environ: _may_write(environ, runtime, api.authenticator, limits), api.reads.handler
    )


def service_maker(runtime: Runtime, public_url: str = "", **options: Unpack[ApiOptions]) -> MakeService:
    """Return the function that creates the service of one site by other settings; arguments as of `create_api`."""
    parts = process_parts(runtime)

    def make(settings: SiteSettings) -> Service:
        site = runtime if settings is runtime.settings else runtime.with_settings(settings)
        return create_service(site, public_url, parts, **options)

    return make


class CurrentService:
    """The service of one process by the settings as site.toml is now, for any thread."""

    def __init__(self, settings: SiteSettings, make: MakeService) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._use(settings)
        self._settings = CurrentSettings(settings, self._use)

    @property
    def last(self) -> Service:
        """The service of the request before, whatever became of site.toml."""
        return self._service

    def at_once(self) -> Service | None:
        """Return the service if site.toml is as it was, None if `now` may wait."""
        return None if self._settings.are_outdated else self._service

    def now(self) -> Service:
        """Return the service."""
        self._settings.now()
        return self._service

    def switch_to(self, make: MakeService) -> None:
        """Make services in another way from now on."""
        with self._lock:
            self._make = make
            self._service = make(self._used)

    def _use(self, settings: SiteSettings) -> None:
        with self._lock:
            self._used, self._service = settings, self._make(settings)


def create_app(runtime: Runtime, public_url: str = "", **options: Unpack[ApiOptions]) -> Flask:
    """Create the Flask app of one site with its middleware, for any WSGI server; arguments as of `create_api`."""
    services = CurrentService(runtime.settings, service_maker(runtime, public_url, **options))
    app = services.last.app
    app.wsgi_app = lambda environ, start_response: services.now().wsgi(environ, start_response)  # type: ignore[method-assign]
    return app


def _may_write(environ: Environ, runtime: Runtime, authenticator: Authenticator, limits: RateLimits | None) -> bool:
    """Return whether to wait for the body; if not, the app answers why without having read it."""
    length = environ.get("CONTENT_LENGTH", "0")
    is_hook = environ["PATH_INFO"] == HOOK_PATH
    max_bytes = MAX_UPLOAD_BYTES if runtime.settings.studio.enabled and is_upload(environ) else MAX_BODY_BYTES
    max_bytes = MAX_HOOK_BYTES if is_hook else max_bytes
    if not length.isdecimal() or len(length) > _MAX_DIGITS or int(length) > max_bytes:
        return False
    if hops := runtime.settings.proxies.trusted:
        apply_forwarded_headers(environ, hops)
    if limits is not None and not limits.allow(environ):
        return False
    if is_hook:
        environ[FROM_STRANGER] = True
        return is_hook_on(runtime.settings) and may_be_signed(environ)
    try:
        if runtime.settings.studio.enabled and environ["PATH_INFO"].startswith(STUDIO_PREFIX):
            return _may_send_form(environ, runtime)
        authenticator.authenticate_write(environ.get("HTTP_AUTHORIZATION", ""))
    except Exception:  # noqa: BLE001 - the app meets the same error, and answers it
        return False
    return True


def _may_send_form(environ: Environ, runtime: Runtime) -> bool:
    """Return whether to wait for the body of a form.

    Without a current session forms without files are received too, with their length known: the form to sign in, and
    the fields of a session that has ended, which come back to be sent again. The same holds while nobody can say
    whether there is a session. Large ones are marked, since any stranger may send them.
    """
    try:
        if session_of(runtime.database, Request(environ), runtime.clock()) is not None:
            return True
    except StoreUnusable:
        pass
    length = environ.get("CONTENT_LENGTH", "")
    if not length.isdecimal() or int(length) > (0 if is_upload(environ) else MAX_BODY_BYTES):
        return False
    environ[FROM_STRANGER] = int(length) > _MAX_ANONYMOUS_FORM_BYTES
    return True


_log = structlog.get_logger("sitecms.api")


def wait_for_store(settings: SiteSettings, open_site: Callable[[], MakeService]) -> CurrentService:
    """Return a service that answers /health/live, and 503 elsewhere, until `open_site` succeeds.

    From then on it is what the returned function makes. `open_site` is called by a thread, again and again while it
    raises StoreUnusable; the process ends with exit code 1 where it raises anything else.
    """
    app = _unavailable(settings)
    services = CurrentService(settings, lambda _settings: Service(app, app.wsgi_app, lambda _environ: False, None))
    threading.Thread(target=_open, args=(open_site, services), name="open-store", daemon=True).start()
    return services


def _open(open_site: Callable[[], MakeService], services: CurrentService) -> None:
    try:
        make = open_when_usable(open_site, threading.Event())
        if make is not None:
            services.switch_to(make)
    except Exception:  # noqa: BLE001 - the process ends
        _log.exception("site_not_opened")
        os._exit(1)


def _unavailable(settings: SiteSettings) -> Flask:
    """Return the app that answers until the store can be opened."""
    app = Flask("sitecms.unavailable", static_folder=None, template_folder=None)
    errors.install(app)
    headers.install(app)
    queue = QueueWatch(settings, lambda: open_queue(settings, None, read_only=True))

    def refuse() -> Response | None:
        if request.path in (_LIVE, _READY):
            return None
        response = uncached_response(503, {"detail": errors.STORE_UNREADABLE})
        response.headers["Retry-After"] = str(errors.RETRY_SECONDS)
        return response

    app.before_request(refuse)
    app.add_url_rule(_LIVE, view_func=monitoring.live)
    app.add_url_rule(_READY, "ready", lambda: monitoring.ready(settings, queue))
    return app
