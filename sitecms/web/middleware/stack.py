"""What lies around the app, from the outside in: proxies, counting and logging, rate limits, kept answers, Flask."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from flask import Flask
from werkzeug.exceptions import ServiceUnavailable

from sitecms.api.auth import Gate
from sitecms.api.reader import Reader
from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.api.response_cache import Environ, Wsgi
from sitecms.api.routes import Routes
from sitecms.runtime import Runtime
from sitecms.web.middleware.no_store import Previews
from sitecms.web.middleware.proxies import BehindProxies, believe
from sitecms.web.middleware.rate_limits import Limited, RateLimits
from sitecms.web.middleware.rate_table import RateTable
from sitecms.web.middleware.read_handler import Front
from sitecms.web.middleware.request_metrics import Observed
from sitecms.web.middleware.whole_response import OnePiece

_MAX_DIGITS = 100  # Python refuses to read numbers with thousands of them


@dataclass(frozen=True, slots=True)
class Service:
    """The app with all its layers. `may_write`: whether it is worth while to wait for the body of a request."""

    app: Flask
    may_write: Callable[[Environ], bool]


def put_around(app: Flask, runtime: Runtime, gate: Gate, routes: Routes, reader: Reader) -> Service:
    """Lay what the settings ask for around the app; what they do not ask for costs nothing."""
    settings = runtime.settings
    stack: Wsgi = Front(OnePiece(app.wsgi_app), routes, reader)
    limits = None
    if settings.rate_limits.limits_anything:
        limits = RateLimits(settings.rate_limits, RateTable(settings.rate_limits_path))
        stack = Limited(stack, limits)
    stack = Observed(stack, runtime.counters, routes, log_requests=settings.logs.access)
    stack = Previews(stack)
    hops = settings.proxies.trusted
    if hops:
        stack = BehindProxies(stack, hops, settings.proxies.hsts_seconds)
    app.wsgi_app = stack  # type: ignore[method-assign]
    return Service(app, lambda environ: _may_write(environ, gate, limits, hops))


def _may_write(environ: Environ, gate: Gate, limits: RateLimits | None, hops: int) -> bool:
    """If not, the app answers why without having looked at the body."""
    length = environ.get("CONTENT_LENGTH", "0")
    if not length.isdecimal() or len(length) > _MAX_DIGITS or int(length) > MAX_BODY_BYTES:
        return False
    if hops:
        believe(environ, hops)
    if limits is not None and not limits.lets_in(environ):
        environ["wsgi.input"] = _NOT_TAKEN
        return False
    try:
        gate.admit_writer(environ.get("HTTP_AUTHORIZATION", ""))
    except Exception:  # noqa: BLE001 - the app will meet the same, and tell it
        environ["wsgi.input"] = _NOT_TAKEN
        return False
    return True


class _NotTaken:
    """A body that nobody waited for; whoever is let in by then all the same, as by a store that is back, sends anew."""

    def read(self, _size: int = -1) -> NoReturn:
        """Raises ServiceUnavailable (503)."""
        raise ServiceUnavailable(retry_after=1)


_NOT_TAKEN = _NotTaken()
