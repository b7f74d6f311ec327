"""The API of one site with its middleware, as the web server runs it.

From the outside in: proxies, previews, metrics and request log, rate limits, then the API, which answers cached reads
before Flask. Middleware that the settings do not ask for is left out.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flask import Flask

from sitecms.actions.writing.request_media import Probe
from sitecms.api.app import DEFAULT_CACHE_BYTES, create_api
from sitecms.api.auth import Authenticator
from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.api.write_handler import Hint
from sitecms.api.wsgi import Environ, Wsgi
from sitecms.runtime import Runtime
from sitecms.web.middleware import NoStorePreviews, RequestMetrics, TrustedProxies, apply_forwarded_headers
from sitecms.web.rate_limits import RateLimitMiddleware, RateLimits, RateTable

_MAX_DIGITS = 100  # Python refuses to read numbers with thousands of them


@dataclass(frozen=True, slots=True)
class Service:
    """The app with its middleware. `may_write` returns whether to wait for the body of a request."""

    app: Flask
    may_write: Callable[[Environ], bool]


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
    stack: Wsgi = api.app.wsgi_app
    limits = None
    if settings.rate_limits.limits_anything:
        limits = RateLimits(settings.rate_limits, RateTable(settings.rate_limits_path))
        stack = RateLimitMiddleware(stack, limits)
    stack = RequestMetrics(stack, runtime.counters, api.router, log_requests=settings.logs.access)
    stack = NoStorePreviews(stack)
    hops = settings.proxies.trusted
    if hops:
        stack = TrustedProxies(stack, hops, settings.proxies.hsts_seconds)
    api.app.wsgi_app = stack  # type: ignore[method-assign]
    return Service(api.app, lambda environ: _may_write(environ, api.authenticator, limits, hops))


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


def _may_write(environ: Environ, authenticator: Authenticator, limits: RateLimits | None, hops: int) -> bool:
    """Return whether to wait for the body; if not, the app answers why without having read it."""
    length = environ.get("CONTENT_LENGTH", "0")
    if not length.isdecimal() or len(length) > _MAX_DIGITS or int(length) > MAX_BODY_BYTES:
        return False
    if hops:
        apply_forwarded_headers(environ, hops)
    if limits is not None and not limits.allow(environ):
        return False
    try:
        authenticator.authenticate_write(environ.get("HTTP_AUTHORIZATION", ""))
    except Exception:  # noqa: BLE001 - the app meets the same error, and answers it
        return False
    return True
