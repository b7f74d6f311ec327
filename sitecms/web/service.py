"""The API and the studio of one site with their middleware, as the web server runs them.

From the outside in: proxies, previews, metrics and request log, rate limits, then the API, which answers cached reads
before Flask, and behind its reads the studio. What the settings do not ask for is left out. While the store cannot be
opened, as when its database server starts, a small app takes its place.
"""

import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

import structlog
from flask import Flask, Request, Response, request
from msgspec import Struct

from sitecms.actions.writing.request_media import Probe
from sitecms.api import errors, headers
from sitecms.api.app import DEFAULT_CACHE_BYTES, create_api
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
from sitecms.settings.site import SiteSettings
from sitecms.studio.access import session_of
from sitecms.studio.app import create_studio
from sitecms.tasks.queue import QueueWatch, open_queue
from sitecms.tasks.store_outage import open_when_usable
from sitecms.web.git_hook import HOOK_PATH, MAX_HOOK_BYTES, GitHookMount, is_hook_on, may_be_signed
from sitecms.web.middleware import (
    STUDIO_PREFIX,
    NoStorePreviews,
    RequestMetrics,
    StudioMount,
    TrustedProxies,
    apply_forwarded_headers,
    is_upload,
)
from sitecms.web.rate_limits import RateLimitMiddleware, RateLimits, RateTable, SignInLimits

_MAX_ANONYMOUS_FORM_BYTES = 256 * 1024
FROM_STRANGER = "sitecms.from_stranger"
"""Key of the environment of a request that sends a large form without a session, or a hook of Git."""
_MAX_DIGITS = 100  # Python refuses to read numbers with thousands of them
_LIVE, _READY = "/health/live", "/health/ready"


class Service(Struct, frozen=True):
    """The app with its middleware.

    `may_write` returns whether to wait for the body of a request; `reads` returns the handler of reads, or None as long
    as the store cannot be opened.
    """

    app: Flask
    may_write: Callable[[Environ], bool]
    reads: Callable[[], ReadHandler | None]


def create_service(
    runtime: Runtime,
    public_url: str = "",
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    probe: Probe | None = None,
    hint: Hint | None = None,
) -> Service:
    """Create the API of one site with the middleware that its settings ask for; arguments as of `create_api`."""
    settings = runtime.settings
    api = create_api(runtime, public_url, cache_bytes=cache_bytes, probe=probe, hint=hint)
    if settings.studio.enabled:
        studio = create_studio(runtime, api.write_context, api.hint, SignInLimits(settings))
        api.reads.app = StudioMount(api.reads.app, studio.wsgi_app)
    if is_hook_on(settings):
        api.reads.app = GitHookMount(api.reads.app, settings)
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
        api.app, lambda environ: _may_write(environ, runtime, api.authenticator, limits), lambda: api.reads.handler
    )


def create_app(
    runtime: Runtime,
    public_url: str = "",
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    probe: Probe | None = None,
    hint: Hint | None = None,
) -> Flask:
    """Create the Flask app of one site with its middleware, for any WSGI server; arguments as of `create_api`."""
    return create_service(runtime, public_url, cache_bytes=cache_bytes, probe=probe, hint=hint).app


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


def wait_for_store(settings: SiteSettings, open_service: Callable[[], Service]) -> Service:
    """Return a service that answers /health/live, and 503 elsewhere, until `open_service` succeeds.

    From then on it is the service that was opened. `open_service` is called by a thread, again and again while it
    raises StoreUnusable; the process ends with exit code 1 where it raises anything else.
    """
    app = _unavailable(settings)
    switch = _Switch(Service(app, lambda _environ: False, lambda: None))
    placeholder = Flask("sitecms.waiting", static_folder=None, template_folder=None)
    waiting = Service(placeholder, switch.may_write, switch.reads)
    waiting.app.wsgi_app = switch  # type: ignore[method-assign]
    threading.Thread(target=_open, args=(open_service, switch), name="open-store", daemon=True).start()
    return waiting


class _Switch:
    """WSGI application that passes requests on to the current service."""

    def __init__(self, service: Service) -> None:
        self.switch_to(service)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        return self._answer(environ, start_response)

    def may_write(self, environ: Environ) -> bool:
        """Return whether to wait for the body of a request."""
        return self._may_write(environ)

    def reads(self) -> ReadHandler | None:
        """Return the handler of reads, if the store is open."""
        return self._reads()

    def switch_to(self, service: Service) -> None:
        """Pass all further requests on to this service."""
        self._answer, self._may_write, self._reads = service.app.wsgi_app, service.may_write, service.reads


def _open(open_service: Callable[[], Service], switch: _Switch) -> None:
    try:
        service = open_when_usable(open_service, threading.Event())
    except Exception:  # noqa: BLE001 - the process ends
        _log.exception("site_not_opened")
        os._exit(1)
    if service is not None:
        switch.switch_to(service)


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
